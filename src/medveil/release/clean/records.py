"""What a run notes of itself in OUT, beside the data: nothing in it leads to a person without the key.

run.json            version, writer, settings, fingerprint of the key, date
journal.sqlite      one entry a patient, from which a killed run continues
quarantine.csv      what was withheld and why, by pseudonym
deid.json           what was found and done, in counts
withdrawn.json      what a person took out after looking at it, or the check because text is still read in it
reviewed.json       what a person kept or removed in the pixels of single films
seals.json          a seal on each of these, which nobody without the key can make
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from medveil.errors import InputError
from medveil.parts import Box
from medveil.person.keys import Keys
from medveil.release.clean.reviewed import FILE as REVIEWED
from medveil.release.folder import RUN, write_csv
from medveil.runtime.journal import FILE as JOURNAL
from medveil.runtime.journal import Entry, journal_sha256, noted_in
from medveil.runtime.storage import sha256_of, write_json

DATA = "data"
QUARANTINE = "quarantine.csv"
SUMMARY = "deid.json"
WITHDRAWN = "withdrawn.json"
SEALS = "seals.json"
STILL_READ, NOT_READ_AGAIN = "text is still read in it", "could not be read again"
BY_THE_CHECK = (STILL_READ, NOT_READ_AGAIN)  # why it withdrew an image; a person may take that back
SEALED = (RUN, JOURNAL, QUARANTINE, SUMMARY, WITHDRAWN, REVIEWED)


@dataclass
class Written:
    """The bytes to write and what was done, in counts: nothing of what was found."""

    data: bytes
    done: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # by defense
    masked: list[float] = field(default_factory=list)  # percent of each frame
    painted: list[tuple[Box, ...]] = field(default_factory=list)  # where in each frame
    rows: int | None = None  # of a table
    rows_withheld: Mapping[str, list[int]] = field(default_factory=dict)  # their numbers by reason
    row: Entry | None = None  # of an image, in the table that is released

    def told(self, path: str, keys: Keys) -> Entry:
        """For the journal."""
        entry: Entry = {
            "path": path,
            "seal": seal(path, sha256(self.data).hexdigest(), keys),
            "done": {defense: dict(sorted(notes.items())) for defense, notes in sorted(self.done.items()) if notes},
        }
        if self.masked:
            entry["masked"] = [round(one, 4) for one in self.masked]
        if any(self.painted):
            entry["painted"] = [[list(box) for box in boxes] for boxes in self.painted]
        if self.rows is not None:
            entry |= {"rows": self.rows, "rows_withheld": dict(sorted(self.rows_withheld.items()))}
        if self.row is not None:
            entry["row"] = self.row
        return entry


def write_quarantine(out: Path, withheld: Iterable[tuple[str, str, str]]) -> None:
    """By pseudonym; `rows` are the numbers of the rows where it is not the whole file but these rows of a table."""
    write_csv(out / QUARANTINE, ("id", "reason", "rows"), sorted(withheld))


def remove_others(folder: Path, released: set[str]) -> None:
    """Nothing may stay from an earlier run whose file has since gone or is now withheld; nor an empty folder."""
    for path in folder.rglob("*"):
        if (path.is_symlink() or not path.is_dir()) and path.relative_to(folder).as_posix() not in released:
            path.unlink()
    remove_empty_folders(folder)


def remove_empty_folders(folder: Path) -> None:
    """The innermost first: a folder of empty ones is empty too."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
            path.rmdir()


def seal(path: str, digest: str, keys: Keys) -> str:
    """What a file with this place and hash is known by in the journal; nobody without the key can make another."""
    return keys.pseudonym("released", f"{path}\x1f{digest}")


def seal_records(out: Path, keys: Keys) -> None:
    """Once all of them are written: a run that was killed leaves no seal that holds."""
    write_json(out / SEALS, _seals(out, keys))


def broken_seals(out: Path, keys: Keys) -> list[str]:
    """The records that came, went or changed since they were sealed."""
    try:
        sealed = dict(json.loads((out / SEALS).read_bytes()))
    except (OSError, ValueError, TypeError):
        sealed = {}
    here = _seals(out, keys)
    return [name for name in SEALED if here.get(name) != sealed.get(name)]


def _seals(out: Path, keys: Keys) -> dict[str, str]:
    return {name: seal(name, _digest(out / name), keys) for name in SEALED if (out / name).is_file()}


def _digest(record: Path) -> str:
    try:
        return journal_sha256(record) if record.name == JOURNAL else sha256_of(record)
    except InputError:  # no journal any more, so not the one that was sealed
        return ""


def withdrawn(out: Path) -> dict[str, str]:
    """What a person or the check took out of the output after looking at it: the reason by released path."""
    try:
        return {str(path): str(reason) for path, reason in json.loads((out / WITHDRAWN).read_bytes()).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError):
        raise InputError(f"{out / WITHDRAWN} cannot be read; bring it back, or start in a new folder") from None


def withdraw(out: Path, chosen: Mapping[str, str]) -> None:
    """Gone, told in the quarantine, and not cleaned anew: reasons by path. Noted first: a kill loses no decision."""
    write_json(out / WITHDRAWN, dict(sorted({**withdrawn(out), **chosen}.items())))
    names = {place_of(entry): entry["id"] for entry in noted_files(out)}
    gone = {names.get(path, Path(path).stem): reason for path, reason in chosen.items()}
    with (out / QUARANTINE).open(newline="") as file:
        rows = {(row["id"], row["reason"], row.get("rows") or "") for row in csv.DictReader(file)}
    for path in chosen:
        (out / DATA / path).unlink(missing_ok=True)
    rows = {row for row in rows if row[0] not in gone} | {(name, reason, "") for name, reason in gone.items()}
    remove_empty_folders(out / DATA)
    write_quarantine(out, rows)


def take_back(out: Path, paths: Iterable[str]) -> None:
    """What the check withdrew and a person has decided about: it is cleaned anew. Rejected ones stay away."""
    chosen = set(paths)
    noted = withdrawn(out)
    left = {path: why for path, why in noted.items() if why not in BY_THE_CHECK or path not in chosen}
    if left != noted:
        write_json(out / WITHDRAWN, left)


def released_files(out: Path) -> Iterable[Entry]:
    """What the run's own journal tells of each file it released."""
    return (entry for entry in noted_files(out) if "path" in entry)


def noted_files(out: Path) -> Iterable[Entry]:
    """The same, and of those it withheld."""
    for _, noted in noted_in(out / JOURNAL):
        yield from noted.entry["files"]


def place_of(entry: Entry) -> str:
    """Where below `data` a file lies or, of one that was withheld, would lie."""
    return str(entry.get("path") or entry.get("place", ""))
