"""Damaged files and reports: no crash, no hang, no unclean output. benchmarks/deid_fuzz.py does thousands."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from medveil.cohort.phantom.damage import DICOM_DAMAGE, TEXT_DAMAGE, damaged_dicom, damaged_text
from medveil.cohort.phantom.gold import load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.person.identifiers import Category
from medveil.release.clean import groups


def test_damaged_files_come_out_clean_or_not_at_all(tmp_path: Path, clean) -> None:
    build_hospital(tmp_path / "hospital", patients=6, sites=6, size=64, seed=4, workers=1)
    gold = load_gold(tmp_path / "hospital")
    images = list(gold.images.values())
    (tmp_path / "in").mkdir()
    for at in range(72):
        image, rng = images[at % len(images)], np.random.default_rng(at)
        kind, text_kind = list(DICOM_DAMAGE)[at % 6], list(TEXT_DAMAGE)[at % 6]
        dicom = damaged_dicom(rng, (gold.root / image.path).read_bytes(), kind)
        text = damaged_text(rng, (gold.root / image.report_path).read_bytes(), text_kind)
        (tmp_path / f"in/{at}.dcm").write_bytes(dicom)
        (tmp_path / f"in/{at}r.txt").write_bytes(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what pydicom thinks of these files
        made = clean(tmp_path / "in")
    assert made.outcome.released + made.outcome.withheld == 144
    assert made.files("txt")
    exempt = {
        one.text
        for image in images
        for one in image.identifiers()
        if one.category in (Category.DATE, Category.TIME) or len(one.text) < 6
    }
    wanted = [text.encode() for text in gold.identifier_strings(common=False) - exempt]
    for path in (*made.files("dcm"), *made.files("txt")):
        content = path.read_bytes()
        head = content[: content.rfind(b"\xe0\x7f\x10\x00")] if path.suffix == ".dcm" else content
        assert not [text for text in wanted if text in head]


def test_what_a_damaged_header_still_tells_is_known_in_the_report(tmp_path: Path, write_dicom, clean) -> None:
    file = write_dicom(tmp_path / "in/a.dcm")
    content = file.read_bytes()
    assert content.count(b"CS\x02\x00M ") == 1
    file.write_bytes(content.replace(b"CS\x02\x00M ", b"ZZ\x02\x00M "))
    (tmp_path / "in/a.txt").write_text("Film of pemberton compared; lungs clear.")
    made = clean(tmp_path / "in")
    assert not made.files("dcm")
    (report,) = made.files("txt")
    assert "pemberton" not in report.read_text()


@pytest.mark.usefixtures("in_this_process")
def test_a_person_who_cannot_be_known_keeps_the_files_behind(tmp_path: Path, write_dicom, clean, monkeypatch) -> None:
    def surprise(*_: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(groups, "gathered", surprise)
    write_dicom(tmp_path / "in/a.dcm")
    made = clean(tmp_path / "in")
    assert (made.outcome.released, made.outcome.withheld) == (0, 1)
