"""What is no radiograph reaches the output only where nobody can be recognised in it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydicom.dataset import Dataset

from medveil.defenses.pixels.objects.kinds import HEAD, PHOTOGRAPH
from medveil.defenses.pixels.objects.photographs import FACE
from medveil.person.keys import Keys
from medveil.release import Settings, release
from medveil.release.clean import deid_defenses, deidentify

from .conftest import Write  # type: ignore[import-not-found]

KEYS = Keys.for_demonstration(5)


def test_faces_photographs_and_heads_stay_behind_with_their_reason(
    tmp_path: Path, write_dicom: Write, face: NDArray[np.uint8], in_this_process: None
) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    write_dicom(source / "film.dcm", SOPInstanceUID="1.2.3.1")
    photograph = {"SOPClassUID": "1.2.840.10008.5.1.4.1.1.77.1.4", "Modality": "XC"}
    write_dicom(source / "photograph.dcm", SOPInstanceUID="1.2.3.2", **photograph)
    head = {"SOPClassUID": "1.2.840.10008.5.1.4.1.1.2", "Modality": "CT", "BodyPartExamined": "HEAD"}
    write_dicom(source / "slice.dcm", SOPInstanceUID="1.2.3.3", **head)
    Image.fromarray(face).save(source / "picture.png")
    deidentify(source, out, keys=KEYS, defenses=deid_defenses(fill="black"), workers=1)
    reasons = [row["reason"] for row in csv.DictReader((out / "quarantine.csv").read_text().splitlines())]
    assert sorted(reasons) == sorted([FACE, HEAD, PHOTOGRAPH])
    assert [path.suffix for path in (out / "data").rglob("*") if path.is_file()] == [".dcm"]


def test_the_record_counts_frames_that_were_blanked(tmp_path: Path, write_dicom: Write, in_this_process: None) -> None:
    region = Dataset()
    region.RegionSpatialFormat = 1
    region.RegionLocationMinX0, region.RegionLocationMinY0 = 8, 8
    region.RegionLocationMaxX1, region.RegionLocationMaxY1 = 55, 55
    source, out = tmp_path / "in", tmp_path / "out"
    ultrasound = {"SOPClassUID": "1.2.840.10008.5.1.4.1.1.6.1", "Modality": "US"}
    write_dicom(source / "scan.dcm", **ultrasound, SequenceOfUltrasoundRegions=[region])
    deidentify(source, out, keys=KEYS, defenses=deid_defenses(fill="black"), workers=1)
    summary = json.loads((out / "deid.json").read_text())
    assert summary["pixels"]["blanked"] == 1
    assert summary["pixels"]["mask_pct"]["mean"] == 43.75


def test_a_release_as_pictures_judges_by_the_header_too(
    tmp_path: Path, write_dicom: Write, in_this_process: None
) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    write_dicom(source / "film.dcm", SOPInstanceUID="1.2.3.1")
    head = {"SOPClassUID": "1.2.840.10008.5.1.4.1.1.2", "Modality": "CT", "BodyPartExamined": "HEAD"}
    write_dicom(source / "slice.dcm", SOPInstanceUID="1.2.3.3", **head)
    settings = Settings(attacks=("singling-out",), measures=("label-probe",))
    release(source, out, keys=KEYS, settings=settings, workers=1)
    reasons = [row["reason"] for row in csv.DictReader((out / "quarantine.csv").read_text().splitlines())]
    assert reasons == [HEAD]
