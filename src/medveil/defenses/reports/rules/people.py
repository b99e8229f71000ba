"""People told by what stands beside them: a title, a relation, a form's label or a phrase before the name, a degree
or what only people do after it. All others are for the network to find."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import Kind, has, in_dictionary, words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category
from medveil.person.name import (
    ABBREVIATED_TITLES,
    ALL_TITLES_IN_TEXT,
    DEGREES_IN_TEXT,
    DOCTOR_TITLES_IN_TEXT,
    RANKS_IN_TEXT,
)

_LONGEST = 5  # words
_AFTER_TITLE = re.compile(r"\.?\)?[ \t\xa0]{0,2}(?:\r?\n[ \t]*)?")
_AFTER_LABEL = re.compile(r"[ \t]?[:=][ \t]{0,4}")
_AFTER_KIN = re.compile(r",?[ ]|[ ]?[(:][ ]?")
_AFTER_PHRASE = re.compile(r"[ \t]{1,2}|[ \t]*\r?\n[ \t]*")
_DEGREE_AFTER = re.compile(
    r"(?:[ ]?,)?[ \t]{0,2}(?:N\.?P|M\.?[ ]?D\.?|D\.?O\.?|Ph\.?D\.?|R\.?N\.?|MBBS|FRCR|R\.?T\.?)(?![A-Za-z])"
)
_DOES_AFTER = re.compile(
    r"[ ](?:is|was)[ ]an?[ ](?:\d{1,3}[ -]|[a-z-]+-)(?:years?|yrs?|yo)\b"
    r"|[ ](?:tolerated|asked[ ]that|denies|declined)\b"
)
_WITHIN = re.compile(r"[ \t\xa0]{1,2}|[ \t]*\r?\n[ \t]*|[ ]['’]")
_COMMA = re.compile(r",[ \t]{0,2}|\^")
_AND_ANOTHER = re.compile(r"(?:/|[ ](?P<word>and|und|et|y)[ ])(?=[A-ZÀ-Þ])")
_BY = words("by von par por")
_SAID_BY = words(
    "dictated signed transcribed typed interpreted read reviewed verified approved performed ordered befundet diktiert "
    "unterschrieben signe lu valide firmado informado validado"
)
_GRADES = words("no trace trivial mild moderate mod severe significant and")  # mild MR: a valve
_ANYBODY = words("patient he she it this that who they baby child boy girl man woman male female mother father donor")
_NO_NAMES = ABBREVIATED_TITLES | words(
    "the a an this that at on in of for with and or to from by is was are be has had"
)


def take(page: Page) -> None:
    for index, word in enumerate(page.words[:-1]):
        if word.folded in ALL_TITLES_IN_TEXT or (word.folded == "med" and page.before(word.start, 4) == "Dr. "):
            _after_title(page, index)
        elif has(word.folded, Kind.KIN):
            _after(page, index, _AFTER_KIN, Category.NAME)
        elif has(word.folded, Kind.PATIENT | Kind.STAFF):
            category = Category.NAME if has(word.folded, Kind.PATIENT) else Category.DOCTOR
            _after(page, index, _AFTER_LABEL, category, label=True)
        if word.folded in _BY and index and page.words[index - 1].folded in _SAID_BY:
            _after(page, index, _AFTER_PHRASE, Category.DOCTOR)
        if page.words[index + 1].folded in DEGREES_IN_TEXT and _DEGREE_AFTER.match(page.text, word.end):
            _before(page, index, Category.DOCTOR)
        elif word.capital and word.folded not in _ANYBODY and _DOES_AFTER.match(page.text, word.end):
            _before(page, index, Category.NAME)


def _after_title(page: Page, index: int) -> None:
    title, name = page.words[index], page.words[index + 1]
    gap = page.text[title.end : name.start]
    if not gap or not _AFTER_TITLE.fullmatch(gap) or name.folded in ALL_TITLES_IN_TEXT:
        return
    loud = title.text.isupper() and len(title.text) > 1 and "." not in gap  # MR and DR are machines, MS a disease
    small = title.text.islower() and name.text.islower() and len(name.text) > 2 and not in_dictionary(name.folded)
    if (loud or title.folded in RANKS_IN_TEXT or not title.capital) and not (
        _is_strange(name) or name.kind & Kind.PARTICLE or small
    ):
        return
    if title.text == "MR" and index and page.words[index - 1].folded in _GRADES:
        return
    last = index + 1 if small else _last_of(page, index + 1, titled=not loud and title.capital)
    category = Category.DOCTOR if title.folded in DOCTOR_TITLES_IN_TEXT else Category.NAME
    _take(page, index + 1, last, category)
    if last > 0 and (other := _AND_ANOTHER.match(page.text, page.words[last].end)):  # Drs. Long and Short
        first = last + 1 + bool(other["word"])
        _take(page, first, _last_of(page, first), category)


def _is_strange(word: PageWord) -> bool:
    return word.name_only or word.kind == Kind.UNKNOWN


def _after(page: Page, index: int, gap: re.Pattern[str], category: Category, *, label: bool = False) -> None:
    """The name after a label, a relation or a phrase; after a label also `Family, Given`."""
    name = page.words[index + 1]
    if gap.fullmatch(page.text, page.words[index].end, name.start) and (label or _is_strange(name) or name.initial):
        _take(page, index + 1, _last_of(page, index + 1, comma=label), category)


def _before(page: Page, index: int, category: Category) -> None:
    """The name that ends here; a patient's also as `Family, Given`."""
    first = index
    while (
        first and index - first < _LONGEST and _goes_on(page, first, comma=first == index and category is Category.NAME)
    ):
        before = page.words[first - 1]
        if not (_nameable(page, before) or before.initial or before.kind & Kind.PARTICLE):
            break
        first -= 1
    if first < index or page.words[index].listed or _is_strange(page.words[index]):
        _take(page, first, index, category)


