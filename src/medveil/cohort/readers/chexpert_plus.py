"""CheXpert Plus: `df_chexpert_plus_240401.csv`, CheXbert labels as JSON lines, PNG and DICOM trees.

Where both trees are there the PNG images are taken. Labels are CheXpert's own where its `train.csv` and `valid.csv` lie
beside the table or in `chexpert_labels`, as in the linkage paper; else CheXbert's of the whole report
(`report_fixed.json`), of the impression or of the findings: 1, 0, -1, or missing where the text does not speak of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from medveil.cohort.cohort import Cohort
from medveil.cohort.readers import fields
from medveil.cohort.readers.chexpert import labels_by_image
from medveil.cohort.readers.listing import list_files
from medveil.cohort.readers.registry import Progress, register
from medveil.cohort.schema import LABELS
from medveil.cohort.tables import values
from medveil.errors import InputError

TREES = ("PNG", "DICOM", "train", "valid", "test")
LABEL_FILES = ("report_fixed.json", "impression_fixed.json", "findings_fixed.json")
_NEEDED = ("path_to_image", "frontal_lateral", "ap_pa", "deid_patient_id", "report", "age", "sex", "split")


@register
class CheXpertPlus:
    name = "chexpert_plus"
    title = "CheXpert Plus"

    def recognises(self, path: Path) -> bool:
        return any(path.glob("df_chexpert_plus_*.csv"))

    def read(self, path: Path, *, progress: Progress | None = None) -> Cohort:
        entries = fields.read_table(_table(path), _NEEDED)
        listing = list_files(path, TREES)
        base = _without_suffix(entries["path_to_image"])
        table = pd.DataFrame(
            {
                "image_id": base,
                "patient_id": entries["deid_patient_id"],
                "study_id": base.str.rpartition("/")[0],
                "site": "Stanford",
                "view": _views(entries),
                "path": _paths(base, entries["path_to_image"], listing.files),
                "report": entries["report"],
                "age": values.ages(entries["age"]),
                "sex": values.sexes(entries["sex"]),
                "split": values.splits(entries["split"]),
            }
        )
        labels = _labels(path).reindex(base).set_axis(table.index)
        table = pd.concat([table, labels], axis=1)
        table, incomplete = fields.complete_rows(table)
        claimed = set(table["image_id"])
        strangers = {file for file in listing.images() if _bare(file) not in claimed}
        table, missing = fields.present_rows(table, listing.files)
        problems = [*listing.problems, *incomplete, *missing, *fields.unlisted(strangers, table)]
        return Cohort.of(table, path, name=self.name, problems=problems)


def _table(folder: Path) -> Path:
    found = sorted(folder.glob("df_chexpert_plus_*.csv"))
    if not found:
        raise InputError(f"{folder} has no df_chexpert_plus_*.csv; point at the folder that holds it")
    return found[-1]


def _views(entries: pd.DataFrame) -> pd.Series:
    """Laterals by `frontal_lateral`, frontals by `ap_pa`."""
    lateral = entries["frontal_lateral"].str.strip().str.lower().eq("lateral")
    return values.views(entries["ap_pa"]).mask(lateral, "LATERAL")


def _paths(base: pd.Series, listed: pd.Series, files: set[str]) -> pd.Series:
    """The first place, in order of preference, where an image is; where it should be if it is nowhere."""
    paths = pd.Series(None, index=base.index, dtype="str")
    for place in ("PNG/" + base + ".png", listed, base + ".png", "DICOM/" + base + ".dcm", base + ".dcm"):
        paths = paths.fillna(place.where(place.isin(files)))
    return paths.fillna("PNG/" + base + ".png")


def _without_suffix(paths: pd.Series) -> pd.Series:
    return paths.astype("str").str.replace(r"\.\w+$", "", regex=True)


def _bare(file: str) -> str:
    """`PNG/train/patient1/study1/view1_frontal.png` as the table names it, without tree and suffix."""
    tree, _, rest = file.partition("/")
    return (rest if tree in ("PNG", "DICOM") else file).rpartition(".")[0]


def _labels(folder: Path) -> pd.DataFrame:
    """By image, as the table names it without suffix."""
    for place in (folder, folder / "chexpert_labels"):
        own = labels_by_image(place)
        if own is not None:
            return own
    for name in LABEL_FILES:
        path = folder / "chexbert_labels" / name
        if path.is_file():
            return _read_labels(path)
    return pd.DataFrame(index=pd.Index([], name="path_to_image"))


def _read_labels(path: Path) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    number = 0
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):  # noqa: B007 - told in the error
                if line.strip():
                    row = json.loads(line)
                    rows.append({name: row.get(name) for name in ("path_to_image", *LABELS)})
    except (ValueError, AttributeError, RecursionError):
        raise InputError(f"line {number} of {path} is not a JSON object; download it again") from None
    labels = pd.DataFrame(rows, columns=["path_to_image", *LABELS])
    labels = labels.assign(path_to_image=_without_suffix(labels["path_to_image"])).drop_duplicates("path_to_image")
    return fields.label_columns(labels.set_index("path_to_image"))
