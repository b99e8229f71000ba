"""Whether the output is still what the run wrote: what came or changed since was cleaned by nobody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.release.clean.records import DATA, SEALED, SEALS, broken_seals, released_files, seal, withdrawn
from medveil.release.verify.discrepancy import Discrepancy
from medveil.runtime.journal import FILE as JOURNAL

# What deid, verify and review tell of the data, and everything else that they put beside it.
RECORDS = (*SEALED, SEALS, "verify.json", "discrepancies.csv")
_BESIDE = frozenset({*RECORDS, DATA, "verify.sqlite", "manifest.json"})


def not_as_written(out: Path, hashes: dict[str, str], keys: Keys) -> Iterator[Discrepancy]:
    """Files and records that changed or went since the run, and what else lies in the output folder."""
    for record in broken_seals(out, keys):
        yield Discrepancy(record, "files", "", "", "as the run wrote it", "changed since the run")
    gone = withdrawn(out)
    for path, sealed in _written(out).items():
        if path in hashes and seal(path, hashes[path], keys) != sealed:
            yield Discrepancy(path, "files", "", "", "as the run wrote it", "changed since the run")
        if path not in hashes and path not in gone:
            yield Discrepancy(path, "files", "", "", "as the run wrote it", "missing")
    for stray in strays(out):  # whose name may tell whose it is
        yield Discrepancy(keys.pseudonym("file", stray.name), "files", "", "", "absent", "not a file of the run")


def strays(out: Path) -> list[Path]:
    """What no command of medveil put there: beside the data anything else, among them links and empty folders."""
    beside = [path for path in out.iterdir() if path.name not in _BESIDE or path.is_symlink()]
    return sorted([*beside, *(path for path in (out / DATA).rglob("*") if not _is_plain(path))])


def _is_plain(path: Path) -> bool:
    """A file of its own, or a folder with something in it: a link may lead to anything, any day."""
    if path.is_symlink():
        return False
    return path.is_file() or (path.is_dir() and any(path.iterdir()))


def _written(out: Path) -> dict[str, str]:
    """The seal of every file the run released, from its journal."""
    try:
        return {entry["path"]: entry["seal"] for entry in released_files(out)}
    except (InputError, KeyError, TypeError):
        raise InputError(f"{out / JOURNAL} cannot be read; run medveil deid again, with the same settings") from None
