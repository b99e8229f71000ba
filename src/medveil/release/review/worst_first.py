"""Which films and reports a person is shown: what was withheld for a person to look at, then the worst of the rest."""

from __future__ import annotations

import ast
import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from medveil.cohort.dicom.opening import open_dicom
from medveil.cohort.dicom.read import frame_count, read_pixels
from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.cohort.images import load_colours, load_image
from medveil.cohort.input import Kind
from medveil.cohort.preprocess import colour_planes
from medveil.cohort.tables.encodings import decode
from medveil.defenses.pixels.choices import Choices
from medveil.defenses.pixels.objects.kinds import PHOTOGRAPH, RECOGNISABLE
from medveil.defenses.pixels.objects.photographs import FACE, picture_of
from medveil.defenses.pixels.removal import DOUBTFUL, UNTOLD
from medveil.errors import InputError, Quarantined
from medveil.parts import Box, Subject
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.dicom_file import open_whole
from medveil.release.clean.dicom_writer import upright_picture
from medveil.release.clean.engine import Engine
from medveil.release.clean.groups import Group, ImageRow, Item
from medveil.release.clean.records import BY_THE_CHECK, DATA, STILL_READ, noted_files, place_of, withdrawn
from medveil.release.clean.reviewed import Reviewed
from medveil.release.clean.table_writer import header_of
from medveil.release.folder import read_run, refuse_other_key
from medveil.release.review.decisions_file import run_of
from medveil.release.review.film_pictures import FrameOfFilm
from medveil.release.settings import Progress
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.group_check import released_rows
from medveil.release.verify.pixel_check import Reader, stray_text
from medveil.release.verify.run_record import RunRecord
from medveil.report.review_page import Case, render_review
from medveil.runtime.journal import FILE as JOURNAL
from medveil.runtime.journal import Entry
from medveil.runtime.storage import refuse_unwritable, write_bytes

MOST_FRAMES = 12  # of one film
FOR_A_PERSON = frozenset({DOUBTFUL, FACE, PHOTOGRAPH, RECOGNISABLE, UNTOLD})  # reasons why a film waits for one


@dataclass(frozen=True)
class Candidate:
    """What may be shown as one case: a film with its report, or a report without a film."""

    path: str
    item: Item
    group: Group
    noted: Entry
    reports: tuple[tuple[str, str], ...] = ()  # files: the original's path, the released one's
    texts: tuple[str, str] | None = None  # before and after, where they are in a table

    @property
    def is_film(self) -> bool:
        return self.item.kind in (Kind.DICOM, Kind.IMAGE)

    @property
    def waits(self) -> bool:
        """Whether it was withheld for a person to look at."""
        return self.noted.get("quarantined") in (*FOR_A_PERSON, *BY_THE_CHECK)

    def badness(self, discrepancies: Mapping[str, list[Discrepancy]]) -> tuple[bool, int, float, str]:
        masked = max(self.noted.get("masked", [0.0]), default=0.0)
        return self.waits, len(discrepancies.get(self.path, ())), masked, self.path


def write_review(
    out: Path, source: Path, page: Path, *, keys: Keys, most: int, progress: Progress = lambda stage, done, total: None
) -> tuple[int, int]:
    """Write the page, readable by its owner only; returns how many cases it shows and how many it does not."""
    if page.resolve().is_relative_to(out.resolve()):
        raise InputError("the review page shows patients and must not be in the output folder; choose another place")
    refuse_unwritable(page, "the page")
    if not (out / JOURNAL).is_file():  # of the data there may be none: all of it may wait for a person
        raise InputError(f"{out} holds no de-identified data; run medveil deid or medveil release first")
    refuse_other_key(out, keys)
    reviewed = Reviewed.of(out, keys)
    record = RunRecord.of(out)
    keys = record.keys(keys)
    originals = record.originals(record.read(source, progress=partial(progress, "reading")), keys)
    items = [(one, group) for group in originals.groups for one in group.files]
    candidates = list(_candidates(out, items, record, keys))
    discrepancies = _discrepancies(out)
    for one in candidates:  # what is wrong with a report is shown beside its film
        for _, released in one.reports if one.is_film else ():
            discrepancies[one.path] += discrepancies.get(released, [])
    order = sorted(candidates, key=lambda one: one.badness(discrepancies), reverse=True)
    cases = []
    drawing = _Drawing(originals.root, out, keys, reviewed)
    for done, one in enumerate(order[:most], start=1):
        with suppress(Quarantined):  # counted with what is not shown
            cases.append(drawing.case(one, discrepancies.get(one.path, [])))
        progress("drawing", done, min(most, len(order)))
    text = render_review(
        cases,
        title="De-identified data",
        hidden=len(order) - len(cases),
        run=run_of(out),
        page=f"{run_of(out)}-{len(reviewed.sessions)}",
    )
    write_bytes(page, text.encode(), private=True)
    return len(cases), len(order) - len(cases)


