"""What the tagger may not take: eponyms, devices, measurements, levels, scores, what is already blanked out, and
whatever has not the shape of what it is said to be."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache

from medveil.defenses.reports.guards.completion import WRITTEN_NUMBERS, completed, whole_numbers
from medveil.defenses.reports.guards.measurements import LEVEL, UNIT_AFTER, is_amount, measures
from medveil.defenses.reports.rules.contacts import is_standard
from medveil.defenses.reports.rules.dates import NOT_BEFORE, ORDINAL_DAY, SCORED
from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lists import Kind, kind_of, read_list, words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.defenses.reports.rules.times import RATIO
from medveil.defenses.reports.tagger.tagged_text import SureSpan
from medveil.person.identifiers import Category
from medveil.person.name import ALL_TITLES_IN_TEXT, DEGREES_IN_TEXT
from medveil.person.span import Span

_PEOPLE = frozenset({Category.NAME, Category.DOCTOR})
_PLACES = frozenset({Category.HOSPITAL, Category.ADDRESS})
_BLANK = re.compile(r"(?:[\s.,:;/()\-]|X{2,}|_{2,}|\[\*\*[^\]]*\*\*\]|\[[A-Z0-9 ]+\]|<[A-Z]+>)+")
# 1-1/2 weeks; 12/33, which is no day of any month
_FRACTION = re.compile(r"\d{1,2}[- ]\d/\d\d?(?![\d/])|\d{1,2}/(?:3[2-9]|[4-9]\d)(?![\d/])")
_AGE_WORDS = re.compile(r"ninety|hundred", re.IGNORECASE)
_MONTHS = (
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|märz|mai|okt|dez|juin|juil|août|fév|avr|ene|abr|ago|dic|"
    "mon|tue|wed|thu|fri|sat|sun"
)
_YEAR = r"(?:1[89]|20|21)\d\d"
_DATE = re.compile(
    rf"\d{{1,4}}[-/.]\d{{1,2}}(?:[-/.]\d{{2,4}})?|\d{{6,8}}|(?<![a-z])(?:{_MONTHS})|(?<!\d){_YEAR}(?!\d)", re.IGNORECASE
)
_YEAR_ALONE = re.compile(_YEAR)
# `(2018)`, `COVID-2019`, `Fleischner 2017`, `criteria 2010`: when a thing was written, not when something happened.
_PUBLISHED = re.compile(
    r"(?:[-(/]|(?:\b[A-Z][\w'’-]*|disease|criteria|guidelines?|classification|edition|version|consensus|"
    r"recommendations?|statement|model|protocol)[ ,]{1,2})$"
)
_COUNTED_DAY = re.compile(r"\d{1,2}(?:st|nd|rd|th)?", re.IGNORECASE)
_TIME = re.compile(
    r"(?:\d{1,2}[:.h]\d\d(?:[:.]\d\d)?|\d{1,4})"
    r"(?:\s?(?:[ap]\.?[ \t]?m\.?|[ap]|h|hrs|hours|[A-Z]{2,4}|[+-]\d\d:?\d\d))?",
    re.IGNORECASE,
)
_MILITARY = re.compile(r"(?<!\d)(?:[01]\d|2[0-3]):?[0-5]\d[ \t]hours\b", re.IGNORECASE)
_TOLD_TIME = re.compile(r"(?:half|quarter|\w+)[ ](?:past|to|o['’]clock)\b.*|\w+[ ]o['’]clock", re.IGNORECASE)
_INITIALS = re.compile(r"[A-ZÀ-ÞĀ-Ž]\.?(?:[ ]?[A-ZÀ-ÞĀ-Ž]\.?){1,3}")
_TYPIST = re.compile(r"[a-z]{2,3}|[A-Z]{2,4}[a-z]{2,3}|[A-Z]{2,3}\d{1,3}")  # nobody writes `lmb` or `DLnc` for a name
_SIGNED = re.compile(
    r"(?:\b(?i:by|initials?|typist|typed|trans(?:cribed|criptionist)?|scribe|dictated|taken|entered)[ \t]*:?[ \t]*"
    r"(?:[A-Za-z]{2,4}[ ]?/[ ]?)?|(?:\bM\.?D\.?|\bD\.?O\.?|\)|\b[A-Z]{2,4})[ ]?[/:][ ]?)$"
)
_HOURS_AFTER = re.compile(r"\s*hours\s*$", re.IGNORECASE)
_FIELD_AFTER = re.compile(r":[ ]?\d|:[ \t]")  # `DV: 05/17/77`, `PC: pain`
_SIGNED_THING = re.compile(r"\w[/-]$")  # ATS/ERS
_TITLE_BEFORE = re.compile(r"\b(?:dr|drs|mr|mrs|ms|miss|prof|doctor|by)\.?[ ]$", re.IGNORECASE)
_NAME_AFTER = re.compile(r"\.?[ ]?[^\W\d_a-z]|\.[ ]?[^\W\d_]")
_NUMBERING = re.compile(r"\d{1,2}|[A-Z]\.?")
_LISTED = re.compile(r"\d{1,2}\)|[A-Z][.)][ ]")
_HEADS = words("hospital clinic center centre infirmary hospice health medical university institute st saint")


def kept_by_guards(text: str, found: list[Span]) -> list[Span]:
    """What remains of the tagger's findings."""
    if not found:
        return []
    page, sure = Page(text), bytearray(len(text))
    for one in found:
        if isinstance(one, SureSpan):
            sure[one.start : one.end] = b"\x01" * (one.end - one.start)
    trimmed = [one for one in (_trimmed(text, one) for one in whole_numbers(text, found)) if one is not None]
    kept = [one for one in trimmed if not _guarded(page, one, sure=sure.find(1, one.start, one.end) >= 0)]
    if len(kept) < len(trimmed):
        kept = sorted([*kept, *_rest_of_kept(page, trimmed, kept)])
    return completed(page, kept)


