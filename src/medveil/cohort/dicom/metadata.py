"""What a DICOM header says of one image, in the words of the cohort table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from pydicom.dataset import Dataset, FileDataset

from medveil.cohort.dicom.opening import open_dicom, quarantining
from medveil.cohort.schema import OLDEST, SEXES

DAYS_IN_YEAR = 365.2425
_AGE_UNITS = {"Y": 1.0, "M": 1 / 12, "W": 7 / DAYS_IN_YEAR, "D": 1 / DAYS_IN_YEAR}
_DATE_KEYWORDS = ("StudyDate", "AcquisitionDate", "SeriesDate", "ContentDate")
_LATERAL = frozenset({"LATERAL", "LAT", "LL", "RL", "LLAT", "RLAT", "L"})
# Positions that are neither plain frontals nor plain laterals.
_SPECIAL = frozenset(
    {"AXIAL", "LORDOTIC", "OBLIQUE", "DECUBITUS", "SWIMMERS", "CORONAL"}
    | {"LLD", "RLD", "LLO", "RLO", "LAO", "RAO", "LPO", "RPO"}
)


@dataclass(frozen=True)
class DicomInfo:
    """One file's identifiers and description; absent or unusable values are None."""

    sop_class: str | None
    image_id: str | None
    patient_id: str | None
    study_id: str | None
    site: str | None
    view: str | None
    age: float | None
    sex: str | None
    date: datetime | None
    modality: str | None
    frames: int
    has_pixels: bool


def read_metadata(path: Path) -> DicomInfo:
    """The header of a file; its pixel data is not read."""
    return metadata_of(open_dicom(path, pixels=False))


def metadata_of(dataset: FileDataset) -> DicomInfo:
    """What a header says, once it is read."""
    with quarantining("damaged DICOM file"):
        taken = _date(dataset)
        sex = _text(dataset, "PatientSex")
        return DicomInfo(
            sop_class=_text(dataset, "SOPClassUID") or _text(dataset.file_meta, "MediaStorageSOPClassUID"),
            image_id=_text(dataset, "SOPInstanceUID"),
            patient_id=_text(dataset, "PatientID"),
            study_id=_text(dataset, "StudyInstanceUID"),
            site=_text(dataset, "InstitutionName"),
            view=_view(dataset),
            age=_age(dataset, taken),
            sex=sex if sex in SEXES else None,
            date=taken,
            modality=_text(dataset, "Modality"),
            frames=_frames(dataset),
            has_pixels="Rows" in dataset and "Columns" in dataset,
        )


def view_of(position: str | None) -> str | None:
    """PA, AP, LATERAL or OTHER for a view position such as "AP SUPINE" or "LL"; None where it is empty."""
    words = set(_words(position))
    if not words:
        return None
    if words & _SPECIAL:
        return "OTHER"
    return _only_view(words) or "OTHER"


def _only_view(words: set[str]) -> str | None:
    """The one view these words name; two of them ("PA and lateral") name none."""
    named = {"PA"} & words | {"AP"} & words | ({"LATERAL"} if words & _LATERAL else set())
    return named.pop() if len(named) == 1 else None


def _words(text: str | None) -> Iterable[str]:
    plain = (text or "").upper()
    plain = re.sub(r"POSTERO[- ]?ANTERIOR", "PA", re.sub(r"ANTERO[- ]?POSTERIOR", "AP", plain))
    return re.findall(r"[A-Z]+", plain)


def _view(dataset: Dataset) -> str | None:
    position = view_of(_text(dataset, "ViewPosition"))
    if position:
        return position
    codes = _value(dataset, "ViewCodeSequence")
    meaning = _text(codes[0], "CodeMeaning") if codes else None
    for text in (meaning, _text(dataset, "SeriesDescription"), _text(dataset, "ProtocolName")):
        words = set(_words(text)) - {"L"}  # a laterality in free text
        if not words & _SPECIAL and (view := _only_view(words)):
            return view
    return None


def _age(dataset: Dataset, taken: datetime | None) -> float | None:
    stated = re.fullmatch(r"(\d{1,3})([YMWD])", (_text(dataset, "PatientAge") or "").upper())
    if stated:
        age = int(stated[1]) * _AGE_UNITS[stated[2]]
    else:
        born = _day(_text(dataset, "PatientBirthDate"))
        if born is None or taken is None:
            return None
        age = (taken.date() - born).days / DAYS_IN_YEAR
    return age if 0 <= age <= OLDEST else None


def _date(dataset: Dataset) -> datetime | None:
    for keyword in _DATE_KEYWORDS:
        day = _day(_text(dataset, keyword))
        if day:
            return datetime.combine(day, _clock(_text(dataset, keyword.replace("Date", "Time"))))
    return None


def _day(text: str | None) -> date | None:
    digits = re.fullmatch(r"(\d{4})[-.]?(\d\d)[-.]?(\d\d)", text or "")
    try:
        return date(*map(int, digits.groups())) if digits else None
    except ValueError:
        return None


def _clock(text: str | None) -> time:
    """A DICOM time to the second; midnight where there is none."""
    digits = re.match(r"(\d\d):?(\d\d)?:?(\d\d)?", text or "")
    try:
        hour, minute, second = (int(part or 0) for part in digits.groups()) if digits else (0, 0, 0)
        return time(hour, minute, second)
    except ValueError:
        return time()


def _frames(dataset: Dataset) -> int:
    text = _text(dataset, "NumberOfFrames") or "1"
    return max(1, int(text)) if text.isdigit() else 1


def _value(dataset: Dataset, keyword: str) -> Any:
    """An attribute's value, or None where it is absent or cannot be converted."""
    try:
        return dataset.get(keyword)
    except Exception:
        # One attribute with a broken value or character set must not cost the whole header.
        return None


def _text(dataset: Dataset, keyword: str) -> str | None:
    value = _value(dataset, keyword)
    if value is None:
        return None
    first = value if isinstance(value, str) or not hasattr(value, "__getitem__") or not value else value[0]
    return str(first).strip("\0 ") or None
