"""Files of any kind in one folder: each is looked at once, given to its owner, and the images become a table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from medveil.cohort.cohort import Cohort, Problem
from medveil.cohort.dicom.many import read_many
from medveil.cohort.dicom.metadata import DicomInfo
from medveil.cohort.dicom.opening import referenced_files
from medveil.cohort.input.entries import Entry, look_at, normal
from medveil.cohort.input.kinds import Kind
from medveil.cohort.input.linking import Links, SourceFile
from medveil.cohort.input.told import Told, row_problems, rows_set_aside
from medveil.cohort.readers.listing import read_report
from medveil.cohort.readers.registry import Progress
from medveil.cohort.schema import COLUMNS, Rows
from medveil.errors import InputError, Quarantined

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp", ".gif")
STRANGE = "not a kind of file that can be cleaned"
_OWN_FIRST = ("study_id", "image_id", "frame")  # what a DICOM file knows better than a table


def is_picture(file: str) -> bool:
    return file.lower().endswith(PICTURE_SUFFIXES)


@dataclass
class Mixture:
    """`names` are all files; `told` is what their tables say. Nothing is opened before it is needed."""

    root: Path
    names: Sequence[str]
    told: Told
    owners: dict[str, tuple[str, str, str]] = field(default_factory=dict)  # patient, study, image, as a layout says
    layout: str | None = None
    workers: int | None = None
    progress: Progress | None = None
    _seen: dict[str, Entry | Quarantined] = field(default_factory=dict, init=False, repr=False)
    _headers: Rows = field(default_factory=Rows, init=False, repr=False)

    @cached_property
    def files(self) -> tuple[SourceFile, ...]:
        """Everything that can be cleaned, each with its owner."""
        aside = rows_set_aside(self._all_told.problems)
        return tuple(
            replace(file, set_aside=aside[file.path]) if file.path in aside else file
            for file in self._linked(self.names)
        )

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Files that cannot be cleaned, and rows that were set aside."""
        self._look(self.names)
        return (*self._unusable(self.names), *self._all_told.problems)

    @cached_property
    def directories(self) -> int:
        """How many files only list others."""
        self._look(self.names)
        return sum(isinstance(entry, Entry) and entry.directory for entry in self._seen.values())

    @cached_property
    def doubtful_ids(self) -> int:
        """How many patient ids several issuers gave: one person, or several?"""
        issuers: dict[str, set[str]] = defaultdict(set)
        for file in self.files:
            if file.issuer and not file.own:
                issuers[file.patient].add(normal(file.issuer))
        return sum(len(several) > 1 for several in issuers.values())

    @cached_property
    def cohort(self) -> Cohort:
        """The images. Pictures that a table names need not be opened for it."""
        named = set(self.told.rows["path"])
        closed = self.layout == "csv"
        looked_at = [file for file in self.names if not (file in named and (closed or is_picture(file)))]
        linked = self._linked(looked_at, pictures=True)
        problems = [*self._unusable(looked_at, pictures=True), *self._missing_of_directories()]
        if self.layout == "dicom":
            problems += [Problem(file.path, "not a DICOM file") for file in linked if _is_strange(file)]
            linked = tuple(file for file in linked if not _is_strange(file))
        table = _together(self._dicom_rows(linked, problems), self._picture_rows(linked))
        problems += self._all_told.problems
        if len(table):
            if "frame" in table:
                table["frame"] = table["frame"].fillna(0)  # pictures have one
            table["report"] = self._reports(table, linked, problems)
            table = _consistent(table, problems)
        if table.empty:
            raise InputError(_nothing_in(self.root, problems))
        problems += self._silent_tables(linked)
        name = (
            "DICOM folder" if self.told.rows.empty and not table["path"].map(is_picture).any() else "Folder of images"
        )
        return Cohort.of(
            table[[column for column in COLUMNS if column in table]], self.root, name=name, problems=problems
        )

    # looking at files

    def _look(self, names: Iterable[str]) -> None:
        todo = [file for file in names if file not in self._seen]
        known = {file for file in self.told.tables if file in todo}  # read already: no process need be started for them
        self._seen |= {file: look_at(self.root, file) for file in known}
        todo = [file for file in todo if file not in known]
        if not todo:
            return
        looks = read_many(partial(look_at, self.root), todo, workers=self.workers)
        for done, (file, entry) in enumerate(zip(todo, looks, strict=True), start=1):
            if isinstance(entry, Entry) and entry.info is not None:
                self._headers.extend(_frames(file, entry.info))
                entry = replace(entry, info=None)
            self._seen[file] = entry
            if self.progress:
                self.progress(done, len(todo))

    def _unusable(self, names: Iterable[str], *, pictures: bool = False) -> list[Problem]:
        """`pictures`: those in formats that can be read but not cleaned are usable."""
        found = []
        for file in names:
            entry = self._seen[file]
            if isinstance(entry, Quarantined):
                found.append(Problem(file, entry.reason))
            elif entry.kind is Kind.OTHER and not (pictures and is_picture(file)):
                found.append(Problem(file, STRANGE))
        return found

    def _linked(self, names: Sequence[str], *, pictures: bool = False) -> tuple[SourceFile, ...]:
        self._look(names)
        aside = self.told.set_aside
        seen = [entry for file in names if isinstance(entry := self._seen[file], Entry) and file not in aside]
        if pictures:
            seen = [
                replace(entry, kind=Kind.IMAGE) if entry.kind is Kind.OTHER and is_picture(entry.file) else entry
                for entry in seen
            ]
        usable = [entry for entry in seen if entry.kind is not Kind.OTHER and not entry.directory]
        owned = self._owned(usable)
        links = Links(owned)
        return tuple(map(links.link, owned))

    # what tables and layouts say of the owners

    def _owned(self, entries: list[Entry]) -> list[Entry]:
        """What a row or a layout says of a file comes before what the file says, except of its study and image."""
        said = self._said
        renamed: dict[str, set[str]] = defaultdict(set)
        for entry in entries:
            if entry.patient and (known := said.get(entry.file)) and known[0]:
                renamed[entry.patient].add(known[0])
        return [self._with_owner(entry, said.get(entry.file), renamed.get(entry.patient or "")) for entry in entries]

    @staticmethod
    def _with_owner(entry: Entry, said: tuple[str, str, str] | None, renamed: set[str] | None) -> Entry:
        if said is None:
            # files of one patient, of which a table names some by another number, stay together
            return replace(entry, patient=next(iter(renamed))) if renamed and len(renamed) == 1 else entry
        patient, study, image = said
        return replace(
            entry,
            patient=patient or entry.patient,
            study=entry.study or study or None,
            image=entry.image or image or None,
        )

    @cached_property
    def _said(self) -> dict[str, tuple[str, str, str]]:
        rows = self._all_told.rows
        columns = [_column(rows, name) for name in ("patient_id", "study_id", "image_id")]
        columns[1:] = [column.fillna(rows["path"]) for column in columns[1:]]  # without a study, every image is one
        said = dict(zip(rows["path"], zip(*(column.fillna("") for column in columns), strict=True), strict=True))
        return {**self.owners, **said}

    @cached_property
    def _all_told(self) -> Told:
        """With the rows that name an image or a study by its number, each now at the files it is about."""
        rows = self.told.by_number
        if rows.empty:
            return self.told
        self._look(self.names)
        return _placed(self.told, [entry for entry in self._seen.values() if isinstance(entry, Entry)])

    # the table of images

    def _dicom_rows(self, linked: Iterable[SourceFile], problems: list[Problem]) -> pd.DataFrame:
        """One row a frame, from the header, with what a table says of the file."""
        files = {file.path: file for file in linked if file.kind is Kind.DICOM}
        table = self._headers.table()
        table = table[table["path"].isin(files)].sort_values(["path", "frame"], kind="stable").reset_index(drop=True)
        pictured = set(table["path"])
        problems += [Problem(file, "no pixel data") for file in files if file not in pictured]
        rows = self._all_told.rows
        rows = rows[rows["path"].isin(pictured)]
        if len(rows):
            table = _joined(table, rows)
        return self._named(table, files)

    @staticmethod
    def _named(table: pd.DataFrame, files: dict[str, SourceFile]) -> pd.DataFrame:
        owner = table["path"].map(lambda path: files[path].patient)
        study = table["path"].map(lambda path: files[path].study or files[path].patient)
        frame = table["frame"].astype(int)
        numbered = table["path"].where(frame == 0, table["path"] + "#" + frame.astype(str))
        return table.assign(
            patient_id=owner.astype("str"), study_id=study.astype("str"), image_id=table["image_id"].fillna(numbered)
        )

    def _picture_rows(self, linked: Iterable[SourceFile]) -> pd.DataFrame:
        """Those that tables name, and those that lie there besides."""
        rows = self._all_told.rows
        refused = {
            file for file, entry in self._seen.items() if not isinstance(entry, Entry) or entry.kind is Kind.DICOM
        }
        rows = rows[~rows["path"].isin(refused)]
        owners = {file.path: file for file in linked if file.kind is Kind.IMAGE}
        said = set(rows["path"])
        others = [file for path, file in owners.items() if path not in said]
        bare = pd.DataFrame(
            {
                "path": [file.path for file in others],
                "image_id": [file.image or file.path for file in others],
                "patient_id": [file.patient for file in others],
                "study_id": [file.study or (file.patient if file.own else file.path) for file in others],
            },
            dtype="str",
        )
        own = rows["path"].map({path: file.patient for path, file in owners.items()}).astype("str")
        rows = rows.assign(
            patient_id=rows["patient_id"].fillna(own),
            study_id=_column(rows, "study_id").fillna(rows["path"]),
            image_id=_column(rows, "image_id").fillna(rows["path"]),
        )
        return _together(rows[rows["patient_id"].notna()], bare)

    def _reports(self, table: pd.DataFrame, linked: Iterable[SourceFile], problems: list[Problem]) -> pd.Series:
        """What a table says; else the text that is linked to the study, or to the patient's only one."""
        own = _column(table, "report")
        texts = [file for file in linked if file.kind is Kind.REPORT]
        if not texts:
            return own
        studies = table.groupby("patient_id")["study_id"].agg(
            lambda several: several.iloc[0] if several.nunique() == 1 else None
        )
        only = studies.dropna().to_dict()
        known = set(zip(table["patient_id"], table["study_id"], strict=True))
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for file in texts:
            place = file.patient, file.study or str(only.get(file.patient, ""))
            if place not in known:
                problems.append(Problem(file.path, "report without image"))
                continue
            try:
                found[place].append(read_report(self.root, file.path))
            except Quarantined as refused:
                problems.append(Problem(file.path, refused.reason))
        places = pd.Series(list(zip(table["patient_id"], table["study_id"], strict=True)), index=table.index)
        return own.fillna(places.map({place: "\n\n".join(several) for place, several in found.items()}).astype("str"))

    def _silent_tables(self, linked: Iterable[SourceFile]) -> list[Problem]:
        tables = [file.path for file in linked if file.kind.is_table and file.path not in self._all_told.tables]
        return [Problem(file, "table that names no image") for file in tables]

    def _missing_of_directories(self) -> list[Problem]:
        """Files that a DICOMDIR promises and that are not there."""
        # media are written in capitals; a copy on another file system may not be
        here = {name.lower() for name in self.names}
        found = []
        for file, entry in self._seen.items():
            if not isinstance(entry, Entry) or not entry.directory:
                continue
            folder = PurePosixPath(file).parent
            try:
                promised = [str(folder / name) for name in referenced_files(self.root / file)]
            except Quarantined as refused:
                found.append(Problem(file, refused.reason))
                continue
            found += [Problem(name, "missing file") for name in promised if name.lower() not in here]
        return found


