"""What speaks for and against a proposal: what the network says, who proposes it, what its words are and what stands
around them. Nothing here decides; a `scorer` weighs it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.reports.proposal import FAINT, TAGGER, Proposal
from medveil.defenses.reports.rules import FAMILIES, FOLLOWING, IN_PHRASES
from medveil.defenses.reports.rules.contacts import is_standard
from medveil.defenses.reports.rules.dates import NOT_BEFORE, ORDINAL_DAY, SCORED
from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lexicon import Kind, has, is_foreign_word, is_role, kind_of, words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.defenses.reports.rules.times import RATIO
from medveil.defenses.reports.scoring.measurements import LEVEL, UNIT_AFTER, is_amount, is_value, measures
from medveil.defenses.reports.tagger.tagged_text import TaggedText
from medveil.person.identifiers import NUMBERS, Category
from medveil.person.name import ALL_TITLES_IN_TEXT, DEGREES_IN_TEXT
from medveil.person.span import Span

PEOPLE = frozenset({Category.NAME, Category.DOCTOR})
PLACES = frozenset({Category.HOSPITAL, Category.ADDRESS, Category.COUNTY})
WRITTEN_NUMBERS = NUMBERS | {Category.PHONE, Category.FAX}
# Proposals are weighed within their group: a small letter speaks against a name and says nothing of a date.
GROUPS = {
    **dict.fromkeys(PEOPLE, "people"),
    **dict.fromkeys(PLACES, "places"),
    **dict.fromkeys(WRITTEN_NUMBERS, "numbers"),
    Category.INITIALS: "initials",
    Category.DATE: "dates",
    Category.TIME: "times",
    Category.AGE_OVER_89: "ages",
    **dict.fromkeys((Category.EMAIL, Category.URL, Category.NETWORK, Category.PHOTO), "contacts"),
}
_WARD_THINGS = Kind.GERM | Kind.PRODUCT | Kind.COUNTRY
_MOST = 8.0  # as sure as anything gets, in logits

# 1-1/2 weeks; 12/33, which is no day of any month
_FRACTION = re.compile(r"\d{1,2}[- ]\d/\d\d?(?![\d/])|\d{1,2}/(?:3[2-9]|[4-9]\d)(?![\d/])")
_AGE_WORDS = re.compile(r"ninet|nonagen|hundred|centen", re.IGNORECASE)
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
    r"(?:\s?(?:[ap]\.?[ \t]?m\.?|[ap]|h|hrs|hours|[A-Z]{2,4}|[+-]\d\d:?\d\d))?"
    r"|(?:half|quarter|\w+)[ ](?:past|to|o['’]clock)\b.*|\w+[ ]o['’]clock",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"[A-ZÀ-ÞĀ-Ž]\.?(?:[ ]?[A-ZÀ-ÞĀ-Ž]\.?){1,3}")
_TYPIST = re.compile(r"[a-z]{2,3}|[A-Z]{2,4}[a-z]{2,3}|[A-Z]{2,3}\d{1,3}")  # nobody writes `lmb` or `DLnc` for a name
_SIGNED = re.compile(
    r"(?:\b(?i:by|initials?|typist|typed|trans(?:cribed|criptionist)?|scribe|dictated|taken|entered)[ \t]*:?[ \t]*"
    r"(?:[A-Za-z]{2,4}[ ]?/[ ]?)?|(?:\bM\.?D\.?|\bD\.?O\.?|\)|\b[A-Z]{2,4})[ ]?[/:][ ]?|(?:^|\n)[ \t]*[-–—/]{1,2}[ ]?)$"
)
_FIELD_AFTER = re.compile(r":[ ]?\d|:[ \t]")  # `DV: 05/17/77`, `PC: pain`
_THING_BEFORE = re.compile(r"\w[/-]$")  # ATS/ERS
_NUMBERING = re.compile(r"\d{1,2}(?:\)|\.[ ])|[A-Z][.)][ ]")
_GOES_ON = re.compile(r"[/.:-]\d")
_LAST_WORD = re.compile(r"([^\W\d_]+)[.:;,(#@\"“-]*[ \t\r\n]*(?:the[ \t\r\n]+)?$", re.IGNORECASE)
_BED_AFTER = re.compile(r"[ ,]{1,3}(?:bed|bay|rm|room|cub|ward|\d|[A-Z]\d)", re.IGNORECASE)
_IN_PLACE = words("from at in near to of via outside employed seen medevac member")
_BY_WHOM = words(
    "by with w dr drs mr mrs ms miss prof doctor nurse sister son daughter wife husband mother father mum mom dad told "
    "called named per spoke seen cc attn dear re patient pt name regards sincerely thanks reg sr const inv"
)
_DATED = words("on since from dated until till by before after in of last next due seen dob born date")
_EMPLOYED = words(
    "works worked working work retired former ex employer employed crew driver nurse teacher student church club "
    "insurer insurance panel plan via through"
)
_ALONE = words(
    "clinic ward unit hospital practice surgery department dept suite centre center home station team city county "
    "street the of at in on and for by with from to de la le du el der die das am zum punkt punto point"
)
_CONTEXTS = (_IN_PLACE, _BY_WHOM, _DATED, _EMPLOYED)
_NEXT_WORD = re.compile(r"[ \t,(\"“]{1,3}([^\W\d_]+)")
_HEADS = re.compile(r"\"?[ ]?:|\|")  # what a label does

_NETWORK = ("mean", "least", "most", "before", "after")
_TOLD = (
    "other shape",
    "thing",
    "numbering",
    "eponym",
    "ward word",
    "all ordinary",
    "some unknown",
    "some name",
    "small",
    "small page",
    "loud",
    "opens sentence",
    "foreign page",
    "digits",
    "many digits",
    "unit after",
    "amount",
    "one letter",
    "part of more",
    "several words",
    "line start",
    "line end",
    "bed after",
    "signed",
    "in place",
    "by whom",
    "dated",
    "employed",
    "rule too",
    "echo",
    "value",
    "few digits",
    "foreign word",
    "some foreign word",
    "small abroad",
    "capital after",
    "small after",
    "number after",
    "heads",
    "opens text",
    "abbreviation",
    "only roles",
)
_BY = (TAGGER, FAINT, *(name + mark for name in (*FAMILIES, *FOLLOWING, *IN_PHRASES) for mark in ("", "?")))
NAMES = ("bias", *_NETWORK, *_TOLD, *(f"by {name}" for name in _BY))
_BY_PLACE = {name: NAMES.index(f"by {name}") for name in _BY}
_FIRST_TOLD = NAMES.index(_TOLD[0])


def evidence(
    page: Page, proposals: Sequence[Proposal], tagged: TaggedText, among: Sequence[Proposal] | None = None
) -> NDArray[np.float32]:
    """A row a proposal, a column a name; `among` are all that were made, where these are only some of them."""
    among = proposals if among is None else among
    rows = np.zeros((len(proposals), len(NAMES)), np.float32)
    if not proposals:
        return rows
    rows[:, 0] = 1
    rows[:, 1 : 1 + len(_NETWORK)] = _said(proposals, tagged)
    sure = _said(among, tagged)[:, 0] > 1
    ruled = Marks(len(page.text), (one for one in among if one.by not in _BY[:2]))
    names = _names(page, [one for one, certain in zip(among, sure.tolist(), strict=True) if certain])
    for row, one in zip(rows, proposals, strict=True):
        row[_FIRST_TOLD : _FIRST_TOLD + len(_TOLD)] = _told(page, one, ruled, names)
        row[_BY_PLACE[one.by]] = 1
    return rows


class Marks:
    """Characters that the proposals of some finder cover, by group."""

    def __init__(self, length: int, proposals: Iterable[Proposal]) -> None:
        self._by_group: dict[str, bytearray] = {}
        for one in proposals:
            marks = self._by_group.setdefault(GROUPS[one.category], bytearray(length))
            marks[one.start : one.end] = b"\x01" * (one.end - one.start)

    def touch(self, one: Span) -> bool:
        marks = self._by_group.get(GROUPS[one.category])
        return marks is not None and marks.find(1, one.start, one.end) >= 0

    def cover(self, one: Span) -> bool:
        marks = self._by_group.get(GROUPS[one.category])
        return marks is not None and marks.find(0, one.start, one.end) < 0


def _said(proposals: Sequence[Proposal], tagged: TaggedText) -> NDArray[np.float32]:
    """The network's logits that a proposal identifies somebody: average, least and most; and those beside it."""
    tokens = tagged.tokens
    logits = np.clip(np.log1p(-tagged.p_none + 1e-7) - np.log(tagged.p_none + 1e-7), -_MOST, _MOST)
    logits = np.concatenate(([-_MOST], logits, [-_MOST, -_MOST]))
    firsts = 1 + np.searchsorted(tokens.ends, [one.start for one in proposals], "right")
    lasts = np.maximum(1 + np.searchsorted(tokens.starts, [one.end for one in proposals], "left"), firsts + 1)
    until = np.concatenate(([0.0], np.cumsum(logits, dtype=np.float64)))
    bounds = np.stack((firsts, lasts), 1).ravel()
    return np.stack(
        (
            (until[lasts] - until[firsts]) / (lasts - firsts),
            np.minimum.reduceat(logits, bounds)[::2],
            np.maximum.reduceat(logits, bounds)[::2],
            logits[firsts - 1],
            logits[lasts],
        ),
        1,
    ).astype(np.float32)


