"""The COVID-19 Image Data Collection: `metadata.csv` and a folder of images gathered from publications.

A downsized copy may name the file in a column `file` and merge people known under two numbers in
`patient_key`. CT slices are left out as problems. The report is the clinical note; a date that is only a
year is missing. Only the one stated diagnosis is labelled: Pneumonia (any kind) or No Finding.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from medveil.cohort.cohort import Cohort, Problem
from medveil.cohort.readers import fields
from medveil.cohort.readers.listing import list_files
from medveil.cohort.readers.registry import Progress, register
from medveil.cohort.tables import values
from medveil.cohort.tables.reading import header_of

TABLE = "metadata.csv"
_NEEDED = ("filename", "patientid", "offset", "sex", "age", "finding", "view", "date", "clinical_notes")
_SLICES = ("axial", "coronal", "sagittal")


@register
class Covid19:
    name = "covid19"
    title = "COVID-19 Image Data Collection"

    def recognises(self, path: Path) -> bool:
        return (path / TABLE).is_file() and set(_NEEDED) <= set(header_of(path / TABLE))

    def read(self, path: Path, *, progress: Progress | None = None) -> Cohort:
        entries = fields.read_table(path / TABLE, _NEEDED)
        folder = _column(entries, "folder").fillna("images")
        patient = _column(entries, "patient_key").fillna(entries["patientid"])
        table = pd.DataFrame(
            {
                "image_id": entries["filename"],
                "patient_id": patient,
                # Images of one day belong together; without a day each stands alone.
                "study_id": patient + " " + entries["offset"].fillna(entries["filename"]),
                "site": _column(entries, "location"),
                "view": values.views(entries["view"]),
                "path": folder + "/" + _column(entries, "file").fillna(entries["filename"]),
                "report": entries["clinical_notes"],
                "age": values.ages(entries["age"]),
                "sex": values.sexes(entries["sex"]),
                "date": _dates(entries["date"]),
                "split": values.splits(_column(entries, "split")),
                **_labels(entries["finding"]),
            }
        )
        xray = ~_is_slice(entries)
        problems = [Problem(str(file), "not an X-ray") for file in table["path"][~xray]]
        listing = list_files(path, set(folder))
        strangers = fields.unlisted(listing.images(), table)
        table, incomplete = fields.complete_rows(table[xray])
        table, missing = fields.present_rows(table, listing.files)
        problems += [*listing.problems, *incomplete, *missing, *strangers]
        return Cohort.of(table, path, name=self.name, problems=problems)


def _column(entries: pd.DataFrame, name: str) -> pd.Series:
    """A column that only some copies have."""
    return entries[name] if name in entries else pd.Series(None, index=entries.index, dtype="str")


def _is_slice(entries: pd.DataFrame) -> pd.Series:
    modality = _column(entries, "modality").str.strip().str.lower()
    tomography = modality.notna() & ~modality.isin(("x-ray", "xray", "cr", "dx"))
    return tomography | entries["view"].str.lower().str.contains("|".join(_SLICES), na=False)


def _dates(values: pd.Series) -> pd.Series:
    """Dates with a day, in the two ways the collection writes them."""
    named = pd.to_datetime(values.str.strip().str.replace(",", ""), format="%B %d %Y", errors="coerce")
    short = pd.to_datetime(values.str.strip().str.replace(",", ""), format="%b %d %Y", errors="coerce")
    slashed = pd.to_datetime(values.str.strip(), format="%m/%d/%y", errors="coerce")
    return named.fillna(short).fillna(slashed)


def _labels(finding: pd.Series) -> dict[str, pd.Series]:
    pneumonia = finding.str.startswith("Pneumonia", na=False)
    nothing = finding.str.strip().eq("No Finding")
    stated = pneumonia | nothing
    return {
        "Pneumonia": pneumonia.astype("float32").where(stated),
        "No Finding": nothing.astype("float32").where(stated),
    }
