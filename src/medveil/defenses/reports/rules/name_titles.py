"""Names told by a title, a relation or the close of a letter: Dr. Long, her son Kwame, Yours sincerely."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lists import Kind, in_dictionary, words
from medveil.defenses.reports.rules.name_reading import name_from, possible, take_name
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category
from medveil.person.name import ALL_TITLES_IN_TEXT, DOCTOR_TITLES_IN_TEXT, RANKS_IN_TEXT, TITLES_IN_TEXT

_KIN = words(
    "wife husband daughter son mother father brother sister niece nephew aunt uncle grandson granddaughter spouse "
    "partner guardian caregiver friend neighbor neighbour girlfriend boyfriend fiance fiancee stepson stepdaughter "
    "cousin proxy mom dad grandmother grandfather parents sister-in-law brother-in-law son-in-law daughter-in-law"
)
_SMALL_TITLES = words("mr mrs ms")
_NOT_CALLED = words("may will can do page call bill mark sign chase grant price order long")  # dr will call
_GRADES = words("no trace trivial mild moderate mod severe significant and")
_CLOSINGS = words("sincerely regards faithfully respectfully cordially truly cheers aye thanks wishes")
# a damaged or misread space is one of "!$`
_AFTER_TITLE = re.compile(r"(?:\.[\"!$`]|\.?\)?)[ \t\xa0]{0,3}(?:\r?\n[ \t]*)?")
_AFTER_KIN = re.compile(r",?[ \t]{1,2}(?:\r?\n)?|[ \t]*\r?\n|[ \t]?[(:][ \t]?|,\r?\n")
_AFTER_CLOSING = re.compile(r",?[ \t]*(?:\r?\n[ \t]*){1,5}")


def take(page: Page) -> None:
    for index, word in enumerate(page.words[:-1]):
        if word.folded in DOCTOR_TITLES_IN_TEXT:
            _after_title(page, index, Category.DOCTOR)
        elif word.folded in ALL_TITLES_IN_TEXT and _is_title(page, index):
            _after_title(page, index, Category.NAME)
        elif word.folded in _KIN:
            _after_kin(page, index)
        elif word.folded in _CLOSINGS:
            _after_closing(page, index)


def _is_title(page: Page, index: int) -> bool:
    word, after = page.words[index], page.words[index + 1]
    if word.folded in TITLES_IN_TEXT:
        return word.capital or (page.is_small and word.folded in _SMALL_TITLES)
    # a rank of people, and much else: only before a name of the lists, or a word of none
    called = after.capital and (after.name_only or (after.kind == Kind.UNKNOWN and len(after.text) > 3))
    return word.folded in RANKS_IN_TEXT and word.capital and called


def _after_title(page: Page, index: int, category: Category) -> None:
    title, after = page.words[index], page.words[index + 1]
    gap = page.text[title.end : after.start]
    if not gap or not _AFTER_TITLE.fullmatch(gap) or not after.folded.strip("x"):
        return
    if title.text == "MR" and index and page.words[index - 1].folded in _GRADES:  # mild MR: a valve
        return
    if (title.folded in ("rn", "np") and "." in gap) or after.folded in DOCTOR_TITLES_IN_TEXT:  # Prof. Dr. Long
        return
    dotted, loud = gap.startswith("."), title.text.isupper() and len(title.text) > 1
    if loud and not dotted:  # MR and DR are machines, MS a disease
        unknown = after.kind == Kind.UNKNOWN and title.folded not in ("mr", "ms", "dr")
        if not after.name_only and not unknown and not _leads_to_name(page, index + 1):
            return
    start = title.start if category is Category.NAME and title.folded not in _KIN and ")" not in gap else None
    if title.text.islower() or not after.capital:
        _after_small_title(page, index, category, start)
        return
    last = name_from(page, index + 1, sure=True, titled=dotted or not loud)
    if last >= 0:
        take_name(page, index + 1, last, category, start=start)
        _take_others(page, last, category)


def _leads_to_name(page: Page, index: int) -> bool:
    """`de Vries`, `van den Berg`: small particles before a name."""
    for word in page.words[index : index + 4]:
        if word.capital:
            return word.name_only or word.kind == Kind.UNKNOWN
        if not word.kind & Kind.PARTICLE:
            return False
    return False


def _after_small_title(page: Page, index: int, category: Category, start: int | None) -> None:
    """`dr smith`, or a particle: `Dr. van den Broek`."""
    after = page.words[index + 1]
    if after.kind & Kind.PARTICLE and (last := name_from(page, index + 1, sure=True, titled=True)) >= 0:
        take_name(page, index + 1, last, category, start=start)
    elif after.kind & Kind.SHORT or is_eponym(page, index + 1) or len(after.text) <= 2:
        return
    elif not in_dictionary(after.folded) or (after.listed and after.folded not in _NOT_CALLED):
        take_name(page, index + 1, index + 1, category)


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
        take_name(page, last + step, following, category)
        last = following


def _after_kin(page: Page, index: int) -> None:
    words = page.words
    first = index + 1
    if [word.folded for word in words[first : first + 3]] == ["of", "the", "patient"] and first + 3 < len(words):
        index, first = index + 3, first + 3
    if not _AFTER_KIN.fullmatch(page.text, words[index].end, words[first].start):
        return
    if words[first].folded in ("named", "called", "is") and first + 1 < len(words):
        first += 1
    if words[first].folded in ALL_TITLES_IN_TEXT:
        return
    last = name_from(page, first, sure=True)
    if last >= 0 and not words[first].kind & Kind.EPONYM:
        take_name(page, first, last, Category.NAME)
    elif last < 0 and (words[first].name_only or (words[first].kind == Kind.UNKNOWN and len(words[first].text) > 4)):
        take_name(page, first, first, Category.NAME)


def _after_closing(page: Page, index: int) -> None:
    gap = _AFTER_CLOSING.match(page.text, page.words[index].end)
    if gap and page.words[index + 1].start == gap.end():
        last = name_from(page, index + 1, sure=True)
        if last >= 0:
            take_name(page, index + 1, last, Category.DOCTOR)
