"""Names told by what stands around them: titles, degrees, labels, and the phrases that speak of people."""

from __future__ import annotations

import re

from medveil.cohort.identifiers import Category
from medveil.defenses.reports.rules.lists import Kind, words
from medveil.defenses.reports.rules.name_reading import DEGREES, end_of, name_from, possible
from medveil.defenses.reports.rules.page import Page

_DOCTORS = words("dr drs doctor doctors prof professor dra docteur doktor nurse")
_TITLES = words(
    "mr mrs ms miss mx messrs sir madam mme mlle frau herr senor senora sra signor signora dhr mevr sister father rev"
)

# Labels: what stands before a colon (or a tab, or two spaces) and whose name follows.
_PATIENT_LABELS = words(
    "patient name pt pat patients re concerning regarding subject guarantor insured subscriber mother father wife husband "
    "son daughter spouse kin guardian contact relative client member nok surname lastname firstname forename"
)
_STAFF_LABELS = words(
    "physician provider radiologist doctor md attending resident fellow referring ordering requesting technologist tech "
    "technician reader dictated signed transcribed transcriptionist typed typist interpreted interpreting read reviewed "
    "verified approved finalized electronically author authenticated surgeon nurse consultant cc c.c attn pcp registrar "
    "performed operator clinician practitioner to from rad by dictating primary supervising radiographer sonographer "
    "cardiologist intern copies copy practitioner admitting assistant scribe"
)
# `with` names a person after `discussed`, `by` after `signed`, and so on.
_BY = words(
    "dictated signed transcribed typed interpreted read reviewed verified approved finalized authenticated performed "
    "ordered requested referred electronically entered prepared edited supervised seen examined evaluated reported "
    "completed called paged confirmed acknowledged released validated created obtained done placed inserted"
)
_WITH = words("discussed spoke spoken reviewed communicated conferred shared correlated w d conversation discussion")
_TO = words(
    "communicated called paged relayed faxed conveyed reported given telephoned sent phoned notified forwarded referred "
    "addressed read verbally copied attention described mailed emailed copy released"
)
_DIRECT = words(
    "notified paged contacted contact informed called referring sending see pgd dear attn attention telephoned"
)
_KIN = words(
    "wife husband daughter son mother father brother sister niece nephew aunt uncle grandson granddaughter spouse partner "
    "guardian caregiver friend neighbor neighbour girlfriend boyfriend fiance fiancee stepson stepdaughter cousin proxy "
    "mom dad grandmother grandfather parents sister-in-law brother-in-law son-in-law daughter-in-law"
)
_CLOSINGS = words("sincerely regards faithfully respectfully cordially truly")

_LABELS = _PATIENT_LABELS | _STAFF_LABELS
_BEFORE_PEOPLE = words("by with w to per us d") | _DIRECT
_VERBS = words("is was may can presented reports complains denies states tolerated")
_DEGREE_WORDS = DEGREES | words("m d ph r n p")
_SPEAKING = _DOCTORS | _TITLES | _KIN | _CLOSINGS | _LABELS | _BEFORE_PEOPLE | _VERBS

_AFTER_LABEL = re.compile(r"[ \t]*(?:\(s\))?[ \t]*[:=][ \t]*(?:\r?\n[ \t]*)?|[ \t]*\t[ \t]*|[ \t]{3,}")
_NAME_ENDS = re.compile(r"(?:[ \t][A-Z]\.?)?(?:[ \t]{2,}|[ \t]*(?:\r?\n|$)|[ \t]*[,;(/#\d])")
_COLON = re.compile(r"[ \t]*(?:\(s\))?[ \t]*[:=]")
_DEGREE_AFTER = re.compile(
    r"(?:,[ \t]{0,2}P\.?A\.?(?![A-Za-z]|[ \t]+(?:view|and|chest|lat|erect|upright))|,?[ \t]{0,2}(?:\r?\n[ \t]*)?(?:M\.[ ]?D\.|D\.O\.|Ph\.[ ]?D\.|R\.N\.|N\.P\.|P\.A\.|MD|DO|MBBS|MBChB|PhD|RN|NP|PA-C|"
    r"APRN|CRNP|CRNA|DNP|DPM|DDS|FRCR|FACR|FRCP|FACS|FRCS|RRT|RT\(R\)|R\.?T\.?[ ]?\([A-Z]|RDMS|CNMT|PharmD|LPN|FRCPC|FACC|DABR|CNM)(?![A-Za-z]))"
)
_AGE_AFTER = re.compile(r" \d{1,3} ?(?:yo|y/o|[MF])(?![A-Za-z])")
_IS_A = re.compile(
    r"[ \t\r\n]{1,3}(?:is|was)[ \t\r\n]{1,3}an?[ \t\r\n]{1,3}(?:\d{1,3}|[a-z\-]+-year|ninety|[a-z]+teen|pleasant|very|elderly|young)|(?:['’]s)?[ \t\r\n]{1,3}(?:may[ \t]be[ \t]reached|can[ \t]be[ \t]reached|presented[ \t]to|was[ \t](?:admitted|seen|evaluated|transferred|discharged|referred)|reports[ \t]that|complains|denies|states[ \t]that|is[ \t]doing|tolerated)"
)


