"""A phantom hospital, whole: nothing known is left, and what belongs together stays together."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import defaultdict
from pathlib import Path

import pydicom
import pytest

from medveil.cohort.phantom.gold import Gold, ImageGold, load_gold
from medveil.person.identifiers import Category
from medveil.person.person import Person
from medveil.release.clean import deid_defenses, deidentify

from .conftest import KEYS, Made  # type: ignore[import-not-found]


@pytest.fixture(scope="module")
def gold(hospital_folder: Path) -> Gold:
    return load_gold(hospital_folder)


def person(image: ImageGold) -> Person:
    return Person(KEYS, image.patient_id)


def dicom_of(made: Made, image: ImageGold) -> Path:
    (name,) = {f"{KEYS.pseudonym('image', image.image_id)}.dcm"}
    return next(made.out.joinpath("data", person(image).pseudonym).rglob(name), Path("withheld"))


def test_no_known_identifier_is_left_in_any_byte(cleaned: Made, gold: Gold) -> None:
    dates = {one.text for image in gold.images.values() for one in image.identifiers() if one.category is Category.DATE}
    # a stand-in for a room such as 5W-19 may be another patient's room: there are not many
    rooms = {text for text in gold.identifier_strings() if re.fullmatch(r"\d[A-Z]-\d\d", text)}
    wanted = gold.identifier_strings(common=False) - dates - rooms
    assert len(wanted) > 1000
    for path in cleaned.out.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            left = [text for text in wanted if text.encode() in content and _as_a_word(text, content)]
            assert not left, path.suffix


def _as_a_word(text: str, content: bytes) -> bool:
    return re.search(rb"(?<![\w.])" + re.escape(text.encode()) + rb"(?!\w)", content) is not None


def test_dates_move_by_the_persons_shift_in_header_and_report(cleaned: Made, gold: Gold) -> None:
    seen = 0
    for image in gold.images.values():
        path = dicom_of(cleaned, image)
        if not path.exists():
            continue
        shift = person(image).shift
        (taken,) = {one.value for one in image.in_header if one.path == "(0008,0020)"}
        moved = dt.date.fromisoformat(taken) - shift
        assert pydicom.dcmread(path, stop_before_pixels=True).StudyDate == f"{moved:%Y%m%d}"
        reports = [text.read_text() for text in path.parent.glob("*.txt")]
        whole = [
            one
            for one in image.in_report
            if one.category is Category.DATE and re.fullmatch(r"\d{4}-\d\d-\d\d", one.text)
        ]
        for one in whole:
            assert any(f"{dt.date.fromisoformat(one.text) - shift}" in report for report in reports)
            seen += 1
    assert seen


def test_a_persons_files_agree_on_one_pseudonym(cleaned: Made, gold: Gold) -> None:
    names = defaultdict(set)
    for path in cleaned.files("dcm"):
        header = pydicom.dcmread(path, stop_before_pixels=True)
        patient, _, image = path.relative_to(cleaned.out / "data").with_suffix("").parts
        assert header.PatientID == patient
        names[patient].add(str(header.PatientName))
        assert path.with_suffix("").name == image
    assert all(len(spelled) == 1 for spelled in names.values())
    assert len(names) == len({name for spelled in names.values() for name in spelled}) or len(names) > 1
    own = 0
    for image in gold.images.values():
        path = dicom_of(cleaned, image)
        if path.exists():
            family = str(pydicom.dcmread(path, stop_before_pixels=True).PatientName).split("^")[0]
            reports = " ".join(report.read_text() for report in path.parent.glob("*.txt"))
            named = any(one.category is Category.NAME for one in image.in_report)
            own += named and family.lower() in reports.lower()
    assert own > 0.5 * len(cleaned.files("dcm"))


def test_every_file_is_released_or_withheld(cleaned: Made, gold: Gold) -> None:
    assert cleaned.outcome.released + cleaned.outcome.withheld == 2 * len(gold.images)
    assert cleaned.outcome.released >= 1.8 * len(gold.images)
    assert len(list((cleaned.out / "data").rglob("*.*"))) == cleaned.outcome.released
    assert cleaned.outcome.exit_code == (1 if cleaned.outcome.withheld else 0)


def test_the_summary_counts_and_names_nothing(cleaned: Made, gold: Gold) -> None:
    text = cleaned.outcome.summary.read_text()
    summary = json.loads(text)
    assert not gold.leaks(text)
    assert summary["files"]["released"] == cleaned.outcome.released
    assert summary["identifiers"]["header"]["NAME"] >= len(cleaned.files("dcm"))
    assert summary["identifiers"]["report"]["NAME"] > 0
    assert summary["pixels"]["mask_pct"]["mean"] > 0
    assert summary["key_fingerprint"] == KEYS.fingerprint
    assert sum(summary["quarantined"].values()) == cleaned.outcome.withheld


def test_a_second_run_changes_nothing(cleaned: Made) -> None:
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in cleaned.out.rglob("*.*") if path.is_file()}
    deidentify(cleaned.source, cleaned.out, keys=KEYS, defenses=deid_defenses(), workers=1)
    after = {path: path.read_bytes() for path in cleaned.out.rglob("*.*") if path.is_file()}
    assert after == {path: content for path, (_, content) in before.items()}
    data = [path for path in before if path.is_relative_to(cleaned.out / "data")]
    assert all(path.stat().st_mtime_ns == before[path][0] for path in data)