def _names(page: Page, proposals: Sequence[Proposal]) -> dict[str, set[int]]:
    """The words of people and places that are proposed without doubt, and where they stand."""
    places: dict[str, set[int]] = {}
    for one in proposals:
        if one.category in PEOPLE or one.category in PLACES:
            for index in words_in(page, one):
                if len(page.words[index].folded) > 2:
                    places.setdefault(page.words[index].folded, set()).add(index)
    return places


def words_in(page: Page, found: Span) -> range:
    first = bisect_right(page.words, found.start, key=lambda word: word.end)
    return range(first, bisect_left(page.words, found.end, first, key=lambda word: word.start))


def _told(page: Page, one: Proposal, ruled: Marks, names: dict[str, set[int]]) -> tuple[bool, ...]:
    """In the order of `_TOLD`."""
    text, start, end = page.text, one.start, one.end
    piece, before = text[start:end], page.before(start, 24)
    inside = words_in(page, one)
    own = [page.words[index] for index in inside]
    digits = sum(map(str.isdigit, piece))
    last = _LAST_WORD.search(before)
    said = last[1].lower() if last else ""
    edge = before[-1:]
    following = _NEXT_WORD.match(text, end)
    next_word = following[1] if following else ""
    return (
        _is_of_another_shape(page, one, piece, own, inside),
        _is_thing(page, one, piece, own, inside),
        bool(_NUMBERING.match(text, start)) and edge in ("", "\n", " ") and end - start < 3,
        bool(own) and all(is_eponym(page, index) for index in inside),
        bool(own) and all(_is_ward_word(word) for word in own),
        bool(own) and all(word.kind & Kind.ORDINARY and not word.listed for word in own),
        any(word.kind == Kind.UNKNOWN for word in own),
        any(word.name_only for word in own),
        bool(own) and not any(word.capital for word in own),
        page.is_small,
        page.in_capitals(start),
        page.opens_sentence(start),
        page.is_foreign,
        digits > 0,
        digits > 4,
        bool(UNIT_AFTER.match(text, end)),
        digits > 0 and is_amount(text, start, piece),
        end - start == 1,
        edge.isalnum() or text[end : end + 1].isalnum() or bool(_GOES_ON.match(text, end)),
        len(own) > 1,
        edge in ("", "\n"),
        text[end : end + 1] in ("", "\n", "\r"),
        bool(_BED_AFTER.match(text, end)),
        bool(_SIGNED.search(before)),
        *(said in context for context in _CONTEXTS),
        one.by in _BY[:2] and ruled.touch(one),
        any(names.get(word.folded, set()) - {index} for word, index in zip(own, inside, strict=True)),
        is_value(text, start, end),
        0 < digits < 3,
        bool(own) and all(is_foreign_word(word.folded) and not word.listed for word in own),
        any(is_foreign_word(word.folded) and not word.listed for word in own),
        page.is_foreign and bool(own) and not any(word.capital for word in own),
        bool(next_word) and next_word[0].isupper(),
        bool(next_word) and next_word[0].islower(),
        text[end : end + 2].strip()[:1].isdigit(),
        bool(_HEADS.match(text, end)),
        start == 0,
        bool(own)
        and all(word.text.isupper() and 1 < len(word.text) < 6 for word in own)
        and not page.in_capitals(start),
        bool(own) and all(is_role(word.folded) or word.folded in _ALONE for word in own),
    )


