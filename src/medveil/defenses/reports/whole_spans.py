"""Half a name is as bad as none: what the tagger found of a person or a place grows over the rest of it, and a number
that it saw in pieces (`RA` and `096063`, `(01)0064` and `(21)RNB4`) is one number."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lexicon import Kind, is_foreign_word, kind_of, words
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import NUMBERS, Category
from medveil.person.name import ALL_TITLES_IN_TEXT, DEGREES_IN_TEXT, PARTICLES_IN_TEXT
from medveil.person.span import Span, spanning

_WRITTEN_NUMBERS = NUMBERS | {Category.PHONE, Category.FAX}
_PEOPLE = frozenset({Category.NAME, Category.DOCTOR})
_GROWING = _PEOPLE | {Category.HOSPITAL, Category.ADDRESS}
_INSIDE = words("of and the for at de la du des der del los las do da das dos am im zum zur und y")
_KIN_PARTICLES = words("bt bte binti binte a l s o d al ap")  # a/l, s/o: son of
_PERSON_GAP = re.compile(r"[ ]|-|\.[ ]?|/|[ ][\"“'‘(]|[\"”'’)][ ]")  # nicknames in quotes too
_OPENS, _CLOSES = "\"“'‘(", "\"”'’)"
_PLACE_GAP = re.compile(r"[ ]|[ ]&[ ]|-|['’]s?[ ]")
_CARETS = re.compile(r"(?:\^[^\W\d_]?[\w'’.-]{0,40}){1,6}")
_COMMA_INITIAL = re.compile(r",[ ]?[A-Z]\.?(?=[ ]?(?:\n|$|[;)|]))")  # GOODNIGHT, P
_INFANT = re.compile(r"(?<!\w)(?:Baby[ ](?:Girl|Boy|of)|BB|BG|B/O)[ ]$", re.IGNORECASE)
_LABEL_AFTER = re.compile(r":|[ ]\d")  # `Page 1/1`
_IN_NAME = re.compile(  # Saraswathy d/o Govindasamy, Icilda "Miss Icy" Gordon
    r"[ ](?:[ds]/o|a/[lp]|bint?i?|bt|geb\.|née)[ ]|[ ][\"“'‘«(](?:(?:Miss|Mr|Mrs|the)\.?[ ])?|[\"”'’»)][ ]"
)
_IN_HOUSE = re.compile(
    r"[ ](?:at|of|on|am|an|for|the|and|&|de|do|da|das|dos|del|la|du|des|al|el|der|zur|zum|und|y|e|ng)"
    r"(?:[ ](?:the|la|der|den|los|las))?[ ]"
)
_STATE = re.compile(r",?[ ][A-Z]{2,3}[ ]")  # Rockport, TX 78399
_NOTHING = re.compile(r"(?!)")
_EXTENSION = re.compile(r"(?<![^\W_])[xX]$")
_HOUSE_WORDS = words(
    "hospital clinic centre center infirmary surgery practice practise pharmacy school college church hospice lodge "
    "maternity dental imaging camp base klinik praxis krankenhaus frauenklinik hopital clinique cabinet "
    "cardiologie radiologie clinica centro residencia instituto sanatorio juzgado"
)
_LONGEST = 4  # words to each side
_HOURS_AFTER = re.compile(r"\s*hours\s*$", re.IGNORECASE)
_NEXT_ITEM = re.compile(r"\n[ \t]*\d{1,2}[.)]?$")
_LETTERS_BEFORE = re.compile(r"(?:(?<=[a-z][ ])[A-Z]{1,4}|(?<![^\s(=])[A-Z]{1,2})[ ](?:\d{1,9}[ ])?$")  # cab GA 7183H
_GROUPS_AFTER = re.compile(  # to the end of a clause, which no age and no amount is
    r"(?![ ]\d{1,3},?[ ]?(?:[MF]|(?:fe)?male|(?:wo)?man|y/?o|years?)\b)"
    r"(?:[ ](?:\d{1,9}|[A-Z])(?!\w)){1,3}(?=[ ]?[,;)\]|\n]|\.(?:\s|$)|$)"
)
_NO_GAP = re.compile(r"[-/.()]{0,2}")


def whole_numbers(text: str, found: Sequence[Span]) -> list[Span]:
    """The findings in order, with numbers that touch made one, of the longest piece's kind."""
    result: list[Span] = []
    longest = 0
    for one in found:
        last = result[-1] if result else None
        if last and {last.category, one.category} <= _WRITTEN_NUMBERS and _NO_GAP.fullmatch(text, last.end, one.start):
            category = one.category if one.end - one.start > longest else last.category
            longest = max(longest, one.end - one.start)
            result[-1] = Span(last.start, one.end, category)
        else:
            longest = one.end - one.start
            result.append(one)
    return result


