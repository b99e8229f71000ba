"""Whether the output is still what the run wrote: what came or changed since was cleaned by nobody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from medveil.defenses.keys import Keys
from medveil.errors import InputError
from medveil.release.deid.outputs import DATA
from medveil.release.deid.results import seal
from medveil.release.deid.withdrawn import FILE as WITHDRAWN
from medveil.release.deid.withdrawn import withdrawn
from medveil.release.folder import RUN
from medveil.release.verify.wrong import Wrong

JOURNAL = "journal.jsonl"
# Everything that deid, verify and review put beside the data.
_BESIDE = frozenset(
    {DATA, RUN, JOURNAL, WITHDRAWN, "deid.json", "quarantine.csv"}
    | {"verify.json", "verify.jsonl", "discrepancies.csv", "manifest.json"}
)


def not_as_written(out: Path, hashes: dict[str, str], keys: Keys) -> Iterator[Wrong]:
    """Released files that changed or went since the run, and what else lies in the output folder."""
    gone = withdrawn(out)
    for path, sealed in _written(out).items():
        if path in hashes and seal(path, hashes[path], keys) != sealed:
            yield Wrong(path, "files", "", "", "as the run wrote it", "changed since the run")
        if path not in hashes and path not in gone:
            yield Wrong(path, "files", "", "", "as the run wrote it", "missing")
    for stray in strays(out):  # whose name may tell whose it is
        yield Wrong(keys.pseudonym("file", stray.name), "files", "", "", "absent", "not a file of the run")


def strays(out: Path) -> list[Path]:
    """What lies beside the data and was put there by no command of medveil."""
    return [path for path in sorted(out.iterdir()) if path.name not in _BESIDE]


def _written(out: Path) -> dict[str, str]:
    """The seal of every file the run released, from its journal."""
    found: dict[str, str] = {}
    try:
        with (out / JOURNAL).open("rb") as file:
            for line in file:
                found |= {entry["path"]: entry["seal"] for entry in json.loads(line)["files"] if "path" in entry}
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{out / JOURNAL} cannot be read; run medveil deid again, with the same settings") from None
    return found
