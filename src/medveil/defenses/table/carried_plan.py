"""What the defense needs of a plan, as one line of text, so that it can be a setting: what is told of everybody, and of
whom less, by keyed digests. Nobody without the key can tell whose digest one is, and none is a pseudonym that is
released.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from medveil.defenses.table.generalisation import EVERYTHING, Node
from medveil.errors import SettingsError

Digests = frozenset[str]
_BYTES = 8
_LISTS = ("withheld", "later", "no_age", "no_site", "no_date", "pooled")


@dataclass(frozen=True)
class CarriedPlan:
    """`alike` people at least share all of what is `known`. `withheld`, `no_age` and so on are patients, `later` are
    studies that are not released, `pooled` sites that become one."""

    node: Node = EVERYTHING
    alike: int = 1
    known: tuple[str, ...] = ()
    visits: str = "all"
    withheld: Digests = frozenset()
    later: Digests = frozenset()
    no_age: Digests = frozenset()
    no_site: Digests = frozenset()
    no_date: Digests = frozenset()
    pooled: Digests = frozenset()

    @staticmethod
    @lru_cache(maxsize=4)  # asked for row after row
    def read(text: str) -> CarriedPlan:
        """Nothing is kept from anybody where there is no text."""
        if not text:
            return CarriedPlan()
        try:
            told: dict[str, Any] = json.loads(text)
            lists = {name: _unpacked(told[name]) for name in _LISTS if name in told}
            return CarriedPlan(
                node=Node(**told["told"]),
                known=tuple(map(str, told["known"])),
                alike=int(told["alike"]),
                visits=str(told["visits"]),
                **lists,
            )
        except (ValueError, TypeError, AttributeError, KeyError, binascii.Error):
            raise SettingsError(
                "the plan of the table is a text that medveil writes itself, and this is none"
            ) from None

    def written(self) -> str:
        lists = {name: _packed(getattr(self, name)) for name in _LISTS if getattr(self, name)}
        told = {"told": self.node._asdict(), "alike": self.alike, "known": self.known, "visits": self.visits, **lists}
        return json.dumps(told, separators=(",", ":"), sort_keys=True)


def _packed(digests: Iterable[str]) -> str:
    return base64.b64encode(b"".join(map(bytes.fromhex, sorted(digests)))).decode()


def _unpacked(packed: str) -> Digests:
    data = base64.b64decode(packed, validate=True)
    if len(data) % _BYTES:
        raise ValueError("not a list of digests")
    return frozenset(data[at : at + _BYTES].hex() for at in range(0, len(data), _BYTES))
