"""Names told by what follows them: a degree, an age, or a verb that only people have."""

from __future__ import annotations

import re
from bisect import bisect_left

from medveil.defenses.reports.rules.lists import Kind, words
from medveil.defenses.reports.rules.name_reading import possible, take_name
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category
from medveil.person.name import DEGREES_IN_TEXT

_VITALS = words("temp temperature tmax t age aged bp hr rr pulse day pod room rm")
_VERBS = words(
    "is was may can presented reports complains denies states tolerated asked requested declined refused agreed "
    "verbalized wishes wants lives returns drinks smokes"
)
_DEGREE_WORDS = DEGREES_IN_TEXT | words("m d ph r n p")
_DEGREE_AFTER = re.compile(
    r"(?:[ ]?,[ \t]{0,2}P\.?A\.?(?![A-Za-z]|[ \t]+(?:view|and|chest|lat|erect|upright))|(?:[ ]?,)?[ \t]{0,2}(?:\r?\n[ "
    r"\t]*)?(?:M\.[ ]?D\.|D\.O\.|Ph\.[ ]?D\.|R\.N\.|N\.P\.|P\.A\.|MD|DO|MBBS|MBChB|PhD|RN|NP|PA-C|"
    r"APRN|CRNP|CRNA|DNP|DPM|DDS|FRCR|FACR|FRCP|FACS|FRCS|RRT|RT\(R\)|R\.?T\.?[ ]?\([A-Z]|RDMS|CNMT|PharmD|LPN|"
    r"FRCPC|FACC|DABR|CNM)(?![A-Za-z]))"
)
# In any case, where a comma says that something is added to a name.
_SMALL_DEGREE_AFTER = re.compile(
    r",[ \t]{0,2}(?:m\.?[ ]?d|d\.o|ph\.?[ ]?d|r\.?n|n\.p|p\.a|mbbs|frcr|pa-c)(?:\.|(?![\w-]))", re.IGNORECASE
)
_AGE_AFTER = re.compile(r" \d{1,3} ?(?:yo|y/o|[MF])(?![A-Za-z])")
_IS_A = re.compile(
    r"[ \t\r\n]{1,3}(?:is|was)[ \t\r\n]{1,3}an?[ \t\r\n]{1,3}(?:\d{1,3}|[a-z\-]+-year|ninety|[a-z]+teen|pleasant|"
    r"very|elderly|young)|(?:['’]s)?[ \t\r\n]{1,3}(?:may[ \t]be[ \t]reached|can[ \t]be[ \t]reached|presented[ "
    r"\t]to|was[ \t](?:admitted|seen|evaluated|transferred|discharged|referred)|reports[ \t]that|complains|denies|"
    r"states[ \t]that|is[ \t]doing|tolerated|asked[ \t](?:that|to|for|about|if|whether)|requested[ \t]that|declined|"
    r"refused|agreed[ \t]to|verbalized|(?:wishes|wants)[ \t]to|lives[ \t](?:with|in|at|alone)|returns[ \t](?:for|to)|"
    r"(?:drinks|smokes)[ \t](?!per))"
)
_CERTAIN = re.compile(r"\W{1,3}(?:(?:is|was)\s+an?\s+\d|(?:may|can)\s+be\s+reached)")
_OF_AGE = re.compile(r"\W{1,3}(?:is|was)\s+an?\s+\d{1,3}(?:[\s-]*(?:years?|yrs?)[\s-]+old|\s?(?:yo|y/o))(?![A-Za-z])")
# Who else may be of an age; any other word before one is a name, whatever it means elsewhere.
_SUBJECTS = words(
    "patient pt she he it this that who they there here mother father brother sister wife husband son daughter baby "
    "infant child boy girl man woman male female lady gentleman student teacher nurse doctor veteran subject case "
    "history indication donor recipient driver victim resident twin sibling mom dad partner spouse"
)
_BEFORE_BRACKET = re.compile(
    r"(?<![\w'’-])(?:(?:da|de|del|di|la|le|van|von|den|der|ten) ){0,3}[A-ZÀ-Þ][\w'’-]{1,40}, [A-ZÀ-Þ][\w'’-]{1,40}"
    r"(?= \((?:[Cc]hart|MRN|[Rr]ecord|[Hh]osp|ID|[Nn]o|[Uu]nit|[Aa]cct)\b)"
)
_IN_BRACKETS = re.compile(r"\(([A-ZÀ-Þ](?:[a-zß-ÿ]+|[A-ZÀ-Þ]{3,}))\)")
_GAP = re.compile(r"[ \t]{1,2}['’]?|\.[ \t]{0,2}|[ \t]*\r?\n[ \t]*")


def take_before_degrees(page: Page) -> None:
    """`Jane Short, MD`."""
    for index, word in enumerate(page.words):
        if index and word.folded in _DEGREE_WORDS:
            _before_degree(page, index - 1)
            _before_small_degree(page, index - 1)


def take(page: Page) -> None:
    for index, word in enumerate(page.words[1:]):
        if word.folded in _VERBS:
            _before_verb(page, index)
    _take_before_ages(page)
    _take_in_brackets(page)
    _take_before_numbers(page)


