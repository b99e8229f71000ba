"""CheXpert as first published, without reports: `train.csv` and `valid.csv`, a tree of JPEG images.

The tables name images with the data set's own folder in front (`CheXpert-v1.0/train/…`); medveil is pointed at that
folder. The original, the downsampled copy (`CheXpert-v1.0-small`) and a `test.csv` of the same columns are read alike.
Labels are the tables': 1, 0, -1, or missing where the report does not speak of it.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from medveil.cohort.cohort import Cohort
from medveil.cohort.readers import fields
from medveil.cohort.readers.listing import list_files
from medveil.cohort.readers.registry import Progress, register
from medveil.cohort.tables import values
from medveil.cohort.tables.reading import header_of
from medveil.errors import InputError

PARTS = {"train": "train", "valid": "val", "test": "test"}  # folder and table to split
_NEEDED = ("Path", "Sex", "Age", "Frontal/Lateral", "AP/PA")


@register
class CheXpert:
    name = "chexpert"
    title = "CheXpert"

    def recognises(self, path: Path) -> bool:
        return bool(_tables(path)) and not any(path.glob("df_chexpert_plus_*.csv"))

    def read(self, path: Path, *, progress: Progress | None = None) -> Cohort:
        tables = _tables(path)
        if not tables:
            raise InputError(f"{path} has no train.csv or valid.csv of CheXpert; point at the folder that holds them")
        read = {part: fields.read_table(path / f"{part}.csv", _NEEDED) for part in tables}
        entries = pd.concat(read.values(), ignore_index=True)
        listed = pd.Series([part for part, rows in read.items() for _ in range(len(rows))], dtype="str")
        listing = list_files(path, PARTS)
        place = _places(entries["Path"])
        base = place.str.replace(r"\.\w+$", "", regex=True)
        study = base.str.rpartition("/")[0]
        table = pd.DataFrame(
            {
                "image_id": base,
                "patient_id": study.str.rpartition("/")[0].str.rpartition("/")[2],
                "study_id": study,
                "site": "Stanford",
                "view": _views(entries),
                "path": place,
                "age": values.ages(entries["Age"]),
                "sex": values.sexes(entries["Sex"]),
                "split": listed.map(PARTS),
                **fields.label_columns(entries),
            }
        )
        table, incomplete = fields.complete_rows(table)
        table, missing = fields.present_rows(table, listing.files)
        strangers = fields.unlisted(listing.images(), table)
        return Cohort.of(table, path, name=self.name, problems=[*listing.problems, *incomplete, *missing, *strangers])


def _tables(folder: Path) -> list[str]:
    """The parts whose table is there, told from other people's train.csv by their columns."""
    found = (part for part in PARTS if (folder / f"{part}.csv").is_file())
    return [part for part in found if set(_NEEDED) <= set(header_of(folder / f"{part}.csv"))]


def labels_by_image(folder: Path) -> pd.DataFrame | None:
    """The labels of the tables in a folder by image (`train/patient1/study1/view1_frontal`); None without a table."""
    tables = [fields.read_table(folder / f"{part}.csv", _NEEDED) for part in _tables(folder)]
    if not tables:
        return None
    entries = pd.concat(tables, ignore_index=True)
    image = _places(entries["Path"]).str.replace(r"\.\w+$", "", regex=True)
    return fields.label_columns(entries).set_axis(image)[~image.duplicated().to_numpy()]


def _places(listed: pd.Series) -> pd.Series:
    """Below the data set's own folder."""
    return listed.str.strip().str.replace(r"^.*?(?=(?:train|valid|test)/)", "", regex=True)


def _views(entries: pd.DataFrame) -> pd.Series:
    """Laterals by `Frontal/Lateral`, frontals by `AP/PA`."""
    lateral = entries["Frontal/Lateral"].str.strip().str.lower().eq("lateral")
    return values.views(entries["AP/PA"]).mask(lateral, "LATERAL")
