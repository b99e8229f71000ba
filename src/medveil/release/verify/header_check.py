"""A released header, attribute by attribute, against the profile's table and the original's header."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from pydicom.dataelem import DataElement
from pydicom.dataset import Dataset
from pydicom.multival import MultiValue
from pydicom.tag import BaseTag

from medveil.defenses.anatomy.defense import WRITTEN_ANEW, is_of_the_old_film
from medveil.defenses.headers.actions import decide, row_by_vr
from medveil.defenses.headers.attribute import CLASS_ROOTS, attribute
from medveil.defenses.headers.options import Option
from medveil.defenses.headers.profile import Profile
from medveil.defenses.headers.table import table
from medveil.person.search.known import KnownSearch
from medveil.release.verify.discrepancy import KEPT, Discrepancy

_CHECK = "header"
_OUR_UIDS = "2.25."
# Written anew by every run: the stamps, and what describes how the pixels are stored.
_STAMPS = frozenset({0x00080005, 0x00120062, 0x00120063, 0x00120064, 0x00280301, 0x00280302, 0x00280303})
_PIXEL_GROUPS = frozenset({0x0028, 0x7FE0})
_BULK = frozenset({"OB", "OD", "OF", "OL", "OV", "OW"})
_FREE_TEXT = frozenset({"LO", "LT", "PN", "SH", "ST", "UC", "UT", "CS"})
_CAPPED_AGE = "090Y"


@dataclass(frozen=True)
class Met:
    """An attribute of the released header, and the original's at the same place, if there is one."""

    path: str
    new: DataElement | None
    old: DataElement | None

    @property
    def element(self) -> DataElement:
        found = self.new if self.new is not None else self.old
        assert found is not None
        return found

    @property
    def tag(self) -> BaseTag:
        return self.element.tag


@dataclass(frozen=True)
class HeaderCheck:
    """`uid` gives the surrogate of a UID. A film `made_anew` has nothing that described the pixels of the old one."""

    profile: Profile
    shift: dt.timedelta
    search: KnownSearch
    uid: Callable[[str], str]
    made_anew: bool = False

    def discrepancies(self, file: str, released: Dataset, original: Dataset | None) -> list[Discrepancy]:
        """Everything in the released header that should not be there, or not be so, or is missing."""
        return [
            Discrepancy(file, _CHECK, met.path, *said)
            for met in attributes(released, original)
            if (said := self._judged(met)) is not None
        ]

    def _judged(self, met: Met) -> tuple[str, str, str] | None:
        """Action, expectation and what was found, where the two differ."""
        tag, element = met.tag, met.element
        if tag in _STAMPS:
            return None
        if tag.is_private:
            safe = Option.SAFE_PRIVATE in self.profile.options
            return ("X", "removed", "a private attribute") if met.new is not None and not safe else None
        if self._must_go(tag):
            return ("X", "removed", "an attribute that is always removed") if met.new is not None else None
        if self.made_anew and element.keyword in WRITTEN_ANEW:
            return None
        if self.made_anew and is_of_the_old_film(element):
            return ("X", "removed", "a description of the old film") if met.new is not None else None
        if met.new is not None and element.VR in _FREE_TEXT and self._names_someone(met.new):
            return ("C", "no known identifier", "a known identifier")
        if element.VR == "SQ" or element.VR in _BULK or tag.group in _PIXEL_GROUPS:
            return None
        action = action_on(element, self.profile) or "K"
        match action[0]:
            case "K":
                return self._kept(met)
            case "C":
                return self._moved(met) if element.VR in ("DA", "DT") else None
            case "U":
                return self._new_uid(met)
            case _:
                return self._gone(met, action)

    def _names_someone(self, element: DataElement) -> bool:
        return any(self.search.find(text) for text in texts(element))

    def _must_go(self, tag: BaseTag) -> bool:
        """Curves and overlays, unless they are cleaned, and what the standard does not know."""
        known = attribute(int(tag))
        graphics = known.is_curve or known.is_overlay
        return not known.is_known or (graphics and Option.CLEAN_GRAPHICS not in self.profile.options)

    def _kept(self, met: Met) -> tuple[str, str, str] | None:
        if met.old is None or not any(texts(met.old)):
            return None
        if self._names_someone(met.old):
            return None  # it named someone, so it had to change
        if met.new is None:
            return ("K", KEPT, "missing")
        if met.element.VR == "AS" and texts(met.new) == [_CAPPED_AGE]:
            return None
        return None if texts(met.new) == texts(met.old) else ("K", KEPT, "changed")

    def _moved(self, met: Met) -> tuple[str, str, str] | None:
        """Dates move by the person's shift, to the day; a value that is no date is dropped."""
        if met.new is None or met.old is None:
            return None
        for old, new in zip(texts(met.old), texts(met.new), strict=False):
            day, moved = _day(old), _day(new)
            if moved is not None and day is not None and day - moved != self.shift:
                return ("C", "moved by the person's shift", "another date")
        return None

    def _new_uid(self, met: Met) -> tuple[str, str, str] | None:
        new, old = (texts(element) if element is not None else [] for element in (met.new, met.old))
        for number, uid in enumerate(new):
            before = old[number] if number < len(old) else ""
            if not uid or uid.startswith(CLASS_ROOTS):
                continue
            if uid == before or not uid.startswith(_OUR_UIDS):
                return ("U", "a new UID", "a UID of the source")
            if before and uid != self.uid(before):
                return ("U", "the surrogate of the source's UID", "another UID")
        return None

    def _gone(self, met: Met, action: str) -> tuple[str, str, str] | None:
        if met.new is None or met.old is None or not any(texts(met.new)):
            return None
        same = texts(met.new) == texts(met.old)
        return (action, "removed, emptied or replaced", "as in the source") if same else None


