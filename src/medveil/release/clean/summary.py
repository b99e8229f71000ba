"""What a run found and did, in counts: no value, no name."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

import medveil
from medveil.defenses.headers.options import NOT_DONE
from medveil.defenses.headers.table import EDITION
from medveil.person.keys import Keys
from medveil.release.clean.settings import DeidSettings
from medveil.runtime.journal import Entry

FORMAT = "medveil.deid/1"
_SHARES = (50, 90, 99, 100)


class Summary:
    """Adds up the journal as it is written."""

    def __init__(
        self,
        settings: DeidSettings,
        keys: Keys,
        created: str,
        *,
        left_out: int,
        doubtful_ids: int,
        withdrawn: dict[str, str],
    ) -> None:
        self.settings, self.keys, self.created, self.left_out = settings, keys, created, left_out
        self.doubtful_ids, self.withdrawn = doubtful_ids, withdrawn
        self.files = 0
        self.released = 0
        self.unlinked = 0
        self.not_rewritten = 0
        self.paths: set[str] = set()
        self.withheld: list[tuple[str, str]] = []
        self._kinds: Counter[str] = Counter()
        self._found: Counter[str] = Counter()
        self._actions: Counter[str] = Counter()
        self._pixels: Counter[str] = Counter()
        self._masked: list[float] = []
        self._rows = 0
        self._rows_withheld: Counter[str] = Counter()

    def add(self, entry: Entry) -> None:
        """One line of the journal."""
        for file in entry["files"]:
            self.files += 1
            reason = file.get("quarantined") or self.withdrawn.get(file["path"])
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
        self.not_rewritten += file.get("not_rewritten", 0)
        self._kinds[file["path"].rpartition(".")[2]] += 1
        self._found.update(file["found"])
        self._actions.update(file.get("actions", {}))
        if "masked" in file:
            self._pixels.update({"boxes": file["boxes"], "markers_kept": file["kept"], "frames": len(file["masked"])})
            self._masked += file["masked"]
        self._rows += file.get("rows", 0)
        for reason, rows in file.get("rows_withheld", {}).items():
            self._rows_withheld[reason] += rows
            self.withhold(file["id"], reason)

    def told(self) -> dict[str, Any]:
        places: dict[str, dict[str, int]] = {}
        for what, number in sorted(self._found.items()):
            place, _, category = what.partition(" ")
            places.setdefault(place, {})[category] = number
        return {
            "format": FORMAT,
            "medveil": medveil.__version__,
            "created": self.created,
            "key_fingerprint": self.keys.fingerprint,
            "settings": self.settings.told(),
            "profile": {
                "edition": EDITION,
                "options": sorted(option.meaning for option in self.settings.header_profile.options - NOT_DONE),
            },
            "files": {
                "released": self.released,
                "withheld": len(self.withheld),
                "left_out": self.left_out,
                "without_patient": self.unlinked,
                "ids_of_several_issuers": self.doubtful_ids,
                "by_kind": dict(sorted(self._kinds.items())),
            },
            "rows": {"released": self._rows, "withheld": dict(sorted(self._rows_withheld.items()))},
            "identifiers": places,
            "not_rewritten": self.not_rewritten,
            "header_actions": dict(sorted(self._actions.items())),
            "pixels": {**dict(sorted(self._pixels.items())), "mask_pct": self._mask_shares()},
            "quarantined": dict(sorted(Counter(reason for _, reason in self.withheld).items())),
        }

    def _mask_shares(self) -> dict[str, float]:
        """How much of a frame was masked: the mean, and what half, nine of ten and so on stay below."""
        if not self._masked:
            return {}
        shares = {f"p{share}": round(float(np.percentile(self._masked, share)), 3) for share in _SHARES}
        return {"mean": round(float(np.mean(self._masked)), 3), **shares}
