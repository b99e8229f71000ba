"""What a run found and did, in counts: no value, no name."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import Any

import numpy as np

import medveil
from medveil.defenses.headers.defense import ACTIONS, found_in_headers, replaced_in_descriptions
from medveil.defenses.headers.table import EDITION
from medveil.defenses.pixels.defense import (
    BLANKED,
    KEPT,
    KEPT_BY_REVIEW,
    PLAIN,
    REMOVED,
    REMOVED_BY_REVIEW,
    WITHOUT_GENERATOR,
)
from medveil.defenses.reports.defense import NOT_REWRITTEN, replaced_in_reports
from medveil.person.identifiers import Category
from medveil.release.clean.engine import Engine
from medveil.release.clean.records import place_of
from medveil.release.clean.reviewed import Reviewed
from medveil.runtime.journal import Entry

FORMAT = "medveil.deid/2"
_SHARES = (50, 90, 99, 100)
_PLACES = {"header": found_in_headers, "descriptions": replaced_in_descriptions, "report": replaced_in_reports}


class Summary:
    """Adds up the journal as it is written."""

    def __init__(self, *, withdrawn: dict[str, str], reviewed: Reviewed) -> None:
        self.withdrawn, self.reviewed = withdrawn, reviewed
        self.files = 0
        self.released = 0
        self.unlinked = 0
        self.paths: set[str] = set()
        self._source = sha256()
        self.withheld: list[tuple[str, str]] = []
        self.done: dict[str, Counter[str]] = {}  # by defense
        self._kinds: Counter[str] = Counter()
        self._masked: list[float] = []
        self._rows = 0
        self._rows_withheld: Counter[str] = Counter()
        self._row_numbers: dict[tuple[str, str], str] = {}  # by table and reason

    @property
    def not_rewritten(self) -> int:
        return self._all[NOT_REWRITTEN]

    @property
    def source_digest(self) -> str:
        """Of what was cleaned; it says whether the input was the same, and of whom nothing without the key."""
        return self._source.hexdigest()

    @property
    def digest(self) -> str:
        """Of the input, of what was withheld of it, by whatever decision, and of what was decided about pixels."""
        told = "".join(f"{name} {reason}\n" for name, reason in sorted(self.withheld))
        return sha256(f"{self.source_digest}\n{told}{self.reviewed.digest}".encode()).hexdigest()

    @property
    def quarantine(self) -> list[tuple[str, str, str]]:
        """What was withheld and why, and which rows where that is not the whole file."""
        return [(name, reason, self._row_numbers.get((name, reason), "")) for name, reason in self.withheld]

    @property
    def quarantined(self) -> dict[str, int]:
        return dict(sorted(Counter(reason for _, reason in self.withheld).items()))

    @property
    def _all(self) -> Counter[str]:
        """What was done, by whichever defense."""
        return sum(self.done.values(), Counter())

    def add(self, entry: Entry) -> None:
        """One line of the journal."""
        self._source.update(f"{entry['source']}\n".encode())
        for file in entry["files"]:
            self.files += 1
            reason = self.withdrawn.get(place_of(file)) or file.get("quarantined")
            if reason:
                self.withhold(file["id"], reason)
            else:
                self._release(file)

    def withhold(self, name: str, reason: str) -> None:
        self.withheld.append((name, reason))

    def _release(self, file: Entry) -> None:
        self.released += 1
        self.paths.add(file["path"])
        self.unlinked += file.get("unlinked", False)
        self._kinds[file["path"].rpartition(".")[2]] += 1
        for defense, notes in file["done"].items():
            self.done.setdefault(defense, Counter()).update(notes)
        self._masked += file.get("masked", [])
        self._rows += file.get("rows", 0)
        for reason, rows in file.get("rows_withheld", {}).items():
            self._rows_withheld[reason] += len(rows)
            self._row_numbers[file["id"], reason] = " ".join(map(str, rows))
            self.withhold(file["id"], reason)

    def told(self, engine: Engine, created: str, writer: str, *, left_out: int, doubtful_ids: int) -> dict[str, Any]:
        headers = engine.headers
        return {
            "format": FORMAT,
            "medveil": medveil.__version__,
            "created": created,
            "key_fingerprint": engine.keys.fingerprint,
            "writer": writer,
            "settings": engine.told(),
            "profile": {"edition": EDITION, "options": headers.options_done if headers else []},
            **self.counts(left_out=left_out, doubtful_ids=doubtful_ids),
        }

    def counts(self, *, left_out: int, doubtful_ids: int) -> dict[str, Any]:
        """What a later review changes of it."""
        done = self._all
        return {
            "files": {
                "released": self.released,
                "withheld": len(self.withheld),
                "left_out": left_out,
                "without_patient": self.unlinked,
                "ids_of_several_issuers": doubtful_ids,
                "by_kind": dict(sorted(self._kinds.items())),
            },
            "rows": {"released": self._rows, "withheld": dict(sorted(self._rows_withheld.items()))},
            "identifiers": _identifiers(done),
            "not_rewritten": done[NOT_REWRITTEN],
            "header_actions": {letter: done[what] for letter, what in sorted(ACTIONS.items()) if what in done},
            "pixels": {**self._pixels(done), "mask_pct": self._mask_shares()},
            "quarantined": self.quarantined,
        }

    def _pixels(self, done: Counter[str]) -> dict[str, int]:
        if not self._masked:
            return {}
        sometimes = {"blanked": BLANKED, "left_plain": PLAIN, "without_generator": WITHOUT_GENERATOR}
        return {
            "boxes": done[REMOVED],
            "frames": len(self._masked),
            "markers_kept": done[KEPT],
            "kept_by_review": done[KEPT_BY_REVIEW],
            "removed_by_review": done[REMOVED_BY_REVIEW],
            **{name: done[what] for name, what in sometimes.items() if done[what]},
        }

    def _mask_shares(self) -> dict[str, float]:
        """How much of a frame was masked: the mean, and what half, nine of ten and so on stay below."""
        if not self._masked:
            return {}
        shares = {f"p{share}": round(float(np.percentile(self._masked, share)), 3) for share in _SHARES}
        return {"mean": round(float(np.mean(self._masked)), 3), **shares}


def _identifiers(done: Counter[str]) -> dict[str, dict[str, int]]:
    """By place and kind; only what was found."""
    found = {
        place: {category.value: done[phrase(category)] for category in sorted(Category) if done[phrase(category)]}
        for place, phrase in sorted(_PLACES.items())
    }
    return {place: kinds for place, kinds in found.items() if kinds}
