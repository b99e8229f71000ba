"""Seals on what a run noted of itself: nobody without the key changes a line of it unnoticed."""

from __future__ import annotations

import json
from pathlib import Path

from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.release.clean.results import seal
from medveil.release.clean.withdrawn import FILE as WITHDRAWN
from medveil.release.folder import RUN
from medveil.runtime.journal import FILE as JOURNAL
from medveil.runtime.journal import journal_sha256
from medveil.runtime.storage import sha256_of, write_json

FILE = "seals.json"
RECORDS = (RUN, JOURNAL, "quarantine.csv", "deid.json", WITHDRAWN)


def seal_records(out: Path, keys: Keys) -> None:
    """Once all of them are written: a run that was killed leaves no seal that holds."""
    write_json(out / FILE, _seals(out, keys))


def broken_seals(out: Path, keys: Keys) -> list[str]:
    """The records that came, went or changed since they were sealed."""
    try:
        sealed = dict(json.loads((out / FILE).read_bytes()))
    except (OSError, ValueError, TypeError):
        sealed = {}
    here = _seals(out, keys)
    return [name for name in RECORDS if here.get(name) != sealed.get(name)]


def _seals(out: Path, keys: Keys) -> dict[str, str]:
    return {name: seal(name, _digest(out / name), keys) for name in RECORDS if (out / name).is_file()}


def _digest(record: Path) -> str:
    try:
        return journal_sha256(record) if record.name == JOURNAL else sha256_of(record)
    except InputError:  # no journal any more, so not the one that was sealed
        return ""