def _is_of_another_shape(page: Page, found: Span, piece: str, own: list[PageWord], inside: range) -> bool:
    """Whether it does not look like what it is said to be."""
    if found.category in PEOPLE:
        told = [index for index in inside if not page.words[index].initial] or inside  # D Glucan
        return all(is_eponym(page, index) or _no_name(page, page.words[index]) for index in told)
    if found.category in PLACES:
        if any(map(str.isdigit, piece)):
            return found.category is Category.HOSPITAL and not any(map(str.isupper, piece))
        return bool(own) and all(
            _no_place(page, word) or is_eponym(page, i) for word, i in zip(own, inside, strict=True)
        )
    if found.category in WRITTEN_NUMBERS:
        return measures(page.text, found, piece)
    match found.category:
        case Category.INITIALS:
            return not _are_initials(page, found, piece, own)
        case Category.AGE_OVER_89:
            aged = any(90 <= int(number) < 130 for number in re.findall(r"\d{1,4}", piece))
            return not (aged or _AGE_WORDS.search(piece)) or page.before(found.start, 1) in ("×", "^", ".")
        case Category.DATE:
            return _is_no_date(page, found, piece)
        case Category.TIME if _YEAR_ALONE.fullmatch(piece) and _PUBLISHED.search(page.before(found.start, 24)):
            return True
        case Category.TIME:
            numbers = any(map(str.isdigit, piece))
            return not _TIME.fullmatch(piece) or (numbers and measures(page.text, found, piece, least=1))
    return ("." not in piece and "@" not in piece and ":" not in piece) or is_standard(piece)  # addresses of machines


