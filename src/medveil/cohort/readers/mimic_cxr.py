"""MIMIC-CXR (DICOM) and MIMIC-CXR-JPG: `files/p10/p10000032/s50414267/<image>`, with tables beside `files`.

Images and studies come from the tree; the tables (`mimic-cxr-<version>-metadata`, `-chexpert`, `-split`,
`.csv` or `.csv.gz`) add view, date, labels and split. Without the metadata table views and dates are read
from the DICOM headers. Reports are `files/p10/p10000032/s50414267.txt`, also under `mimic-cxr-reports`.
Labels are CheXpert's own; a study it does not list has none.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from medveil.cohort.cohort import Cohort, Problem
from medveil.cohort.dicom import DicomInfo, read_many, read_metadata
from medveil.cohort.readers import fields
from medveil.cohort.readers.listing import Listing, list_files, read_reports
from medveil.cohort.readers.registry import Progress, register
from medveil.cohort.schema import LABELS
from medveil.cohort.tables import values
from medveil.errors import InputError, Quarantined

_TREE = r"^files/p\d\d/p(?P<patient_id>\d+)/s(?P<study_id>\d+)/(?P<image_id>[^/]+)\.(?P<suffix>jpg|png|dcm)$"
_REPORT = r"(?:^|/)files/p\d\d/p\d+/s(\d+)\.txt$"
_REPORT_FOLDERS = ("mimic-cxr-reports", "reports")


@register
class MimicCxr:
    name = "mimic_cxr"
    title = "MIMIC-CXR and MIMIC-CXR-JPG"

    def recognises(self, path: Path) -> bool:
        return (path / "files" / "p10").is_dir() or bool(_table(path, "metadata"))

    def read(self, path: Path, *, progress: Progress | None = None) -> Cohort:
        listing = list_files(path, ("files", *_REPORT_FOLDERS))
        problems = list(listing.problems)
        table = _tree(listing)
        metadata = _table(path, "metadata")
        if metadata:
            table = _with_metadata(table, metadata, problems)
        else:
            table = _with_headers(table, path, problems, progress)
        table = _joined(table, _table(path, "chexpert"), LABELS)
        table = _joined(table, _table(path, "split"), ("split",), key="image_id")
        if "split" in table:
            table["split"] = values.splits(table["split"])
        reports = _reports(path, listing, set(table["study_id"]), problems)
        table["report"] = values.looked_up(table["study_id"], reports)
        table["site"] = "Beth Israel Deaconess Medical Center"
        return Cohort.of(table, path, name=self.name, problems=problems)


def _table(folder: Path, which: str) -> Path | None:
    """`mimic-cxr-2.0.0-metadata.csv.gz` and its like, the newest version where there are several."""
    found = [
        *folder.glob(f"mimic-cxr-*-{which}.csv.gz"),
        *folder.glob(f"mimic-cxr-*-{which}.csv"),
    ]
    return max(found, default=None)


def _tree(listing: Listing) -> pd.DataFrame:
    """One row an image, from its path; the JPG where an image is there as DICOM too."""
    paths = pd.Series(sorted(listing.images()), dtype="str")
    table = paths.str.extract(_TREE).assign(path=paths).dropna(subset="image_id")
    preference = table["suffix"].map({"jpg": 0, "png": 1, "dcm": 2})
    table = table.assign(preference=preference).sort_values(["preference", "path"], kind="stable")
    table = table.drop_duplicates("image_id").sort_values("path")
    return table.drop(columns=["suffix", "preference"]).reset_index(drop=True)


def _with_metadata(table: pd.DataFrame, path: Path, problems: list[Problem]) -> pd.DataFrame:
    needed = ("dicom_id", "subject_id", "study_id", "ViewPosition", "StudyDate", "StudyTime")
    metadata = fields.read_table(path, needed)
    known = table["image_id"].isin(metadata["dicom_id"])
    problems += [Problem(file, "not in the table") for file in table["path"][~known]]
    missing = metadata[~metadata["dicom_id"].isin(table["image_id"])]
    subject = missing["subject_id"]
    places = "files/p" + subject.str[:2] + "/p" + subject + "/s" + missing["study_id"] + "/" + missing["dicom_id"]
    problems += [Problem(place, "missing file") for place in places.fillna("row without image id")]
    described = pd.DataFrame(
        {
            "image_id": metadata["dicom_id"],
            "view": values.views(metadata["ViewPosition"]),
            "date": _dates(metadata["StudyDate"], metadata["StudyTime"]),
        }
    )
    _refuse_repeats(described["image_id"], path)
    return table[known].merge(described, on="image_id", how="left")


def _dates(day: pd.Series, clock: pd.Series) -> pd.Series:
    """`21800506` and `213014.53`; the clock lost its leading zeros when it was written as a number."""
    clock = clock.fillna("0").str.partition(".")[0].str.zfill(6)
    stamps = pd.to_datetime(day + clock, format="%Y%m%d%H%M%S", errors="coerce")
    days = pd.to_datetime(day, format="%Y%m%d", errors="coerce")
    return stamps.fillna(days)


def _with_headers(table: pd.DataFrame, root: Path, problems: list[Problem], progress: Progress | None) -> pd.DataFrame:
    """Views and dates from DICOM headers; an image in another format has neither."""
    dicom = table["path"].str.endswith(".dcm")
    files = table["path"][dicom]
    view: dict[str, str | None] = {}
    date: dict[str, object] = {}
    refused = set()
    for done, (file, info) in enumerate(
        zip(files, read_many(read_metadata, [root / file for file in files]), strict=True), start=1
    ):
        if isinstance(info, DicomInfo):
            view[file], date[file] = info.view, info.date
        elif isinstance(info, Quarantined):
            problems.append(Problem(file, info.reason))
            refused.add(file)
        if progress:
            progress(done, len(files))
    dates = pd.to_datetime(table["path"].map(date))
    table = table.assign(view=values.looked_up(table["path"], view), date=dates)
    return table[~table["path"].isin(refused)]


def _joined(table: pd.DataFrame, path: Path | None, columns: tuple[str, ...], key: str = "study_id") -> pd.DataFrame:
    """The table with the columns another one has for the same study or image."""
    if path is None:
        return table
    theirs = {"image_id": "dicom_id"}.get(key, key)
    other = fields.read_table(path, (theirs, *columns))
    _refuse_repeats(other[theirs], path)
    picked = fields.label_columns(other) if columns == LABELS else other[list(columns)]
    return table.merge(picked.assign(**{key: other[theirs]}), on=key, how="left")


def _refuse_repeats(keys: pd.Series, path: Path) -> None:
    if keys.duplicated().any():
        row = int(keys.duplicated().to_numpy().argmax()) + 1
        raise InputError(f"row {row}, column {keys.name} of {path} repeats an earlier row; remove one of them")


def _reports(root: Path, listing: Listing, studies: set[str], problems: list[Problem]) -> dict[str, str]:
    texts = pd.Series(sorted(file for file in listing.files if file.endswith(".txt")), dtype="str")
    study = texts.str.extract(_REPORT)[0]
    files = {number: file for number, file in zip(study, texts, strict=True) if number in studies}
    return read_reports(root, files, problems)