def _rest_of_kept(page: Page, found: list[Span], kept: list[Span]) -> list[Span]:
    """What is no date or name by itself but stands right beside the rest of one: `11hb Mac 2020`, `k donahue`."""
    rest, known, text = [], set(kept), page.text
    for group in (frozenset({Category.DATE}), _PEOPLE):
        edges = {place for one in kept if one.category in group for place in (one.start, one.end)}
        for one in found if edges else ():
            letter = one.end - one.start == 1 and (page.is_small or not text[one.start].islower())
            short = one.category is Category.DATE or letter
            near = _beside(text, one.end, 1) in edges or _beside(text, one.start, -1) in edges
            written = any(map(str.isdigit, text[one.start : one.end])) or one.category is not Category.DATE
            if one.category in group and short and near and written and one not in known and text[one.start].isalnum():
                rest.append(one)
    return rest


def _beside(text: str, place: int, step: int) -> int:
    """Across one space, the place from which a neighbour would begin."""
    return place + step if text[min(place, place + step) : max(place, place + step)] == " " else place


def _trimmed(text: str, found: Span) -> Span | None:
    """Without the space and punctuation around it."""
    start, end = found.start, found.end
    if found.category is Category.TIME and (unit := _HOURS_AFTER.search(text, start, end)):
        end = unit.start()
    while start < end and not text[start].isalnum() and text[start] not in "(+":
        start += 1
    dotted = found.category in _PEOPLE or found.category in (Category.INITIALS, Category.TIME)
    while end > start and not text[end - 1].isalnum() and not (dotted and text[end - 1] == "."):
        end -= 1
    return Span(start, end, found.category) if end > start else None


def _guarded(page: Page, found: Span, *, sure: bool) -> bool:
    piece = page.text[found.start : found.end]
    if _BLANK.fullmatch(piece) or not any(map(str.isalnum, piece)) or not page.free(found.start, found.end):
        return True
    if _is_numbering(page, found, piece) or _is_degree(page, found, piece):
        return True
    return _is_of_another_shape(page, found, piece) and not (sure and not _is_thing(page, found, piece))


def _is_numbering(page: Page, found: Span, piece: str) -> bool:
    """`1)` and `B.` before the items of a list."""
    if not _NUMBERING.fullmatch(piece) or not _LISTED.match(page.text, found.start):
        return False
    if piece[0].isdigit():
        return page.before(found.start, 1) in ("", " ", "\n")
    after = bisect_left(page.words, found.end, key=lambda word: word.start)
    plain = after < len(page.words) and bool(page.words[after].kind & Kind.ORDINARY) and not page.words[after].listed
    return plain and page.before(found.start, 1) in ("", "\n")


def _is_degree(page: Page, found: Span, piece: str) -> bool:
    """`R. J. Kolb, M. D.`"""
    return page.before(found.start, 2) == ", " and re.sub(r"\W", "", piece).lower() in DEGREES_IN_TEXT


