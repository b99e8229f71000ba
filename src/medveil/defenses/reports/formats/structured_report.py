"""DICOM structured reports: the tree of content items, cleaned in place to any depth.

Text goes through the report pipeline; names, dates, times and references by their own value types. Numbers and coded
concepts of a standard scheme stay; meanings and codes of a private scheme are cleaned as phrases.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

from pydicom.dataset import Dataset

from medveil.cohort.identifiers import Category
from medveil.defenses.found import Found
from medveil.defenses.known import KnownSearch
from medveil.defenses.person import Person
from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.defenses.reports.rules.lists import words
from medveil.defenses.stand_ins import StandIns
from medveil.errors import Quarantined

CONTENT = 0x0040A730
_CODES = ("ConceptNameCodeSequence", "ConceptCodeSequence", "MeasurementUnitsCodeSequence", "ContentTemplateSequence")
_STANDARD_SCHEMES = words("DCM SRT SCT SNM3 SNM LN UCUM RADLEX NCIt FMA UMLS I10 I10C I9C MDC BARI ACR")
_MOST_ITEMS = 200_000
_UNREADABLE = "structured report that cannot be read"


def is_structured_report(dataset: Dataset) -> bool:
    return CONTENT in dataset or str(dataset.get("Modality", "")) in ("SR", "KO")


def clean_structured_report(dataset: Dataset, cleaner: ReportCleaner, person: Person) -> Counter[Category]:
    """Cleans the content tree in place and counts what was found; raises Quarantined.

    The header around it is another's work.
    """
    found: Counter[Category] = Counter()
    stand_ins = StandIns(person, realistic=cleaner.style != "placeholders")
    waiting, done = [dataset], 0
    while waiting:
        item = waiting.pop()
        done += 1
        if done > _MOST_ITEMS:
            raise Quarantined("structured report with too many items")
        try:
            _clean_item(item, cleaner, person, stand_ins, found)
            waiting += list(item.ContentSequence) if CONTENT in item else []
        except (ValueError, TypeError, AttributeError, KeyError, NotImplementedError, OverflowError):
            raise Quarantined(_UNREADABLE) from None
    return found


def _clean_item(
    item: Dataset, cleaner: ReportCleaner, person: Person, stand_ins: StandIns, found: Counter[Category]
) -> None:
    if "TextValue" in item:
        cleaned = cleaner.clean(str(item.TextValue), person)
        found.update(one.category for one in cleaned.found)
        item.TextValue = cleaned.text
    if "PersonName" in item and str(item.PersonName):
        found[Category.NAME] += 1
        item.PersonName = _name(str(item.PersonName), stand_ins, person)
    _clean_moments(item, stand_ins, found)
    if "UID" in item and str(item.UID):
        found[Category.UID] += 1
        item.UID = stand_ins.uid(str(item.UID))
    for keyword in ("ReferencedSOPSequence", "ReferencedSegmentSequence"):
        for reference in item.get(keyword) or []:
            _move_references(reference, stand_ins, found)
    for keyword in _CODES:
        for code in item.get(keyword) or []:
            _clean_code(code, cleaner, person, found)
    for value in item.get("MeasuredValueSequence") or []:
        for code in value.get("MeasurementUnitsCodeSequence") or []:
            _clean_code(code, cleaner, person, found)


def _name(written: str, stand_ins: StandIns, person: Person) -> str:
    """The patient's own name as the header has it, anybody else's as a stand-in."""
    plain = " ".join(part for part in written.replace("=", "^").split("^") if part)
    own = any(one.category is Category.NAME for one in KnownSearch(person.known).find(plain))
    if own:
        return stand_ins.patient_name()
    made = stand_ins.text(Found(0, len(plain), Category.DOCTOR), plain)
    return made.replace("[", "").replace("]", "")


def _clean_moments(item: Dataset, stand_ins: StandIns, found: Counter[Category]) -> None:
    for keyword in ("Date", "DateTime", "ObservationDateTime"):
        if value := str(item.get(keyword) or ""):
            found[Category.DATE] += 1
            setattr(item, keyword, _moved(value, stand_ins))
    if str(item.get("Time") or ""):
        found[Category.TIME] += 1
        item.Time = "000000"


def _moved(value: str, stand_ins: StandIns) -> str:
    """The day moved, the time of day taken away."""
    try:
        day = dt.datetime.strptime(value[:8], "%Y%m%d").date()
        return f"{stand_ins.date(day):%Y%m%d}" + ("000000" if len(value) > 8 else "")
    except (ValueError, OverflowError):
        raise Quarantined("date that cannot be read") from None


def _move_references(reference: Dataset, stand_ins: StandIns, found: Counter[Category]) -> None:
    waiting: list[Any] = [reference]
    while waiting:
        dataset = waiting.pop()
        for element in dataset:
            if element.VR == "SQ":
                waiting += list(element.value or [])
            elif element.keyword.endswith("InstanceUID") and element.value:
                found[Category.UID] += 1
                element.value = stand_ins.uid(str(element.value))


def _clean_code(code: Dataset, cleaner: ReportCleaner, person: Person, found: Counter[Category]) -> None:
    if str(code.get("CodingSchemeDesignator", "")).strip() in _STANDARD_SCHEMES:
        return
    for keyword in ("CodeMeaning", "CodeValue", "LongCodeValue"):
        if text := str(code.get(keyword) or ""):
            cleaned = cleaner.clean_phrase(text, person)
            if cleaned.found:
                found.update(one.category for one in cleaned.found)
                setattr(code, keyword, cleaned.text[:64] if keyword == "CodeMeaning" else cleaned.text[:16])