def take(page: Page) -> None:
    words = page.words
    for index in page.capitals:
        if words[index].folded in _DEGREE_WORDS and index:
            _before_degree(page, index - 1)
    for index, word in enumerate(words):
        folded = word.folded
        if folded not in _SPEAKING:
            continue
        if folded in _DOCTORS:
            _after_title(page, index, Category.DOCTOR)
        elif folded in _TITLES and word.capital:
            _after_title(page, index, Category.NAME)
        elif folded in _KIN:
            _after_kin(page, index)
        elif folded in _CLOSINGS:
            _after_closing(page, index)
        if folded in _LABELS:
            _after_label(page, index)
        if folded in _BEFORE_PEOPLE and index + 1 < len(words) and words[index + 1].capital:
            _after_phrase(page, index + 1)
        if folded in _VERBS and index:
            _before_verb(page, index - 1)
    _take_before_ages(page)


def _take(page: Page, first: int, last: int, category: Category, *, start: int | None = None) -> None:
    begin = page.words[first].start if start is None else start
    end = end_of(page, last)
    if page.free(begin, end):
        page.take(begin, end, category)


def _after_title(page: Page, index: int, category: Category) -> None:
    words, title = page.words, page.words[index]
    if index + 1 >= len(words):
        return
    gap = page.text[title.end : words[index + 1].start]
    if not re.fullmatch(r"\.?[ \t\xa0]{0,3}(?:\r?\n[ \t]*)?", gap) or not gap:
        return
    dotted = gap.startswith(".")
    loud = title.text.isupper() and len(title.text) > 1
    after = words[index + 1]
    if (
        loud
        and not dotted
        and not (after.name_only or (after.kind == Kind.UNKNOWN and title.folded not in ("mr", "ms", "dr")))
    ):
        return
    if (not loud and title.text.islower()) or not after.capital:
        _after_small_title(page, index, category)
        return
    last = name_from(page, index + 1, sure=True, titled=dotted or not loud)
    if last < 0 and after.capital and not after.text.isupper() and not after.kind & (Kind.ORDINARY | Kind.SHORT):
        last = index + 1
    if last < 0:
        return
    _take(page, index + 1, last, category, start=title.start if category is Category.NAME else None)
    _take_others(page, last, category)


def _after_small_title(page: Page, index: int, category: Category) -> None:
    """`dr smith`, or a particle: `Dr. van den Broek`."""
    after = page.words[index + 1]
    if after.kind & Kind.PARTICLE and (last := name_from(page, index + 1, sure=True)) >= 0:
        _take(page, index + 1, last, category, start=page.words[index].start if category is Category.NAME else None)
    elif (
        not after.kind & (Kind.ORDINARY | Kind.SHORT | Kind.EPONYM)
        and len(after.text) > 2
        and page.free(after.start, after.end)
    ):
        page.take(after.start, after.end, category)


def _take_others(page: Page, last: int, category: Category) -> None:
    """`Drs. Long and Short`, `Dr. Long/Short`."""
    words = page.words
    while last + 1 < len(words):
        gap = page.text[words[last].end : words[last + 1].start]
        step = 1
        if words[last + 1].folded == "and" and re.fullmatch(r"[ \t]", gap):
            step = 2
        elif gap not in ("/", " / ", " & "):
            return
        if last + step >= len(words) or not possible(page, words[last + step], sure=words[last + step].listed):
            return
        following = name_from(page, last + step, sure=True)
        if following < 0:
            return
        _take(page, last + step, following, category)
        last = following