def _before_degree(page: Page, index: int) -> None:
    words, word = page.words, page.words[index]
    if not word.capital or word.folded in DEGREES_IN_TEXT or not _DEGREE_AFTER.match(page.text, word.end):
        return
    if not possible(page, word, sure=True) and not _is_family(page, index):
        return
    first = _first_of(page, index)
    while first < index and words[first].short and not words[first].listed and not words[first].initial:
        first += 1
    if first == index and word.kind & (Kind.ORDINARY | Kind.SHORT) and not word.listed:
        return
    if words[first].kind & Kind.ORDINARY and not words[first].listed and not words[first].kind & Kind.PARTICLE:
        first += 1
    if first <= index:
        take_name(page, first, index, Category.DOCTOR)


def _before_small_degree(page: Page, index: int) -> None:
    """`$ELEANOR LINES, m.D.` and `eleanor lines, md`: a given name and one more, however they are written."""
    word, before = page.words[index], page.words[index - 1]
    if not index or not _SMALL_DEGREE_AFTER.match(page.text, word.end) or word.kind & Kind.SHORT:
        return
    first = index - 2 if before.initial and index > 1 else index - 1
    given = page.words[first]
    named = bool(given.kind & Kind.GIVEN) and (not given.kind & Kind.ORDINARY or given.capital)
    if (named or word.name_only) and _GAP.fullmatch(page.text, before.end, word.start):
        take_name(page, first if named else index, index, Category.DOCTOR)


def _first_of(page: Page, index: int) -> int:
    """Where the name begins that ends here."""
    first = index
    while first and index - first < 4 and _belongs_before(page, first):
        first -= 1
    return first


def _is_family(page: Page, index: int) -> bool:
    """An ordinary word as a family name: a given name stands before it."""
    words = page.words
    if not words[index].capital or words[index].kind & Kind.SHORT or not index:
        return False
    before = words[index - 1]
    named = before.capital and bool(before.kind & Kind.GIVEN or before.initial)
    near = bool(_GAP.fullmatch(page.text, before.end, words[index].start))
    return near and (named or bool(before.kind & Kind.PARTICLE))


def _belongs_before(page: Page, first: int) -> bool:
    before, gap = page.words[first - 1], page.text[page.words[first - 1].end : page.words[first].start]
    if not _GAP.fullmatch(gap):
        return False
    if (gap.startswith(".") and not before.initial and before.folded != "st") or (
        "\n" in gap and not before.name_only and not page.wrapped(before.end)
    ):
        return False
    if before.initial or before.kind & Kind.PARTICLE:
        return True
    if before.capital and before.kind & Kind.GIVEN and page.free(before.start, before.end):
        return True
    return possible(page, before, sure=True) and (before.listed or not before.kind & Kind.ORDINARY)


def _before_verb(page: Page, index: int) -> None:
    """`Long is a 54-year-old woman`, `Stone may be reached at`."""
    word = page.words[index]
    if not word.capital or len(word.text) < 2 or not _IS_A.match(page.text, word.end):
        return
    if word.text.isupper() and (len(word.text) < 4 or page.in_capitals(word.start)):
        return
    aged = word.folded not in _SUBJECTS and bool(_OF_AGE.match(page.text, word.end))
    certain = bool(_CERTAIN.match(page.text, word.end)) and (word.kind & Kind.EPONYM or _is_family(page, index))
    if not word.listed and word.kind != Kind.UNKNOWN and not certain and not aged:
        return
    first = _first_of(page, index)
    if first and _family_before(page, first):
        first -= 1
    if aged or not page.words[first].kind & Kind.ORDINARY or page.words[first].listed:
        take_name(page, first, index, Category.NAME)


def _family_before(page: Page, first: int) -> bool:
    """`Long, Alice tolerated the examination`."""
    before = page.words[first - 1]
    return page.text[before.end : page.words[first].start] == ", " and possible(page, before, sure=True)


def _take_before_numbers(page: Page) -> None:
    """`Result for Long, Alice (chart 1234567)`: a number of the patient's in brackets tells whose name it is."""
    for match in _BEFORE_BRACKET.finditer(page.text):
        numbered = any(page.taken_at(place) for place in range(match.end() + 1, match.end() + 20))
        if numbered and page.free(*match.span()):
            page.take(*match.span(), Category.NAME)


def _take_before_ages(page: Page) -> None:
    """`GANZ 69M, SOB`: the name a line begins with, before an age and a sex."""
    for index in page.capitals:
        word = page.words[index]
        if word.short or page.text[word.end : word.end + 1] != " " or word.folded in _VITALS:
            continue
        if _AGE_AFTER.match(page.text, word.end):
            first = _first_of(page, index)
            if page.before(page.words[first].start, 1) in ("", "\n"):
                take_name(page, first, index, Category.NAME)


def _take_in_brackets(page: Page) -> None:
    """`Cath 2/14/09 (Long)`: who it was, after a date or another identifier."""
    for match in _IN_BRACKETS.finditer(page.text):
        index = bisect_left(page.words, match.start(1), key=lambda word: word.start)
        word = page.words[index]
        named = word.name_only or (word.kind == Kind.UNKNOWN and len(word.text) > 4)
        if page.taken_at(match.start() - 2) and named and page.free(word.start, word.end):
            take_name(page, index, index, Category.DOCTOR)
