"""Hospitals, clinics and practices by the word that their names turn on."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import Kind, words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category

_HEADS = words(
    "hospital hospitals infirmary clinic clinics klinik klinikum krankenhaus hopital hospice sanatorium polyclinic "
    "ospedale clinique clinica ziekenhuis sykehus universitatsklinikum surgicenter"
)
_PAIRS = {
    head: frozenset(described.split())
    for head, described in {
        "center": "medical health cancer care heart trauma surgery imaging rehabilitation radiology nursing surgical",
        "centre": "medical health cancer care heart trauma surgery imaging rehabilitation radiology nursing",
        "home": "nursing care",
        "system": "health healthcare hospital",
        "group": "medical radiology physicians",
        "associates": "radiology medical cardiology",
        "institute": "cancer heart medical",
        "trust": "nhs foundation hospital",
    }.items()
}
# Some words of a name describe; some name where nothing else does; some tell that no name is given.
_NAMING = words(
    "memorial royal st saint santa san mount holy sacred presbyterian methodist baptist lutheran mercy trinity "
    "providence north south east west northern southern eastern western valley regional university county veterans "
    "city"
)
_DESCRIBING = words(
    "medical health teaching cancer heart eye rehabilitation surgical imaging radiology outpatient nursing care "
    "family surgery trauma healthcare physicians children children's women's community district state national "
    "general central foundation va nhs local"
)
_NOT_WHICH = words(
    "outside other another transferring referring previous prior same this that admitting our your any each an a in "
    "to from day acute private public large small my his her their no pre post current initial recent home field "
    "primary per"
)
_SMALL = words("of the for at and de la du der")
_JOINS = re.compile(r"[ \t]{1,2}(?:&[ \t])?|\.[ \t]|-")


def take(page: Page) -> None:
    all_words = page.words
    for index in page.capitals:
        word = all_words[index]
        if word.folded in _HEADS or (index and all_words[index - 1].folded in _PAIRS.get(word.folded, ())):
            _take_around(page, index)
    for index in page.capitals:
        if all_words[index].folded in ("st", "saint") and index + 1 < len(all_words):
            _take_saint(page, all_words[index], all_words[index + 1])


def _take_saint(page: Page, saint: PageWord, name: PageWord) -> None:
    """`St. Vincent's` alone is a hospital, or a town."""
    gap = page.text[saint.end : name.start]
    fits = gap in (". ", ".") or (gap == " " and saint.folded == "saint")
    if fits and name.capital and not name.kind & Kind.ORDINARY and page.free(saint.start, name.end):
        page.take(saint.start, name.end, Category.HOSPITAL)


def _take_around(page: Page, index: int) -> None:
    """The capital words before the head, and `of Cape Verity` after it; one of them must name."""
    all_words, first, last = page.words, index, index
    while first and index - first < 7 and _touch(page, first - 1) and _belongs(page, all_words[first - 1]):
        first -= 1
    while first < index and all_words[first].folded in _SMALL:
        first += 1
    if last + 2 < len(all_words) and all_words[last + 1].folded in ("of", "at", "de") and _touch(page, last):
        ahead = last + 3 if all_words[last + 2].folded in ("the", "la") and last + 3 < len(all_words) else last + 2
        last = ahead if _names_place(page, all_words[ahead]) else last
    while last + 1 < len(all_words) and last - index < 5 and _touch(page, last):
        if not _names_place(page, all_words[last + 1]):
            break
        last += 1
    inside = [word for word in all_words[first : last + 1] if word is not all_words[index]]
    named = any(_specific(page, word) or word.folded in _NAMING for word in inside)
    if named and page.free(all_words[first].start, all_words[last].end):
        page.take(all_words[first].start, all_words[last].end, Category.HOSPITAL)


def _touch(page: Page, index: int) -> bool:
    gap = page.text[page.words[index].end : page.words[index + 1].start]
    if gap.startswith(".") and page.words[index].folded not in ("st", "mt", "ste"):
        return False
    return bool(_JOINS.fullmatch(gap))


def _belongs(page: Page, word: PageWord) -> bool:
    if not page.free(word.start, word.end):
        return False
    known = word.folded in _NAMING or word.folded in _DESCRIBING
    return word.folded in _SMALL or (word.capital and (known or _specific(page, word)))


def _specific(page: Page, word: PageWord) -> bool:
    """Whether this word names rather than describes."""
    if not word.capital or word.short or word.folded in _DESCRIBING or word.folded in _NOT_WHICH:
        return False
    if not word.kind & Kind.ORDINARY:
        return True
    return not page.in_capitals(word.start) and not page.opens_sentence(word.start)


def _names_place(page: Page, word: PageWord) -> bool:
    if not word.capital or word.short or not page.free(word.start, word.end):
        return False
    return not word.kind & Kind.ORDINARY and not page.text[word.end : word.end + 1].isdigit()