def _after_kin(page: Page, index: int) -> None:
    words = page.words
    if index + 1 >= len(words):
        return
    gap = page.text[words[index].end : words[index + 1].start]
    if re.fullmatch(r",?[ \t]{1,2}(?:\r?\n)?|[ \t]*\r?\n|[ \t]?[(:][ \t]?|,\r?\n", gap):
        first = index + 1
        if words[first].folded in ("named", "called", "is") and first + 1 < len(words):
            first += 1
        last = name_from(page, first, sure=True)
        if last >= 0 and not words[first].folded.startswith(("parkinson", "alzheimer")):
            _take(page, first, last, Category.NAME)
        elif last < 0 and words[first].name_only and page.free(words[first].start, words[first].end):
            page.take(words[first].start, end_of(page, first), Category.NAME)


def _after_closing(page: Page, index: int) -> None:
    gap = re.compile(r",?[ \t]*(?:\r?\n[ \t]*){1,5}").match(page.text, page.words[index].end)
    if gap and index + 1 < len(page.words) and page.words[index + 1].start == gap.end():
        last = name_from(page, index + 1, sure=True)
        if last >= 0:
            _take(page, index + 1, last, Category.DOCTOR)


def _after_label(page: Page, index: int) -> None:
    words, word = page.words, page.words[index]
    gap = _AFTER_LABEL.match(page.text, word.end)
    colon = bool(gap) and ":" in (gap[0] if gap else "")
    if gap is None and word.folded in ("pt", "patient", "cc", "re", "resident", "radiologist", "technologist"):
        gap = re.compile(r"\.?[ \t]{1,2}").match(page.text, word.end)
    if not gap or index + 1 >= len(words) or words[index + 1].start != gap.end():
        return
    category = Category.NAME if word.folded in _PATIENT_LABELS else Category.DOCTOR
    first = words[index + 1]
    if first.folded in _DOCTORS or first.folded in _TITLES:
        return
    if not colon and not (first.listed and not first.kind & Kind.ORDINARY) and not _family_comma(page, index + 1):
        return
    inverted = _family_comma(page, index + 1)
    last = name_from(page, index + 1, sure=colon or inverted, comma=category is Category.NAME or inverted)
    if inverted and last < index + 2:
        last = (
            index + 3 if index + 3 < len(words) and words[index + 3].initial and page.joined(index + 2) else index + 2
        )
    if last >= 0:
        _take(page, index + 1, last, category)
        _take_list(page, last, category)


def _family_comma(page: Page, index: int) -> bool:
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
    if one.short or other.short or other.folded in DEGREES:
        return False
    named = one.listed or one.kind == Kind.UNKNOWN or other.listed or other.kind == Kind.UNKNOWN
    return named and bool(_NAME_ENDS.match(page.text, words[index + 1].end))


def _take_list(page: Page, last: int, category: Category) -> None:
    """`cc: John Long, Mary Short`."""
    words = page.words
    while last + 1 < len(words) and re.fullmatch(
        r"[;,][ \t]|[ \t]*;[ \t]*", page.text[words[last].end : words[last + 1].start]
    ):
        following = name_from(page, last + 1, sure=False)
        if following <= last + 1 and not (following == last + 1 and words[following].name_only):
            return
        _take(page, last + 1, following, category)
        last = following


def _after_phrase(page: Page, index: int) -> None:
    """`discussed with Pemberton`, `signed by Jane Short`, `notified Long`."""
    words, word = page.words, page.words[index]
    if not word.capital or index < 1:
        return
    before = words[index - 1]
    gap = page.text[before.end : word.start]
    if not re.fullmatch(r"[ \t]{1,2}|[ \t]*\r?\n[ \t]*|/[ \t]|[ \t]?:[ \t]*|\.[ \t]|[ \t]+\(?", gap):
        return
    earlier = words[index - 2].folded if index > 1 else ""
    told = (
        (before.folded == "by" and earlier in _BY)
        or (before.folded in ("with", "w") and earlier in _WITH)
        or (before.folded == "to" and earlier in _TO)
        or (before.folded in _DIRECT and not gap.startswith("."))
        or (before.folded == "per" and word.listed and not word.kind & (Kind.EPONYM | Kind.ORDINARY))
        or (before.folded == "us" and earlier == "sending")
        or (before.folded == "d" and gap.startswith("/"))
        or (before.folded == "w" and gap.startswith("/") and earlier in _WITH)
    )
    if not told:
        return
    listed = word.listed or word.kind in (Kind.UNKNOWN, Kind.PARTICLE, Kind.CITY)
    listed = listed or (word.initial and page.text[word.end : word.end + 1] == ".")
    if not listed or (word.kind & Kind.ORDINARY and page.in_capitals(word.start)):
        return
    last = name_from(page, index, sure=True, comma=_family_comma(page, index), titled=word.initial)
    if last < 0:
        return
    lone = last == index and word.kind & (Kind.EPONYM | Kind.ORDINARY)
    if lone and page.opens_sentence(word.start):
        return
    patient = before.folded in ("referring", "us", "see") or (earlier in ("discussed",) and before.folded == "with")
    _take(page, index, last, Category.NAME if patient else Category.DOCTOR)


