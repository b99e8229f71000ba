from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.filewriter import dcmwrite
from pydicom.uid import ExplicitVRLittleEndian

from medveil.person.keys import Keys
from medveil.release.clean import DeidOutcome, deid_defenses, deidentify

KEYS = Keys.for_demonstration(5)


@dataclass(frozen=True)
class Made:
    """A folder that was cleaned, and what came out."""

    source: Path
    out: Path
    outcome: DeidOutcome

    def files(self, ending: str) -> list[Path]:
        return sorted((self.out / "data").rglob(f"*.{ending}"))


@pytest.fixture(scope="session")
def cleaned(hospital_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The phantom hospital of 30 patients, cleaned once."""
    out = tmp_path_factory.mktemp("deid") / "out"
    outcome = deidentify(hospital_folder, out, keys=KEYS, defenses=deid_defenses(), workers=2)
    return Made(hospital_folder, out, outcome)


Write = Callable[..., Path]


@pytest.fixture
def write_dicom() -> Write:
    """A small image with the header of a radiograph."""

    def write(path: Path, **values: object) -> Path:
        dataset = Dataset()
        dataset.SOPClassUID = "1.2.840.10008.5.1.4.1.1.1"
        dataset.SpecificCharacterSet = "ISO_IR 192"
        defaults = {
            "SOPInstanceUID": f"1.2.3.{abs(hash(path.name)) % 10**9}",
            "StudyInstanceUID": "1.2.3.4",
            "SeriesInstanceUID": "1.2.3.5",
            "PatientName": "Pemberton^John",
            "PatientID": "MR-0012345",
            "PatientSex": "M",
            "PatientBirthDate": "19500314",
            "StudyDate": "20240220",
            "StudyTime": "101500",
            "AccessionNumber": "A240001234",
            "Modality": "CR",
            "StudyDescription": "CHEST PA",
            "ReferringPhysicianName": "Kowalczyk^Jan",
        }
        for keyword, value in {**defaults, **values}.items():
            if value is not None:
                setattr(dataset, keyword, value)
        pixels = np.linspace(0, 900, 64 * 64).reshape(64, 64).astype("<u2")
        dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
        dataset.Rows, dataset.Columns = pixels.shape
        dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 16, 12, 11, 0
        dataset.PixelData = pixels.tobytes()
        return save(path, dataset)

    return write


def save(path: Path, dataset: Dataset) -> Path:
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = dataset.SOPClassUID, dataset.SOPInstanceUID
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.file_meta = meta
    path.parent.mkdir(parents=True, exist_ok=True)
    dcmwrite(path, dataset, enforce_file_format=True)
    return path


@pytest.fixture
def clean(tmp_path: Path) -> Callable[..., Made]:
    """Clean a folder in this process."""

    def run(source: Path, name: str = "out", **settings: object) -> Made:
        out = tmp_path / name
        outcome = deidentify(source, out, keys=KEYS, defenses=deid_defenses(fill="black", **settings), workers=1)
        return Made(source, out, outcome)

    return run