def _is_strange(file: SourceFile) -> bool:
    """To the layout that knows DICOM files and their reports alone."""
    return file.kind not in (Kind.DICOM, Kind.REPORT)


def _nothing_in(root: Path, problems: list[Problem]) -> str:
    reasons = Counter(problem.reason for problem in problems)
    told = (
        f" ({len(problems):,} files or rows were set aside, most as: {reasons.most_common(1)[0][0]})"
        if problems
        else ""
    )
    return f"{root} holds no image that could be used{told}; name a folder of images, or a table of them"


def _frames(file: str, info: DicomInfo) -> list[dict[str, Any]]:
    if not info.has_pixels:
        return []
    described = {
        "site": info.site,
        "view": info.view,
        "path": file,
        "age": info.age,
        "sex": info.sex,
        "date": info.date,
    }
    names = [info.image_id, *(f"{info.image_id or file}#{frame}" for frame in range(1, info.frames))]
    return [{"image_id": name, "frame": frame, **described} for frame, name in enumerate(names)]


def _column(table: pd.DataFrame, name: str) -> pd.Series:
    return table[name] if name in table else pd.Series(None, index=table.index, dtype="str")


def _together(*tables: pd.DataFrame) -> pd.DataFrame:
    full = [table for table in tables if len(table)]
    if len(full) > 1:
        # empty columns would make pandas guess at the type of the whole
        full = [table.dropna(axis=1, how="all") for table in full]
    return pd.concat(full, ignore_index=True) if full else pd.DataFrame(columns=["path"])


