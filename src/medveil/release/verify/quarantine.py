"""The quarantine for those who may know: pseudonyms led back to file names by the key and the originals.

For a person's own eyes: nothing of it is written.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.release.folder import refuse_other_key
from medveil.release.settings import Progress
from medveil.release.verify.run_record import RunRecord

FILE = "quarantine.csv"


@dataclass(frozen=True, order=True)
class Withheld:
    """One entry of the quarantine; `file` is none where no file of the source has this pseudonym.

    `rows` are the numbers of the rows where it is not the whole file but these rows of a table.
    """

    reason: str
    file: str | None
    id: str
    rows: tuple[int, ...] = ()


def read_quarantine(out: Path) -> list[tuple[str, str, tuple[int, ...]]]:
    """Pseudonym, reason and rows of everything a run withheld."""
    try:
        with (out / FILE).open(newline="") as file:
            return [(row["id"], row["reason"], _numbers(row.get("rows"))) for row in csv.DictReader(file)]
    except (OSError, KeyError, ValueError):
        raise InputError(
            f"{out} has no quarantine; name the output folder of medveil deid or medveil release"
        ) from None


def name_withheld(
    out: Path, source: Path, *, keys: Keys, progress: Progress = lambda stage, done, total: None
) -> list[Withheld]:
    """The quarantine of `out` with the names of the files in `source`, sorted by reason."""
    withheld = read_quarantine(out)
    refuse_other_key(out, keys)
    if not withheld:
        return []
    record = RunRecord.of(out)
    originals = record.originals(record.read(source, progress=partial(progress, "reading")), keys)
    names = {keys.pseudonym("file", problem.path): problem.path for problem in originals.problems}
    names |= {record.writer.identifier(one, keys): one.path for group in originals.groups for one in group.files}
    found = [Withheld(reason, names.get(name), name, rows) for name, reason, rows in withheld]
    return sorted(found, key=lambda one: (one.reason, one.file or "", one.id))


def _numbers(listed: str | None) -> tuple[int, ...]:
    return tuple(map(int, (listed or "").split()))
