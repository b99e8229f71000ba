"""Released images are read again before anything is attacked; one in which text is still read is withheld."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from medveil.cohort.input import Kind
from medveil.defenses.headers.profile import Profile
from medveil.release.clean.engine import Engine
from medveil.release.clean.groups import Group
from medveil.release.clean.records import DATA, NOT_READ_AGAIN, STILL_READ
from medveil.release.clean.reviewed import Reviewed
from medveil.release.clean.run import Work
from medveil.release.clean.table_file import column_settings
from medveil.release.settings import Progress
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.group_check import GroupChecker
from medveil.release.verify.run_record import RunRecord
from medveil.runtime.processes import Loss
from medveil.runtime.workers import ordered_map

MOST_READ = 100  # images, drawn at random: reading takes a second each


@dataclass(frozen=True)
class ReadAgain:
    """How many images were read, and the reason why one is withheld, by released path."""

    images: int = 0
    withheld: dict[str, str] = field(default_factory=dict)


def read_again(
    work: Work, out: Path, engine: Engine, *, seed: int, workers: int | None, progress: Progress
) -> ReadAgain:
    """A sample, where text was to be removed; and everything, where text is read in any image of the sample."""
    data, keys = out / DATA, engine.keys
    pictures = [one for group in work.groups for one in group.files if one.kind in (Kind.DICOM, Kind.IMAGE)]
    here = sorted(path for path in (work.writer.path(one, keys) for one in pictures) if (data / path).exists())
    if not here or not engine.covers("pixels"):
        return ReadAgain()
    sample = frozenset(np.random.default_rng(seed).permutation(here)[:MOST_READ].tolist())
    withheld = _legible(work, out, engine, sample, workers, progress)
    rest = frozenset(here) - sample
    if STILL_READ not in withheld.values() or not rest:
        return ReadAgain(len(sample), withheld)
    return ReadAgain(len(here), withheld | _legible(work, out, engine, rest, workers, progress))


def _legible(
    work: Work, out: Path, engine: Engine, read: frozenset[str], workers: int | None, progress: Progress
) -> dict[str, str]:
    keys = engine.keys
    profile = engine.headers.profile if engine.headers else Profile.default()
    record = RunRecord(work.writer, profile, column_settings(engine), made_anew=engine.covers("anatomy"))
    checker = GroupChecker(work.root, out / DATA, keys, record, read=read, reviewed=Reviewed.of(out, keys))

    def lost(group: Group, loss: Loss) -> list[Discrepancy]:
        return [one for one in checker.unchecked(group, loss) if one.file in read]

    groups = [group for group in work.groups if any(work.writer.path(one, keys) in read for one in group.files)]
    found: dict[str, str] = {}
    for done, several in enumerate(
        ordered_map(checker.legible, groups, workers=workers, chunk=1, crashed=lost), start=1
    ):
        found |= {one.file: STILL_READ if one.check == "pixels" else NOT_READ_AGAIN for one in several}
        progress("reading again", done, len(groups))
    return found