def trimmed(text: str, found: Span) -> Span | None:
    """Without the space and punctuation around it, the unit of a time, and the number of the next line."""
    start, end = found.start, found.end
    if found.category is Category.TIME and (unit := _HOURS_AFTER.search(text, start, end)):
        end = unit.start()
    if numbering := _NEXT_ITEM.search(text, start, end):
        end = numbering.start()
    while start < end and not text[start].isalnum() and text[start] not in "(+":
        start += 1
    dotted = found.category in _PEOPLE or found.category in (Category.INITIALS, Category.TIME)
    while end > start and not text[end - 1].isalnum() and not (dotted and text[end - 1] == "."):
        end -= 1
    one_letter = end - start == 1 and found.category in (Category.DATE, Category.TIME) and text[start].isalpha()
    return Span(start, end, found.category) if end > start and not one_letter else None


def completed(page: Page, found: list[Span]) -> list[Span]:
    """The same findings, those of people and places as long as their names are; never into another."""
    found = _joined(page.text, found)
    bounds = [0, *(place for one in found for place in (one.start, one.end)), len(page.text)]
    return [
        _grown(page, one, bounds[2 * place], bounds[2 * place + 3])
        if one.category in _GROWING
        else _whole_code(page.text, one, bounds[2 * place], bounds[2 * place + 3])
        if one.category in NUMBERS
        else one
        for place, one in enumerate(found)
    ]


def _whole_code(text: str, one: Span, low: int, high: int) -> Span:
    """With the letters before its digits and the groups behind: `GA 7183H`, `K 40 5512 B`."""
    start, end = one.start, one.end
    if not any(map(str.isdigit, text[start:end])):
        return one
    before = _LETTERS_BEFORE.search(text, max(low, start - 16), start)
    if before and not kind_of(before[0].split()[0].lower()) & Kind.THING:
        start = before.start()
    after = _GROUPS_AFTER.match(text, end, high)
    return replace(one, start=start, end=after.end() if after else end)


def _joined(text: str, found: list[Span]) -> list[Span]:
    """Two pieces with nothing but a small word of the same name between them are one."""
    result: list[Span] = []
    for one in found:
        if one.category is Category.PHONE and _EXTENSION.search(text, max(0, one.start - 2), one.start):
            one = replace(one, start=one.start - 1)
        last = result[-1] if result else None
        if last and _between(last, one).fullmatch(text, last.end, one.start):
            result[-1] = spanning(last, one, last.category)
        else:
            result.append(one)
    return result


def _between(one: Span, other: Span) -> re.Pattern[str]:
    """What may stand between two such pieces of one name."""
    if one.category in _PEOPLE and other.category in _PEOPLE:
        return _IN_NAME
    if one.category is Category.HOSPITAL and other.category in (Category.HOSPITAL, Category.ADDRESS):
        return _IN_HOUSE
    return _STATE if one.category is other.category is Category.ADDRESS else _NOTHING


