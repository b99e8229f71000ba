"""Any CSV file that names an image and a patient in each row; `ALIASES` lists the column names understood.

Paths are relative to the file's folder (an absolute path inside it is made so). Without a study column every
image is a study of its own. Columns that are not understood are left aside.
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from medveil.cohort.cohort import Cohort, Problem
from medveil.cohort.readers import fields
from medveil.cohort.readers.listing import list_files
from medveil.cohort.readers.registry import Progress, register
from medveil.cohort.schema import LABELS
from medveil.errors import InputError

ALIASES = {
    "path": ("path", "image_path", "file", "filename", "file_name", "file_path", "filepath", "image"),
    "patient_id": ("patient_id", "patient", "patientid", "subject_id", "subject", "patient_key", "mrn"),
    "image_id": ("image_id", "dicom_id", "sop_instance_uid", "sopinstanceuid"),
    "study_id": ("study_id", "study", "study_instance_uid", "studyinstanceuid", "accession_number", "accession"),
    "site": ("site", "hospital", "institution", "institution_name"),
    "view": ("view", "view_position", "viewposition", "projection"),
    "frame": ("frame",),
    "report": ("report", "report_text", "text"),
    "age": ("age", "patient_age"),
    "sex": ("sex", "gender", "patient_sex", "patient_gender"),
    "date": ("date", "study_date", "studydate"),
    "split": ("split",),
    **{label: (re.sub(r"\W+", "_", label.lower()),) for label in LABELS},
}


@register
class CsvTable:
    name = "csv"
    title = "a folder with one CSV file of image and patient columns"
    general = True

    def recognises(self, path: Path) -> bool:
        if path.is_file():
            return path.suffix.lower() == ".csv"
        tables = list(path.glob("*.csv"))
        return len(tables) == 1 and {"path", "patient_id"} <= set(_understood(fields.header_of(tables[0])))

    def read(self, path: Path, *, progress: Progress | None = None) -> Cohort:
        file = path if path.is_file() else next(iter(sorted(path.glob("*.csv"))), path / "*.csv")
        raw = fields.read_table(file)
        columns = _understood(list(raw.columns))
        for needed in ("path", "patient_id"):
            if needed not in columns:
                raise InputError(f"{file} has no {needed} column; name one {' or '.join(ALIASES[needed][:3])}")
        root = file.parent
        table = _converted(pd.DataFrame({name: raw[column] for name, column in columns.items()}))
        table["path"] = _relative(table["path"], root)
        for name in ("image_id", "study_id"):
            if name not in table:
                table[name] = table["path"]
        table, incomplete = fields.complete_rows(table)
        inside = ~_leads_out(table["path"])
        outside = [Problem(name, "path leads outside the folder") for name in table["path"][~inside]]
        listing = list_files(root, _folders(table["path"][inside]))
        table, missing = fields.present_rows(table[inside], listing.files)
        return Cohort.of(table, root, name="CSV table", problems=[*incomplete, *outside, *missing])


def _understood(header: list[str]) -> dict[str, str]:
    """The file's own column for each column of the contract that it has."""
    plain = {re.sub(r"\W+", "_", name.strip().lower()): name for name in reversed(header)}
    return {
        column: next(plain[alias] for alias in aliases if alias in plain)
        for column, aliases in ALIASES.items()
        if any(alias in plain for alias in aliases)
    }


def _converted(table: pd.DataFrame) -> pd.DataFrame:
    table = table.copy()
    for column, convert in {
        "view": fields.views,
        "age": fields.ages,
        "sex": fields.sexes,
        "split": fields.splits,
        "date": _dates,
        "frame": _frames,
    }.items():
        if column in table:
            table[column] = convert(table[column])
    labels = fields.label_columns(table)
    return table.assign(**{label: labels[label] for label in labels})


def _dates(values: pd.Series) -> pd.Series:
    """ISO 8601, or DICOM's eight digits."""
    iso = pd.to_datetime(values, format="ISO8601", errors="coerce", utc=True).dt.tz_localize(None)
    return pd.to_datetime(values, format="%Y%m%d", errors="coerce").fillna(iso)


def _frames(values: pd.Series) -> pd.Series:
    try:
        return pd.to_numeric(values.fillna("0"))
    except ValueError:
        raise InputError("column frame holds a value that is not a whole number") from None


def _relative(paths: pd.Series, root: Path) -> pd.Series:
    plain = paths.str.strip().str.replace("\\", "/")
    for base in {f"{root.resolve()}/", f"{root.absolute()}/"}:
        plain = plain.str.removeprefix(base)
    return plain.str.removeprefix("./")


def _leads_out(paths: pd.Series) -> pd.Series:
    return paths.str.contains(r"^/|^[A-Za-z]:|(?:^|/)\.\.(?:/|$)|\x00", regex=True)


def _folders(paths: pd.Series) -> set[str]:
    """The top folders in use: the table's folder may hold much else."""
    tops = paths.str.partition("/")
    return {""} if (tops[1] == "").any() else set(tops[0])
