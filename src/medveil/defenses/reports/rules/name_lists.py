"""Names told by the lists: a given name beside a family name, `Family, Given`, and words that are names only."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lists import Kind, words
from medveil.defenses.reports.rules.name_reading import end_of, name_from
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category
from medveil.person.name import DEGREES_IN_TEXT

_LABEL_AFTER = re.compile(r"[ ](?:Loc|Name|ID|No|Type|Class|DOB|Sex|Age|Phone)\b[ .#]{0,2}[:=]")  # Pat Loc:
_GRADED = words("hepatitis influenza group grade type class stage vitamin factor protein strep part category")
_COMMA = re.compile(r",[ \t]{0,2}|,\r?\n[ \t]*|\^")


def take_inverted(page: Page) -> None:
    """`Family, Given`, before anything can take a half of it."""
    words, text = page.words, page.text
    for family in page.capitals:
        word = words[family]
        if text[word.end : word.end + 1] not in (",", "^") or not page.free(word.start, word.end):
            continue
        first = _first_of_family(page, family)
        last = _given_after(page, first, family)
        if last >= 0 and page.free(words[first].start, end_of(page, last)):
            page.take(words[first].start, end_of(page, last), Category.NAME)


def take(page: Page) -> None:
    words = page.words
    for index in page.capitals:
        word = words[index]
        if not word.listed and not word.initial and not word.kind & Kind.PARTICLE:
            continue
        if page.free(word.start, word.end) and (last := _name_at(page, index)) >= 0:
            end = end_of(page, last)
            if page.free(word.start, end):
                page.take(word.start, end, Category.NAME, doubted=True)


def _name_at(page: Page, index: int) -> int:
    """The last word of a name that begins here, or -1."""
    words, word = page.words, page.words[index]
    if is_eponym(page, index) or _LABEL_AFTER.match(page.text, word.end):
        return -1
    if (last := _given_and_family(page, index)) >= 0:
        return last
    if word.initial and (last := _initial_and_family(page, index)) >= 0:
        return last
    if word.kind & Kind.PARTICLE and not word.listed:
        last = name_from(page, index, sure=False)
        return last if last > index and words[last].name_only else -1
    if word.name_only and len(word.text) > 2 and not _loud_doubt(page, word):
        return name_from(page, index, sure=False)
    return -1


def take_unknown(page: Page) -> None:
    """Two or more capital words in a row that no list of words knows: `NOXOLO MHLAMBO asked`, `Aili Koivula`."""
    words = page.words
    taken = -1
    for index in page.capitals[:-1]:
        if index <= taken or not _strange(page, index):
            continue
        last = index
        while last + 1 < len(words) and last - index < 4 and page.joined(last) and _strange(page, last + 1):
            last += 1
        if last > index and _stands_out(page, index, last):
            page.take(words[index].start, end_of(page, last), Category.NAME, doubted=True)
            taken = last


def _stands_out(page: Page, first: int, last: int) -> bool:
    """Whether the capitals mean something: not in a line of capitals, a sentence's beginning or a foreign language."""
    inside = page.words[first : last + 1]
    listed = any(word.listed for word in inside)
    if page.is_foreign:
        return listed and all(word.name_only for word in inside)
    if listed or _touches_identifier(page, first, last):
        return True
    if page.in_capitals(inside[0].start):
        return False
    return inside[0].text.isupper() or not page.opens_sentence(inside[0].start)


def _strange(page: Page, index: int) -> bool:
    word = page.words[index]
    strange = word.capital and len(word.text) > 2 and not word.kind & (Kind.THING | Kind.CITY)
    return (
        strange
        and word.folded not in DEGREES_IN_TEXT
        and page.free(word.start, word.end)
        and not is_eponym(page, index)
    )


def _loud_doubt(page: Page, word: PageWord) -> bool:
    """A short word in capitals is more often an abbreviation."""
    return word.text.isupper() and len(word.text) < 5


def _first_of_family(page: Page, family: int) -> int:
    """`van der Berg`, `Hernández Ruiz`: where a family name of several words begins."""
    words, first = page.words, family
    while first and family - first < 3 and words[first - 1].kind & Kind.PARTICLE and _linked(page, first - 1):
        first -= 1
    if first == family and first and words[first].name_only and words[first - 1].capital:
        before = words[first - 1]
        if before.kind & Kind.FAMILY and not before.kind & Kind.ORDINARY and page.joined(first - 1):
            first -= 1
    return first


