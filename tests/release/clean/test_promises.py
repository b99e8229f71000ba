"""What a run owes its user before, during and after: models that are there, options that hold, files that are found."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pydicom
import pytest

from medveil.errors import InputError, MedveilError
from medveil.person.keys import Keys
from medveil.release.clean import deid_defenses, deidentify
from medveil.release.clean.what_if import what_if

from .conftest import KEYS, Made, Write  # type: ignore[import-not-found]

Clean = Callable[..., Made]


def rows(table: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(table.read_text().splitlines()))


def test_a_missing_model_is_told_before_anything_is_written(tmp_path: Path, write_dicom: Write) -> None:
    write_dicom(tmp_path / "in/a.dcm", StudyDescription="Chest of John Pemberton")
    settings = deid_defenses(reports="rewritten", rewriter=str(tmp_path / "no model"))
    with pytest.raises(MedveilError, match="no model"):
        deidentify(tmp_path / "in", tmp_path / "out", keys=KEYS, defenses=settings, workers=1)
    assert not (tmp_path / "out").exists()


def test_a_profile_that_was_changed_in_its_file_is_read_anew(tmp_path: Path, write_dicom: Write, clean: Clean) -> None:
    write_dicom(tmp_path / "in/a.dcm")
    profile = tmp_path / "profile.toml"
    profile.write_text('options = ["Retain UIDs"]')
    (kept,) = clean(tmp_path / "in", "first", profile=profile).files("dcm")
    profile.write_text("options = []")
    (replaced,) = clean(tmp_path / "in", "second", profile=profile).files("dcm")
    uids = [pydicom.dcmread(path).StudyInstanceUID for path in (kept, replaced)]
    assert uids[0] == "1.2.3.4" and uids[1] != "1.2.3.4"


def test_an_option_that_nothing_can_carry_out_is_not_claimed(
    tmp_path: Path, write_dicom: Write, clean: Clean, caplog: pytest.LogCaptureFixture
) -> None:
    write_dicom(tmp_path / "in/a.dcm")
    profile = tmp_path / "profile.toml"
    profile.write_text('options = ["Clean Recognizable Visual Features", "Clean Descriptors"]')
    made = clean(tmp_path / "in", profile=profile)
    assert "faces" in caplog.text
    assert json.loads((made.out / "deid.json").read_text())["profile"]["options"] == ["Clean Descriptors Option"]


def test_everything_in_the_quarantine_is_found_again_by_the_crosswalk(tmp_path: Path, write_dicom: Write) -> None:
    source = tmp_path / "in"
    write_dicom(source / "a.dcm")
    write_dicom(source / "b.dcm", SOPInstanceUID=str(pydicom.dcmread(source / "a.dcm").SOPInstanceUID))
    (source / "letter.pdf").write_bytes(b"%PDF-1.7")
    (source / "empty.dcm").touch()
    (source / "elsewhere.txt").symlink_to(tmp_path)
    crosswalk = tmp_path / "crosswalk.csv"
    deidentify(source, tmp_path / "out", keys=KEYS, defenses=deid_defenses(), workers=1, crosswalk=crosswalk)
    names = {row["released_file"]: row["path"] for row in rows(crosswalk)}
    withheld = {row["id"] for row in rows(tmp_path / "out/quarantine.csv")}
    assert {names.get(name) for name in withheld} == {"b.dcm", "letter.pdf", "empty.dcm", "elsewhere.txt"}


def test_an_id_of_several_issuers_is_told(
    tmp_path: Path, write_dicom: Write, clean: Clean, caplog: pytest.LogCaptureFixture
) -> None:
    write_dicom(tmp_path / "in/a.dcm", IssuerOfPatientID="North Clinic")
    write_dicom(tmp_path / "in/b.dcm", StudyInstanceUID="1.2.3.6")
    write_dicom(tmp_path / "in/c.dcm", IssuerOfPatientID="NORTH CLINIC ")
    assert _several_issuers(clean(tmp_path / "in", "one")) == 0 and not caplog.text
    write_dicom(tmp_path / "in/d.dcm", IssuerOfPatientID="South Clinic")
    assert _several_issuers(clean(tmp_path / "in", "two")) == 1
    assert "several issuers" in caplog.text and "Clinic" not in caplog.text


def _several_issuers(made: Made) -> int:
    assert len(list((made.out / "data").iterdir())) == 1  # one person all the same
    return int(json.loads((made.out / "deid.json").read_text())["files"]["ids_of_several_issuers"])


def test_what_would_be_done_is_what_is_then_done(tmp_path: Path, write_dicom: Write, clean: Clean) -> None:
    source = tmp_path / "in"
    overlaid = pydicom.dcmread(write_dicom(source / "a.dcm"))
    overlaid.add_new(0x60000010, "US", 8)
    overlaid.add_new(0x60003000, "OW", b"\1" * 8)
    overlaid.save_as(source / "a.dcm")
    write_dicom(source / "again.dcm", SOPInstanceUID=str(pydicom.dcmread(source / "a.dcm").SOPInstanceUID))
    write_dicom(source / "document.dcm", EncapsulatedDocument=b"%PDF")
    (source / "notes.docx").write_bytes(b"PK")
    (source / "report.txt").write_text("No effusion.")
    profile = tmp_path / "profile.toml"
    profile.write_text('options = ["Clean Graphics", "Clean Descriptors"]')
    told = dict(what_if(source, keys=KEYS, defenses=deid_defenses(fill="black", profile=profile)))
    made = clean(source, profile=profile)
    withheld = {row["id"]: row["reason"] for row in rows(made.out / "quarantine.csv")}
    assert withheld == {name: reason for name, reason in told.items() if isinstance(reason, str)}
    actions = [one.action for done in told.values() if not isinstance(done, str) for one in done]
    assert {letter: actions.count(letter) for letter in sorted(set(actions))} == json.loads(
        (made.out / "deid.json").read_text()
    )["header_actions"]


def test_a_key_is_made_for_cleaning_alone_and_with_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from medveil.release.folder import site_key

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    key = tmp_path / "config/medveil/key"
    with pytest.raises(InputError, match="medveil deid"):
        site_key(None, tmp_path / "nothing")
    assert not key.exists()
    assert isinstance(site_key(None, tmp_path / "nothing", may_make=True), Keys)
    assert f"a new key was made at {key}" in caplog.text
    caplog.clear()
    site_key(None, tmp_path / "nothing", may_make=True)
    assert not caplog.text


def test_images_belong_to_whom_their_table_says(tmp_path: Path, clean: Clean) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for number in range(6):
        cv2.imwrite(str(source / f"{number}.png"), np.full((64, 64), 10 * number, np.uint8))
    rows_of_table = [f"{number}.png,P{number // 2:05d},No effusion." for number in range(6)]
    (source / "images.csv").write_text("\n".join(["path,patient_id,report", *rows_of_table]))
    made = clean(source)
    assert made.outcome.released == 7
    assert len({path.parent.parent.name for path in made.files("png")}) == 3
