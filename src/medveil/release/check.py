"""The check of a release: what came out, searched and read by means that had no part in cleaning it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from medveil.cohort import Cohort
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.search.known import KnownSearch
from medveil.release.clean.people import person_of_row
from medveil.release.released import Released
from medveil.release.settings import Progress
from medveil.release.verify.allowed_values import without_moved_dates
from medveil.release.verify.byte_search import KnownBytes
from medveil.release.verify.pixel_check import Reader, stray_text
from medveil.release.verify.text_check import moved_rightly
from medveil.report.content import OutputCheck
from medveil.runtime.workers import ordered_map

MOST_READ = 100  # images, drawn at random: reading takes a second each


@dataclass(frozen=True)
class Searched:
    """Searches one released row for what its original gives away; made once, sent to every worker."""

    source: Path
    released: Path
    keys: Keys

    def __call__(self, pair: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, int]:
        original, row = pair
        person = person_of_row(original, self.source, self.keys)
        known = without_moved_dates(person)
        found: Counter[str] = Counter()
        if pd.notna(row["report"]):
            moved = moved_rightly(row["report"], original["report"], person.shift)
            found.update(
                f"known identifiers in reports: {one.category}"
                for one in KnownSearch(known).find(row["report"])
                if one.category is not Category.DATE or (one.start, one.end) not in moved
            )
        content = (self.released / row["path"]).read_bytes() + row["path"].encode()
        for category in KnownBytes.own(known).found_in(content):
            found[f"known identifiers in files: {category}"] += 1
        return dict(found)


@dataclass(frozen=True)
class Read:
    """Reads one released image; True where text other than clinical markers can be read."""

    cohort: Cohort

    def __call__(self, row: int) -> bool:
        return bool(stray_text(_reader().read(self.cohort.image(row))))


def check_release(
    cohort: Cohort, after: Released, keys: Keys, *, read: bool, seed: int, workers: int | None, progress: Progress
) -> OutputCheck | None:
    """Every released row against its original's identifiers, and some of the images read where text was removed."""
    released = after.cohort
    if released is None:
        return None
    searched = Searched(cohort.root, released.root, keys)
    found: Counter[str] = Counter()
    where: set[int] = set()
    for row, more in enumerate(ordered_map(searched, _pairs(cohort, after, released), workers=workers, chunk=16)):
        found.update(more)
        where |= {row} if more else set()
        progress("checking", row + 1, len(released))
    drawn = np.random.default_rng(seed).permutation(len(released))[: MOST_READ if read else 0].tolist()
    for done, (row, readable) in enumerate(
        zip(drawn, ordered_map(Read(released), drawn, workers=workers, chunk=4), strict=True), start=1
    ):
        if readable:
            found["images in which text can be read"] += 1
            where.add(row)
        progress("reading images", done, len(drawn))
    reports = int(released.table["report"].notna().sum())
    looked_at = {"files searched": len(released), "reports searched": reports, "images read": len(drawn)}
    return OutputCheck(looked_at, dict(found), tuple(released.table["image_id"].iloc[sorted(where)]))


def _pairs(cohort: Cohort, after: Released, released: Cohort) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    columns = ["report", "path"]
    for at, row in enumerate(after.rows):
        original = cohort.table.iloc[row].to_dict()
        yield original, {column: released.table[column].iat[at] for column in columns}


_READER: list[Reader] = []


def _reader() -> Reader:
    """One a process: the network is slow to load."""
    if not _READER:
        _READER.append(Reader())
    return _READER[0]
