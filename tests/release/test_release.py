from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest

from medveil.attacks.linkage.attack import ORIGINAL_REPORTS
from medveil.cohort import Cohort
from medveil.cohort.phantom.gold import load_gold
from medveil.errors import InputError, SettingsError
from medveil.finding import Verdict
from medveil.person.keys import Keys
from medveil.release import Outcome, Settings, release
from medveil.release.folder import held

KEYS = Keys.for_demonstration(1)
NOTHING = Settings(defenses=("headers", "table"), attacks=("singling-out",), measures=("label-probe",))


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def run(source: Path, out: Path, **rest: object) -> Outcome:
    return release(source, out, **{"keys": KEYS, "settings": Settings(), "workers": 1, **rest})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def released(hospital_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("release") / "out"
    run(hospital_folder, out)
    return out


def test_the_report_says_what_happened(released: Path, hospital: Cohort) -> None:
    report = json.loads((released / "report.json").read_text())
    assert report["subject"]["images"] == len(hospital)
    assert report["subject"]["released"] + report["subject"]["withheld"] == len(hospital)
    assert {c["part"] for c in report["comparisons"]} == {
        "identity",
        "linkage",
        "pixel-similarity",
        "singling-out",
        "visit-intervals",
        "label-probe",
        "pixel-damage",
        "vqa",
    }
    assert report["verdict"] == "FAIL", "the phantoms are made to be recognisable"
    assert report["check"]["looked_at"] == {
        "files searched": report["subject"]["released"],
        "images read": report["subject"]["released"],
        "reports searched": report["subject"]["released"],
        "rows compared": report["subject"]["released"],
    }
    assert report["check"]["found"] == {}
    assert (released / "report.html").stat().st_size > 10_000


def test_released_images_are_linked_to_the_true_reports(released: Path) -> None:
    comparisons = json.loads((released / "report.json").read_text())["comparisons"]
    (found,) = (comparison for comparison in comparisons if comparison["part"] == "linkage")
    before, after = (found[when]["estimates"]["Recall@1"] for when in ("before", "after"))
    assert after["n"] == before["n"]
    assert after["interval"][0] > after["chance"], "removing text does not hide the chest"
    assert ORIGINAL_REPORTS in found["after"]["method"]
    assert ORIGINAL_REPORTS not in found["before"]["method"]


def test_the_released_cohort_is_whole_and_aligned(released: Path, hospital: Cohort) -> None:
    after = Cohort.open(released / "data")
    pseudonyms = {KEYS.pseudonym("image", image): row for row, image in enumerate(hospital.table["image_id"])}
    assert len(after) > 0.9 * len(hospital)
    assert list(after.table["image_id"]) == sorted(after.table["image_id"]), "the source's order must not show"
    for row in range(len(after)):
        origin = pseudonyms[after.table["image_id"][row]]
        assert after.table["patient_id"][row] == KEYS.pseudonym("patient", hospital.table["patient_id"][origin])
        assert after.table["view"][row] == hospital.table["view"][origin]
        before_pixels, after_pixels = hospital.image(origin), after.image(row)
        assert after_pixels.dtype == before_pixels.dtype
        assert (after_pixels != before_pixels).mean() < 0.3, "what is not painted over is bit-identical"
        assert after.table["report"][row] != hospital.table["report"][origin]


def test_a_second_run_changes_nothing(released: Path, hospital_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(released, copy)
    before = tree(copy)
    run(hospital_folder, copy)
    assert tree(copy) == before


def test_damaged_output_is_repaired(released: Path, hospital_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(released, copy)
    before = tree(copy)
    images = sorted((copy / "data" / "images").rglob("*.png"))
    images[0].unlink()
    images[1].write_bytes(b"rubbish")
    run(hospital_folder, copy)
    assert tree(copy) == before


def test_no_identifier_of_the_answer_key_is_published(released: Path, hospital_folder: Path) -> None:
    gold = load_gold(hospital_folder)
    assert len(gold.identifier_strings()) > 300
    assert gold.leaks(f"seen on Monday: {sorted(gold.identifier_strings(common=False))[0]}.")
    published = [path for path in released.rglob("*") if path.is_file()]
    texts = {"names of files": "\n".join(str(path.relative_to(released)) for path in published)}
    for path in published:
        if path.suffix == ".parquet":
            texts[path.name] = Cohort.open(path.parent).table.drop(columns="date").to_csv()
        elif path.name == "journal.sqlite":
            texts[path.name] = re.sub(r'"date":"[^"]*"', "", path.read_bytes().decode("latin-1"))
        elif path.suffix != ".png":  # compressed pixels; what is burned in is tested with the defense
            texts[path.name] = path.read_text()
    # a moved date may be another patient's true one; that none keeps their own is tested below
    dates = {one.text for image in gold.images.values() for one in image.identifiers() if one.category == "DATE"}
    for name, text in texts.items():
        assert not gold.leaks(text) - dates, f"identifiers in {name}"


def test_no_patient_keeps_a_true_date(released: Path, hospital: Cohort) -> None:
    images = [KEYS.pseudonym("image", image) for image in hospital.table["image_id"]]
    true_dates = hospital.table["date"].dt.normalize().set_axis(images)
    shown = Cohort.open(released / "data").table
    for _, own in shown.groupby("patient_id"):
        shifts = set((true_dates[own["image_id"]].to_numpy() - own["date"].to_numpy()).astype("timedelta64[D]"))
        assert len(shifts) == 1
        assert 1 <= shifts.pop().astype(int) <= 365


def test_pngs_carry_pixels_only(released: Path) -> None:
    for path in list((released / "data" / "images").rglob("*.png"))[:20]:
        content = path.read_bytes()
        kinds, at = [], 8
        while at < len(content):
            length = int.from_bytes(content[at : at + 4])
            kinds.append(content[at + 4 : at + 8])
            at += length + 12
        assert set(kinds) == {b"IHDR", b"IDAT", b"IEND"}


def broken_folder(folder: Path) -> Path:
    """Three good images and one of each kind of bad one."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    names = [
        "good0.png",
        "good1.png",
        "good2.png",
        "empty.png",
        "text.png",
        "cut.png",
        "gone.png",
        "loop.png",
        "out.png",
        "pipe.png",
    ]
    for name in names[:3]:
        cv2.imwrite(str(folder / name), cv2.resize(rng.integers(0, 200, (8, 8)).astype(np.uint8), (128, 128)))
    (folder / "empty.png").touch()
    (folder / "text.png").write_text("Jane Doe, born 1950")
    (folder / "cut.png").write_bytes((folder / "good0.png").read_bytes()[:200])
    (folder / "loop.png").symlink_to(folder / "loop.png")
    (folder.parent / "outside.png").write_bytes((folder / "good0.png").read_bytes())
    (folder / "out.png").symlink_to(folder.parent / "outside.png")
    os.mkfifo(folder / "pipe.png")
    pd.DataFrame({"path": names, "patient_id": [f"Jane Doe {k // 2}" for k in range(len(names))]}).to_csv(
        folder / "images.csv", index=False
    )
    return folder / "images.csv"


def test_what_cannot_be_read_is_withheld_with_a_reason_and_the_rest_goes_on(tmp_path: Path) -> None:
    outcome = run(broken_folder(tmp_path / "in"), tmp_path / "out", settings=NOTHING)
    assert outcome.released == 3
    assert outcome.withheld == 7
    assert outcome.exit_code == 1
    listed = pd.read_csv(tmp_path / "out" / "quarantine.csv")
    assert len(listed) == 7
    text = (tmp_path / "out" / "quarantine.csv").read_text() + (
        tmp_path / "out" / "journal.sqlite"
    ).read_bytes().decode("latin-1")
    assert "Doe" not in text
    assert ".png" not in (tmp_path / "out" / "quarantine.csv").read_text()
    assert len(list((tmp_path / "out" / "data" / "images").rglob("*.png"))) == 3


def test_nothing_releasable_is_a_report_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.png").touch()
    pd.DataFrame({"path": ["a.png"], "patient_id": ["p"]}).to_csv(tmp_path / "in" / "images.csv", index=False)
    outcome = run(tmp_path / "in" / "images.csv", tmp_path / "out", settings=NOTHING)
    assert outcome.verdict is Verdict.REVIEW
    assert outcome.released == 0
    assert outcome.report.exists()


def test_nothing_left_to_release_leaves_no_table(tmp_path: Path) -> None:
    source = broken_folder(tmp_path / "in")
    run(source, tmp_path / "out", settings=NOTHING)
    for number in range(3):
        (tmp_path / "in" / f"good{number}.png").write_bytes(b"now broken")
    assert run(source, tmp_path / "out", settings=NOTHING).released == 0
    assert [path for path in (tmp_path / "out" / "data").rglob("*") if path.is_file()] == []


def test_a_changed_source_is_cleaned_anew(tmp_path: Path) -> None:
    source = broken_folder(tmp_path / "in")
    run(source, tmp_path / "out", settings=NOTHING)
    cv2.imwrite(str(tmp_path / "in" / "good1.png"), np.full((64, 64), 99, np.uint8))
    run(source, tmp_path / "out", settings=NOTHING)
    shapes = {cv2.imread(str(p), -1).shape for p in (tmp_path / "out" / "data" / "images").rglob("*.png")}
    assert shapes == {(128, 128), (64, 64)}


def test_a_changed_row_is_released_anew(tmp_path: Path) -> None:
    source = broken_folder(tmp_path / "in")
    run(source, tmp_path / "out", settings=NOTHING)
    pd.read_csv(source).assign(age=44).to_csv(source, index=False)
    run(source, tmp_path / "out", settings=NOTHING)
    assert (Cohort.open(tmp_path / "out" / "data").table["age"] == 44).all()


def test_what_is_withdrawn_or_withheld_later_leaves_the_output(tmp_path: Path) -> None:
    source = broken_folder(tmp_path / "in")
    run(source, tmp_path / "out", settings=NOTHING)
    table = pd.read_csv(source)
    table[table["path"] != "good1.png"].to_csv(source, index=False)
    (tmp_path / "in" / "good2.png").write_bytes(b"now broken")
    outcome = run(source, tmp_path / "out", settings=NOTHING)
    assert outcome.released == 1
    assert len(list((tmp_path / "out" / "data").rglob("*.png"))) == 1
    assert len(Cohort.open(tmp_path / "out" / "data")) == 1


def test_the_crosswalk_is_written_on_request_only_and_for_the_owner(tmp_path: Path) -> None:
    source = broken_folder(tmp_path / "in")
    run(source, tmp_path / "out", settings=NOTHING, crosswalk=tmp_path / "who.csv")
    assert stat.S_IMODE((tmp_path / "who.csv").stat().st_mode) == 0o600
    known = pd.read_csv(tmp_path / "who.csv").set_index("path")
    assert known.loc["good0.png", "patient_id"] == "Jane Doe 0"
    released_ids = set(Cohort.open(tmp_path / "out" / "data").table["image_id"])
    assert known.loc["good0.png", "released_image_id"] in released_ids
    with pytest.raises(InputError, match="crosswalk"):
        run(source, tmp_path / "new", settings=NOTHING, crosswalk=tmp_path / "new" / "who.csv")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (Settings(threshold=9), "probability"),
        (Settings(attacks=("telepathy",)), "no attack called telepathy"),
        (Settings(defenses=("hope",)), "no defense called hope"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: Settings, message: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=message):
        run(tmp_path, tmp_path / "out", settings=settings)
    assert not (tmp_path / "out").exists()


def test_places_that_make_no_sense_are_refused(tmp_path: Path, hospital_folder: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    cases = {
        tmp_path / "full": "not empty",
        tmp_path / "full" / "thesis.txt": "is a file",
        hospital_folder / "out": "inside one another",
        hospital_folder.parent: "inside one another",
    }
    for out, message in cases.items():
        with pytest.raises(InputError, match=message):
            run(hospital_folder, out)
    with pytest.raises(InputError, match="nothing at"):
        run(tmp_path / "absent", tmp_path / "out")


def test_another_key_or_other_settings_do_not_mix(tmp_path: Path) -> None:
    source = broken_folder(tmp_path / "in")
    run(source, tmp_path / "out", settings=NOTHING)
    with pytest.raises(SettingsError, match="another key"):
        run(source, tmp_path / "out", settings=NOTHING, keys=Keys.for_demonstration(2))
    with pytest.raises(InputError, match="other settings"):
        run(source, tmp_path / "out", settings=replace(NOTHING, seed=8))


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    source = broken_folder(tmp_path / "in")
    with held(tmp_path / "out"), pytest.raises(InputError, match="another run is at work"):
        run(source, tmp_path / "out", settings=NOTHING)
    run(source, tmp_path / "out", settings=NOTHING)


def test_a_defense_left_out_is_a_blocking_gap(tmp_path: Path) -> None:
    settings = Settings(defenses=("headers", "table"), attacks=("singling-out",), measures=("label-probe",))
    run(broken_folder(tmp_path / "in"), tmp_path / "out", settings=settings)
    gaps = json.loads((tmp_path / "out" / "report.json").read_text())["gaps"]
    blocked = {gap["what"] for gap in gaps if gap["blocking"]}
    assert {"Text burned into the image", "Report text"} <= blocked


def test_the_users_threshold_is_named_in_the_report(tmp_path: Path) -> None:
    settings = replace(NOTHING, threshold=0.5)
    run(broken_folder(tmp_path / "in"), tmp_path / "out", settings=settings)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["comparisons"][0]["after"]["threshold"]["value"] == 0.5
    assert "chosen" in report["comparisons"][0]["after"]["threshold"]["name"]


def test_a_broken_file_that_is_added_after_a_finished_run_changes_the_outcome(tmp_path: Path, hospital: Cohort) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for number, path in enumerate(hospital.table["path"].iloc[:3]):
        shutil.copy(hospital.root / path, source / f"{number}.dcm")
    before = run(source, tmp_path / "out", settings=NOTHING)
    assert (before.released, before.withheld) == (3, 0)
    (source / "added.dcm").write_bytes(b"\0" * 128 + b"DICM" + b"\xff" * 40)
    after = run(source, tmp_path / "out", settings=NOTHING)
    assert (after.released, after.withheld) == (3, 1)
    assert json.loads((tmp_path / "out" / "report.json").read_text())["subject"]["withheld"] == 1
    assert after.exit_code == 1


def test_dicom_files_can_be_released_and_are_audited(tmp_path: Path, hospital: Cohort) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for number, path in enumerate(hospital.table["path"].iloc[:4]):
        shutil.copy(hospital.root / path, source / f"{number}.dcm")
    settings = Settings(writer="dicom", attacks=("pixel-similarity",), measures=("label-probe",))
    outcome = run(source, tmp_path / "out", settings=settings)
    assert (outcome.released, outcome.withheld) == (4, 0)
    assert len(list((tmp_path / "out/data").rglob("*.dcm"))) == 4
    assert json.loads((tmp_path / "out/run.json").read_text())["writer"] == "dicom"
    report = json.loads((tmp_path / "out/report.json").read_text())
    assert report["check"]["looked_at"]["files searched"] == 4
    assert report["check"]["found"] == {}
    assert report["subject"]["released"] == 4
    with pytest.raises(InputError, match="other settings"):
        run(source, tmp_path / "out", settings=replace(settings, writer="table"))


def test_images_that_are_no_dicom_files_are_not_released_unmeasured(tmp_path: Path, hospital: Cohort) -> None:
    source = tmp_path / "in"
    source.mkdir()
    shutil.copy(hospital.root / hospital.table["path"].iloc[0], source / "x.dcm")
    cv2.imwrite(str(source / "y.png"), np.zeros((64, 64), np.uint8))
    with pytest.raises(InputError, match="images that are not DICOM files"):
        run(source, tmp_path / "out", settings=replace(NOTHING, writer="dicom"))
    assert not (tmp_path / "out").exists()