def retains(element: DataElement, profile: Profile) -> bool:
    """Whether an option of the standard lets the attribute stay; a profile's own exceptions do not count here."""
    return action_on(element, replace(profile, attributes={})) == "K"


def action_on(element: DataElement, profile: Profile) -> str:
    """By the profile; none where the table does not list the attribute, and its kind does not say either."""
    tag = int(element.tag)
    if tag in profile.attributes:
        return profile.attributes[tag]
    row = table().find(tag) or row_by_vr(element.VR)
    return decide(row, profile).action if row is not None else ""


def attributes(released: Dataset, original: Dataset | None) -> Iterator[Met]:
    """Both headers side by side, sequences to any depth; items are paired by their number."""
    waiting: list[tuple[str, Dataset | None, Dataset | None]] = [("", released, original)]
    while waiting:
        path, new, old = waiting.pop()
        for tag in sorted({*(new.keys() if new else ()), *(old.keys() if old else ())}):
            met = Met(f"{path}{BaseTag(tag)}", _element(new, tag), _element(old, tag))
            if met.new is None and path and new is None:
                continue  # the whole item is gone; its sequence answers for it
            yield met
            items, former = _items(met.new), _items(met.old)
            for number, item in enumerate(items):
                before = former[number] if number < len(former) else None
                waiting.append((f"{met.path}[{number}].", item, before))


def texts(element: DataElement) -> list[str]:
    """Every value as text, without padding."""
    value: Any = element.value
    values = value if isinstance(value, MultiValue | list | tuple) else [value]
    return ["" if one is None else str(one).strip(" \0") for one in values]


def _element(dataset: Dataset | None, tag: BaseTag) -> DataElement | None:
    return dataset[tag] if dataset is not None and tag in dataset else None


def _items(element: DataElement | None) -> list[Dataset]:
    return list(element.value) if element is not None and element.VR == "SQ" and element.value else []


def _day(text: str) -> dt.date | None:
    try:
        return dt.datetime.strptime(text.replace(".", "")[:8], "%Y%m%d").date()
    except ValueError:
        return None
