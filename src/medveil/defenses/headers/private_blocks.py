"""Private attributes: all removed but those known to be safe, by creator (PS3.15 Table E.3.10-1, or the profile)."""

from __future__ import annotations

from functools import cache

from pydicom.dataset import Dataset

from medveil.defenses.headers.options import Option
from medveil.defenses.headers.profile import Profile
from medveil.defenses.headers.table import read_csv

Named = tuple[str, int, int]


@cache
def _standard_list() -> frozenset[Named]:
    return frozenset((row["creator"], *_numbers(row["tag"])) for row in read_csv("safe_private.csv"))


def _numbers(tag: str) -> tuple[int, int]:
    return int(tag[1:5], 16), int(tag[8:10], 16)


class SafeBlocks:
    """Which private elements of one dataset or item may stay."""

    def __init__(self, dataset: Dataset, profile: Profile) -> None:
        self._creators: dict[int, str] = {}
        self._profile = profile
        self._kept: set[int] = set()
        if Option.SAFE_PRIVATE not in profile.options:
            return
        tags = list(dataset.keys())  # iterating over the dataset itself would decode every element
        private = [int(tag) for tag in tags if tag.is_private]
        for tag in private:
            if 0x10 <= tag & 0xFFFF <= 0xFF:
                self._creators[tag] = str(dataset[tag].value or "").strip()
        for tag in private:
            if self.element_is_safe(tag):
                self._kept.add(_creator_tag(tag))

    def element_is_safe(self, tag: int) -> bool:
        """Whether the element is named, or its whole creator."""
        creator = self._creators.get(_creator_tag(tag))
        return bool(creator) and (self.is_named(tag) or (creator, 0, 0) in self._profile.safe_private)

    def is_named(self, tag: int) -> bool:
        """Whether this very element is named safe: bytes that nobody can read stay only then."""
        named = (self._creators.get(_creator_tag(tag), ""), tag >> 16, tag & 0xFF)
        return bool(named[0]) and (named in _standard_list() or named in self._profile.safe_private)

    def is_needed_creator(self, tag: int) -> bool:
        return tag in self._kept


def _creator_tag(tag: int) -> int:
    """The element that names the creator of this one's block."""
    return tag & 0xFFFF0000 | (tag & 0xFFFF) >> 8
