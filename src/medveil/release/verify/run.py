"""`verify`: the output of `deid` or `release`, read, searched and compared afresh with the originals at hand.

OUT/verify.json         what was checked and what is wrong, in counts
OUT/discrepancies.csv   one row a discrepancy: file, check, place, action, expected, found
OUT/manifest.json       the hash of every released file and the outcome, signed with the site's key
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import medveil
from medveil.cohort.cohort import FILE as TABLE
from medveil.cohort.phantom.gold import FOLDER as GOLD
from medveil.cohort.phantom.gold import load_gold
from medveil.defenses.headers.profile import Profile
from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.release.clean.records import DATA
from medveil.release.clean.reviewed import Reviewed
from medveil.release.folder import held, refuse_other_key, write_csv
from medveil.release.settings import Progress
from medveil.release.verify.allowed_values import RetainedByProfile
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.full_search import search_everywhere
from medveil.release.verify.group_check import FILMS, GroupChecker
from medveil.release.verify.integrity import is_made_by_a_run, not_as_written
from medveil.release.verify.manifest import write_manifest
from medveil.release.verify.pixel_check import read_by
from medveil.release.verify.quarantine import read_quarantine
from medveil.release.verify.run_record import Originals, RunRecord
from medveil.release.verify.worst_films import draw_worst, refuse_shared
from medveil.runtime.journal import journaled
from medveil.runtime.storage import write_json
from medveil.runtime.workers import Runner
from medveil.utility.pixel_damage.damage import Damage, damage_of
from medveil.utility.pixel_damage.film import FilmDamage

FORMAT = "medveil.verify/1"
JOURNAL = "verify.sqlite"
SEED = 7  # of the intervals
OF_THE_RUN, GIVEN = "the one of the run", "the one given"


@dataclass(frozen=True)
class VerifyOutcome:
    """How many files were checked, what may identify someone, and what was lost."""

    files: int
    leaks: int
    losses: int  # that were seen; all of them only where there was an answer key
    profile: str  # whose the headers were compared with
    summary: Path
    discrepancies: tuple[Discrepancy, ...] = ()
    damage: Damage | None = None  # to the films, where there are any
    answer_key: bool = False

    @property
    def kept_by_review(self) -> int:
        """Places at which text is read that a person let stay."""
        return len(self.discrepancies) - self.leaks - self.losses

    @property
    def exit_code(self) -> int:
        return 1 if self.leaks else 0


def verify(
    out: Path,
    source: Path,
    *,
    keys: Keys,
    profile: Profile | None = None,
    answers: Path | None = None,
    worst: Path | None = None,
    workers: int | None = None,
    runner: Runner | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> VerifyOutcome:
    """Check everything under `out`/data against `source`, and against its answer key where there is one.

    Headers are compared with the profile the run noted, unless another is given. The films that were harmed most are
    drawn into the folder `worst`, where one is given.
    """
    _refuse_others(out, keys)
    if worst is not None:
        refuse_shared(worst, out)
    record = RunRecord.of(out)
    told = {"from": OF_THE_RUN if profile is None else GIVEN, **(profile or record.profile).told()}
    record = record if profile is None else replace(record, profile=profile)
    keys = record.keys(keys)
    files = record.read(source, workers=workers, progress=partial(progress, "reading"))
    originals = record.originals(files, keys)
    groups = originals.groups
    gold = load_gold(answers or files.root) if answers or (files.root / GOLD).is_dir() else None
    by_path = {image.path: image for image in gold.images.values()} if gold else {}
    reviewed = _reviewed(out, keys)
    checker = GroupChecker(originals.root, out / DATA, keys, record, by_path, reviewed=reviewed)
    discrepancies: list[Discrepancy] = []
    films = _Films()
    total = sum(len(group.files) for group in groups)
    done = 0
    with held(out):
        for group, entry in zip(
            groups, journaled(out / JOURNAL, checker, groups, workers=workers, chunk=1, runner=runner), strict=True
        ):
            discrepancies += [Discrepancy.of(one) for one in entry["discrepancies"]]
            films.add(group.patient, entry[FILMS])
            done += len(group.files)
            progress("checking", done, total)
        retained = RetainedByProfile(originals.root, record.profile)
        hashes, found = search_everywhere(out / DATA, retained, groups, keys, workers=workers, progress=progress)
        discrepancies += found
        discrepancies += _unaccounted(out, originals, record, keys, set(hashes))
        discrepancies += not_as_written(out, hashes, record, keys)
        against = {"profile": told, "answer_key": gold is not None, "read_by": read_by()}
        damage = films.damage()
        if worst is not None and damage is not None:
            draw_worst(worst, damage, originals, out / DATA, record, keys)
        return _write(out, sorted(set(discrepancies)), hashes, keys, against, damage)


@dataclass
class _Films:
    """Of every film its figures alone, its released path and whose it is."""

    films: list[FilmDamage] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    patients: list[str] = field(default_factory=list)

    def add(self, patient: str, entries: dict[str, dict[str, Any]]) -> None:
        for path, entry in entries.items():
            self.films.append(FilmDamage.of(entry))
            self.paths.append(path)
            self.patients.append(patient)

    def damage(self) -> Damage | None:
        return damage_of(self.films, self.paths, self.patients, seed=SEED) if self.films else None


def _reviewed(out: Path, keys: Keys) -> Reviewed:
    """What people decided; nothing, where that was changed since, which is told with the other records."""
    try:
        return Reviewed.of(out, keys)
    except InputError:
        return Reviewed()


def _refuse_others(out: Path, keys: Keys) -> None:
    if not (out / DATA).is_dir():
        raise InputError(f"{out} holds no de-identified data; run medveil deid or medveil release first")
    refuse_other_key(out, keys)


def _unaccounted(out: Path, originals: Originals, record: RunRecord, keys: Keys, here: set[str]) -> list[Discrepancy]:
    """Every original must be released or listed in the quarantine, and nothing else may lie there."""
    withheld = _withheld(out)
    discrepancies = []
    expected = {TABLE} if record.is_table else set()
    for one in (one for group in originals.groups for one in group.files):
        path, name = record.writer.path(one, keys), record.writer.identifier(one, keys)
        expected.add(path)
        if path not in here and name not in withheld:
            discrepancies.append(Discrepancy(name, "files", "", "", "released or in the quarantine", "missing"))
    for problem in originals.problems:
        if (name := keys.pseudonym("file", problem.path)) not in withheld:
            discrepancies.append(Discrepancy(name, "files", "", "", "in the quarantine", "missing"))
    told = (_told(name, keys) for name in here - expected)
    return discrepancies + [Discrepancy(name, "files", "", "", "absent", "a file without an original") for name in told]


def _told(name: str, keys: Keys) -> str:
    """What a file is called in what is written of it: a name that no run gave may tell whose it is."""
    return name if is_made_by_a_run(name) else keys.pseudonym("file", name)


def _withheld(out: Path) -> set[str]:
    try:
        return {name for name, _, _ in read_quarantine(out)}
    except InputError:
        return set()  # then nothing was withheld, as far as anyone can tell


def _write(
    out: Path,
    discrepancies: list[Discrepancy],
    hashes: dict[str, str],
    keys: Keys,
    against: dict[str, Any],
    damage: Damage | None,
) -> VerifyOutcome:
    leaks = sum(discrepancy.leak for discrepancy in discrepancies)
    losses = sum(discrepancy.loss for discrepancy in discrepancies)
    summary: dict[str, Any] = {
        "format": FORMAT,
        "medveil": medveil.__version__,
        "files": len(hashes),
        **against,
        "leaks": leaks,
        "losses": losses if against["answer_key"] else None,
        "losses_seen": losses,
        "kept_by_review": len(discrepancies) - leaks - losses,
        "by_check": dict(sorted(Counter(discrepancy.check for discrepancy in discrepancies).items())),
        "by_finding": dict(
            sorted(Counter(f"{discrepancy.check}: {discrepancy.found}" for discrepancy in discrepancies).items())
        ),
        "pixel_damage": damage.to_json(withheld=len(_withheld(out))) if damage else None,
    }
    header = tuple(one.name for one in fields(Discrepancy))
    write_csv(
        out / "discrepancies.csv", header, [tuple(discrepancy.to_json().values()) for discrepancy in discrepancies]
    )
    write_json(out / "verify.json", summary)
    write_manifest(out, {_told(name, keys): digest for name, digest in hashes.items()}, summary, keys)
    return VerifyOutcome(
        len(hashes),
        leaks,
        losses,
        against["profile"]["from"],
        out / "verify.json",
        tuple(discrepancies),
        damage,
        against["answer_key"],
    )
