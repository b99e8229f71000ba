"""What a person took out of the output after looking at it: gone, told in the quarantine, and not cleaned anew."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path

from medveil.errors import InputError
from medveil.release.clean.outputs import DATA, remove_empty_folders
from medveil.release.folder import write_csv
from medveil.runtime.journal import FILE as JOURNAL
from medveil.runtime.journal import noted_in
from medveil.runtime.storage import write_json

FILE = "withdrawn.json"


def withdrawn(out: Path) -> dict[str, str]:
    """The reason by released path."""
    try:
        return {str(path): str(reason) for path, reason in json.loads((out / FILE).read_bytes()).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError):
        raise InputError(f"{out / FILE} cannot be read; bring it back, or start in a new folder") from None


def withdraw(out: Path, paths: Iterable[str], reason: str) -> None:
    """Noted first, then removed: a kill in between loses no decision."""
    chosen = dict.fromkeys(paths, reason)
    write_json(out / FILE, dict(sorted({**withdrawn(out), **chosen}.items())))
    names = _names(out)
    with (out / "quarantine.csv").open(newline="") as file:
        rows = {(row["id"], row["reason"]) for row in csv.DictReader(file)}
    for path in chosen:
        (out / DATA / path).unlink(missing_ok=True)
        rows.add((names.get(path, Path(path).stem), reason))
    remove_empty_folders(out / DATA)
    write_csv(out / "quarantine.csv", ("id", "reason"), sorted(rows))


def _names(out: Path) -> dict[str, str]:
    """The pseudonym each released file is told by in the quarantine."""
    found: dict[str, str] = {}
    for _, noted in noted_in(out / JOURNAL):
        found |= {entry["path"]: entry["id"] for entry in noted.entry["files"] if "path" in entry}
    return found
