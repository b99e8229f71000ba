"""A run of the engine: a source in groups of patients, through the defenses, by a writer, into OUT beside its records.

`deidentify` is what `medveil deid` does; `release` (in `medveil.release`) calls `clean` with a writer of its choice.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from medveil.cohort import Cohort, Problem
from medveil.cohort.input import InputOptions, Source, read_source
from medveil.defenses.headers.options import NOT_DONE
from medveil.errors import InputError, SettingsError
from medveil.person.keys import Keys
from medveil.release.clean.cleaning import GroupCleaner
from medveil.release.clean.dicom_writer import DicomWriter
from medveil.release.clean.engine import Engine
from medveil.release.clean.groups import Group, Item, grouped, image_rows
from medveil.release.clean.records import (
    DATA,
    SUMMARY,
    remove_others,
    seal_records,
    withdrawn,
    write_quarantine,
)
from medveil.release.clean.reviewed import Reviewed
from medveil.release.clean.settings import Chosen
from medveil.release.clean.summary import Summary
from medveil.release.clean.table_file import column_settings, refuse_unknown_columns
from medveil.release.clean.table_writer import TableWriter
from medveil.release.clean.writer import Writer
from medveil.release.folder import begin, check_places, check_run, held, write_csv
from medveil.release.settings import Progress
from medveil.runtime.journal import FILE as JOURNAL
from medveil.runtime.journal import journaled
from medveil.runtime.processes import warm_up
from medveil.runtime.storage import sweep, write_json
from medveil.runtime.workers import Runner

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


@dataclass(frozen=True)
class Work:
    """What is to be cleaned and by which writer, in groups of patients, and what was set aside before."""

    root: Path
    writer: Writer
    groups: list[Group]
    problems: tuple[Problem, ...]
    name: str = ""  # of the data set
    left_out: int = 0
    doubtful_ids: int = 0

    @classmethod
    def of_files(cls, source: Source, engine: Engine) -> Work:
        """Every file, for DICOM, texts and tables back."""
        if not source.files:
            raise InputError(
                f"{source.path} holds nothing that can be cleaned; name a folder of DICOM files, images or reports"
            )
        if engine.headers is None:
            raise SettingsError(
                "DICOM files are released only where their headers are cleaned; add the defense headers"
            )
        if engine.draws > 1:
            raise SettingsError(
                "several films of a code come out as images with a table; release them so, or leave draws out"
            )
        tables = [(source.root / one.path, one.kind) for one in source.files if one.kind.is_table]
        refuse_unknown_columns(tables, column_settings(engine))
        if source.doubtful_ids:
            log.warning(
                "%d patient ids come from several issuers; the files of each become one person's", source.doubtful_ids
            )
        if engine.headers.profile.options & NOT_DONE:
            log.warning(
                "the profile asks for faces to be made unrecognizable, which medveil cannot do; no file claims it"
            )
        groups, repeats = without_repeats(grouped(source.files, engine.keys), DicomWriter(), engine.keys)
        return cls(
            source.root,
            DicomWriter(),
            groups,
            (*source.problems, *repeats),
            left_out=source.left_out,
            doubtful_ids=source.doubtful_ids,
        )

    @classmethod
    def of_images(cls, cohort: Cohort, engine: Engine) -> Work:
        """Every image of a cohort, for images and a table."""
        groups = list(grouped(image_rows(cohort, engine.draws), engine.keys))
        return cls(cohort.root, TableWriter(), groups, cohort.problems, cohort.name)


def deidentify(
    source: Path,
    out: Path,
    *,
    keys: Keys,
    defenses: Chosen | None = None,
    layout: str | None = None,
    options: InputOptions | None = None,
    workers: int | None = None,
    runner: Runner | None = None,
    crosswalk: Path | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> DeidOutcome:
    """Clean everything under `source` into `out`. What cannot be cleaned stays behind and is told."""
    engine = Engine(keys, defenses)
    options = options or InputOptions()
    settings = {"defenses": engine.told(), "layout": layout, "input": options.told()}
    check_places(source, out, crosswalk)
    check_run(out, DicomWriter.name, settings, keys)
    load_workers(engine)
    reading = partial(progress, "reading")
    files = read_source(source, layout=layout, options=options, workers=workers, progress=reading)
    work = Work.of_files(files, engine)
    engine.check_models()
    with held(out):
        created = begin(out, DicomWriter.name, settings, keys)
        summary = clean(
            work, out, engine, created=created, workers=workers, runner=runner, crosswalk=crosswalk, progress=progress
        )
    return DeidOutcome(summary.released, len(summary.withheld), out / SUMMARY, summary.not_rewritten)


def load_workers(engine: Engine) -> None:
    """What cleaning needs is loaded once, for all workers, while this process goes on."""
    networks = ("torch",) if engine.uses_networks else ()
    warm_up("medveil.release.clean.run", *networks)


def clean(
    work: Work,
    out: Path,
    engine: Engine,
    *,
    created: str,
    workers: int | None,
    runner: Runner | None,
    crosswalk: Path | None,
    progress: Progress,
    only: frozenset[str] | None = None,
) -> Summary:
    """Into OUT/data, with everything that is noted of a run. The folder is held by the caller.

    Where a review is carried out, `only` names the films it is about; of the others, what the journal tells holds.
    """
    reviewed = Reviewed.of(out, engine.keys)
    summary = Summary(withdrawn=withdrawn(out), reviewed=reviewed)
    cleaner = GroupCleaner(work.root, out / DATA, engine, work.writer, reviewed, only)
    total = sum(len(group.files) for group in work.groups)
    journal = out / JOURNAL
    for entry in journaled(journal, cleaner, work.groups, workers=workers, chunk=1, limit=cleaner.limit, runner=runner):
        summary.add(entry)
        progress("cleaning", summary.files, total)
    for problem in work.problems:
        summary.withhold(engine.keys.pseudonym("file", problem.path), problem.reason)
    remove_others(out / DATA, summary.paths | work.writer.finish(out, work.name))
    sweep(out)
    write_quarantine(out, summary.quarantine)
    if crosswalk:
        _write_crosswalk(crosswalk, work, engine.keys)
    given = {"left_out": work.left_out, "doubtful_ids": work.doubtful_ids}
    write_json(out / SUMMARY, summary.told(engine, created, work.writer.name, **given))
    seal_records(out, engine.keys)
    return summary


def without_repeats(groups: Iterable[Group], writer: Writer, keys: Keys) -> tuple[list[Group], list[Problem]]:
    """Two files must not want one place in the output: the first of several copies of an image is taken."""
    seen: set[str] = set()
    repeats: list[Problem] = []
    kept = []
    for group in groups:
        files = []
        for one in group.files:
            path = writer.path(one, keys)
            if path in seen:
                repeats.append(Problem(one.path, "repeats another image"))
            else:
                seen.add(path)
                files.append(one)
        if files:
            kept.append(replace(group, files=tuple(files)))
    return kept, repeats


def _write_crosswalk(path: Path, work: Work, keys: Keys) -> None:
    """What leads from pseudonyms back to people: written on request only, for its owner's eyes only."""
    rows = [_who(one, work.writer, keys) for group in work.groups for one in group.files]
    rows += [(one.path, "", "", "", keys.pseudonym("file", one.path), "", "", "", "") for one in work.problems]
    ids = ("patient_id", "study_id", "image_id")
    header = ("path", *ids, "released_file", *(f"released_{name}" for name in ids), "released_path")
    write_csv(path, header, sorted(rows), private=True)


def _who(one: Item, writer: Writer, keys: Keys) -> tuple[Any, ...]:
    """`released_file` is what it goes by in the quarantine."""
    released = (
        keys.pseudonym("patient", one.patient),
        keys.pseudonym("study", one.study) if one.study else "",
        keys.pseudonym("image", one.image) if one.image else "",
    )
    known = ("" if one.own else one.patient, one.study, one.image or "")
    return (one.path, *known, writer.identifier(one, keys), *released, writer.path(one, keys))
