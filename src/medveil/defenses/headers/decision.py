"""Which action an attribute gets: by the table, the options, and what the object requires."""

from __future__ import annotations

from dataclasses import dataclass

from medveil.defenses.headers.attribute import CODES
from medveil.defenses.headers.options import BASIC_CODE, Option
from medveil.defenses.headers.profile import Profile
from medveil.defenses.headers.table import Row

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
