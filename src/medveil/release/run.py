"""`release`: defend a cohort, attack and measure it before and after, and write the report."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import medveil
from medveil.cohort import Cohort
from medveil.cohort.readers import read_cohort
from medveil.defenses.keys import Keys
from medveil.errors import InputError
from medveil.finding import Verdict
from medveil.release.defend import Defended, defend
from medveil.release.examine import examine
from medveil.release.settings import Progress, Settings
from medveil.report import write_report
from medveil.storage import sweep, write_bytes, write_json


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
    _check_places(source, out, crosswalk)
    cohort = read_cohort(source, layout=settings.layout, progress=lambda done, total: progress("reading", done, total))
    created = _begin(out, settings, keys)
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
    content = examine(cohort, defended, settings, keys, created, progress)
    report = write_report(content, out)
    write_json(out / "finished.json", {"source": defended.source_digest})
    return Outcome(content.verdict, content.subject.released, content.subject.withheld, report)


def _check_places(source: Path, out: Path, crosswalk: Path | None) -> None:
    if not source.exists():
        raise InputError(f"there is nothing at {source}; check the path")
    inside, outside = out.resolve(), source.resolve()
    if inside == outside or inside.is_relative_to(outside) or outside.is_relative_to(inside):
        raise InputError("the input and the output lie inside one another; choose an output folder elsewhere")
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file; name a folder for the output")
    if out.is_dir() and any(out.iterdir()) and not (out / "run.json").exists():
        raise InputError(f"{out} is not empty and holds no earlier release; choose a new folder")
    if crosswalk and crosswalk.resolve().is_relative_to(inside):
        raise InputError("the crosswalk leads back to the patients and must not lie in the output folder")


def _begin(out: Path, settings: Settings, keys: Keys) -> str:
    """Note what this run is; an earlier run in the same folder must have been the same. Returns its date."""
    path = out / "run.json"
    run = {
        "medveil": medveil.__version__,
        "settings": json.loads(json.dumps(asdict(settings))),
        "key_fingerprint": keys.fingerprint,
    }
    if path.exists():
        earlier = json.loads(path.read_text())
        created = str(earlier.pop("created"))
        if earlier != run:
            raise InputError(f"{out} holds a release made with another key, version or settings; choose a new folder")
    else:
        created = now()
        write_json(path, {**run, "created": created})
    sweep(out)
    return created


def now() -> str:
    """The time, or the one SOURCE_DATE_EPOCH sets for reproducible output."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = dt.datetime.fromtimestamp(int(epoch), dt.UTC) if epoch else dt.datetime.now(dt.UTC)
    return moment.replace(microsecond=0).isoformat()


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
    _write_csv(out / "quarantine.csv", ("id", "reason"), sorted(defended.withheld))


def _write_crosswalk(path: Path, cohort: Cohort, keys: Keys) -> None:
    """What leads from pseudonyms back to people: written on request only, for its owner's eyes only."""
    columns = ("patient_id", "study_id", "image_id")
    rows: list[tuple[Any, ...]] = []
    for where, *ids in zip(cohort.table["path"], *(cohort.table[column] for column in columns), strict=True):
        fakes = (keys.pseudonym(column.removesuffix("_id"), value) for column, value in zip(columns, ids, strict=True))
        rows.append((where, *ids, *fakes))
    rows += [(problem.path, "", "", "", "", "", keys.pseudonym("file", problem.path)) for problem in cohort.problems]
    header = ("path", *columns, *(f"released_{column}" for column in columns))
    _write_csv(path, header, rows, private=True)


def _write_csv(path: Path, header: tuple[str, ...], rows: list[tuple[Any, ...]], *, private: bool = False) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_bytes(path, text.getvalue().encode(), private=private)
