"""ODIR-5K: `full_df.csv`, one row a person (or one an eye, as on Kaggle), and a folder of photographs of both eyes.

The report is the eye's own diagnostic keywords. The eight diagnoses are told of a person, not of an eye, and are no
findings of the chest: `diagnoses` gives them beside the table.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort.cohort import Cohort
from medveil.cohort.readers import fields
from medveil.cohort.readers.listing import by_name, list_files
from medveil.cohort.readers.registry import Progress, register
from medveil.cohort.tables import values
from medveil.cohort.tables.reading import header_of

TABLE = "full_df.csv"
EYES = ("Left", "Right")
DIAGNOSES = {
    "N": "normal",
    "D": "diabetes",
    "G": "glaucoma",
    "C": "cataract",
    "A": "age-related macular degeneration",
    "H": "hypertension",
    "M": "myopia",
    "O": "other",
}
_NEEDED = (
    *("ID", "Patient Age", "Patient Sex"),
    *(f"{eye}-{what}" for eye in EYES for what in ("Fundus", "Diagnostic Keywords")),
    *DIAGNOSES,
)


@register
class Odir:
    name = "odir"
    title = "ODIR-5K"

    def recognises(self, path: Path) -> bool:
        return (path / TABLE).is_file() and set(_NEEDED) <= set(header_of(path / TABLE))

    def read(self, path: Path, *, progress: Progress | None = None) -> Cohort:
        people = _people(path)
        listing = list_files(path)
        where = by_name(listing.images())
        table = pd.concat([_eyes(people, eye, where) for eye in EYES]).sort_index(kind="stable")
        table = table.reset_index(drop=True)
        table, incomplete = fields.complete_rows(table)
        table, missing = fields.present_rows(table, listing.files)
        strangers = fields.unlisted(listing.images(), table)
        problems = [*listing.problems, *incomplete, *missing, *strangers]
        return Cohort.of(table, path, name=self.name, problems=problems)


def diagnoses(cohort: Cohort) -> NDArray[np.float32]:
    """Photographs × eight, 1 or 0, in the order of `DIAGNOSES` and of the cohort's rows; NaN where nothing is told."""
    people = _people(cohort.root).drop_duplicates("ID").set_index("ID")
    told = people[list(DIAGNOSES)].apply(values.labels)
    return told.reindex(cohort.table["patient_id"].astype(str)).to_numpy(np.float32)


def _people(path: Path) -> pd.DataFrame:
    """Kaggle's table repeats a person's row for every eye."""
    people = fields.read_table(path / TABLE, _NEEDED)
    return people.drop_duplicates(["ID", "Left-Fundus", "Right-Fundus"]).reset_index(drop=True)


def _eyes(people: pd.DataFrame, eye: str, where: dict[str, str]) -> pd.DataFrame:
    files = people[f"{eye}-Fundus"].str.strip()
    return pd.DataFrame(
        {
            "image_id": files.str.replace(r"\.\w+$", "", regex=True),
            "patient_id": people["ID"].str.strip(),
            "study_id": people["ID"].str.strip(),
            "view": "OTHER",
            "path": values.looked_up(files, where).fillna("images/" + files),
            "report": people[f"{eye}-Diagnostic Keywords"],
            "age": values.ages(people["Patient Age"]),
            "sex": values.sexes(people["Patient Sex"]),
            "split": values.splits(people["split"]) if "split" in people else None,
        }
    )
