"""What came of one file: released with counts of what was found in it, or withheld with the reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256

from medveil.person.keys import Keys
from medveil.runtime.journal import Entry


def seal(path: str, digest: str, keys: Keys) -> str:
    """What a file with this place and hash is known by in the journal; nobody without the key can make another."""
    return keys.pseudonym("released", f"{path}\x1f{digest}")


@dataclass
class Cleaned:
    """The bytes to write and what was done. Counts only: nothing of what was found."""

    data: bytes
    found: Counter[str] = field(default_factory=Counter)  # "place category", such as "report NAME"
    actions: Counter[str] = field(default_factory=Counter)  # header actions, such as "X"
    boxes: int = 0
    markers_kept: int = 0
    masked: list[float] = field(default_factory=list)  # percent of each frame
    rows: int | None = None  # of a table
    rows_withheld: Counter[str] = field(default_factory=Counter)
    not_rewritten: int = 0  # texts with surrogates, since rewriting would have lost content

    def told(self, path: str, keys: Keys) -> Entry:
        """For the journal."""
        entry: Entry = {
            "path": path,
            "seal": seal(path, sha256(self.data).hexdigest(), keys),
            "found": dict(sorted(self.found.items())),
        }
        if self.actions:
            entry["actions"] = dict(sorted(self.actions.items()))
        if self.masked:
            entry |= {"boxes": self.boxes, "kept": self.markers_kept, "masked": [round(one, 4) for one in self.masked]}
        if self.rows is not None:
            entry |= {"rows": self.rows, "rows_withheld": dict(sorted(self.rows_withheld.items()))}
        if self.not_rewritten:
            entry["not_rewritten"] = self.not_rewritten
        return entry
