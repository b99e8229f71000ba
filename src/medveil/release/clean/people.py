"""Who a file is about, and what is known of that person: from headers, from names of files and folders, from rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd
from pydicom.dataset import Dataset

from medveil.cohort.dicom.opening import open_dicom, quarantining
from medveil.cohort.input import OWN
from medveil.defenses.headers.known_in_header import known_in, readable_in
from medveil.errors import Quarantined
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person
from medveil.person.search.ordinary_words import is_ordinary
from medveil.person.written_dates import readings
from medveil.runtime.transient import is_transient

# Words in the names of columns, and what stands in such a column.
_COLUMNS = (
    (("physician", "doctor", "radiologist", "referrer", "referring", "technologist", "operator"), Category.DOCTOR),
    (("mrn", "patient_id", "patientid", "subject", "medical_record"), Category.MRN),
    (("accession",), Category.ACCESSION),
    (("ssn", "social"), Category.SSN),
    (("phone", "telephone", "mobile"), Category.PHONE),
    (("email", "mail"), Category.EMAIL),
    (("dob", "date", "birth"), Category.DATE),
    (("address", "street", "city", "town", "zip", "postal"), Category.ADDRESS),
    (("hospital", "institution", "site", "clinic"), Category.HOSPITAL),
    (("study", "order", "visit", "uid", "series"), Category.OTHER_ID),
    (("name", "patient"), Category.NAME),
)
_IDS = (("patient_id", Category.MRN), ("study_id", Category.OTHER_ID), ("image_id", Category.OTHER_ID))
_SHORTEST_ID = 5  # characters; a study called 2 is not known by its number
_MACHINES = ("Modality", "Manufacturer", "ManufacturerModelName", "BodyPartExamined")


def person_of(keys: Keys, patient: str, known: Iterable[Known], sex: str = "") -> Person:
    """The person's own name stays first; the id is known too, wherever it came from."""
    own = [] if patient.startswith(OWN) else [Known(Category.MRN, patient)]
    return Person(keys, patient, tuple(dict.fromkeys((*known, *own))), sex)


def gathered(
    keys: Keys,
    root: Path,
    patient: str,
    headers: Iterable[str],
    names: Iterable[str] = (),
    rows: Iterable[Mapping[str, Any]] = (),
) -> Person:
    """A person as the headers of these files, the names of those and the rows of a cohort know one.

    A damaged header tells what can be read of it; its file is quarantined when its turn comes.
    """
    first: list[Known] = []
    rest: set[Known] = set()
    technical: set[str] = set()
    sex = ""
    for row in rows:
        rest |= set(known_of_image(row))
        sex = sex or (row["sex"] if pd.notna(row["sex"]) else "")
    for file in headers:
        try:
            dataset = open_dicom(root / file, pixels=False)
        except Quarantined as refused:
            if is_transient(refused):  # what this header tells may be known in a moment
                raise
            continue
        found = _told_by(dataset)
        values = {_text(dataset, keyword) for keyword in ("PatientName", "PatientID")}
        first += [known for known in found if known.value in values and known not in first]
        rest |= set(found)
        technical |= _technical(dataset)
        sex = sex or _text(dataset, "PatientSex")
    for name in names:
        rest |= set(known_in_name(name, technical))
    return person_of(keys, patient, (*first, *sorted(rest)), sex)


def person_of_row(row: Mapping[str, Any], root: Path, keys: Keys) -> Person:
    """Who one row of a cohort is about, as far as the row, its file's header and its name tell."""
    return gathered(keys, root, row["patient_id"], (row["path"],), (row["path"],), (row,))


def known_of_image(row: Mapping[str, Any]) -> Iterator[Known]:
    """What a row of a cohort says of the person."""
    for column, category in _IDS:
        if len(row[column]) >= _SHORTEST_ID:
            yield Known(category, row[column])
    if pd.notna(row["date"]):
        yield Known(Category.DATE, f"{row['date']:%Y%m%d}")


def _told_by(dataset: Dataset) -> tuple[Known, ...]:
    try:
        return known_in(dataset)
    except Quarantined:
        return readable_in(dataset)


def _text(dataset: Dataset, keyword: str) -> str:
    try:
        with quarantining("unreadable attribute"):
            return str(dataset.get(keyword) or "").strip("\0 ^=")
    except Quarantined:
        return ""


def _technical(dataset: Dataset) -> set[str]:
    """Words of kinds of images and of machines: folders are named after these too."""
    values = " ".join(_text(dataset, keyword) for keyword in _MACHINES)
    return set(re.findall(r"[^\W\d_]+", values.lower()))


def known_in_name(file: str, technical: Collection[str] = ()) -> set[Known]:
    """What the names of a file and its folders give away: numbers, dates, LAST_FIRST. `technical` words are none."""
    found = set()
    for part in (*PurePosixPath(file).parent.parts, PurePosixPath(file).stem):
        words = [word for word in re.split(r"[_^,\s]+", part) if word]
        for word in words:
            if sum(letter.isdigit() for letter in word) >= 5:
                found.add(Known(Category.OTHER_ID, word))
                if len(word) >= 8 and any(reading.whole for reading in readings(word)):
                    found.add(Known(Category.DATE, word))
        names = [word for word in words if word.replace("-", "").isalpha() and word.lower() not in technical]
        if len(names) >= 2 and not any(is_ordinary(word.lower()) for word in names):
            found.add(Known(Category.NAME, "^".join(names[:2])))
    return found


def known_in_row(row: Mapping[str, str], text_columns: Iterable[str]) -> set[Known]:
    """What the other columns of a table say of the person a row is about."""
    found = set()
    for column, value in row.items():
        if column in text_columns or not 2 <= len(value) <= 200:
            continue
        name = column.lower()
        category = next((category for words, category in _COLUMNS if any(word in name for word in words)), None)
        if category is not None:
            found.add(Known(category, value))
    return found
