"""What the first look at a file tells: its kind, and the numbers that say whose it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydicom.dataset import Dataset, FileDataset

from medveil.cohort.dicom.metadata import DicomInfo, metadata_of
from medveil.cohort.dicom.opening import is_directory, open_dicom, quarantining
from medveil.cohort.input.kinds import Kind, kind_of
from medveil.person.normalised import fold

_SHORTEST_NUMBER = 5  # characters that tell one patient or study from another
_READ = 20_000  # bytes of a report: numbers stand at its head or foot
_WORD = re.compile(r"[^\W_][^\s,;:()\[\]<>\"']*[^\W_]")


@dataclass(frozen=True)
class Entry:
    """One file. `numbers` are what a report's name and text may say of whom it is about."""

    file: str
    kind: Kind
    patient: str | None = None
    issuer: str | None = None  # of the patient's id
    study: str | None = None
    image: str | None = None
    accession: str | None = None
    numbers: tuple[str, ...] = ()
    directory: bool = False
    info: DicomInfo | None = None  # what a DICOM header says of the image


def look_at(root: Path, file: str) -> Entry:
    """Raises `Quarantined` for what cannot be opened."""
    kind = kind_of(root / file)
    if kind is Kind.DICOM:
        return _dicom(file, open_dicom(root / file, pixels=False))
    if kind in (Kind.REPORT, Kind.IMAGE):
        patient, study = mimic_ids(file)
        text = _text_of(root / file) if kind is Kind.REPORT else ""
        return Entry(file, kind, patient, study=study, numbers=_numbers(f"{_name_of(file)} {text}"))
    return Entry(file, kind)


def mimic_ids(file: str) -> tuple[str | None, str | None]:
    """Patient and study of `files/p10/p10000032/s50414267.txt` or of an image in such a tree."""
    match = re.search(r"(?:^|/)p\d\d/p(\d{5,})/s(\d{5,})(?:/|\.|$)", file)
    return (match[1], match[2]) if match else (None, None)


def normal(number: str) -> str:
    """How numbers compare: letters and digits, in capitals."""
    return "".join(letter for letter in fold(number) if letter.isalnum()).upper()


def spelled_numbers(number: str | None) -> set[str]:
    """A number as a report may give it: whole, or without the letters around it."""
    whole = normal(number or "")
    core = re.sub(r"^\D+|\D+$", "", whole)
    return {spelled for spelled in (whole, core if len(core) > _SHORTEST_NUMBER else "") if spelled}


def _dicom(file: str, dataset: FileDataset) -> Entry:
    with quarantining("damaged DICOM file"):
        patient, issuer, study, image, accession = (
            _value(dataset, keyword)
            for keyword in ("PatientID", "IssuerOfPatientID", "StudyInstanceUID", "SOPInstanceUID", "AccessionNumber")
        )
        sop_class = _value(dataset, "SOPClassUID") or str(dataset.file_meta.get("MediaStorageSOPClassUID") or "")
        if is_directory(sop_class) or "DirectoryRecordSequence" in dataset:
            return Entry(file, Kind.DICOM, directory=True)
        in_path, _ = mimic_ids(file)
        return Entry(file, Kind.DICOM, patient or in_path, issuer, study, image, accession, info=metadata_of(dataset))


def _value(dataset: Dataset, keyword: str) -> str | None:
    value = dataset.get(keyword)
    if value is None:
        return None
    return str(value).strip("\0 ") or None


def _text_of(path: Path) -> str:
    with path.open("rb") as opened:
        return opened.read(_READ).decode("utf-8", "replace")


def _name_of(file: str) -> str:
    """The file's name and its folders', without the ending."""
    return " ".join((*PurePosixPath(file).parent.parts, PurePosixPath(file).stem))


def _numbers(text: str) -> tuple[str, ...]:
    found = {normal(match[0]) for match in _WORD.finditer(text) if any(letter.isdigit() for letter in match[0])}
    pieces = {normal(piece) for match in _WORD.finditer(text) for piece in match[0].split("_")}
    return tuple(
        sorted(number for number in found | pieces if len(number) >= _SHORTEST_NUMBER and re.search(r"\d", number))
    )
