"""`deid`: a folder of DICOM files, images and reports, without what identifies people.

OUT/data/<patient>/<study>/<image>.dcm    what may go on to `verify`; reports (.txt) beside the images
OUT/quarantine.csv                        what was withheld and why, by pseudonym
OUT/deid.json                             what was found and done, in counts
OUT/run.json, OUT/journal.sqlite          so that a killed run goes on where it was
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from medveil.cohort import Problem
from medveil.cohort.input import Kind, Source, read_source
from medveil.defenses.headers.options import NOT_DONE
from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.release.clean.cleaning import GroupCleaner
from medveil.release.clean.groups import Group, grouped
from medveil.release.clean.outputs import DATA, output_path, remove_others
from medveil.release.clean.seals import seal_records
from medveil.release.clean.settings import DeidSettings
from medveil.release.clean.summary import Summary
from medveil.release.clean.table_file import refuse_unknown_columns
from medveil.release.clean.withdrawn import withdrawn
from medveil.release.folder import begin, check_places, check_run, held, write_csv
from medveil.release.settings import Progress
from medveil.runtime.journal import FILE as JOURNAL
from medveil.runtime.journal import journaled
from medveil.runtime.storage import sweep, write_json

log = logging.getLogger("medveil.deid")


@dataclass(frozen=True)
class DeidOutcome:
    """How many files came out, how many were withheld, where the counts are, and how many texts kept surrogates."""

    released: int
    withheld: int
    summary: Path
    not_rewritten: int = 0

    @property
    def exit_code(self) -> int:
        """0 only where nothing was withheld."""
        return 1 if self.withheld else 0


def deidentify(
    source: Path,
    out: Path,
    *,
    keys: Keys,
    settings: DeidSettings,
    workers: int | None = None,
    crosswalk: Path | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> DeidOutcome:
    """Clean everything under `source` into `out`. What cannot be cleaned stays behind and is told."""
    check_places(source, out, crosswalk)
    check_run(out, settings.told(), keys)
    keys = replace(keys, moves_dates=settings.header_profile.moves_dates)
    files = read_source(source, workers=workers, progress=partial(progress, "reading"))
    if not files.files:
        raise InputError(f"{source} holds nothing that can be cleaned; name a folder of DICOM files, images or reports")
    refuse_unknown_columns(_tables(files), settings)
    if settings.rewriter:
        _refuse_missing_model(settings.rewriter)
    if files.doubtful_ids:
        log.warning(
            "%d patient ids come from several issuers; the files of each become one person's", files.doubtful_ids
        )
    if settings.header_profile.options & NOT_DONE:
        log.warning("the profile asks for faces to be made unrecognizable, which medveil cannot do; no file claims it")
    groups, repeats = without_repeats(grouped(files.files, keys), keys)
    with held(out):
        created = begin(out, settings.told(), keys)
        summary = Summary(
            settings,
            keys,
            created,
            left_out=files.left_out,
            doubtful_ids=files.doubtful_ids,
            withdrawn=withdrawn(out),
        )
        cleaner = GroupCleaner(files.root, out / DATA, keys, settings)
        total = sum(len(group.files) for group in groups)
        for entry in journaled(out / JOURNAL, cleaner, groups, workers=workers, chunk=1):
            summary.add(entry)
            progress("cleaning", summary.files, total)
        for problem in (*files.problems, *repeats):
            summary.withhold(keys.pseudonym("file", problem.path), problem.reason)
        remove_others(out / DATA, summary.paths)
        sweep(out)
        write_csv(out / "quarantine.csv", ("id", "reason"), sorted(summary.withheld))
        if crosswalk:
            _write_crosswalk(crosswalk, files, keys)
        write_json(out / "deid.json", summary.told())
        seal_records(out, keys)
    return DeidOutcome(summary.released, len(summary.withheld), out / "deid.json", summary.not_rewritten)


def _refuse_missing_model(rewriter: str) -> None:
    """Loaded and asked once, so that nothing is written with a model that is not there or does not work."""
    from medveil.defenses.reports.rewriting import Rewriter

    Rewriter(rewriter).rewrite("[NAME]")


def _tables(files: Source) -> list[tuple[Path, Kind]]:
    return [(files.root / one.path, one.kind) for one in files.files if one.kind.is_table]


def without_repeats(groups: Iterator[Group], keys: Keys) -> tuple[list[Group], list[Problem]]:
    """Two files must not want one place in the output: the first of several copies of an image is taken."""
    seen: set[str] = set()
    repeats: list[Problem] = []
    kept = []
    for group in groups:
        files = []
        for one in group.files:
            path = output_path(one, keys)
            if path in seen:
                repeats.append(Problem(one.path, "repeats another image"))
            else:
                seen.add(path)
                files.append(one)
        if files:
            kept.append(Group(group.patient, tuple(files), group.headers))
    return kept, repeats


def _write_crosswalk(path: Path, files: Source, keys: Keys) -> None:
    """What leads from pseudonyms back to people: written on request only, for its owner's eyes only."""
    rows: list[tuple[Any, ...]] = [
        (
            one.path,
            "" if one.own else one.patient,
            one.study,
            keys.pseudonym("file", one.path),
            keys.pseudonym("patient", one.patient),
            output_path(one, keys),
        )
        for one in files.files
    ]
    rows += [(one.path, "", "", keys.pseudonym("file", one.path), "", "") for one in files.problems]
    header = ("path", "patient_id", "study_id", "released_file", "released_patient", "released_path")
    write_csv(path, header, sorted(rows), private=True)
