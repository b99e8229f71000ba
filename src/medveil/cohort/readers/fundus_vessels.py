"""Photographs of the eye with outlined vessels (DRIVE, CHASE_DB1) in one folder, with a `split.csv`.

The table has the columns file, set, patient, eye and split; beside NAME.jpg lies NAME_v1.png, the vessels as a first
person outlined them (NAME_v2.png as a second did, NAME_fov.png what the camera saw).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort.cohort import Cohort
from medveil.cohort.images import load_image
from medveil.cohort.readers import fields
from medveil.cohort.readers.listing import list_files, stem
from medveil.cohort.readers.registry import Progress, register
from medveil.cohort.tables import values
from medveil.cohort.tables.reading import header_of

TABLE = "split.csv"
_NEEDED = ("file", "set", "patient", "eye", "split")
_OUTLINES = ("_v1.png", "_v2.png", "_fov.png")


@register
class FundusVessels:
    name = "fundus_vessels"
    title = "Fundus photographs with vessels (DRIVE, CHASE_DB1)"

    def recognises(self, path: Path) -> bool:
        return (path / TABLE).is_file() and set(_NEEDED) <= set(header_of(path / TABLE))

    def read(self, path: Path, *, progress: Progress | None = None) -> Cohort:
        entries = fields.read_table(path / TABLE, _NEEDED)
        listing = list_files(path)
        table = pd.DataFrame(
            {
                "image_id": entries["file"].map(stem, na_action="ignore"),
                "patient_id": entries["patient"],
                "study_id": entries["patient"],
                "site": entries["set"],
                "view": "OTHER",
                "path": entries["file"],
                "split": values.splits(entries["split"]),
            }
        )
        table, incomplete = fields.complete_rows(table)
        table, missing = fields.present_rows(table, listing.files)
        pictures = {file for file in listing.images() if not file.endswith(_OUTLINES)}
        problems = [*listing.problems, *incomplete, *missing, *fields.unlisted(pictures, table)]
        return Cohort.of(table, path, name=self.name, problems=problems)


def vessels(cohort: Cohort, row: int) -> NDArray[np.bool_]:
    """The vessels of one photograph as the first person outlined them, as large as the photograph."""
    return np.asarray(load_image(cohort.root, f"{stem(str(cohort.table['path'].iat[row]))}_v1.png") > 0)
