"""Any folder of DICOM files, whatever their names: found by content, read in parallel, one row a frame.

A DICOMDIR is followed only to notice files it promises that are not there; the tree itself is what is read.
A report is a text file named for the study UID or for the image file.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from medveil.cohort.cohort import Cohort, Problem
from medveil.cohort.dicom import DicomInfo, read_many, read_metadata
from medveil.cohort.dicom.directory import is_directory, referenced_files
from medveil.cohort.dicom.opening import has_prefix, head_of, may_be_dicom
from medveil.cohort.readers import fields
from medveil.cohort.readers.listing import Listing, list_files, read_reports, stem
from medveil.cohort.readers.registry import Progress, register
from medveil.errors import InputError, Quarantined

LOOKED_AT = 200  # files, before a folder is taken to hold no DICOM


@register
class DicomFolder:
    name = "dicom"
    title = "a folder of DICOM files"
    general = True

    def recognises(self, path: Path) -> bool:
        return path.is_dir() and any(_is_dicom(file) for file in islice(_some_files(path), LOOKED_AT))

    def read(self, path: Path, *, progress: Progress | None = None) -> Cohort:
        listing = list_files(path)
        problems = list(listing.problems)
        files = sorted(file for file in listing.files if not file.endswith(".txt"))
        rows = []
        for done, (file, info) in enumerate(
            zip(files, read_many(read_metadata, [path / file for file in files]), strict=True), start=1
        ):
            if isinstance(info, Quarantined):
                problems.append(Problem(file, info.reason))
            elif is_directory(info.sop_class):
                problems += _broken_promises(path, file, listing)
            else:
                rows += _rows(file, info, problems)
            if progress:
                progress(done, len(files))
        if not rows:
            raise InputError(f"{path} holds no readable DICOM image with patient and study numbers")
        table = _without_repeats(pd.DataFrame(rows), problems)
        table["report"] = _reports(path, table, listing, problems)
        return Cohort.of(table, path, name="DICOM folder", problems=problems)


def _some_files(folder: Path) -> Iterator[Path]:
    """Files in the order the file system gives them, without listing everything first."""
    for entry in folder.rglob("*"):
        if entry.is_file() and not entry.is_symlink():
            yield entry


def _is_dicom(file: Path) -> bool:
    try:
        head = head_of(file)
        if has_prefix(head):
            return True
        if may_be_dicom(head):
            read_metadata(file)
            return True
    except Quarantined:
        pass
    return False


def _rows(file: str, info: DicomInfo, problems: list[Problem]) -> list[dict[str, Any]]:
    lacking = [
        name
        for name, value in (
            ("pixel data", info.has_pixels),
            ("patient id", info.patient_id),
            ("study uid", info.study_id),
            ("image uid", info.image_id),
        )
        if not value
    ]
    if lacking:
        problems.append(Problem(file, f"no {lacking[0]}"))
        return []
    described = {
        "patient_id": info.patient_id,
        "study_id": info.study_id,
        "site": info.site,
        "view": info.view,
        "path": file,
        "age": info.age,
        "sex": info.sex,
        "date": info.date,
    }
    names = [info.image_id, *(f"{info.image_id}#{frame}" for frame in range(1, info.frames))]
    return [{"image_id": name, "frame": frame, **described} for frame, name in enumerate(names)]


def _without_repeats(table: pd.DataFrame, problems: list[Problem]) -> pd.DataFrame:
    """The first of several files that are the same image."""
    repeated = table["image_id"].duplicated()
    problems += [Problem(file, "repeats another image") for file in table["path"][repeated].unique()]
    return table[~repeated].reset_index(drop=True)


def _broken_promises(root: Path, file: str, listing: Listing) -> list[Problem]:
    folder = PurePosixPath(file).parent
    try:
        promised = [str(folder / entry) for entry in referenced_files(root / file)]
    except Quarantined as refused:
        return [Problem(file, refused.reason)]
    # Media are written in capitals; a copy on another file system may not be.
    here = {name.lower() for name in listing.files}
    return [Problem(name, "missing file") for name in promised if name.lower() not in here]


def _reports(root: Path, table: pd.DataFrame, listing: Listing, problems: list[Problem]) -> pd.Series:
    texts = {file for file in listing.files if file.endswith(".txt")}
    by_study = {PurePosixPath(file).stem: file for file in sorted(texts)}
    beside = fields.looked_up(table["path"], {f: t for f in table["path"] for t in _texts_of(f) if t in texts})
    chosen = fields.looked_up(table["study_id"], by_study).fillna(beside)
    used = set(chosen.dropna())
    problems += [Problem(file, "report without image") for file in sorted(texts - used)]
    return fields.looked_up(chosen, read_reports(root, {file: file for file in sorted(used)}, problems))


def _texts_of(file: str) -> tuple[str, str]:
    return f"{file}.txt", f"{stem(file)}.txt"