def _joined(headers: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """What the rows say of each image; where they say nothing, the header."""
    keys = ["path", "frame"] if "frame" in rows else ["path"]
    if "frame" in rows:
        rows = rows.assign(frame=rows["frame"].fillna(0).astype("int32"))
    merged = headers.merge(rows, on=keys, how="left", suffixes=("", " told"))
    for column in rows.columns:
        if f"{column} told" in merged:
            told = merged.pop(f"{column} told")
            first, second = (merged[column], told) if column in _OWN_FIRST else (told, merged[column])
            merged[column] = first.astype(object).fillna(second.astype(object))
    return merged


def _placed(told: Told, entries: list[Entry]) -> Told:
    """Rows by number, at the files whose image or study has it; a row fills in what the files' own rows leave open."""
    files: dict[str, dict[str, set[str]]] = {"image_id": defaultdict(set), "study_id": defaultdict(set)}
    for entry in entries:
        if entry.kind not in (Kind.DICOM, Kind.IMAGE) or entry.directory:
            continue
        path = PurePosixPath(entry.file)
        for number in (entry.image, path.stem, path.name):
            files["image_id"][normal(number or "")].add(entry.file)
        for number in (entry.study, entry.accession, path.stem, path.parent.name):
            files["study_id"][normal(number or "")].add(entry.file)
    for column in files:
        if column in told.rows:
            for path, number in zip(told.rows["path"], told.rows[column].fillna(""), strict=True):
                files[column][normal(number)].add(path)
        files[column].pop("", None)
    taken: list[tuple[int, str]] = []
    rows = told.by_number
    for place, key, number in _numbers(rows):
        taken += [(place, file) for file in sorted(files[key].get(normal(number), ()))]
    if not taken:
        return told
    places, paths = zip(*taken, strict=True)
    found = rows.loc[list(places)].assign(path=list(paths))
    bad = found["bad"].notna()
    problems = [
        problem
        for reason, some in found[bad].groupby("bad")
        for problem in row_problems(some.drop_duplicates(["row", "table"]), str(reason))
    ]
    found = found[~bad].drop(columns="bad").drop_duplicates("path")
    tables = told.tables | frozenset(found["table"])
    merged = _filled(told.rows, found)
    return replace(told, rows=merged, problems=(*told.problems, *problems), tables=tables)


def _numbers(rows: pd.DataFrame) -> Iterable[tuple[int, str, str]]:
    for key in ("image_id", "study_id"):
        if key in rows:
            some = rows[key].dropna()
            yield from ((place, key, number) for place, number in some.items())


def _filled(rows: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    if rows.empty:
        return more.reset_index(drop=True)
    values = more.set_index("path")
    for column in values.columns:
        extra = rows["path"].map(values[column])
        rows = rows.assign(**{column: rows[column].astype(object).fillna(extra) if column in rows else extra})
    return _together(rows, more[~more["path"].isin(set(rows["path"]))])


def _consistent(table: pd.DataFrame, problems: list[Problem]) -> pd.DataFrame:
    """Without the images that contradict others: the rest need not suffer for them."""
    table = _without(table, table["image_id"].duplicated(), "repeats another image", problems)
    owners = table["patient_id"].groupby(table["study_id"]).transform("nunique")
    table = _without(table, owners > 1, "study of two patients", problems)
    if "split" in table:
        split = table["split"].astype(object)
        first = split.groupby(table["patient_id"]).transform("first")
        table = _without(
            table.assign(split=split.fillna(first)), split.notna() & (split != first), "patient in two splits", problems
        )
    return table.reset_index(drop=True)


def _without(table: pd.DataFrame, bad: pd.Series, reason: str, problems: list[Problem]) -> pd.DataFrame:
    if not bad.any():
        return table
    rows = table[bad]
    listed = _column(rows, "table").notna()
    problems += [] if not listed.any() else row_problems(rows[listed].astype({"row": "int64"}), reason)
    problems += [Problem(file, reason) for file in rows["path"][~listed].unique()]
    return table[~bad]