def _is_thing(page: Page, found: Span, piece: str, own: list[PageWord], inside: range) -> bool:
    """What is no identifier as a rule: words of the ward, countries, amounts, fractions, editions."""
    digits = any(map(str.isdigit, piece))
    before = page.before(found.start, 24)
    if own and not digits and all(_is_ward_word(word) or word.initial for word in own):
        return not all(word.initial for word in own)
    if not digits and "." in piece and piece.islower() and kind_of(re.sub(r"\W", "", piece)) & Kind.SHORT:  # p.r.n.
        return True
    if not digits:
        return found.category in WRITTEN_NUMBERS and all(_counts_nothing(word) for word in own)
    if is_amount(page.text, found.start, piece) or RATIO.search(before):
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
    if word.short or has(word.folded, _WARD_THINGS):
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


def _no_place(page: Page, word: PageWord) -> bool:
    ordinary = bool(word.kind & Kind.ORDINARY)
    if word.short or word.folded in DEGREES_IN_TEXT or has(word.folded, _WARD_THINGS):
        return True
    if (not word.capital and (ordinary or not page.is_small)) or (ordinary and page.opens_sentence(word.start)):
        return True
    return not word.kind & (Kind.NAME | Kind.CITY) and bool(word.kind & Kind.EPONYM)


def _are_initials(page: Page, found: Span, piece: str, own: list[PageWord]) -> bool:
    text = page.text
    before, after = page.before(found.start, 24), text[found.end : found.end + 1]
    if re.sub(r"\W", "", piece).lower() in DEGREES_IN_TEXT or after.isdigit():  # FY1
        return False
    known = bool(own) and all(word.kind & (Kind.SHORT | Kind.ORDINARY) for word in own)
    signed = bool(_SIGNED.search(before))
    if _TYPIST.fullmatch(piece):
        odd = not piece.islower() and not known and before.endswith((": ", ":", "  ", "\n", "D. "))
        return odd or (signed and not (known and piece.islower()))
    if not _INITIALS.fullmatch(piece) or before[-1:].isdigit() or after == "-":
        return False
    closing = signed and not text[found.end : found.end + 40].strip(" .\r\n")
    if (_THING_BEFORE.search(before) and not closing) or _FIELD_AFTER.match(text, found.end):
        return False
    return not known or closing
