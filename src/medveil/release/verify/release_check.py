"""The check inside a release: the one of `verify`, on every file and row; images were read before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from medveil.cohort.input import Kind
from medveil.defenses.headers.profile import Profile
from medveil.release.clean.engine import Engine
from medveil.release.clean.groups import Item
from medveil.release.clean.records import DATA
from medveil.release.clean.reviewed import Reviewed
from medveil.release.clean.run import Work
from medveil.release.clean.table_file import column_settings
from medveil.release.settings import Progress
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.group_check import GroupChecker, released_rows
from medveil.release.verify.pixel_check import read_by
from medveil.release.verify.run_record import RunRecord
from medveil.report.content import OutputCheck
from medveil.runtime.workers import ordered_map

SEARCHED_BY = (
    "Files and texts were searched for what is known of their patient, and texts by plain patterns that had no part in "
    "the cleaning; what neither knows, only the cleaner's own search could find."
)
_PHRASES = {
    "bytes": "known identifiers in files",
    "header": "attributes of headers",
    "intervals": "dates that did not move with the others",
    "row": "values in the table",
    "table": "known identifiers in tables",
    "text": "known identifiers in reports",
}


def check_release(
    work: Work, out: Path, engine: Engine, *, images_read: int, workers: int | None, progress: Progress
) -> OutputCheck | None:
    """What came out beside its originals, searched for what is known."""
    data, keys = out / DATA, engine.keys
    items = {work.writer.path(one, keys): one for group in work.groups for one in group.files}
    here = {path: one for path, one in items.items() if (data / path).exists()}
    if not here:
        return None
    profile = engine.headers.profile if engine.headers else Profile.default()
    record = RunRecord(work.writer, profile, column_settings(engine), made_anew=engine.covers("anatomy"))
    checker = GroupChecker(
        work.root, data, keys, record, read=frozenset(), find_afresh=False, reviewed=Reviewed.of(out, keys)
    )
    leaks: list[Discrepancy] = []
    done = 0
    for group, found in zip(
        work.groups,
        ordered_map(checker.discrepancies, work.groups, workers=workers, chunk=1, crashed=checker.unchecked),
        strict=True,
    ):
        leaks += [one for one in found if one.leak and not _was_left(one, engine)]
        done += len(group.files)
        progress("checking", done, len(items))
    rows = released_rows(data) if record.is_table else {}
    reports = sum(one.kind is Kind.REPORT for one in here.values())
    reports += sum(pd.notna(row["report"]) for row in rows.values())
    looked_at = {"files searched": len(here), "reports searched": reports, "images read": images_read}
    if rows:
        looked_at["rows compared"] = len(rows)
    by = (SEARCHED_BY, *((read_by(), f"{images_read:,} of {_images(here):,} images were read.") if images_read else ()))
    return OutputCheck(looked_at, _counted(leaks), tuple(sorted({Path(one.file).stem for one in leaks})), by)


def _was_left(one: Discrepancy, engine: Engine) -> bool:
    """Where nothing changes rows, or the dates of texts, they are as they were, and a gap says so."""
    if one.check == "row" or (one.check, one.place) == ("intervals", "date"):
        return not engine.covers("table")
    return one.check == "intervals" and not engine.covers("reports")


def _images(here: Mapping[str, Item]) -> int:
    return sum(one.kind in (Kind.DICOM, Kind.IMAGE) for one in here.values())


def _counted(leaks: Iterable[Discrepancy]) -> dict[str, int]:
    """By a phrase for the report."""
    found: Counter[str] = Counter()
    for one in leaks:
        what = _PHRASES.get(one.check, one.check)
        match one.check:
            case "intervals":
                found[what] += 1
            case "bytes" | "text":
                found[f"{what}: {one.action}"] += 1
            case "row":
                found[f"{what}: {one.place}"] += 1
            case _:
                found[f"{what}: {one.found}"] += 1
    return dict(found)