def _before_degree(page: Page, index: int) -> None:
    """`Jane Short, MD`: the capitals before a degree."""
    if not page.words[index].capital:
        return
    match = _DEGREE_AFTER.match(page.text, page.words[index].end)
    if (
        not match
        or page.words[index].folded in DEGREES
        or not page.free(page.words[index].start, page.words[index].end)
    ):
        return
    words, first = page.words, index
    if not possible(page, words[index], sure=True) and not _family_word(page, index):
        return
    while first and index - first < 4 and _belongs_before(page, first):
        first -= 1
    while (
        first < index and words[first].text.isupper() and words[first].kind & Kind.SHORT and len(words[first].text) > 1
    ):
        first += 1
    lone = first == index and words[index].kind & (Kind.ORDINARY | Kind.SHORT)
    if lone and not words[index].listed:
        return
    if words[first].kind & Kind.ORDINARY and not words[first].listed and not words[first].kind & Kind.PARTICLE:
        first += 1
    if first <= index:
        _take(page, first, index, Category.DOCTOR)


def _family_word(page: Page, index: int) -> bool:
    """An ordinary word as a family name: a given name stands before it."""
    words = page.words
    if not words[index].capital or words[index].kind & Kind.SHORT or not index:
        return False
    before = words[index - 1]
    named = before.capital and bool(before.kind & Kind.GIVEN or before.initial)
    return page.joined(index - 1) and (named or bool(before.kind & Kind.PARTICLE))


def _belongs_before(page: Page, first: int) -> bool:
    words = page.words
    before, gap = words[first - 1], page.text[words[first - 1].end : words[first].start]
    if not re.fullmatch(r"[ \t]{1,2}|\.[ \t]{0,2}|[ \t]*\r?\n[ \t]*", gap) and not re.fullmatch(r"[ \t]{1,2}['’]", gap):
        return False
    if gap.startswith(".") and not (before.initial or before.folded in ("st",)):
        return False
    if "\n" in gap and not before.name_only:
        return False
    if before.initial or before.kind & Kind.PARTICLE:
        return True
    if before.capital and before.kind & Kind.GIVEN and page.free(before.start, before.end):
        return True
    if not possible(page, before, sure=True):
        return False
    return before.listed or not before.kind & Kind.ORDINARY


def _before_verb(page: Page, index: int) -> None:
    """`Long is a 54-year-old woman`, `Stone may be reached at`."""
    word = page.words[index]
    end = word.end
    if not word.capital or not page.free(word.start, end) or not _IS_A.match(page.text, end):
        return
    if word.text.isupper() and page.in_capitals(word.start):
        return
    certain = bool(re.match(r"\W+(?:(?:is|was)\s+an?\s+\d|(?:may|can)\s+be\s+reached)", page.text[end : end + 24]))
    known = word.listed or word.kind == Kind.UNKNOWN or (certain and word.kind & Kind.EPONYM)
    known = known or (certain and _family_word(page, index))
    if not known or len(word.text) < 2 or (word.text.isupper() and len(word.text) < 4):
        return
    first = index
    while first and index - first < 4 and _belongs_before(page, first):
        first -= 1
    if page.words[first].folded in ("the", "a", "this") or (
        page.words[first].kind & Kind.ORDINARY and not page.words[first].listed
    ):
        return
    _take(page, first, index, Category.NAME)


def _take_before_ages(page: Page) -> None:
    """`GANZ 69M, SOB`: the name a line begins with, before an age and a sex."""
    words = page.words
    for index in page.capitals:
        word = words[index]
        if page.text[word.end : word.end + 1] != " " or not _AGE_AFTER.match(page.text, word.end):
            continue
        first = index
        while first and index - first < 4 and _belongs_before(page, first):
            first -= 1
        start = words[first].start
        if page.free(start, word.end) and (not start or page.text[start - 1] == "\n") and not word.short:
            page.take(start, word.end, Category.NAME)
