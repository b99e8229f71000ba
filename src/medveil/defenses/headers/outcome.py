"""What becomes of one attribute where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from pydicom.dataelem import DataElement
from pydicom.dataset import Dataset
from pydicom.sequence import Sequence
from pydicom.tag import BaseTag

from medveil.defenses.headers import value_representations as vrs
from medveil.defenses.headers.actions import Decision, decide, resolve, row_by_vr, type_of
from medveil.defenses.headers.attribute import CODES, TECHNICAL, Attribute, attribute
from medveil.defenses.headers.dates import NotMovable, day_of
from medveil.defenses.headers.icc_profile import without_words
from medveil.defenses.headers.new_values import CannotClean, NewValues
from medveil.defenses.headers.options import BASIC_CODE, Option
from medveil.defenses.headers.private_blocks import SafeBlocks
from medveil.defenses.headers.profile import Profile
from medveil.defenses.headers.text_values import check_charset, check_decoded, texts_of
from medveil.errors import Quarantined

_CHARSET = 0x00080005
_STAMPED = frozenset({0x00120062, 0x00120063, 0x00120064, 0x00280303})
# Commands, file meta and directory records have no place in a dataset.
_MISPLACED = frozenset({0x0000, 0x0002, 0x0004})
_PIXEL_GROUP = 0x7FE0
_ICC_PROFILE = 0x00282000
# What a code string is made of, and what is often taken for one; anything else in its place is prose.
_CODE_STRING = re.compile(r"[\w .:/+-]{0,16}", re.ASCII)
_AUDIO = range(0x2000, 0x2600)


class Mode(Enum):
    """How the items of a sequence are treated, beyond the table."""

    NORMAL = auto()  # text is searched for what is known
    CLEAN = auto()  # all text is free text
    DUMMY = auto()  # the sequence must be there and may tell nothing


@dataclass(frozen=True)
class Place:
    """A dataset, or an item of a sequence, on the way through the header."""

    dataset: Dataset
    path: str
    within: str
    charset: tuple[str, ...]
    mode: Mode
    blocks: SafeBlocks
    depth: int = 0

    @classmethod
    def top(cls, dataset: Dataset, profile: Profile) -> Place:
        return cls(dataset, "", "", check_charset(dataset, ()), Mode.NORMAL, SafeBlocks(dataset, profile))

    def items(self, tag: BaseTag, mode: Mode, profile: Profile) -> list[Place]:
        """The items of a sequence in this place."""
        within = attribute(int(tag)).keyword
        return [
            Place(
                item,
                f"{self.path}{tag}[{number}].",
                within,
                check_charset(item, self.charset),
                mode,
                SafeBlocks(item, profile),
                self.depth + 1,
            )
            for number, item in enumerate(self.dataset[tag].value)
        ]


@dataclass(frozen=True)
class Outcome:
    """An action worth telling, if any; the new element, or none; and how to go on inside a sequence."""

    action: str = ""
    code: str = ""
    element: DataElement | None = None
    removes: bool = False
    mode: Mode | None = None


_INSIDE = {"K": Mode.NORMAL, "U": Mode.NORMAL, "C": Mode.CLEAN, "D": Mode.DUMMY}
_REMOVED = Outcome("X", BASIC_CODE, removes=True)
_DROPPED = Outcome(removes=True)
_LEFT = Outcome()


@dataclass(frozen=True)
class Judge:
    """Judges the attributes of one object. `keep_graphics`: overlays were cleaned together with the pixels."""

    profile: Profile
    values: NewValues
    sop_class: str
    keep_graphics: bool

    def judge(self, place: Place, tag: BaseTag) -> Outcome:
        number = int(tag)  # plain numbers compare faster than tags
        known = attribute(number)
        if not number & 0xFFFF:
            return _DROPPED  # a group length, which no longer holds
        if number == _CHARSET or (number in _STAMPED and not place.path):
            return _LEFT
        if number >> 16 in _MISPLACED or not known.is_known:
            return _REMOVED
        if known.is_private:
            return self._private(place, known)
        if known.is_curve or known.is_overlay:
            return self._graphics(place, known)
        if known.tag in self.profile.attributes:
            return self._perform(place, known, Decision(self.profile.attributes[known.tag], ""))
        if known.row is not None:
            return self._perform(place, known, decide(known.row, self.profile))
        return self._unlisted(place, known)

    def _perform(self, place: Place, known: Attribute, decision: Decision) -> Outcome:
        action = resolve(decision.action, self._type(place, known), nested=bool(place.within))
        if action == "X":
            return Outcome("X", decision.code, removes=True)
        element = self._read(place, known)
        if element.VR == "UN" and action not in ("D", "Z"):
            return _REMOVED  # nobody can tell what is in it
        if element.VR == "SQ":
            return self._sequence(element, action, decision.code)
        try:
            value = self._value(element, action)
            if action == "K" and decision.code and element.VR in vrs.WORDS:
                value = self.values.without_known(element)  # a name that strayed into what an option keeps
            return self._changed(element, value, action, decision.code)
        except (CannotClean, NotMovable):
            return self._basic(place, known, element)

    def _basic(self, place: Place, known: Attribute, element: DataElement) -> Outcome:
        """The basic action, where a value cannot be kept or cleaned as an option would have it."""
        row = known.row or row_by_vr(element.VR)
        action = resolve(row.basic if row else "X/Z/D", self._type(place, known))
        if action == "X":
            return _REMOVED
        return self._changed(element, self._value(element, action), action, BASIC_CODE)

    def _value(self, element: DataElement, action: str) -> Any:
        match action:
            case "K":
                return self.values.kept(element)
            case "C":
                return self.values.cleaned(element)
            case "U":
                return self.values.uids(element) if element.VR == "UI" else self.values.replaced(element)
            case "Z":
                return self.values.emptied(element)
            case _:
                return self.values.replaced(element)

    def _sequence(self, element: DataElement, action: str, code: str) -> Outcome:
        if action == "Z":
            return Outcome("Z", code, DataElement(element.tag, "SQ", Sequence()))
        return Outcome(action, code, mode=_INSIDE[action])

    def _unlisted(self, place: Place, known: Attribute) -> Outcome:
        """Not in the table: kept, unless its kind or its content says otherwise."""
        if known.vr.split(" or ")[-1] in vrs.BINARY:
            return self._bytes(place, known)
        element = self._read(place, known)
        if element.VR == "SQ":
            return Outcome(mode=place.mode)
        row = row_by_vr(element.VR, element.keyword)
        if row is not None and (place.mode is Mode.NORMAL or element.VR not in vrs.TEXT):
            outcome = self._perform(place, known, decide(row, self.profile))
            return outcome if outcome.element is not None or outcome.removes else _LEFT
        if element.VR not in vrs.WORDS:
            return _LEFT
        return self._unlisted_text(place, element)

    def _bytes(self, place: Place, known: Attribute) -> Outcome:
        if place.mode is Mode.DUMMY:
            return _REMOVED
        if known.tag == _ICC_PROFILE:
            element = self._read(place, known)
            return self._changed(element, without_words(element.value), "C", BASIC_CODE)
        if known.tag >> 16 != _PIXEL_GROUP:
            self.values.check_bytes(vrs.bytes_of(self._read(place, known)))
        return _LEFT

    def _unlisted_text(self, place: Place, element: DataElement) -> Outcome:
        code, value = BASIC_CODE, self.values.without_known(element)
        action = "C"
        if element.VR in vrs.TEXT and place.mode is Mode.DUMMY:
            value, action = self.values.replaced(element), "D"
        elif _is_prose(element) and self._may_be_a_remark(place, element):
            left = element if place.mode is Mode.CLEAN else DataElement(element.tag, element.VR, value)
            value, code = self.values.cleaned(left), Option.CLEAN_DESCRIPTORS.code
        elif element.VR == "CS" and _is_prose(element):
            value, action = self.values.replaced(element), "D"
        return _LEFT if _same(value, element.value) else self._changed(element, value, action, code)

    def _may_be_a_remark(self, place: Place, element: DataElement) -> bool:
        if element.keyword in CODES:
            return False
        technical = element.keyword in TECHNICAL and not _is_local_code(place)
        return place.mode is Mode.CLEAN or (Option.CLEAN_DESCRIPTORS in self.profile.options and not technical)

    def _private(self, place: Place, known: Attribute) -> Outcome:
        if place.blocks.is_needed_creator(known.tag):
            return _LEFT
        if not place.blocks.element_is_safe(known.tag):
            return _REMOVED
        element, code = self._read(place, known), Option.SAFE_PRIVATE.code
        if element.VR == "SQ":
            return Outcome("C", code, mode=Mode.CLEAN)
        if element.VR in vrs.BINARY:
            return Outcome("C", code) if place.blocks.is_named(known.tag) else _REMOVED
        if element.VR in vrs.NUMBERS:
            return Outcome("C", code)
        row = None if element.VR in vrs.TEXT else row_by_vr(element.VR)
        return self._perform(place, known, decide(row, self.profile) if row else Decision("C", code))

    def _graphics(self, place: Place, known: Attribute) -> Outcome:
        """Curves and overlays go as a whole group: parts of one are no valid object."""
        audio = known.is_curve and known.tag & 0xFFFF in _AUDIO
        if Option.CLEAN_GRAPHICS not in self.profile.options or audio or (known.is_overlay and not self.keep_graphics):
            return _REMOVED
        code = Option.CLEAN_GRAPHICS.code
        element = self._read(place, known)
        if element.VR == "UN":
            return _REMOVED
        self.values.check_bytes(vrs.bytes_of(element))
        told = "C" if known.row is not None else ""
        if element.VR not in vrs.TEXT:
            return Outcome(told, code if told else "")
        value = self.values.cleaned(element)
        return Outcome(told, code) if _same(value, element.value) else self._changed(element, value, "C", code)

    def _changed(self, element: DataElement, value: Any, action: str, code: str) -> Outcome:
        if _same(value, element.value):
            return Outcome(action, code)
        return Outcome(action, code, DataElement(element.tag, element.VR, value))

    def _read(self, place: Place, known: Attribute) -> DataElement:
        """The element, decoded; refused where it is not of the kind the standard gives it."""
        element = place.dataset[known.tag]
        fits = element.VR == "UN" or not known.vr or vrs.same_family(element.VR, known.vr)
        if element.VR in ("DS", "IS") and any(day_of(text) for text in texts_of(element.value)):
            raise Quarantined("a date where a number belongs")
        if not fits or not vrs.is_of_kind(element.value, element.VR):
            raise Quarantined("attribute of another kind than the standard's")
        if element.VR in vrs.FIXED and known.most < element.VM:
            raise Quarantined("more values than the standard allows")
        check_decoded(_decoded(element), place.charset)
        return element

    def _type(self, place: Place, known: Attribute) -> str:
        return type_of(known.keyword, within=place.within, sop_class=self.sop_class)


def _is_prose(element: DataElement) -> bool:
    if element.VR == "CS":
        return not all(_CODE_STRING.fullmatch(text) for text in texts_of(element.value))
    return element.VR in vrs.TEXT


def _is_local_code(place: Place) -> bool:
    """Whether a code is the hospital's own, whose meaning somebody there typed (PS3.16 8.2: they begin with 99)."""
    return str(place.dataset.get("CodingSchemeDesignator") or "").strip().upper().startswith("99")


def _decoded(element: DataElement) -> list[str]:
    return texts_of(element.value) if element.VR in vrs.WORDS else []


def _same(new: Any, old: Any) -> bool:
    return new is old or (not isinstance(old, bytes) and texts_of(new) == texts_of(old))
