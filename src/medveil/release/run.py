"""`release`: defend a cohort, attack and measure it before and after, and write the report."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medveil.cohort import Cohort
from medveil.cohort.input import read_cohort
from medveil.finding import Verdict
from medveil.person.keys import Keys
from medveil.release.defend import Defended, defend
from medveil.release.examine import examine
from medveil.release.folder import begin, check_places, held, write_csv
from medveil.release.settings import Progress, Settings
from medveil.report import write_report
from medveil.runtime.storage import write_json


@dataclass(frozen=True)
class Outcome:
    verdict: Verdict
    released: int
    withheld: int
    report: Path

    @property
    def exit_code(self) -> int:
        """0 only where everything passed and nothing was withheld."""
        return 0 if self.verdict is Verdict.PASS and not self.withheld else 1


def release(
    source: Path,
    out: Path,
    *,
    keys: Keys,
    settings: Settings,
    workers: int | None = None,
    crosswalk: Path | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Outcome:
    """Everything under `out`: `data/` is what may be published, the rest explains it."""
    settings = settings.resolved()
    check_places(source, out, crosswalk)
    cohort = read_cohort(source, layout=settings.layout, progress=lambda done, total: progress("reading", done, total))
    with held(out):
        return _release(cohort, out, keys, settings, workers=workers, crosswalk=crosswalk, progress=progress)


def _release(
    cohort: Cohort,
    out: Path,
    keys: Keys,
    settings: Settings,
    *,
    workers: int | None,
    crosswalk: Path | None,
    progress: Progress,
) -> Outcome:
    created = begin(out, settings.to_json(), keys)
    defended = defend(
        cohort,
        out,
        keys,
        settings.defenses,
        workers=workers,
        progress=lambda done, total: progress("defending", done, total),
    )
    _write_quarantine(out, defended)
    if crosswalk:
        _write_crosswalk(crosswalk, cohort, keys)
    finished = _finished(out, defended)
    if finished:
        return finished
    content = examine(cohort, defended, settings, keys, created, progress, workers=workers)
    report = write_report(content, out)
    write_json(out / "finished.json", {"source": defended.source_digest})
    return Outcome(content.verdict, content.subject.released, content.subject.withheld, report)


def _finished(out: Path, defended: Defended) -> Outcome | None:
    """The outcome of an earlier, complete run on the same input."""
    try:
        same = json.loads((out / "finished.json").read_text())["source"] == defended.source_digest
        report = json.loads((out / "report.json").read_text())
    except (OSError, ValueError, KeyError):
        return None
    if not same:
        return None
    subject = report["subject"]
    return Outcome(Verdict(report["verdict"]), subject["released"], subject["withheld"], out / "report.html")


def _write_quarantine(out: Path, defended: Defended) -> None:
    write_csv(out / "quarantine.csv", ("id", "reason"), sorted(defended.withheld))


def _write_crosswalk(path: Path, cohort: Cohort, keys: Keys) -> None:
    """What leads from pseudonyms back to people: written on request only, for its owner's eyes only."""
    columns = ("patient_id", "study_id", "image_id")
    rows: list[tuple[Any, ...]] = []
    for where, *ids in zip(cohort.table["path"], *(cohort.table[column] for column in columns), strict=True):
        fakes = (keys.pseudonym(column.removesuffix("_id"), value) for column, value in zip(columns, ids, strict=True))
        rows.append((where, *ids, *fakes))
    rows += [(problem.path, "", "", "", "", "", keys.pseudonym("file", problem.path)) for problem in cohort.problems]
    header = ("path", *columns, *(f"released_{column}" for column in columns))
    write_csv(path, header, rows, private=True)
