"""Dates in every common form, whole or in part; fractions, levels and scores of the same shape stay."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import Kind, has, words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category

_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_YEAR = r"(?:(?:1[89]|20|21)\d\d)"
_GAP = r"(?:[ \t]{0,3}(?:\r?\n[ \t]*)?)"
_NUMERIC = re.compile(
    rf"{_YEAR}(?P<s>[-/.]){_MONTH}(?P=s){_DAY}(?!\d)"
    rf"|(?P<first>{_DAY})(?P<t>[-/.]|[ ]?[-/][ ]?)(?P<second>{_DAY})(?P=t)(?:{_YEAR}|\d\d)(?!\d|[./-]\d)"
    rf"|{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)"
    rf"|{_MONTH}[/-]{_YEAR}(?![\d/-])|{_YEAR}-(?:0[1-9]|1[0-2])(?![\d-])"
    r"|(?:0[1-9]|[12]\d|3[01])[ ](?:0[1-9]|1[0-2])[ ](?:19|20)\d\d(?!\d)"
)
_STAMP = re.compile(
    rf"{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d(?:\.\d{{1,6}})?)?(?!\d)"
)
_ISO_TIME = re.compile(r"T\d\d:?\d\d(?::?\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?")
_PART = re.compile(rf"(?P<first>{_DAY})/(?P<second>{_DAY})(?![\d/]|\.\d)")
_UNTIL = re.compile(rf"[ ]?[-–][ ]?(?P<day>(?P<first>{_DAY})/(?P<second>{_DAY}))(?![\d/])")
_GERMAN_PART = re.compile(rf"{_DAY}\.[ ]?{_MONTH}\.(?![ ]?\d)")  # am 3.4.
_GERMAN_BEFORE = re.compile(r"\b(?:am|vom|seit|bis|zum|ab|den)[ ]$", re.IGNORECASE)
_SAYING = re.compile(r"24/7(?![\d/])|9/11(?=[ ](?:survivor|responder|attack|victim))")
_TIME_AFTER = re.compile(r"[ \t,]{1,3}(?:at[ ])?(?:\d{1,2}:\d\d|[012]\d[0-5]\d\b)")
# What is counted by ordinals and is no day.
_COUNTED = (
    "ribs?|left|right|posterior|anterior|lateral|medial|intercostal|thoracic|lumbar|cervical|vertebra\\w*|days?|"
    "percentile|digit|finger|toe|ray|week|month|year|hour|cycle|floor|attempt|ventricle|decade|metatarsal|metacarpal|"
    "proximal|distal|costal|and|through|to|portion|part|nerve|cranial|branch|order|degree|line|dose|time"
)
ORDINAL_DAY = re.compile(
    rf"(?P<day>(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th))(?![\w-]|\s+(?:{_COUNTED})\b)", re.IGNORECASE
)
_ON_THE = re.compile(
    r"\b(?:on|since|until|till|from|of|by|before|after|visit|due)[ \t\r\n]+the[ \t\r\n]+$", re.IGNORECASE
)

_DAY_BEFORE = re.compile(
    rf"(?<![\d/.:-]){_DAY}(?:[ ]?(?:st|nd|rd|th|er|º|\.))?(?:{_GAP}(?:of{_GAP}|de{_GAP})?|[-/.])$", re.IGNORECASE
)
_DAY_AFTER = re.compile(
    rf"\.?(?:{_GAP}|[-/]|,[ ]?)(?:the[ ])?{_DAY}(?:[ ]?(?:st|nd|rd|th|er|\.(?={_GAP}{_YEAR})))?"
    rf"(?:[ ]?[-–][ ]?{_DAY}(?:st|nd|rd|th)?)?"
    r"(?![\d:%]|[.,]\d(?!\d{3})|/\d|[ ]?(?:mm|cm|m[gl]|views?|weeks?|months?|days?|hours?)\b)",
    re.IGNORECASE,
)
_YEAR_AFTER = re.compile(
    rf"\.?(?:(?:,?{_GAP}(?:of{_GAP}|del?{_GAP})?|[-/.][ ]?){_YEAR}(?!\d)|{_GAP}['’]\d\d(?!\d)|"
    r"(?:,[ ]|[-/. ])\d\d(?![\d:/]))",
    re.IGNORECASE,
)
_WEEKDAY_BEFORE = re.compile(
    r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?[ \t\r\n]+(?:the[ \t]+)?$", re.IGNORECASE
)
_WEEKDAY_ABROAD = re.compile(
    r"\b(?:lun|mar|mer|jeu|ven|sam|dim|mi[ée]|jue|vie|s[áa]b|dom|mo|di|mi|do|fr|sa|so)(?:di|es|oles|ves|rnes|ado|ingo|"
    r"anche|medi|credi|ntag|enstag|ttwoch|nnerstag|eitag|mstag|nntag)?\.?,?[ \t]+(?:den[ ]|le[ ])?$",
    re.IGNORECASE,
)
_CLIPPED_WEEKDAY = re.compile(r"(?<=[a-z,][ ])(?:Mon|Tues?|Weds?|Thu|Thurs?|Fri)(?![\w'’-])")
_IN_MONTH = words("in since last of until till early late mid this next by from during through before after around")

# A part such as 3/14 is a date after one of these words ...
_DATE_WORDS = words(
    "on since from dated of with to through until till by and prior cf compared comparison versus vs dob born birth "
    "date seen exam study film radiograph cxr x-ray ct scan examination dictated transcribed signed taken obtained "
    "performed read removed admitted discharged before after again yesterday today visit previous last echo due"
)
# ... and never before or after one of these.
_NOT_AFTER = words(
    "grade graded strength motor power murmur reflexes pulses pulse gcs score scored pain page image series slice "
    "ratio vision visual acuity stage level bp pressure upper lower mid distal proximal approximately about nearly "
    "over only level levels at-level systolic bore gauge size pack step out day in for x times every glasgow"
)
NOT_BEFORE = re.compile(
    r"[ \t]*(?:(?:of[ \t]+(?:the|its|his|her|a|an|left|right|lung|normal|their|films?|images?)\b)|th\b|ths\b|"
    r"murmur|systolic|diastolic|strength|pack|ppd|inch|in\.|cm\b|mm\b|mg\b|ml\b|cc\b|tab|cup|dose|way|full|lung|"
    r"hemithorax|thirds?|quarters?|pulses?|reflex|holo|SEM\b|on[ \t]a[ \t]scale|positive|negative|bottles|sets|cores|"
    r"nodes|lymph|joint|space|rib|interspace|%|x\b|-?year|y/?o|criteria|in[ \t]all|bilateral|throughout|gauge|screws?|"
    r"normal)",
    re.IGNORECASE,
)
# `PHQ-9 4/27`, `Apgar was 9/9`
SCORED = re.compile(
    r"\b(?:BiPAP|IPAP|PHQ|GAD|MMSE|MoCA|Apgars?|GCS|NIHSS|ILO|ECOG|scored?)(?:-?\d\d?)?[ :=]{0,2}(?:(?:of|was)[ ])?$",
    re.IGNORECASE,
)
_BEFORE_WORD = re.compile(r"([A-Za-z/\-]+)[.:;,(#]?[ \t\r\n]*(?:the[ \t\r\n]+)?$")


def take(page: Page) -> None:
    for word in page.words:
        if has(word.folded, Kind.MONTH):
            _take_named(page, word)
    for start in page.numbers:
        if page.free(start, start + 1):
            _take_number(page, start)
    for match in ORDINAL_DAY.finditer(page.text):
        if _ON_THE.search(page.before(match.start(), 16)):
            _take(page, *match.span("day"))
    for word in page.words:
        abroad = page.is_foreign and len(word.folded) > 4
        if has(word.folded, Kind.WEEKDAY) and (abroad or word.capital or word.folded.endswith("day")):
            _take(page, word.start, word.end)
    for match in _CLIPPED_WEEKDAY.finditer(page.text):
        _take(page, *match.span())


def _take(page: Page, start: int, end: int, *, doubted: bool = False) -> None:
    """With the weekday before it: it tells the shift by up to a week where the date beside it was moved."""
    if weekday := _weekday_before(page, start):
        start -= len(weekday[0])
    if page.free(start, end):
        page.take(start, end, Category.DATE, doubted=doubted)


def _weekday_before(page: Page, start: int) -> re.Match[str] | None:
    before = page.before(start, 18)
    return _WEEKDAY_BEFORE.search(before) or (_WEEKDAY_ABROAD.search(before) if page.is_foreign else None)


def _take_number(page: Page, start: int) -> None:
    text = page.text
    if stamp := _STAMP.match(text, start):
        page.take(start, start + 8, Category.DATE)
        page.take(start + 8, stamp.end(), Category.TIME)
    elif (date := _NUMERIC.match(text, start)) and _possible(date):
        _take(page, *date.span())
        if clock := _ISO_TIME.match(text, date.end()):
            page.take(clock.start() + 1, clock.end(), Category.TIME)
    elif (part := _PART.match(text, start)) and not _SAYING.match(text, start):
        _take_part(page, part)
    elif (part := _GERMAN_PART.match(text, start)) and _GERMAN_BEFORE.search(page.before(start, 6)):
        _take(page, *part.span())


def _possible(date: re.Match[str]) -> bool:
    """Of two small numbers one must be a month."""
    return not date["first"] or min(int(date["first"]), int(date["second"])) <= 12


def _take_part(page: Page, part: re.Match[str]) -> None:
    start, end = part.span()
    before = page.before(start, 24)
    word = _BEFORE_WORD.search(before)
    said = word[1].lower().strip("/-") if word else ""
    padded = part["first"][0] == "0" and len(part["second"]) == 2
    score = (said in _NOT_AFTER and not padded) or SCORED.search(before) or NOT_BEFORE.match(page.text, end)
    if score or not _possible(part):
        return
    beside = any(page.taken_at(start - distance) for distance in (1, 2, 3)) or _TIME_AFTER.match(page.text, end)
    certain = said in _DATE_WORDS or bool(beside) or bool(_weekday_before(page, start))
    alone = before[-1:] in ("", "\n") and page.text[end : end + 1] in ("", "\r", "\n")
    day_above_twelve = int(part["second"]) > 12  # no fraction or score has such a whole
    if certain or padded or alone or day_above_twelve:
        _take(page, start, end, doubted=not certain)
        if (until := _UNTIL.match(page.text, end)) and _possible(until):
            _take(page, *until.span("day"))


def _take_named(page: Page, word: PageWord) -> None:
    """`14 March 2021`, `Mar 14th`, `mar 3, 2021`; what is a word as well, in small letters, with day and year alone."""
    text, word_too = page.text, bool(word.kind & (Kind.ORDINARY | Kind.SHORT)) and not word.capital
    before, after = _DAY_BEFORE.search(page.before(word.start, 12)), _DAY_AFTER.match(text, word.end)
    year = _YEAR_AFTER.match(text, word.end)
    if before and (year or not (word_too or after)):
        _take(page, word.start - len(before[0]), year.end() if year else word.end)
    elif after:
        year = _YEAR_AFTER.match(text, after.end())
        if year or not word_too:
            _take(page, word.start, year.end() if year else after.end())
    elif before and not word_too:
        _take(page, word.start - len(before[0]), word.end)
    elif not word_too and (year or _is_alone(page, word)):
        _take(page, word.start, year.end() if year else word.end)


def _is_alone(page: Page, word: PageWord) -> bool:
    """`last September`."""
    said = re.findall(r"[a-z]+", page.before(word.start, 14).lower())
    loud = page.in_capitals(word.start) and word.kind & Kind.ORDINARY
    return bool(said) and said[-1] in _IN_MONTH and word.capital and len(word.folded) > 2 and not loud