def _is_of_another_shape(page: Page, found: Span, piece: str) -> bool:
    if found.category in _PEOPLE:
        return _names_a_thing(page, found)
    if found.category in _PLACES:
        return _names_no_place(page, found, piece)
    if found.category in WRITTEN_NUMBERS:
        return measures(page.text, found, piece)
    match found.category:
        case Category.INITIALS:
            return not _are_initials(page, found, piece)
        case Category.AGE_OVER_89:
            numbers = [int(number) for number in re.findall(r"\d{1,4}", piece)]
            counted = (
                bool(UNIT_AFTER.match(page.text, found.end)) and "year" not in page.text[found.end : found.end + 8]
            )
            aged = any(90 <= number < 130 for number in numbers) and page.before(found.start, 1) not in ("×", "^", ".")
            return counted or not (aged or _AGE_WORDS.search(piece))
        case Category.DATE:
            return _is_no_date(page, found, piece)
        case Category.TIME if _TOLD_TIME.fullmatch(piece) or _MILITARY.match(page.text, found.start):
            return False
        case Category.TIME if _YEAR_ALONE.fullmatch(piece) and _PUBLISHED.search(page.before(found.start, 24)):
            return True
        case Category.TIME if RATIO.search(page.before(found.start, 16)):
            return True
        case Category.TIME:
            return not _TIME.fullmatch(piece) or measures(page.text, found, piece, least=1)
    return ("." not in piece and "@" not in piece) or is_standard(piece)  # web and mail addresses


def _is_thing(page: Page, found: Span, piece: str) -> bool:
    """What is no identifier however sure the network is: eponyms, words of the ward, countries, amounts, editions."""
    inside = _words_in(page, found)
    words = [page.words[index] for index in inside]
    digits = any(map(str.isdigit, piece))
    before = page.before(found.start, 24)
    if found.category is Category.INITIALS and _SIGNED.search(before):
        return False
    if found.category is Category.TIME and RATIO.search(before):
        return True
    if words and not digits and all(_is_ward_word(word) or word.initial for word in words):
        return not all(word.initial for word in words)
    if not digits and "." in piece and piece.islower() and kind_of(re.sub(r"\W", "", piece)) & Kind.SHORT:  # p.r.n.
        return True
    if not digits and found.category in _PEOPLE | _PLACES:
        plain = all(not word.capital and (word.kind & Kind.ORDINARY or not page.is_small) for word in words)
        return plain or (found.category in _PEOPLE and all(is_eponym(page, index) for index in inside))
    if found.category is Category.URL and is_standard(piece):
        return True
    if not digits:
        numbered = found.category in WRITTEN_NUMBERS and all(_counts_nothing(word) for word in words)
        return numbered or found.category is Category.TIME
    if is_amount(page.text, found.start, piece):
        return True
    if found.category is Category.DATE and not ORDINAL_DAY.match(page.text, found.start):
        if _FRACTION.fullmatch(piece) or ("/" in piece and NOT_BEFORE.match(page.text, found.end)):
            return True
        published = _YEAR_ALONE.fullmatch(piece) and not before.endswith(", ") and _PUBLISHED.search(before)
        return bool(published or _COUNTED_DAY.fullmatch(piece))
    counted = piece.isdigit() and bool(UNIT_AFTER.match(page.text, found.end))
    return counted or bool(LEVEL.fullmatch(piece))


def _counts_nothing(word: PageWord) -> bool:
    return bool(word.kind & Kind.ORDINARY) or (word.text.islower() and len(word.text) <= 3)


def _is_ward_word(word: PageWord) -> bool:
    """An abbreviation, a germ, a drug, a country, a degree or a title."""
    if word.short or word.folded in _things() or word.folded in _countries():
        return True
    return not word.listed and (word.folded in DEGREES_IN_TEXT or word.folded in ALL_TITLES_IN_TEXT)


def _is_no_date(page: Page, found: Span, piece: str) -> bool:
    if ORDINAL_DAY.match(page.text, found.start):
        return False
    if _FRACTION.match(page.text, found.start) or not _DATE.search(piece):
        return True
    if SCORED.search(page.before(found.start, 16)) or NOT_BEFORE.match(page.text, found.end):
        return True
    if _YEAR_ALONE.fullmatch(piece) and _PUBLISHED.search(page.before(found.start, 24)):
        return True
    return measures(page.text, found, piece, least=2)