def _given_after(page: Page, first: int, family: int) -> int:
    """The last word of `Stone, Chase M`: both capital, the second a given name or beside the patient's number."""
    words = page.words
    if family + 1 >= len(words) or not _COMMA.fullmatch(page.text, words[family].end, words[family + 1].start):
        return -1
    one, other = words[family], words[family + 1]
    nobility = first < family and bool(words[family - 1].kind & Kind.PARTICLE)
    if not other.capital or other.folded in DEGREES_IN_TEXT or (one.short and not one.listed):
        return -1
    beside = _beside_identifier(page, first, family + 1)
    unknown = other.kind == Kind.UNKNOWN and (one.name_only or nobility or one.kind == Kind.UNKNOWN)
    if not other.kind & Kind.GIVEN and not (unknown and beside and len(other.text) > 2):
        return -1
    doubtful = bool(one.kind & Kind.ORDINARY and not nobility) + bool(other.kind & Kind.ORDINARY)
    if not one.listed and not nobility and not beside and doubtful:
        return -1
    if doubtful == 2 and not beside and (page.in_capitals(one.start) or page.opens_sentence(other.start)):
        return -1
    last = family + 1
    while (
        last + 1 < len(words)
        and last - family < 3
        and page.text[words[last].end : words[last + 1].start] in (" ", "  ")
    ):
        after = words[last + 1]
        if not after.initial and not (after.capital and after.name_only):
            break
        last += 1
    return last


def _linked(page: Page, index: int) -> bool:
    gap = page.text[page.words[index].end : page.words[index + 1].start]
    return bool(re.fullmatch(r"[ \t\r\n]{1,2}['’]?|['’]", gap))


def _beside_identifier(page: Page, first: int, last: int) -> bool:
    """Whether a number of the patient's is near, as on a line of a list, or the line begins here."""
    return page.before(page.words[first].start, 1) in ("", "\n") or _touches_identifier(page, first, last)


def _touches_identifier(page: Page, first: int, last: int) -> bool:
    start, end = page.words[first].start, page.words[last].end
    if middle := re.match(r"[ \t][A-Z]\.?(?![A-Za-z])", page.text[end : end + 4]):
        end += middle.end()
    before, after = page.before(start, 4), page.text[end : end + 5]
    behind = len(before) - len(before.rstrip(" \t#/"))
    ahead = len(after) - len(after.lstrip(" \t#(/,|"))
    return page.taken_at(start - behind - 1) or page.taken_at(end + ahead)


def _given_and_family(page: Page, index: int) -> int:
    words, word = page.words, page.words[index]
    if not word.kind & Kind.GIVEN or index + 1 >= len(words):
        return -1
    last = name_from(page, index, sure=False)
    if last > index:
        return last
    last = name_from(page, index, sure=True)
    if last <= index or "\n" in page.text[word.end : words[index + 1].start]:
        return -1
    family = words[last]
    loud = page.in_capitals(word.start)
    if not family.kind & (Kind.FAMILY | Kind.GIVEN) and family.kind & (Kind.ORDINARY | Kind.EPONYM | Kind.SHORT):
        return -1
    if is_eponym(page, last):
        return -1
    doubtful = bool(word.kind & Kind.ORDINARY) and bool(family.kind & (Kind.ORDINARY | Kind.EPONYM))
    if doubtful and (loud or (page.opens_sentence(word.start) and not _ends_line(page, last))):
        return -1
    if word.kind & (Kind.ORDINARY | Kind.EPONYM) and not family.listed and (loud or page.opens_sentence(word.start)):
        return -1
    return last


def _ends_line(page: Page, last: int) -> bool:
    return bool(re.match(r"[ \t]*(?:,|\r?\n|$|x\d|\d)", page.text[page.words[last].end :][:4]))


def _is_grade(page: Page, index: int) -> bool:
    """`Child-Pugh B. Boston brace`: the letter ends the sentence before."""
    before = page.words[index - 1] if index else None
    if before is None or page.text[before.end : page.words[index].start] != " ":
        return False
    return before.folded in _GRADED or (bool(before.kind & Kind.EPONYM) and before.capital and not before.listed)


def _initial_and_family(page: Page, index: int) -> int:
    words = page.words
    if page.text[words[index].end : words[index].end + 1] != ".":
        return -1
    before = page.before(words[index].start, 1)
    if before == "." or before.isalnum() or _is_grade(page, index):  # mmH2O. Young
        return -1
    last = name_from(page, index, sure=True)
    if last <= index or "\n\n" in page.text[words[index].end : words[last].start]:
        return -1
    family = words[last]
    if is_eponym(page, last) or family.kind & Kind.SHORT:
        return -1
    if family.kind & Kind.ORDINARY and (not family.kind & Kind.FAMILY or page.in_capitals(family.start)):
        return -1
    return last if family.listed or len(family.text) > 3 else -1
