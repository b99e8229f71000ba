"""Which action an attribute gets: by the table, the options, and what the object requires.

Whether an attribute must be there is its type (1, 1C, 2, 2C or 3) in the object it stands in, by PS3.3. `required.csv`
holds the types that decide what a compound action such as X/Z/D comes to. Inside a sequence the strictest type any
module gives the attribute there counts; at the top, the strictest in the modules of the SOP class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from medveil.defenses.headers.attribute import CODES
from medveil.defenses.headers.options import BASIC_CODE, Option
from medveil.defenses.headers.profile import Profile
from medveil.defenses.headers.table import Row, read_csv

OPTIONAL = "3"
_ORDER = ("1", "1C", "2", "2C", OPTIONAL)
_STORAGE = "1.2.840.10008.5.1.4.1.1."
_ANY = "*"
_DATES = {Option.FULL_DATES: "K", Option.MODIFIED_DATES: "C"}
_KEPT_UIDS = {Option.UIDS: "K"}
# Attributes the table does not list: what their kind alone says. The table lists all of these kinds that the
# standard defined when it was made; a later one, or one it forgot, must not slip through.
_BY_VR = {
    "PN": Row("", "", "X/Z/D", {}),
    "AE": Row("", "", "X/Z/D", {Option.DEVICE_IDENTITY: "C"}),
    "UR": Row("", "", "X/Z/D", {}),
    "DA": Row("", "", "X/Z/D", _DATES),
    "DT": Row("", "", "X/Z/D", _DATES),
    "TM": Row("", "", "X/Z/D", _DATES),
    "UI": Row("", "", "U", _KEPT_UIDS),
    "AS": Row("", "", "X/Z/D", {Option.PATIENT_CHARACTERISTICS: "K"}),
    "UN": Row("", "", "X", {}),
    **dict.fromkeys(("LT", "ST", "UC", "UT"), Row("", "", "X/Z/D", {Option.CLEAN_DESCRIPTORS: "C"})),
}


@dataclass(frozen=True)
class Decision:
    """An action of the table, compound or not, and the code of the profile or option it comes from."""

    action: str
    code: str


def row_by_vr(vr: str, keyword: str = "") -> Row | None:
    """The row an unlisted attribute is treated by, if its kind calls for one: a code is no remark."""
    return None if keyword in CODES else _BY_VR.get(vr)


def decide(row: Row, profile: Profile) -> Decision:
    """An option's action stands in place of the basic one; where two options speak, cleaning beats keeping."""
    chosen = sorted((action, option.code) for option, action in row.options.items() if option in profile.options)
    if chosen:
        return Decision(*chosen[0])
    return Decision(row.basic, BASIC_CODE)


def resolve(action: str, required: str, *, nested: bool = False) -> str:
    """One of D, Z, X or U for a basic action, so that the object stays valid (PS3.15 Table E.1-1a).

    A reference to images that stands inside another sequence is one the object's list of references counts on.
    """
    needs_value, needs_presence = required.startswith("1"), required != "3"
    match action:
        case "Z" | "Z/D":
            return "D" if needs_value else "Z"
        case "X/D":
            return "D" if needs_presence else "X"
        case "X" | "X/Z" | "X/Z/D":
            return "D" if needs_value else "Z" if needs_presence else "X"
        case "X/Z/U*":
            return "U" if needs_value or nested else "Z" if needs_presence else "X"
        case _:
            return action


def type_of(keyword: str, *, within: str, sop_class: str) -> str:
    """The type of an attribute in the sequence `within`, or at the top where that is empty.

    Of a SOP class that is not known the strictest type in any class is taken: its consequence is valid everywhere.
    """
    nested, everywhere, by_class, classes = _types()
    if within:
        return nested.get((within, keyword), OPTIONAL)
    if keyword in everywhere:
        return everywhere[keyword]
    types = by_class.get(keyword, {})
    if sop_class in classes:
        return types.get(sop_class, OPTIONAL)
    return min(types.values(), key=_ORDER.index, default=OPTIONAL)


@cache
def _types() -> tuple[dict[tuple[str, str], str], dict[str, str], dict[str, dict[str, str]], frozenset[str]]:
    nested: dict[tuple[str, str], str] = {}
    everywhere: dict[str, str] = {}
    by_class: dict[str, dict[str, str]] = {}
    for row in read_csv("required.csv"):
        keyword, kind = row["keyword"], row["type"]
        if row["sequence"]:
            nested[row["sequence"], keyword] = kind
        elif not row["sop_classes"]:
            everywhere[keyword] = kind
        else:
            by_class.setdefault(keyword, {}).update({_uid(short): kind for short in row["sop_classes"].split()})
    return nested, everywhere, by_class, frozenset(by_class.pop(_ANY))


def _uid(short: str) -> str:
    return short if short.startswith("1.2.840.10008.") else _STORAGE + short