def _words_in(page: Page, found: Span) -> list[int]:
    first = bisect_right(page.words, found.start, key=lambda word: word.end)
    return list(range(first, bisect_left(page.words, found.end, first, key=lambda word: word.start)))


def _names_a_thing(page: Page, found: Span) -> bool:
    indices = _words_in(page, found)
    letter = found.end - found.start == 1
    if letter and (not _called_by_letter(page, found) or (page.text[found.start].islower() and not page.is_small)):
        return True
    if not indices:
        return not any(map(str.isupper, page.text[found.start : found.end]))
    told = [index for index in indices if not page.words[index].initial] or indices  # D Glucan
    return all(is_eponym(page, index) or _no_name(page, page.words[index]) for index in told)


def _called_by_letter(page: Page, found: Span) -> bool:
    """`Dr. K`, `J. Long`; any other letter alone is a side, a lead or `I`."""
    return bool(_TITLE_BEFORE.search(page.before(found.start, 9)) or _NAME_AFTER.match(page.text, found.end))


def _no_name(page: Page, word: PageWord) -> bool:
    """In small letters and not a name by any list, or a word of the language or the ward that no name is."""
    if word.name_only:
        return False
    if not word.folded.strip("x") or _is_ward_word(word):
        return True
    if not word.capital:
        return not page.is_small or not (word.kind == Kind.UNKNOWN or word.listed)
    if any(map(str.isupper, word.text[1:])) and any(map(str.islower, word.text[1:])):
        return not re.match(
            r"(?:Ma?c|O['’]|D['’]|L['’]|De|Di|Van|Le|La|Fitz)?[A-Z][^\WA-Z]*(?:[-'’][A-Z]?[^\WA-Z]*)*$", word.text
        )
    plain = bool(word.kind & Kind.ORDINARY) and not word.listed
    says_nothing = page.opens_sentence(word.start) or page.in_capitals(word.start) or word.text.isupper()
    return plain and (says_nothing or page.is_foreign)  # every noun of a German text has its capital


def _names_no_place(page: Page, found: Span, piece: str) -> bool:
    if piece.isdigit() and UNIT_AFTER.match(page.text, found.end):
        return True
    if any(map(str.isdigit, piece)):
        return found.category is Category.HOSPITAL and not any(map(str.isupper, piece))
    indices = _words_in(page, found)
    inside = [page.words[index] for index in indices]
    if not inside:
        return False
    if any(word.folded in _HEADS for word in inside) and len(inside) > 1:
        return all(word.kind & Kind.ORDINARY and not word.capital for word in inside)
    if all(word.folded in _countries() for word in inside):
        return True
    return all(_no_place(page, page.words[index]) or is_eponym(page, index) for index in indices)


def _no_place(page: Page, word: PageWord) -> bool:
    ordinary = bool(word.kind & Kind.ORDINARY)
    if (
        word.short
        or word.folded in _things()
        or word.folded in DEGREES_IN_TEXT
        or (not word.capital and (ordinary or not page.is_small))
    ):
        return True
    if ordinary and page.opens_sentence(word.start):
        return True
    if word.kind & (Kind.NAME | Kind.CITY):
        return False
    return bool(word.kind & Kind.EPONYM) or (ordinary and (len(page.words) < 3 or page.opens_sentence(word.start)))


@cache
def _things() -> frozenset[str]:
    return frozenset([*read_list("organisms"), *read_list("products")])


@cache
def _countries() -> frozenset[str]:
    return frozenset(read_list("countries"))


def _are_initials(page: Page, found: Span, piece: str) -> bool:
    text = page.text
    before, after = page.before(found.start, 24), text[found.end : found.end + 1]
    if re.sub(r"\W", "", piece).lower() in DEGREES_IN_TEXT or after.isdigit():  # FY1
        return False
    inside = [page.words[index] for index in _words_in(page, found)]
    known = bool(inside) and all(word.kind & (Kind.SHORT | Kind.ORDINARY) for word in inside)
    signed = bool(_SIGNED.search(before))
    if _TYPIST.fullmatch(piece):
        odd = not piece.islower() and not known and before.endswith((": ", ":", "  ", "\n", "D. "))
        return odd or (signed and not (known and piece.islower()))
    if not _INITIALS.fullmatch(piece) or before[-1:].isdigit() or after == "-":
        return False
    closing = signed and not text[found.end : found.end + 40].strip(" .\r\n")
    if (_SIGNED_THING.search(before) and not closing) or _FIELD_AFTER.match(text, found.end):
        return False
    return not known or closing
