"""The file of decisions that the review page gives: what a person decided of each film and report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from medveil.errors import InputError
from medveil.release.clean.reviewed import FilmChoices, choices_of
from medveil.release.folder import read_run

FORMAT = "medveil.decisions/2"
ACCEPT, REJECT = "accept", "reject"


@dataclass(frozen=True)
class Decisions:
    """By released path. `chosen` holds every frame of an accepted film that was shown, with what is to be done."""

    digest: str
    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    chosen: Mapping[str, FilmChoices] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, out: Path) -> Decisions:
        """Those made for this very output; notes stay in the file."""
        try:
            written = path.read_bytes()
            content = json.loads(written)
            run, version, decisions = str(content["run"]), content["format"], dict(content["decisions"])
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(f"{path} holds no decisions; download them from the review page") from None
        if version != FORMAT:
            raise InputError(f"{path} comes from a page of another version of medveil; write the page again")
        if run != run_of(out):
            raise InputError(f"{path} was made for another output; open the page that belongs to {out}")
        try:
            told = {str(file): (_decision(one), choices_of(one["frames"])) for file, one in decisions.items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError(f"{path} holds something that is no decision; download it from the page again") from None
        return cls(
            sha256(written).hexdigest(),
            tuple(sorted(file for file, (decision, _) in told.items() if decision == ACCEPT)),
            tuple(sorted(file for file, (decision, _) in told.items() if decision == REJECT)),
            {file: frames for file, (decision, frames) in sorted(told.items()) if decision == ACCEPT and frames},
        )


def _decision(content: Any) -> str:
    decision = content["decision"]
    if decision not in (ACCEPT, REJECT):
        raise ValueError("neither accepted nor rejected")
    return str(decision)


def run_of(out: Path) -> str:
    """Ties a page and its decisions to an output; says nothing of the key."""
    run = read_run(out)
    return f"{run.get('key_fingerprint', '')}-{run.get('created', '')}"