def _between(page: Page, index: int) -> tuple[int, int]:
    """What parts this word from the one before."""
    return page.words[index - 1].end, page.words[index].start


def _last_of(page: Page, first: int, *, comma: bool = False, titled: bool = False) -> int:
    """The last word of the name that begins here, or -1; after a title even an ordinary word is one: Dr. Base."""
    last = -1
    for place in range(first, min(first + _LONGEST, len(page.words))):
        word = page.words[place]
        if place > first and not _goes_on(page, place, comma=comma and last == first):
            break
        if _nameable(page, word) or (titled and last < 0 and _is_written_as_one(page, word)):
            last = place
        elif word.initial:
            last = place if last >= 0 else last
        elif not word.kind & Kind.PARTICLE or word.text.isupper():
            break
        if word.text[-2:].lower() in ("'s", "’s"):
            break
    return last


def _goes_on(page: Page, place: int, *, comma: bool) -> bool:
    before, (start, end) = page.words[place - 1], _between(page, place)
    if page.text[start:end].strip(" ") == ".":
        return before.initial or before.folded == "st"
    if "\n" in page.text[start:end] and not (page.words[place].name_only or before.kind & Kind.PARTICLE):
        return False
    return bool(_WITHIN.fullmatch(page.text, start, end) or (comma and _COMMA.fullmatch(page.text, start, end)))


def _nameable(page: Page, word: PageWord) -> bool:
    """A name by a list, or a word of none."""
    return _is_written_as_one(page, word) and (word.listed or not word.kind & Kind.THING) and not word.short


def _is_written_as_one(page: Page, word: PageWord) -> bool:
    named = word.capital and len(word.text) > 1 and word.folded not in _NO_NAMES | DEGREES_IN_TEXT
    code = word.text.isupper() and page.text[word.end : word.end + 1].isdigit()
    return named and not code and bool(word.folded.strip("x")) and page.free(word.start, word.end)


def _take(page: Page, first: int, last: int, category: Category) -> None:
    if last < first:
        return
    word = page.words[last]
    genitive = 2 if word.text[-2:].lower() in ("'s", "’s") and len(word.text) > 3 else 0
    if page.free(page.words[first].start, word.end):
        page.take(page.words[first].start, word.end - genitive, category)
