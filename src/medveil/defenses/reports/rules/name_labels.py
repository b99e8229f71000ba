"""Names told by a label or a phrase before them: `Patient:`, `Electronically signed by`, `discussed with`."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lists import Kind, words
from medveil.defenses.reports.rules.name_reading import name_from, take_name
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category
from medveil.person.name import DEGREES_IN_TEXT, DOCTOR_TITLES_IN_TEXT, TITLES_IN_TEXT

_PATIENT_LABELS = words(
    "patient name pt pat patients re concerning regarding subject guarantor insured subscriber mother father wife "
    "husband "
    "son daughter spouse kin guardian contact relative client member nok surname lastname firstname forename seen "
    "examinee carer poa caregiver parent parents partner sibling veteran dependent claimant"
)
_STAFF_LABELS = words(
    "physician provider radiologist doctor md attending resident fellow referring ordering requesting "
    "technologist tech "
    "technician reader dictated signed transcribed transcriptionist typed typist interpreted interpreting read "
    "reviewed "
    "verified approved finalized electronically author authenticated surgeon nurse consultant cc c.c attn pcp "
    "registrar "
    "performed operator clinician practitioner to from rad by dictating primary supervising radiographer sonographer "
    "cardiologist intern copies copy practitioner admitting assistant scribe gp ob obgyn anesthesiologist anaesthetist "
    "anaes anesthetist hospitalist oncologist urologist neurologist psychiatrist psychologist therapist pharmacist "
    "dietitian midwife interpreter chaplain cons spr sho chair apologies sono rdr scrub assist dictator"
)
_ROLES = words(
    "surgeon cardiologist oncologist pcp gp obstetrician pediatrician paediatrician neurologist urologist physician "
    "nephrologist pulmonologist radiologist attending midwife psychiatrist therapist dentist dermatologist "
    "rheumatologist hematologist gastroenterologist endocrinologist anesthesiologist anaesthetist orthopedist "
    "ophthalmologist hospitalist internist coach teacher interpreter"
)
_LABELS = _PATIENT_LABELS | _STAFF_LABELS
_WITHOUT_COLON = words("pt patient name cc re resident radiologist technologist")
# `with` names a person after `discussed`, `by` after `signed`, and so on.
_BY = words(
    "dictated signed transcribed typed interpreted read reviewed verified approved finalized authenticated performed "
    "ordered requested referred electronically entered prepared edited supervised seen examined evaluated reported "
    "completed called paged confirmed acknowledged released validated created obtained done placed inserted"
)
_WITH = words("discussed spoke spoken reviewed communicated conferred shared correlated w d conversation discussion")
_TO = words(
    "communicated called paged relayed faxed conveyed reported given telephoned sent phoned notified forwarded "
    "referred "
    "addressed read verbally copied attention described mailed emailed copy released"
)
_DIRECT = words(
    "notified paged contacted contact informed called referring sending see pgd dear attn attention telephoned"
)
_FOR = words("result results report reports request requisition appointment films letter imaging study exam")
_BEFORE_PEOPLE = words("for by with w to per us d") | _DIRECT
_AFTER_LABEL = re.compile(r"[ \t]*(?:\(s\))?[ \t]*[:=][ \t]*(?:\r?\n[ \t]*)?|[ \t]*\t[ \t]*|[ \t]{3,}")
_NAME_ENDS = re.compile(r"(?:[ \t][A-Z]\.?)?(?:[ \t]{2,}|[ \t]*(?:\r?\n|$)|[ \t]*[,;(/#\d])")
_INITIAL_AFTER = re.compile(r",[ ]?[A-HJ-Z](?:\.|(?=[;)\r\n]|[ ]{2}|$))")
_SPACE = re.compile(r"\.?[ \t]{1,2}")
_NEXT_NAME = re.compile(r"[;,][ \t]|[ \t]*;[ \t]*")
_AFTER_PHRASE = re.compile(r"[ \t]{1,2}|[ \t]*\r?\n[ \t]*|/[ \t]|[ \t]?:[ \t]*|\.[ \t]|[ \t]+\(?")


def take(page: Page) -> None:
    words = page.words
    for index, word in enumerate(words[:-1]):
        if word.folded in _LABELS:
            _after_label(page, index)
        if word.folded in _BEFORE_PEOPLE and words[index + 1].capital:
            _after_phrase(page, index + 1)
        if word.folded in ("is", "was") and index and words[index - 1].folded in _ROLES:
            _after_role(page, index + 1)


def _after_role(page: Page, index: int) -> None:
    """`His surgeon was Kappelhoff`."""
    word = page.words[index]
    if page.joined(index - 1) and page.joined(index - 2) and (word.listed or word.kind == Kind.UNKNOWN):
        last = name_from(page, index, sure=True)
        if last >= 0:
            take_name(page, index, last, Category.DOCTOR)


def _after_label(page: Page, index: int) -> None:
    words, word, first = page.words, page.words[index], page.words[index + 1]
    gap = _AFTER_LABEL.match(page.text, word.end)
    colon = gap is not None and (":" in gap[0] or "=" in gap[0])
    if gap is not None and "(s)" in gap[0] and index + 2 < len(words):
        index, first = index + 1, words[index + 2]
    if gap is None and word.folded in _WITHOUT_COLON:
        gap = _SPACE.match(page.text, word.end)
    if (
        gap is None
        or first.start != gap.end()
        or first.folded in DOCTOR_TITLES_IN_TEXT
        or first.folded in TITLES_IN_TEXT
    ):
        return
    inverted = _is_inverted(page, index + 1)
    fits = (first.listed and not first.kind & Kind.ORDINARY) or (word.folded == "name" and first.kind == Kind.UNKNOWN)
    if not colon and not inverted and not fits:
        return
    category = Category.NAME if word.folded in _PATIENT_LABELS else Category.DOCTOR
    last = name_from(
        page, index + 1, sure=colon or inverted or word.folded == "name", comma=category is Category.NAME or inverted
    )
    if colon and last == index + 1 and _INITIAL_AFTER.match(page.text, first.end):  # Physician(s): Long, A;
        last = index + 2
    if inverted and last < index + 2:
        middle = index + 3 < len(words) and words[index + 3].initial and page.joined(index + 2)
        last = index + 3 if middle else index + 2
    if last >= 0:
        take_name(page, index + 1, last, category)
        _take_list(page, last, category)


def _is_inverted(page: Page, index: int) -> bool:
    """Whether `Family, Given` stands here."""
    words = page.words
    if index + 1 >= len(words) or not words[index].capital or not words[index + 1].capital:
        return False
    gap = page.text[words[index].end : words[index + 1].start]
    if gap not in (", ", ",", ",  "):
        return False
    one, other = words[index], words[index + 1]
    if other.kind & Kind.GIVEN:
        return not one.short or one.listed
    if one.short or other.short or other.folded in DEGREES_IN_TEXT:
        return False
    named = one.listed or one.kind == Kind.UNKNOWN or other.listed or other.kind == Kind.UNKNOWN
    return named and bool(_NAME_ENDS.match(page.text, words[index + 1].end))


def _take_list(page: Page, last: int, category: Category) -> None:
    """`cc: John Long, Mary Short`."""
    words = page.words
    while last + 1 < len(words) and _NEXT_NAME.fullmatch(page.text, words[last].end, words[last + 1].start):
        following = name_from(page, last + 1, sure=False)
        if following <= last + 1 and not (following == last + 1 and words[following].name_only):
            return
        take_name(page, last + 1, following, category)
        last = following


def _after_phrase(page: Page, index: int) -> None:
    """`discussed with Pemberton`, `signed by Jane Short`, `notified Long`."""
    words, word, before = page.words, page.words[index], page.words[index - 1]
    gap = page.text[before.end : word.start]
    earlier = words[index - 2].folded if index > 1 else ""
    if not _AFTER_PHRASE.fullmatch(gap) or not _speaks_of_people(before.folded, earlier, gap, word):
        return
    nameable = word.listed or word.kind in (Kind.UNKNOWN, Kind.PARTICLE, Kind.CITY)
    nameable = nameable or (word.initial and page.text[word.end : word.end + 1] == ".")
    if not nameable or (word.kind & Kind.ORDINARY and page.in_capitals(word.start)):
        return
    last = name_from(page, index, sure=True, comma=_is_inverted(page, index), titled=word.initial)
    lone = last == index and word.kind & (Kind.EPONYM | Kind.ORDINARY)
    if last < 0 or (lone and page.opens_sentence(word.start)):
        return
    patient = before.folded in ("referring", "us", "see") or (earlier == "discussed" and before.folded == "with")
    take_name(page, index, last, Category.NAME if patient else Category.DOCTOR)


def _speaks_of_people(before: str, earlier: str, gap: str, word: PageWord) -> bool:
    match before:
        case "by":
            return earlier in _BY
        case "with" | "w":
            return earlier in _WITH
        case "to":
            return earlier in _TO
        case "per":
            return word.name_only
        case "for":
            return earlier in _FOR
        case "us":
            return earlier == "sending"
        case "d":  # d/w
            return gap.startswith("/")
    return before in _DIRECT and not gap.startswith(".")
