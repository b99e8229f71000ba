"""One person, one identity: told apart by the id alone, and reports find the person they are about."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pydicom
import pytest
from PIL import ExifTags, Image, ImageDraw, ImageOps
from pydicom.dataset import Dataset

from medveil.errors import InputError, SettingsError
from medveil.person.keys import Keys
from medveil.release.clean import deid_defenses, deidentify, groups
from medveil.release.folder import site_key

from .conftest import KEYS, Made, save  # type: ignore[import-not-found]


def header(path: Path) -> Dataset:
    return pydicom.dcmread(path, stop_before_pixels=True)


def test_two_patients_with_one_name_stay_two(tmp_path: Path, write_dicom, clean) -> None:
    for number in (1, 2):
        write_dicom(tmp_path / f"in/{number}.dcm", PatientID=f"0000{number}", StudyInstanceUID=f"1.2.{number}")
    made = clean(tmp_path / "in")
    one, two = map(header, made.files("dcm"))
    assert one.PatientID != two.PatientID
    assert one.PatientName != two.PatientName
    assert one.StudyDate != two.StudyDate  # of the same day


def test_one_patient_under_two_spellings_stays_one(tmp_path: Path, write_dicom, clean) -> None:
    write_dicom(tmp_path / "in/a.dcm", PatientName="Müller^Jürgen", StudyInstanceUID="1.2.1")
    write_dicom(tmp_path / "in/b.dcm", PatientName="MUELLER^JUERGEN^K", StudyInstanceUID="1.2.2", StudyDate="20240225")
    (tmp_path / "in/a.txt").write_text("Jürgen Müller was seen. MUELLER will return on 02/25/2024.")
    made = clean(tmp_path / "in")
    one, two = sorted(map(header, made.files("dcm")), key=lambda one: str(one.StudyDate))
    assert (one.PatientID, one.PatientName) == (two.PatientID, two.PatientName)
    (report,) = made.files("txt")
    family, given = str(one.PatientName).split("^")
    moved = f"{two.StudyDate[4:6]}/{two.StudyDate[6:]}/{two.StudyDate[:4]}"
    assert report.read_text() == f"{given} {family} was seen. {family.upper()} will return on {moved}."


@pytest.mark.parametrize(
    "name",
    [
        "in/1.2.3.4.txt",  # the study's UID
        "in/reports/A240001234.txt",  # the accession number
        "in/images/x.txt",  # beside the image, of its name
        "in/MR-0012345/any.txt",  # a folder named for the patient
        "in/reports/MR-0012345_read.txt",
        "in/images/other.txt",  # a folder that holds one patient's images
    ],
)
def test_a_report_finds_its_patient(tmp_path: Path, name: str, write_dicom, clean) -> None:
    write_dicom(tmp_path / "in/images/x.dcm")
    write_dicom(tmp_path / "in/others/y.dcm", PatientID="7654321", StudyInstanceUID="1.2.9", AccessionNumber="B99")
    report = tmp_path / name
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text("Pemberton has clear lungs.")
    made = clean(tmp_path / "in")
    (text,) = made.files("txt")
    assert text.parts[-3] == KEYS.pseudonym("patient", "MR-0012345")
    assert "Pemberton" not in text.read_text()


def test_a_report_finds_its_patient_by_what_it_says(tmp_path: Path, write_dicom, clean) -> None:
    write_dicom(tmp_path / "in/images/x.dcm")
    (tmp_path / "in/note.txt").write_text("MRN: MR 0012345\n\nLungs are clear.")
    (text,) = clean(tmp_path / "in").files("txt")
    assert text.parts[-3] == KEYS.pseudonym("patient", "MR-0012345")
    assert text.read_text() == f"MRN: {text.parts[-3]}\n\nLungs are clear."


def test_a_report_of_nobody_known_is_a_person_of_its_own(tmp_path: Path, write_dicom, clean) -> None:
    write_dicom(tmp_path / "in/images/x.dcm")
    (tmp_path / "in/lost.txt").write_text("Mr. Pemberton has clear lungs.")
    made = clean(tmp_path / "in")
    (text,) = made.files("txt")
    assert text.parts[-3] != KEYS.pseudonym("patient", "MR-0012345")
    assert "Pemberton" not in text.read_text()
    assert json.loads(made.outcome.summary.read_text())["files"]["without_patient"] == 1


def test_a_mimic_tree(tmp_path: Path, write_dicom, clean) -> None:
    folder = tmp_path / "in/files/p10/p10000032"
    write_dicom(folder / "s50414267/abc.dcm", PatientID="10000032")
    (folder / "s50414267.txt").write_text("FINAL REPORT\n ___ year old. Lungs are clear.\n")
    made = clean(tmp_path / "in")
    (text,), (image,) = made.files("txt"), made.files("dcm")
    assert text.parts[-3] == image.parts[-3] == KEYS.pseudonym("patient", "10000032")
    assert text.read_text() == "FINAL REPORT\n ___ year old. Lungs are clear.\n"
    assert made.outcome.exit_code == 0


def test_pictures_come_out_as_png_without_remarks(tmp_path: Path, clean) -> None:
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    remarks = PngInfo()
    remarks.add_text("Patient", "John Pemberton")
    (tmp_path / "in").mkdir()
    Image.new("L", (96, 80), 30).save(tmp_path / "in/Pemberton_John.png", pnginfo=remarks)
    Image.new("L", (96, 80), 60).save(tmp_path / "in/b.jpg", comment=b"John Pemberton")
    made = clean(tmp_path / "in")
    for path in made.files("png"):
        assert b"Pemberton" not in path.read_bytes()
        with Image.open(path) as picture:
            assert (picture.size, picture.info) == ((96, 80), {})
    assert len(made.files("png")) == 2


def test_pictures_keep_their_colours(tmp_path: Path, clean) -> None:
    (tmp_path / "in").mkdir()
    ramp = np.linspace(40, 200, 96 * 80).reshape(80, 96).astype(np.uint8)
    colours = np.dstack([ramp, ramp // 2, 255 - ramp])
    Image.fromarray(colours).save(tmp_path / "in/a.png")
    made = clean(tmp_path / "in")
    with Image.open(made.files("png")[0]) as picture:
        assert np.array_equal(np.array(picture), colours)


def test_text_that_differs_in_colour_alone_is_removed(tmp_path: Path, clean) -> None:
    """Red on green of the same brightness: a gray image shows nothing of it."""
    (tmp_path / "in").mkdir()
    ink = Image.new("L", (480, 300))
    ImageDraw.Draw(ink).text((40, 120), "QUACKENBUSH ZEBULON", fill=255, font_size=30)
    colours = np.where((np.array(ink) > 128)[..., None], (177, 0, 0), (0, 90, 0)).astype(np.uint8)
    Image.fromarray(colours).save(tmp_path / "in/a.png")
    made = clean(tmp_path / "in")
    with Image.open(made.files("png")[0]) as picture:
        left = np.array(picture).astype(int)
    assert (left[..., 0] > left[..., 1]).mean() < 0.1 * (np.array(ink) > 128).mean()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_stay_the_way_they_are_shown(tmp_path: Path, clean, orientation: int) -> None:
    (tmp_path / "in").mkdir()
    ramp = Image.fromarray(np.linspace(40, 200, 96 * 80).reshape(80, 96).astype(np.uint8))
    remarks = Image.Exif()
    remarks[ExifTags.Base.Orientation] = orientation
    ramp.save(tmp_path / "in/a.png", exif=remarks)
    made = clean(tmp_path / "in")
    with Image.open(tmp_path / "in/a.png") as before, Image.open(made.files("png")[0]) as after:
        assert np.array_equal(np.array(ImageOps.exif_transpose(before)), np.array(after))


def test_several_pictures_in_one_file_stay_behind(tmp_path: Path, clean) -> None:
    (tmp_path / "in").mkdir()
    first, second = Image.new("L", (96, 80), 30), Image.new("L", (96, 80), 60)
    first.save(tmp_path / "in/a.png", save_all=True, append_images=[second])
    made = clean(tmp_path / "in")
    assert made.outcome.released == 0
    assert "several pictures in one file" in (made.out / "quarantine.csv").read_text()


def test_what_is_strange_stays_behind(tmp_path: Path, write_dicom, clean) -> None:
    write_dicom(tmp_path / "in/x.dcm")
    write_dicom(tmp_path / "in/copy.dcm", SOPInstanceUID="1.2.3.77")
    write_dicom(tmp_path / "in/copy2.dcm", SOPInstanceUID="1.2.3.77")
    (tmp_path / "in/scan.pdf").write_bytes(b"%PDF-1.4 John Pemberton")
    (tmp_path / "in/broken.dcm").write_bytes((tmp_path / "in/x.dcm").read_bytes()[:300])
    (tmp_path / "in/empty.txt").write_bytes(b"")
    (tmp_path / "in/.DS_Store").write_bytes(b"litter")
    made = clean(tmp_path / "in")
    with (made.out / "quarantine.csv").open() as file:
        reasons = sorted(row["reason"] for row in csv.DictReader(file))
    assert reasons == [
        "empty file",
        "no object class",
        "not a kind of file that can be cleaned",
        "repeats another image",
    ]
    assert made.outcome.withheld == 4
    assert made.outcome.exit_code == 1
    everything = b"".join(path.read_bytes() for path in made.out.rglob("*") if path.is_file())
    assert b"Pemberton" not in everything and b"scan" not in everything


def test_a_text_in_two_encodings_at_once_stays_behind(tmp_path: Path, clean) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_bytes("RE: BÉRANGER, RÉMI, born 1933".encode() + b"\xe9\xff")
    (tmp_path / "in/b.txt").write_bytes("Mr. Béranger is well.".encode("latin-1"))
    made = clean(tmp_path / "in")
    assert (made.outcome.released, made.outcome.withheld) == (1, 1)
    assert "ranger" not in made.files("txt")[0].read_bytes().decode("latin-1")


def test_a_dicomdir_is_left_out(tmp_path: Path, write_dicom, clean) -> None:
    write_dicom(tmp_path / "in/x.dcm")
    directory = Dataset()
    directory.SOPClassUID, directory.SOPInstanceUID = "1.2.840.10008.1.3.10", "1.2.3"
    directory.DirectoryRecordSequence = []
    save(tmp_path / "in/DICOMDIR", directory)
    made = clean(tmp_path / "in")
    assert (made.outcome.released, made.outcome.withheld) == (1, 0)
    assert json.loads(made.outcome.summary.read_text())["files"]["left_out"] == 1


def test_one_file(tmp_path: Path, write_dicom, clean) -> None:
    assert clean(write_dicom(tmp_path / "in/x.dcm")).outcome.released == 1


def test_a_file_that_goes_leaves_the_output(tmp_path: Path, write_dicom, clean) -> None:
    write_dicom(tmp_path / "in/x.dcm")
    gone = write_dicom(tmp_path / "in/y.dcm", PatientID="7654321", StudyInstanceUID="1.2.9")
    assert len(clean(tmp_path / "in").files("dcm")) == 2
    gone.unlink()
    made = clean(tmp_path / "in")
    assert len(made.files("dcm")) == 1
    assert len(list((made.out / "data").iterdir())) == 1


def test_what_a_new_file_tells_is_used_for_the_old_ones(tmp_path: Path, write_dicom, clean) -> None:
    write_dicom(tmp_path / "in/x.dcm", ImageComments="told to Abernathy-Zielinski")
    clean(tmp_path / "in")
    write_dicom(tmp_path / "in/y.dcm", ReferringPhysicianName="Abernathy-Zielinski^Q")
    made = clean(tmp_path / "in")
    assert not any(b"Zielinski" in path.read_bytes() for path in made.files("dcm"))


def test_a_folder_named_after_a_machine_takes_nothing_from_the_header(tmp_path: Path, write_dicom, clean) -> None:
    machine = {"Manufacturer": "Veritek", "ManufacturerModelName": "Lumenar", "Modality": "RTDOSE"}
    write_dicom(tmp_path / "in/VERITEK_LUMENAR/rtdose_veritek.dcm", **machine)
    write_dicom(tmp_path / "in/veritek_zlimvar_oto/x.dcm", **machine, PatientName="")
    (tmp_path / "in/veritek_zlimvar_oto/x.txt").write_text("Lungs clear. zlimvar clear. Heart normal.")
    made = clean(tmp_path / "in")
    assert made.outcome.released == 3
    for path in made.files("dcm"):
        assert {keyword: header(path).get(keyword) for keyword in machine} == machine
    assert b"zlimvar" not in made.files("txt")[0].read_bytes()


def test_what_one_piece_of_a_large_patient_tells_is_known_in_the_next(
    tmp_path: Path, write_dicom, clean, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "MOST_FILES", 2)
    for name in ("a.dcm", "b.dcm", "c.dcm", "d.dcm"):
        write_dicom(tmp_path / f"in/one/{name}", PatientName="Zlimvar^Oto")
    (tmp_path / "in/one/zz.txt").write_text("Lungs clear. zlimvar clear. Heart normal.")
    made = clean(tmp_path / "in")
    assert made.outcome.released == 5
    assert b"zlimvar" not in made.files("txt")[0].read_bytes()


def test_a_piece_is_done_anew_where_a_later_one_tells_more(
    tmp_path: Path, write_dicom, clean, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "MOST_FILES", 2)
    for name in ("b.dcm", "c.dcm", "d.dcm"):
        write_dicom(tmp_path / f"in/one/{name}")
    (tmp_path / "in/one/a.txt").write_text("Lungs clear. zlimvar clear. Heart normal.")
    assert b"zlimvar" in clean(tmp_path / "in").files("txt")[0].read_bytes()
    write_dicom(tmp_path / "in/one/d.dcm", PatientName="Zlimvar^Oto")
    assert b"zlimvar" not in clean(tmp_path / "in").files("txt")[0].read_bytes()


def test_a_wrong_or_lost_key_is_an_error_before_anything_is_written(
    tmp_path: Path, write_dicom, clean, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_dicom(tmp_path / "in/x.dcm").parent
    made = clean(source)
    before = {path: path.read_bytes() for path in made.out.rglob("*") if path.is_file()}
    with pytest.raises(SettingsError, match="another key"):
        deidentify(source, made.out, keys=Keys.for_demonstration(6), defenses=deid_defenses(fill="black"), workers=1)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with pytest.raises(SettingsError, match="no key at"):
        site_key(tmp_path / "absent.key", tmp_path / "new")
    with pytest.raises(SettingsError, match="the key that made"):
        site_key(None, made.out)
    assert not (tmp_path / "config").exists() and not (tmp_path / "absent.key").exists()
    made_key = site_key(None, tmp_path / "new", may_make=True)
    assert site_key(None, tmp_path / "new").fingerprint == made_key.fingerprint
    with pytest.raises(SettingsError, match="another key"):
        site_key(None, made.out)
    assert {path: path.read_bytes() for path in made.out.rglob("*") if path.is_file()} == before


def test_places_that_do_not_do(tmp_path: Path, write_dicom, clean) -> None:
    source = write_dicom(tmp_path / "in/x.dcm").parent
    with pytest.raises(InputError, match="inside one another"):
        clean(source, "in/out")
    with pytest.raises(InputError, match="nothing at"):
        clean(tmp_path / "absent")
    (tmp_path / "bare").mkdir()
    with pytest.raises(InputError, match="is empty"):
        clean(tmp_path / "bare")


def test_the_crosswalk_leads_back_and_is_private(tmp_path: Path, write_dicom) -> None:
    source = write_dicom(tmp_path / "in/x.dcm").parent
    path = tmp_path / "crosswalk.csv"
    deidentify(source, tmp_path / "out", keys=KEYS, defenses=deid_defenses(fill="black"), workers=1, crosswalk=path)
    with path.open() as file:
        (row,) = csv.DictReader(file)
    assert row["patient_id"] == "MR-0012345"
    assert (tmp_path / "out/data" / row["released_path"]).exists()
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="crosswalk"):
        deidentify(
            source, tmp_path / "o2", keys=KEYS, defenses=deid_defenses(), workers=1, crosswalk=tmp_path / "o2/c.csv"
        )


def test_two_runs_are_the_same_bytes(tmp_path: Path, write_dicom, clean, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    source = write_dicom(tmp_path / "in/x.dcm").parent
    (source / "x.txt").write_text("John Pemberton, seen 02/20/2024 by Dr. Kowalczyk.")
    one, two = clean(source, "one"), clean(source, "two")
    assert contents(one) == contents(two)


def contents(made: Made) -> dict[str, bytes]:
    files = (path for path in made.out.rglob("*") if path.is_file())
    return {path.relative_to(made.out).as_posix(): path.read_bytes() for path in files}