def _candidates(out: Path, items: list[tuple[Item, Group]], record: RunRecord, keys: Keys) -> Iterator[Candidate]:
    """Films that were released, or withheld for a person to look at, and reports; not what was rejected before."""
    data, gone = out / DATA, withdrawn(out)
    noted = {place_of(entry): entry for entry in noted_files(out)}
    here: list[Candidate] = []
    for one, group in items:
        path = record.writer.path(one, keys)
        by_the_check = {"quarantined": gone[path]} if gone.get(path) in BY_THE_CHECK else {}
        candidate = Candidate(path, one, group, noted.get(path, {}) | by_the_check)
        if candidate.waits and (by_the_check or path not in gone):
            yield candidate
        elif (data / path).exists():
            here.append(candidate)
    yield from _rows(data, here) if record.is_table else _files(here, keys)


def _rows(data: Path, here: list[Candidate]) -> Iterator[Candidate]:
    """An image and its row."""
    rows = released_rows(data)
    for one in here:
        if isinstance(one.item, ImageRow):
            texts = _said(one.item.row["report"]), _said(rows.get(one.path, {}).get("report"))
            yield replace(one, texts=texts)


def _said(report: Any) -> str:
    return str(report) if pd.notna(report) else ""


def _files(here: list[Candidate], keys: Keys) -> Iterator[Candidate]:
    """A film with all reports of its study, or a report without a film."""
    reports: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for one in here:
        if one.item.kind is Kind.REPORT:
            reports[one.item.patient, one.item.study].append(one)
    pictured = set()
    for one in here:
        if one.is_film:
            study = one.item.patient, one.item.study
            pictured.add(study)
            yield replace(one, reports=tuple((each.item.path, each.path) for each in reports[study]))
    for study, several in reports.items():
        if study not in pictured:
            yield from (replace(one, reports=((one.item.path, one.path),)) for one in several)


