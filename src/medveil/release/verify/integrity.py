"""Whether the output is still what the run wrote: what came or changed since was cleaned by nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from medveil.cohort.cohort import FILE as TABLE
from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.release.clean.dicom_writer import is_pseudonymous
from medveil.release.clean.records import DATA, SEALED, SEALS, broken_seals, released_files, seal, withdrawn
from medveil.release.clean.table_writer import plain_row
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.group_check import released_rows
from medveil.release.verify.run_record import RunRecord
from medveil.runtime.journal import FILE as JOURNAL

# What deid, release, verify and review say of the data, and everything else that they put beside it.
RECORDS = (*SEALED, SEALS, "report.json", "report.html", "verify.json", "discrepancies.csv")
_BESIDE = frozenset({*RECORDS, DATA, "finished.json", "verify.sqlite", "manifest.json"})
_OF_A_TABLE = re.compile(rf"images/[0-9a-f]{{2}}/[0-9a-f]{{20}}\.png|{re.escape(TABLE)}")


def is_made_by_a_run(path: str) -> bool:
    """Whether a path below `data` is such as a writer makes: any other may tell whose file it is."""
    return is_pseudonymous(path) or _OF_A_TABLE.fullmatch(path) is not None


def not_as_written(out: Path, hashes: dict[str, str], record: RunRecord, keys: Keys) -> Iterator[Discrepancy]:
    """Files and records that changed or went since the run, and what else lies in the output folder."""
    for name in broken_seals(out, keys):
        yield Discrepancy(name, "files", "", "", "as the run wrote it", "changed since the run")
    gone = withdrawn(out)
    for path, sealed in _written(out).items():
        if path in hashes and seal(path, hashes[path], keys) != sealed:
            yield Discrepancy(path, "files", "", "", "as the run wrote it", "changed since the run")
        if path not in hashes and path not in gone:
            yield Discrepancy(path, "files", "", "", "as the run wrote it", "missing")
    if record.is_table:
        yield from _table_as_written(out)
    for stray in strays(out):  # whose name may tell whose it is
        yield Discrepancy(keys.pseudonym("file", stray.name), "files", "", "", "absent", "not a file of the run")


def _table_as_written(out: Path) -> Iterator[Discrepancy]:
    """The rows that the run released, and no others, but for what was withdrawn since."""
    gone = withdrawn(out)
    expected = {entry["path"]: entry.get("row") for entry in released_files(out) if entry["path"] not in gone}
    rows = released_rows(out / DATA)
    if expected and not rows:
        yield Discrepancy(TABLE, "files", "", "", "as the run wrote it", "missing or unreadable")
        return
    for path, row in rows.items():
        if path not in expected:
            yield Discrepancy(TABLE, "row", "", "", "absent", "a row without an image")
        elif plain_row(row) != expected[path]:
            yield Discrepancy(path, "row", "", "", "as the run wrote it", "changed since the run")


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
