"""Every row of the table under every option, against a reading of the table that shares no code with the engine."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from pydicom.datadict import dictionary_keyword
from pydicom.dataset import FileDataset

from medveil.defenses.headers.cleaner import HeaderCleaner
from medveil.defenses.headers.options import Option
from medveil.defenses.headers.table import table
from medveil.person.person import Person

MISPLACED = (0x0000, 0x0002, 0x0004)
# What PS3.3 requires of a digital X-ray image, where that decides between compound actions.
TYPES_IN_X_RAY = {
    "AcquisitionContextSequence": "2",
    "ContentDate": "2",
    "ContentTime": "2",
    "ContrastBolusAgent": "2",
    "PatientID": "2",
    "ReferencedPerformedProcedureStepSequence": "1",
}


def test_the_table_has_every_row_of_its_edition(table_rows: list[dict[str, Any]]) -> None:
    assert len(table_rows) == 657
    assert Counter(row["113100"] for row in table_rows) == {
        "X": 417, "D": 93, "U": 55, "Z": 42, "X/D": 23, "X/Z": 11, "X/Z/D": 8, "Z/D": 6, "X/Z/U*": 2,
    }  # fmt: skip
    options = [row[option.code] for row in table_rows for option in Option if row.get(option.code)]
    assert set(options) == {"K", "C"}


def test_keywords_are_the_dictionarys(table_rows: list[dict[str, Any]]) -> None:
    for row in table_rows:
        try:
            keyword = dictionary_keyword(row["number"])
        except KeyError:
            continue
        if "x" not in row["tag"]:
            assert keyword == row["keyword"]


@pytest.mark.parametrize("tag", [0x50020010, 0x501E3000])
def test_curves_repeat(tag: int) -> None:
    row = table().find(tag)
    assert row is not None and row.keyword == "CurveData"


def test_overlays_repeat_and_other_groups_do_not() -> None:
    assert table().find(0x601E3000).keyword == "OverlayData"  # type: ignore[union-attr]
    assert table().find(0x60000010) is None
    assert table().find(0x00280010) is None
    assert table().find(0x00191005).keyword == "PrivateAttributes"  # type: ignore[union-attr]


@pytest.mark.parametrize("option", [None, *Option])
def test_every_row_is_treated_as_it_says(
    option: Option | None,
    table_rows: list[dict[str, Any]],
    every_attribute: FileDataset,
    person: Person,
    cleaner: Callable[..., HeaderCleaner],
) -> None:
    chosen = () if option is None else (option,)
    before = {row["number"]: every_attribute[row["number"]].value for row in table_rows if _placed(row)}
    done = cleaner(*chosen).clean(every_attribute, person, pixels_cleaned=True)
    told = {one.path: one.action for one in done}
    for row in filter(_placed, table_rows):
        action = (row.get(option.code) if option else None) or row["113100"]
        action = _resolved(action, row, option)
        problem = _problem(action, row, before[row["number"]], every_attribute, person)
        assert not problem, f"{row['tag']} {row['keyword']} under {option}: {problem}"
        assert told[_path(row["number"])] == action


def test_what_identifies_beyond_the_table_goes(
    rows_beyond: list[dict[str, Any]],
    table_rows: list[dict[str, Any]],
    every_attribute: FileDataset,
    person: Person,
    cleaner: Callable[..., HeaderCleaner],
) -> None:
    assert not {row["number"] for row in rows_beyond} & {row["number"] for row in table_rows}
    cleaner(Option.CLEAN_DESCRIPTORS).clean(every_attribute, person, pixels_cleaned=True)
    for row in rows_beyond:
        action = row["113105"] or row["113100"]
        assert not _problem(action, row, row["keyword"].upper()[-16:], every_attribute, person), row["keyword"]
        assert dictionary_keyword(row["number"]) == row["keyword"]


def _placed(row: dict[str, Any]) -> bool:
    return row["number"] >> 16 not in MISPLACED


def _path(tag: int) -> str:
    return f"({tag >> 16:04X},{tag & 0xFFFF:04X})"


def _resolved(action: str, row: dict[str, Any], option: Option | None) -> str:
    """What compound actions come to in an X-ray image, by hand from Table E.1-1a."""
    required = TYPES_IN_X_RAY.get(row["keyword"], "3")
    if row["tag"] == "odd group":
        return "X"  # its creator is on no list
    if action == "C" and option is not Option.CLEAN_GRAPHICS and row["vr"] in ("OB", "OW", "FD", "UL"):
        return _resolved(row["113100"], row, None)  # bytes and numbers can be neither moved nor read
    if action in ("D", "Z", "X", "K", "C", "U"):
        strict = {"PresentationCreationDate", "PresentationCreationTime"}
        return "D" if action == "X" and row["keyword"] in strict else action
    needed = {"1": "D", "2": "Z", "3": "X"}
    if action == "Z/D":
        return "Z"
    if action == "X/D":
        return _D_WHERE_NEEDED.get(row["keyword"], "X")
    if action == "X/Z/U*":
        return "X"
    return _Z_WHERE_NEEDED.get(row["keyword"], needed[required])


# Attributes of other objects, which this one should not have: the type they have where they belong.
_D_WHERE_NEEDED = dict.fromkeys(
    ["FirstTreatmentDate", "MostRecentTreatmentDate", "ObservationDateTime", "RTPlanDate", "RTPlanTime",
     "TreatmentDate", "TreatmentTime", "WaveformAnnotationSequence"],
    "D",
)  # fmt: skip
_Z_WHERE_NEEDED = {"LabelText": "Z", "PatientSexNeutered": "Z", "ReviewerName": "Z"}


def _problem(action: str, row: dict[str, Any], before: Any, after: FileDataset, person: Person) -> str:
    tag, vr = row["number"], row["vr"]
    if action == "X":
        return "is still there" if tag in after else ""
    if tag not in after:
        return "is gone"
    value = after[tag].value
    if vr == "SQ":
        return _problem_in_sequence(action, value)
    if action == "K":
        return "" if value == before else "is changed"
    if action == "C":
        return "" if value == _cleaned(before, vr, row["keyword"], person) else f"is {value!r}"
    if action == "U":
        return "" if str(value).startswith("2.25.") and value != before else f"is {value!r}"
    if action == "Z" and row["keyword"] not in ("PatientName", "PatientID", "AccessionNumber"):
        return "" if value in (None, "", []) else f"is {value!r}"
    return "is as before" if value == before else "is empty" if value in (None, "") else ""


def _problem_in_sequence(action: str, items: Any) -> str:
    if action == "Z":
        return "has items" if items else ""
    if not items:
        return "has no items"
    expected = {"K": "inner words", "U": "inner words", "C": "cleaned", "D": "REMOVED"}[action]
    return "" if items[0].CodeMeaning == expected else f"holds {items[0].CodeMeaning!r}"


def _cleaned(before: Any, vr: str, keyword: str, person: Person) -> Any:
    if keyword == "TimezoneOffsetFromUTC" or vr == "TM":
        return before
    if vr in ("DA", "DT"):
        day = dt.datetime.strptime(before[:8], "%Y%m%d") - person.shift
        return day.strftime("%Y%m%d") + before[8:]
    if vr in ("OB", "OW") or not isinstance(before, str):
        return before
    return "cleaned"
