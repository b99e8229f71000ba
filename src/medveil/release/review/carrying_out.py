"""Carrying out what a person decided: films are cleaned again as chosen, what was rejected leaves, and all is noted.

The engine reads the choices from `reviewed.json` in this run and every later one. A decision that would let something
known of the patient be read is not carried out; the film stays as it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import medveil
from medveil.cohort import Cohort
from medveil.cohort.cohort import FILE as TABLE
from medveil.defenses.pixels.kept_regions import IDENTIFIES
from medveil.errors import InputError, SettingsError
from medveil.person.keys import Keys
from medveil.release.clean.cleaning import GroupCleaner
from medveil.release.clean.engine import Engine
from medveil.release.clean.records import (
    BY_THE_CHECK,
    DATA,
    SUMMARY,
    broken_seals,
    noted_files,
    place_of,
    released_files,
    seal_records,
    take_back,
    withdraw,
    withdrawn,
)
from medveil.release.clean.reviewed import NONE, FilmChoices, Reviewed
from medveil.release.clean.run import Work, clean, load_workers
from medveil.release.clean.summary import Summary
from medveil.release.clean.table_writer import TableWriter
from medveil.release.folder import held, now, read_run, refuse_other_key
from medveil.release.review.decisions_file import Decisions
from medveil.release.settings import Progress
from medveil.release.signing import note_decisions
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.group_check import GroupChecker
from medveil.release.verify.manifest import FILE as MANIFEST
from medveil.release.verify.manifest import hashed, write_manifest
from medveil.release.verify.quarantine import read_quarantine
from medveil.release.verify.run import verify
from medveil.release.verify.run_record import RunRecord
from medveil.runtime.journal import FILE as JOURNAL
from medveil.runtime.journal import noted_in
from medveil.runtime.storage import write_json
from medveil.runtime.workers import ordered_map

REJECTED = "rejected in review"
LONGEST_LABEL = 100  # characters that say who reviewed


@dataclass(frozen=True)
class CarriedOut:
    """What came of a file of decisions, by released path. `leaks` are what the check then found in those films."""

    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()  # films that were cleaned again
    released: tuple[str, ...] = ()  # of these, the ones that had been withheld
    refused: tuple[str, ...] = ()  # not as decided: something known of the patient would be legible
    withheld: Mapping[str, str] = field(default_factory=dict)  # reasons, where one could not be cleaned as decided
    leaks: tuple[Discrepancy, ...] = ()
    again: bool = False  # it had been carried out before, and nothing was done

    @property
    def exit_code(self) -> int:
        """0 only where all was done as decided and nothing identifying was found."""
        return 1 if self.refused or self.withheld or self.leaks else 0


def carry_out(
    out: Path,
    decisions: Path,
    *,
    keys: Keys,
    source: Path | None = None,
    reviewer: str = "",
    workers: int | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> CarriedOut:
    """Do what the file says. The originals are needed where films are cleaned again, not where some only leave."""
    refuse_other_key(out, keys)
    if len(reviewer) > LONGEST_LABEL or not reviewer.isprintable():
        raise SettingsError(f"--reviewer is a short label of at most {LONGEST_LABEL} characters, such as initials")
    decided = Decisions.read(decisions, out)
    _refuse_unknown(out, decided, decisions)
    reviewed = Reviewed.of(out, keys)
    if reviewed.is_carried_out(decided.digest):
        return CarriedOut(decided.accepted, decided.rejected, again=True)
    killed = reviewed.pending == decided.digest
    if broken_seals(out, keys) and not killed:
        raise InputError(f"what the run noted in {out} was changed since; run the command that made it again")
    if killed:  # then the choices are written, and as if they had not been before
        reviewed = reviewed.with_films(dict.fromkeys(decided.chosen, NONE))
    chosen = _changed(reviewed, decided)
    if chosen and source is None:
        raise SettingsError(f"{decisions} changes films; name the originals with --source")
    review = _Review(out, keys, decided, reviewer, workers, progress)
    if source is None or not chosen:
        with held(out):
            return review.only_reject(reviewed)
    return review.clean_again(source, reviewed, chosen)


def _refuse_unknown(out: Path, decided: Decisions, decisions: Path) -> None:
    places = {place_of(entry) for entry in noted_files(out)}
    unknown = {*decided.accepted, *decided.rejected} - places
    if unknown:
        raise InputError(f"{decisions} names {len(unknown):,} file(s) that are not of this run; download it again")


def _changed(reviewed: Reviewed, decided: Decisions) -> dict[str, FilmChoices]:
    """Films of which something else was chosen than before; frames that were not shown stay as they were."""
    changed: dict[str, FilmChoices] = {}
    for path, frames in decided.chosen.items():
        earlier = reviewed.choices(path)
        after = {**earlier, **frames}
        after = {frame: one for frame, one in sorted(after.items()) if one.keep or one.remove or one.accept}
        if after != earlier:
            changed[path] = after
    return changed


@dataclass(frozen=True)
class _Review:
    out: Path
    keys: Keys
    decided: Decisions
    reviewer: str
    workers: int | None
    progress: Progress

    def only_reject(self, reviewed: Reviewed) -> CarriedOut:
        """No film changes: no original is needed, and what the check found of the others holds."""
        withdraw(self.out, dict.fromkeys(self.decided.rejected, REJECTED))
        if RunRecord.of(self.out).is_table and (self.out / DATA / TABLE).exists():
            TableWriter().finish(self.out, Cohort.open(self.out / DATA).name.removesuffix(", released"))
        done = CarriedOut(self.decided.accepted, self.decided.rejected)
        self._note(reviewed, done)
        self._count_again()
        seal_records(self.out, self.keys)
        if (self.out / MANIFEST).exists():
            outcome = json.loads((self.out / MANIFEST).read_bytes())["outcome"]
            write_manifest(self.out, hashed(self.out / DATA), outcome, self.keys)
        return done

    def clean_again(self, source: Path, reviewed: Reviewed, chosen: dict[str, FilmChoices]) -> CarriedOut:
        work, engine = self._work(source)
        self._refuse_other_originals(work, engine, source, frozenset(chosen))
        gone = {path: reason for path, reason in withdrawn(self.out).items() if reason in BY_THE_CHECK}
        before = {entry["path"] for entry in released_files(self.out)} - gone.keys()
        with held(self.out):
            after = replace(reviewed.with_films(chosen), pending=self.decided.digest)
            after.write(self.out, self.keys)
            withdraw(self.out, dict.fromkeys(self.decided.rejected, REJECTED))
            take_back(self.out, chosen)
            # after a kill nobody knows how far it came: as any run that is continued, it goes through everything
            self._clean(work, engine, None if reviewed.pending else frozenset(chosen))
            reasons = self._withheld(chosen)
            refused = frozenset(path for path, reason in reasons.items() if reason == IDENTIFIES)
            if refused:
                after = after.with_films({path: reviewed.choices(path) for path in refused})
                after.write(self.out, self.keys)
                withdraw(self.out, {path: gone[path] for path in refused if path in gone})
                self._clean(work, engine, refused)
            released = {entry["path"] for entry in released_files(self.out)}
            done = CarriedOut(
                self.decided.accepted,
                self.decided.rejected,
                changed=tuple(sorted(chosen.keys() - refused)),
                released=tuple(sorted((chosen.keys() - refused) & released - before)),
                refused=tuple(sorted(refused)),
                withheld={path: reason for path, reason in sorted(reasons.items()) if path not in refused},
            )
            self._note(after, done)
            seal_records(self.out, self.keys)
        return replace(done, leaks=self._checked(work, source, chosen.keys() & released))

    def _work(self, source: Path) -> tuple[Work, Engine]:
        """The source and the engine as the run had them."""
        run = read_run(self.out)
        if run.get("medveil") != medveil.__version__:
            raise InputError(f"{self.out} was made by another version of medveil; run this one into a new folder")
        record = RunRecord.of(self.out)
        engine = Engine.as_told(self.keys, run["settings"]["defenses"])
        load_workers(engine)
        data = record.read(source, workers=self.workers, progress=partial(self.progress, "reading"))
        work = Work.of_images(data.cohort, engine) if record.is_table else Work.of_files(data, engine)
        return work, engine

    def _refuse_other_originals(self, work: Work, engine: Engine, source: Path, paths: frozenset[str]) -> None:
        """What the journal tells is taken as it is for everything else: it must be of these very originals."""
        cleaner = GroupCleaner(work.root, self.out / DATA, engine, work.writer)
        noted = {name: one.entry["source"] for name, one in noted_in(self.out / JOURNAL)}
        here = {cleaner.name(group): group for group in work.groups}
        about = [
            (name, group)
            for name, group in here.items()
            if not paths.isdisjoint(work.writer.path(one, engine.keys) for one in group.files)
        ]
        if here.keys() != noted.keys() or any(cleaner.source_digest(group) != noted[name] for name, group in about):
            raise InputError(
                f"{source} is not, or not any more, what {self.out} was made from; name those originals, or run the "
                "command that made it again and then review"
            )

    def _clean(self, work: Work, engine: Engine, only: frozenset[str] | None) -> None:
        clean(
            work,
            self.out,
            engine,
            created=str(read_run(self.out)["created"]),
            workers=self.workers,
            runner=None,
            crosswalk=None,
            progress=self.progress,
            only=only,
        )

    def _withheld(self, films: Iterable[str]) -> dict[str, str]:
        """Why any of these is withheld now."""
        entries = {place_of(entry): entry for entry in noted_files(self.out)}
        return {path: str(entries[path]["quarantined"]) for path in films if "quarantined" in entries[path]}

    def _count_again(self) -> None:
        """From the journal; what was set aside before the run stands in the quarantine alone."""
        told = json.loads((self.out / SUMMARY).read_bytes())
        summary = Summary(withdrawn=withdrawn(self.out), reviewed=Reviewed.of(self.out, self.keys))
        for _, noted in noted_in(self.out / JOURNAL):
            summary.add(noted.entry)
        known = {entry["id"] for entry in noted_files(self.out)}
        for name, reason, _ in read_quarantine(self.out):
            if name not in known:
                summary.withhold(name, reason)
        files = told["files"]
        counts = summary.counts(left_out=files["left_out"], doubtful_ids=files["ids_of_several_issuers"])
        write_json(self.out / SUMMARY, {**told, **counts})

    def _note(self, reviewed: Reviewed, done: CarriedOut) -> None:
        """Who decided, when, what, and by which file: pseudonyms and counts."""
        session: dict[str, Any] = {
            "when": now(),
            "reviewer": self.reviewer,
            "digest": self.decided.digest,
            "accepted": list(done.accepted),
            "rejected": list(done.rejected),
            "changed": list(done.changed),
            "released": list(done.released),
            "refused": list(done.refused),
        }
        noted = replace(reviewed, sessions=(*reviewed.sessions, session), pending="")
        noted.write(self.out, self.keys)
        note_decisions(self.out, noted)

    def _checked(self, work: Work, source: Path, films: set[str]) -> tuple[Discrepancy, ...]:
        """What the check finds in the films that changed. Where the whole was checked and signed, it is so again."""
        if (self.out / MANIFEST).exists():
            outcome = verify(self.out, source, keys=self.keys, workers=self.workers, progress=self.progress)
            return tuple(one for one in outcome.discrepancies if one.leak and one.file in films)
        record = RunRecord.of(self.out)
        keys = record.keys(self.keys)
        checker = GroupChecker(
            work.root,
            self.out / DATA,
            keys,
            record,
            read=frozenset(films),
            find_afresh=False,  # texts have not changed
            reviewed=Reviewed.of(self.out, keys),
        )
        groups = [group for group in work.groups if any(work.writer.path(one, keys) in films for one in group.files)]
        found = ordered_map(checker.discrepancies, groups, workers=self.workers, chunk=1, crashed=checker.unchecked)
        return tuple(one for several in found for one in several if one.leak and one.file in films)