def _discrepancies(out: Path) -> dict[str, list[Discrepancy]]:
    found: dict[str, list[Discrepancy]] = defaultdict(list)
    try:
        with (out / "discrepancies.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                found[row["file"]].append(Discrepancy.of(row))
    except FileNotFoundError:
        pass  # not verified yet: then by the size of what was masked alone
    return found


class _Drawing:
    """Makes cases of candidates; the engine is made when the first withheld film asks for it."""

    def __init__(self, source: Path, out: Path, keys: Keys, reviewed: Reviewed) -> None:
        self.source, self.out, self.data, self.keys, self.reviewed = source, out, out / DATA, keys, reviewed
        self._engine: Engine | None = None

    def case(self, one: Candidate, own: list[Discrepancy]) -> Case:
        if one.waits:
            return self._withheld(one)
        told = tuple(f"{discrepancy.check}: {discrepancy.found}" for discrepancy in own)
        before, after = one.texts or (
            _text([self.source / path for path, _ in one.reports]),
            _text([self.data / path for _, path in one.reports]),
        )
        if not one.is_film:
            return Case(one.path, ("a report without an image", *told), report_before=before, report_after=after)
        masked = one.noted.get("masked", [])
        choices = self.reviewed.choices(one.path)
        left = tuple(box for discrepancy in own if (box := _box_of(discrepancy)) is not None)
        frames = list(self._released(one, left if len(masked) < 2 else ()))
        share = f"{max(masked, default=0.0):.1f} % masked"
        if choices:
            share += ", reviewed before"
        return Case(
            one.path,
            (share, *told),
            tuple(frame.shot(choices) for frame in frames),
            report_before=before,
            report_after=after,
            reports=tuple(released for _, released in one.reports),
        )

    def _released(self, one: Candidate, left: tuple[Box, ...]) -> Iterator[FrameOfFilm]:
        """The frames in which something was painted or chosen, the most painted first; the first where there is
        none."""
        masked = one.noted.get("masked", [0.0])
        painted = one.noted.get("painted", [[]] * len(masked))
        chosen = self.reviewed.choices(one.path)
        touched = [number for number, boxes in enumerate(painted) if boxes or number in chosen]
        for number in sorted(touched or [0], key=lambda number: (-masked[number], number))[:MOST_FRAMES]:
            boxes = [_box(*box) for box in painted[number]]
            before, after = _alike(self._before(one, number), self._after(one, number))
            yield FrameOfFilm(number, before, after, boxes, (), left)

    def _before(self, one: Candidate, number: int) -> Any:
        if isinstance(one.item, ImageRow):
            return load_image(self.source, one.item.path, frame=one.item.row["frame"])
        if one.item.kind is Kind.IMAGE:
            return upright_picture(self.source, one.item.path)
        return _dicom_frame(self.source / one.item.path, number)

    def _after(self, one: Candidate, number: int) -> Any:
        if one.item.kind is Kind.DICOM:
            return _dicom_frame(self.data / one.path, number)
        colours = None if isinstance(one.item, ImageRow) else load_colours(self.data, one.path)
        return load_image(self.data, one.path) if colours is None else colours

    def _withheld(self, one: Candidate) -> Case:
        """As it would be released if a person accepted all of it: found anew, which leads to the same every time."""
        if self._engine is None:
            self._engine = Engine.as_told(self.keys, read_run(self.out)["settings"]["defenses"])
        person = one.group.person(self.keys, self.source)
        subject, shown = self._accepted(one, person, self._engine)
        reason = str(one.noted["quarantined"])
        doubtful = list(subject.doubtful)
        if reason == STILL_READ:
            doubtful = [(*boxes, *_legible(shown(number))) for number, boxes in enumerate(doubtful)]
        asking = [number for number, boxes in enumerate(doubtful) if boxes or reason not in (DOUBTFUL, STILL_READ)]
        choices = self.reviewed.choices(one.path)
        shots = [
            FrameOfFilm(
                number,
                *_alike(self._before(one, number), shown(number)),
                subject.painted[number],
                doubtful[number],
                asks=True,
            ).shot(choices)
            for number in asking[:MOST_FRAMES]
        ]
        return Case(
            one.path,
            (reason,),
            tuple(shots),
            withheld=True,
            acceptable=0 < len(asking) <= MOST_FRAMES,
            report_before=_said(one.item.row["report"]) if isinstance(one.item, ImageRow) else "",
        )

    def _accepted(self, one: Candidate, person: Person, engine: Engine) -> tuple[Subject, Any]:
        """What comes of its pixels then, and what each frame shows."""
        pixels = next((defense for defense in engine.chain if defense.place == "pixels"), None)
        if pixels is None:
            raise Quarantined(DOUBTFUL)
        if one.item.kind is Kind.DICOM:
            dataset = open_whole(self.source / one.item.path)
            every = dict.fromkeys(range(frame_count(dataset)), Choices(accept=True))
            subject = pixels.apply(Subject(person, dataset=dataset, choices=every))
            stored = StoredPixels.of(dataset)
            if stored is None:
                raise Quarantined(DOUBTFUL)
            return subject, partial(_stored_frame, stored)
        header = header_of(self.source, one.item.path)
        accept = {0: Choices(accept=True)}
        subject = pixels.apply(Subject(person, picture=self._before(one, 0), choices=accept, header=header))
        return subject, lambda number: subject.picture


def _legible(image: Any) -> tuple[Box, ...]:
    """Where the check reads text."""
    planes = [image] if image.ndim == 2 else [image.mean(axis=2).astype(image.dtype), *colour_planes(image)]
    return tuple(read.box for plane in planes for read in stray_text(Reader().read(plane)))


def _dicom_frame(path: Path, number: int) -> Any:
    """As displayed, in its colours; all frames are read only where there are colours."""
    if _is_gray(str(open_dicom(path, pixels=False).get("PhotometricInterpretation"))):
        return read_pixels(path, number)
    stored = StoredPixels.of(open_dicom(path, pixels=True))
    if stored is None or number >= len(stored.frames):
        raise Quarantined("no such frame")
    return _stored_frame(stored, number)


def _stored_frame(stored: StoredPixels, number: int) -> Any:
    return stored.displayed(number) if _is_gray(stored.kind) else picture_of(stored, number)


def _is_gray(photometric: str) -> bool:
    return photometric.startswith("MONOCHROME")


def _alike(before: Any, after: Any) -> tuple[Any, Any]:
    """Both in colour where one is: writing may have been all that was coloured."""
    if before.ndim != after.ndim:
        before, after = (one if one.ndim == 3 else np.repeat(one[..., None], 3, axis=2) for one in (before, after))
    if before.shape != after.shape:
        raise Quarantined("of another size than the original")
    return before, after


def _text(files: list[Path]) -> str:
    """The texts below one another."""
    texts = []
    for file in files:
        try:
            texts.append(decode(file.read_bytes()).text)
        except (OSError, Quarantined):
            texts.append("(cannot be shown)")
    return "\n\n".join(texts)


def _box(left: int, top: int, right: int, bottom: int) -> Box:
    return left, top, right, bottom


def _box_of(discrepancy: Discrepancy) -> Box | None:
    if discrepancy.check == "pixels" and discrepancy.leak and discrepancy.place.startswith("("):
        return _box(*ast.literal_eval(discrepancy.place))
    return None
