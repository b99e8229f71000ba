"""What people decided about the pixels of single films, beside the data: every run of the engine heeds it.

reviewed.json    by released path and frame, the regions to keep and to remove; and who decided that, when, by which
                 file. It carries its own seal: what lets more of a film out must come from whoever has the key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from medveil.defenses.pixels.choices import Choices
from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.runtime.storage import write_json

FILE = "reviewed.json"
FORMAT = "medveil.reviewed/1"
FilmChoices = Mapping[int, Choices]  # by frame
NONE: FilmChoices = {}


@dataclass(frozen=True)
class Reviewed:
    """`films` are by released path; `sessions` are the reviews that were carried out, in their order; `pending` is the
    digest of the decisions that are being carried out, or were when the process was killed."""

    films: Mapping[str, FilmChoices] = field(default_factory=dict)
    sessions: tuple[dict[str, Any], ...] = ()
    pending: str = ""

    @classmethod
    def of(cls, out: Path, keys: Keys) -> Reviewed:
        """As it stands in the output; nothing where nobody has reviewed it."""
        try:
            content = json.loads((out / FILE).read_bytes())
            sealed = content.pop("seal")
            reviewed = cls(_films(content["films"]), tuple(map(dict, content["sessions"])), str(content["pending"]))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise InputError(f"{out / FILE} cannot be read; bring it back, or start in a new folder") from None
        if sealed != _seal(content, keys):
            raise InputError(f"{out / FILE} was changed since the review; bring it back, or start in a new folder")
        return reviewed

    def write(self, out: Path, keys: Keys) -> None:
        content = {
            "format": FORMAT,
            "films": {path: told(choices) for path, choices in sorted(self.films.items())},
            "sessions": list(self.sessions),
            "pending": self.pending,
        }
        write_json(out / FILE, {**content, "seal": _seal(content, keys)})

    def choices(self, path: str) -> FilmChoices:
        return self.films.get(path, NONE)

    def with_films(self, films: Mapping[str, FilmChoices]) -> Reviewed:
        """These films as chosen now; one without choices is as the engine alone would have it."""
        return replace(self, films={path: one for path, one in {**self.films, **films}.items() if one})

    def is_carried_out(self, digest: str) -> bool:
        return any(session.get("digest") == digest for session in self.sessions)

    @property
    def digest(self) -> str:
        """Of the choices; empty where there are none."""
        films = {path: told(choices) for path, choices in sorted(self.films.items())}
        return _digest(films) if films else ""


def told(choices: FilmChoices) -> dict[str, Any]:
    """In JSON's own types; the same for the same choices."""
    return {
        str(frame): {
            "keep": [list(box) for box in one.keep],
            "remove": [list(box) for box in one.remove],
            "accept": one.accept,
        }
        for frame, one in sorted(choices.items())
    }


def choices_of(content: Any) -> FilmChoices:
    """What `told` told; raises ValueError, TypeError or KeyError for anything else."""
    return {
        _frame(frame): Choices(_boxes(one["keep"]), _boxes(one["remove"]), one["accept"] is True)
        for frame, one in dict(content).items()
    }


def _films(content: Any) -> dict[str, FilmChoices]:
    return {str(path): choices_of(choices) for path, choices in dict(content).items()}


def _frame(text: str) -> int:
    number = int(text)
    if number < 0 or str(number) != text:
        raise ValueError("no number of a frame")
    return number


def _boxes(listed: Any) -> tuple[tuple[int, int, int, int], ...]:
    return tuple(_box(*box) for box in listed)


def _box(left: Any, top: Any, right: Any, bottom: Any) -> tuple[int, int, int, int]:
    if not all(type(side) is int for side in (left, top, right, bottom)):
        raise ValueError("no box in whole pixels")
    if not (0 <= left < right and 0 <= top < bottom):
        raise ValueError("an empty box")
    return left, top, right, bottom


def _seal(content: dict[str, Any], keys: Keys) -> str:
    return keys.pseudonym("reviewed", _digest(content))


def _digest(content: Any) -> str:
    return sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
