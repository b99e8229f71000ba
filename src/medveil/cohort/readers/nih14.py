"""NIH ChestX-ray14: `Data_Entry_2017*.csv`, the official split lists, and folders of images.

Downsized copies are read too: images under another suffix, and a `split.csv` (image, split) instead of lists.

Splits. The official lists part the patients of test from all others. Of those, one patient in eight is kept for
validation, so that 70 % train, 10 % validate and 20 % test; who it is follows from the patient's number alone.

Labels. NIH lists the findings an image has, out of 14, so one that is not listed is 0 here. Infiltration is
Lung Opacity, Mass and Nodule are Lung Lesion, Effusion is Pleural Effusion, Pleural_Thickening is Pleural
Other. Lung Opacity is left missing where another opacity is listed, for then its absence is not meant.
Emphysema, Fibrosis and Hernia have no counterpart (No Finding is 0 with them); Enlarged
Cardiomediastinum, Fracture and Support Devices were not looked for and are missing.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from medveil.cohort.cohort import Cohort, Problem
from medveil.cohort.readers import fields
from medveil.cohort.readers.listing import by_name, list_files, stem
from medveil.cohort.readers.registry import Progress, register
from medveil.cohort.splits import for_validation
from medveil.cohort.tables import values
from medveil.errors import InputError

TABLES = ("Data_Entry_2017_v2020.csv", "Data_Entry_2017.csv")
VALIDATION = 10 / 80  # of the patients who are not tested on
OLDEST = 120  # the collection has a few ages above; all are typing errors
FINDINGS = {
    "No Finding": ("No Finding",),
    "Cardiomegaly": ("Cardiomegaly",),
    "Lung Lesion": ("Mass", "Nodule"),
    "Edema": ("Edema",),
    "Consolidation": ("Consolidation",),
    "Pneumonia": ("Pneumonia",),
    "Atelectasis": ("Atelectasis",),
    "Pneumothorax": ("Pneumothorax",),
    "Pleural Effusion": ("Effusion",),
    "Pleural Other": ("Pleural_Thickening",),
    "Lung Opacity": ("Infiltration",),
}
OWN_FINDINGS = (
    *("Atelectasis", "Cardiomegaly", "Consolidation", "Edema", "Effusion", "Emphysema", "Fibrosis", "Hernia"),
    *("Infiltration", "Mass", "Nodule", "Pleural_Thickening", "Pneumonia", "Pneumothorax"),
)
OTHER_OPACITIES = ("Consolidation", "Pneumonia", "Atelectasis", "Edema", "Lung Lesion")
_NEEDED = ("Image Index", "Finding Labels", "Patient ID", "Patient Age", "Patient Gender", "View Position")


@register
class Nih14:
    name = "nih14"
    title = "NIH ChestX-ray14"

    def recognises(self, path: Path) -> bool:
        return any((path / table).is_file() for table in TABLES)

    def read(self, path: Path, *, progress: Progress | None = None) -> Cohort:
        entries = fields.read_table(_table(path), _NEEDED)
        listing = list_files(path, _image_folders(path))
        names = entries["Image Index"].str.strip()
        patient = entries["Patient ID"].str.strip().str.zfill(8)
        table = pd.DataFrame(
            {
                "image_id": names.str.replace(r"\.\w+$", "", regex=True),
                "patient_id": patient,
                "study_id": names.str.replace(r"\.\w+$", "", regex=True),
                "site": "NIH Clinical Center",
                "view": values.views(entries["View Position"]),
                "path": _paths(names, listing.images()),
                "age": values.ages(entries["Patient Age"], OLDEST),
                "sex": values.sexes(entries["Patient Gender"]),
                "split": _splits(path, names, patient),
                **_labels(entries["Finding Labels"]),
            }
        )
        table, incomplete = fields.complete_rows(table)
        table, missing = fields.present_rows(table, listing.files)
        strangers = fields.unlisted(listing.images(), table)
        problems: list[Problem] = [*listing.problems, *incomplete, *missing, *strangers]
        return Cohort.of(table, path, name=self.name, problems=problems)


def _table(folder: Path) -> Path:
    for name in TABLES:
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"{folder} has no {TABLES[0]}; point at the folder that holds it")


def _image_folders(folder: Path) -> list[str]:
    """`images_001` to `images_012` (each with `images` inside), or one `images`."""
    return sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and entry.name.startswith("images"))


def _paths(names: pd.Series, images: set[str]) -> pd.Series:
    """Where each image lies: under its own name, else under another suffix, else where it should be."""
    exact = by_name(images)
    any_suffix = {stem(name): file for name, file in exact.items()}
    found = values.looked_up(names, exact)
    found = found.fillna(values.looked_up(names.str.replace(r"\.\w+$", "", regex=True), any_suffix))
    return found.fillna("images/" + names)


def _splits(folder: Path, names: pd.Series, patients: pd.Series) -> pd.Series:
    own = folder / "split.csv"
    if own.is_file():
        listed = fields.read_table(own, ("image", "split")).drop_duplicates("image").set_index("image")["split"]
        return values.splits(values.looked_up(names, listed.to_dict()))
    split: dict[str, str] = {}
    for name, part in (("train_val_list.txt", "train"), ("test_list.txt", "test")):
        if (folder / name).is_file():
            split.update(dict.fromkeys((folder / name).read_text("utf-8", "replace").split(), part))
    listed = values.looked_up(names, split)
    kept = [patient for patient in patients.dropna().unique() if for_validation(patient, VALIDATION)]
    return listed.mask(listed.eq("train") & patients.isin(kept), "val")


def listed_findings(folder: Path) -> pd.DataFrame:
    """NIH's own 14 findings, by image: more than the 14 labels of a cohort, of which some stand for two of these."""
    entries = fields.read_table(_table(folder), _NEEDED)
    images = entries["Image Index"].str.strip().str.replace(r"\.\w+$", "", regex=True)
    listed = entries["Finding Labels"]
    padded = "|" + listed.str.replace(r"\s*\|\s*", "|", regex=True) + "|"
    found = {
        finding: padded.str.contains(f"|{finding}|", regex=False, na=False).astype("float32").where(listed.notna())
        for finding in OWN_FINDINGS
    }
    return pd.DataFrame(found).set_axis(pd.Index(images, name="image_id")).groupby(level=0).first()


def _labels(listed: pd.Series) -> dict[str, pd.Series]:
    padded = "|" + listed.str.replace(r"\s*\|\s*", "|", regex=True) + "|"
    labels = {
        label: pd.concat([padded.str.contains(f"|{term}|", regex=False, na=False) for term in terms], axis=1)
        .any(axis=1)
        .astype("float32")
        .where(listed.notna())
        for label, terms in FINDINGS.items()
    }
    opacity = labels["Lung Opacity"]
    other = pd.concat([labels[label] for label in OTHER_OPACITIES], axis=1).eq(1).any(axis=1)
    labels["Lung Opacity"] = opacity.mask((opacity == 0) & other)
    return labels