def _grown(page: Page, one: Span, low: int, high: int) -> Span:
    all_words = page.words
    first = bisect_right(all_words, one.start, key=lambda word: word.end)
    last = bisect_left(all_words, one.end, first, key=lambda word: word.start) - 1
    if last < first:
        return _with_word_before(page, one, first - 1, low)
    start, end = min(one.start, all_words[first].start), max(one.end, all_words[last].end)
    if start < low or end > high:
        return one
    person = one.category in _PEOPLE
    for _ in range(_LONGEST):
        step = _step(page, last, 1, one.category)
        if step == last or all_words[step].end > high:
            break
        last, end = step, max(end, all_words[step].end)
    for _ in range(_LONGEST):
        step = _step(page, first, -1, one.category)
        if step == first or all_words[step].start < low:
            break
        first, start = step, min(start, all_words[step].start)
    if person and (carets := _CARETS.match(page.text, end)) and carets.end() <= high:
        end = carets.end()
    if person and (initial := _COMMA_INITIAL.match(page.text, end)) and initial.end() <= high:
        end = initial.end()
    if person and (infant := _INFANT.search(page.before(start, 12))) and start - len(infant[0]) >= low:
        start -= len(infant[0])
    return replace(one, start=start, end=end)


def _with_word_before(page: Page, one: Span, index: int, low: int) -> Span:
    """`Sector 14`, of which only the number was found."""
    if one.category is not Category.ADDRESS or index < 0 or page.in_capitals(one.start):
        return one
    word = page.words[index]
    beside = page.text[word.end : one.start] == " " and word.start >= low
    return replace(one, start=word.start) if beside and word.capital and not word.short else one


def _step(page: Page, index: int, way: int, category: Category) -> int:
    """The next word that belongs to the name, over a small word or two that only comes along; or the same one."""
    reached, person = index, category in _PEOPLE
    for _ in range(3):
        following = reached + way
        if not 0 <= following < len(page.words):
            return index
        one, other = (reached, following) if way > 0 else (following, reached)
        between = page.text[page.words[one].end : page.words[other].start]
        if not (_PERSON_GAP if person else _PLACE_GAP).fullmatch(between):
            return index
        if between[-1] in _OPENS and page.text[page.words[other].end : page.words[other].end + 1] not in _CLOSES:
            return index
        if between[0] in "./" and len(page.words[one].text) > 3:  # a sentence ends here, or another person begins
            return index
        if _belongs(page, following, way, category):
            return following
        if page.words[following].folded not in (PARTICLES_IN_TEXT | _KIN_PARTICLES if person else _INSIDE):
            return index
        reached = following
    return index


def _belongs(page: Page, index: int, way: int, category: Category) -> bool:
    word, person = page.words[index], category in _PEOPLE
    if category is Category.HOSPITAL and word.folded in _HOUSE_WORDS and (page.is_foreign or not word.capital):
        return True
    if word.short or word.folded in DEGREES_IN_TEXT or word.folded in ALL_TITLES_IN_TEXT or is_eponym(page, index):
        return False
    opens = way < 0 and page.opens_sentence(word.start) and not word.initial
    if _LABEL_AFTER.match(page.text, word.end) or (opens and not (word.name_only or word.folded in _HOUSE_WORDS)):
        return False
    # among the nouns of German, a name of a list alone is known for one
    named = word.name_only or (word.kind == Kind.UNKNOWN and not page.is_foreign)
    if not word.capital:  # among small letters, and in no other text, a name is known by what it is not
        return person and page.is_small and named and len(word.text) > 2
    if page.in_capitals(word.start):
        return person and word.name_only
    if person:
        beside = page.words[index - way]
        loud = word.text.isupper() and not beside.text.isupper() and beside.text[0] != word.text[-1]  # Lani ABO
        return word.initial or (named and (word.name_only or not loud))
    return not word.text.isupper() and not (page.is_foreign and is_foreign_word(word.folded))
