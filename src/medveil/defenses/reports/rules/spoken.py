"""What was dictated and typed as it was heard: numbers in words, and names spelled out.

A run of number words after a word that announces a number is that number, however long; without one, five single
digits in a row measure nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from medveil.defenses.reports.rules.lexicon import Kind, kind_of, words
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category
from medveil.person.normalised import fold

_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS = "twenty|thirty|forty|fourty|fifty|sixty|seventy|eighty|ninety"
_DIGITS = words(_ONES.replace("|", " ") + " zero oh o")
_NUMBERS = _DIGITS | words(f"{_TEENS} {_TENS} hundred thousand".replace("|", " "))
_TENS_WORDS = words(_TENS.replace("|", " "))
_BETWEEN = words("dash hyphen slash dot double triple point")
_CALLS = words(
    "alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa "
    "quebec romeo sierra tango uniform victor whiskey xray x-ray yankee zulu"
)
# The word that announces a number, the kind of it, and of how many number words it is made at least.
_CUES = {
    word: (category, least)
    for category, least, told in (
        (Category.MRN, 2, "mrn record chart nhs hospital patient unit"),
        (Category.ACCESSION, 2, "accession exam study requisition reference"),
        (Category.SSN, 3, "social security ssn"),
        (Category.HEALTH_PLAN, 2, "policy medicare medicaid member insurance subscriber plan"),
        (Category.PHONE, 3, "phone telephone call cell mobile pager beeper bleep extension callback page reached fax"),
        (Category.DEVICE_SERIAL, 2, "serial lot device model"),
        (
            Category.OTHER_ID,
            2,
            "account visit order job case dictation confirmation badge license licence employee keysafe safe pin",
        ),
        (Category.OTHER_ID, 1, "room bed ward bay cubicle suite theatre"),
        (Category.ADDRESS, 4, "zip postcode postal"),
        (Category.DATE, 2, "birth dob birthday born"),
    )
    for word in told.split()
}
_FILLERS = words(
    "number numbers no is was of the at on ending ends in code id identifier to back me us for as my her his"
)
_VAGUE = words(
    "hospital patient unit exam study record chart reference plan case order device model page call member visit"
)
_UNITS = words(
    "mm cm millimeter millimeters millimetre millimetres centimeter centimeters centimetre centimetres percent mg "
    "milligram milligrams gram grams kilogram kilograms ml milliliter milliliters cc year years month months week "
    "weeks day days hour hours minute minutes second seconds times view views rib ribs liter liters unit units pack "
    "packs degrees beats out point to or french image images films by metre metres meter meters kilo kilos "
    "litre litres millicuries teaspoons cups steps stairs gauge micrograms sections lakh"
)
_COUNTED = words(
    "rib ribs level levels segment segments image images series slice slices lobe lobes digits leads views"
)
_SPELLS = words("spelled spelt spelling spells spell")
_LETTER = rf"(?:[a-z](?:[ ](?:as[ ]in|for|like)[ ][a-z]+)?|{'|'.join(sorted(_CALLS))})"
_SPELLED = re.compile(
    rf"(?:[ ,:]{{1,2}}(?:as|is|it|name|that|last|first|s['’]s)){{0,4}}[ ,:]{{1,3}}"
    rf"(?P<name>{_LETTER}(?:[ ,.-]{{1,2}}{_LETTER}){{1,30}})(?!\w|['’])",
    re.IGNORECASE,
)
_LETTERS = re.compile(
    r"(?<![\w'’-])[A-Za-z](?:-[A-Za-z]){3,20}(?![\w'’-])|(?<![\w'’-])[a-z](?:[ ][a-z]){3,20}(?![\w'’-])"
)


def take(page: Page) -> None:
    _take_cued(page)
    _take_long(page)
    for word in page.standing(_SPELLS):
        if match := _SPELLED.match(page.text, word.end):
            _take(page, *match.span("name"), Category.NAME)
    for match in _LETTERS.finditer(page.text):
        name = re.sub(r"\W", "", match[0]).lower()
        if name in _words_before(page, match.start()) or (match[0][1] == "-" and not kind_of(name) & Kind.THING):
            _take(page, *match.span(), Category.NAME)


def _words_before(page: Page, place: int) -> set[str]:
    """What may have been spelled: `dlamini d l a m i n i`; d k a spells nobody."""
    last = bisect_left(page.words, place, key=lambda word: word.start)
    return {fold(word.text.replace("'", "")) for word in page.words[max(0, last - 6) : last]}


def _take(page: Page, start: int, end: int, category: Category) -> None:
    if page.free(start, end):
        page.take(start, end, category)


def _word_after(page: Page, place: int) -> str:
    match = re.compile(r"[ \t\n]*([A-Za-z%]+)").match(page.text, place)
    return match[1].lower() if match else ""


def _take_cued(page: Page) -> None:
    """The longest run after the word that announces it, over a few words that say nothing."""
    all_words = page.words
    for index, cue in enumerate(all_words):
        if cue.folded not in _CUES:
            continue
        category, least = _CUES[cue.folded]
        first, skipped = index + 1, set()
        while first < len(all_words) and first - index < 5 and all_words[first].folded in _FILLERS:
            skipped.add(all_words[first].folded)
            first += 1
        if cue.folded in _VAGUE and not skipped & {"number", "id", "identifier", "code", "no", "at"}:
            continue
        last, numbers = _run(page, first, letters=least > 1)
        if numbers < least or not page.free(all_words[first].start, all_words[last].end):
            continue
        if least == 1 and _word_after(page, all_words[last].end) in _UNITS:
            continue
        page.take(all_words[first].start, all_words[last].end, category)


def _run(page: Page, first: int, *, letters: bool) -> tuple[int, int]:
    """The last word of a run of number words, and how many of them there are; letters may stand among them."""
    all_words, numbers, last, place = page.words, 0, first, first
    while place < len(all_words):
        word = all_words[place]
        gap = page.text[all_words[place - 1].end : word.start] if place > first else " "
        if not re.fullmatch(r"[ \t]?[-,]?[ \t]{0,2}|[ \t]*\n[ \t]*", gap) or not page.free(word.start, word.end):
            break
        if all(part in _NUMBERS for part in word.folded.split("-")):
            numbers, last = numbers + 1, place
        elif letters and (len(word.folded) == 1 or word.folded in _CALLS):
            last = place if place == first or last == place - 1 else last
        elif word.folded not in _BETWEEN:
            break
        place += 1
    while last > first and _word_after(page, all_words[last].end) in _UNITS - {"by", "to", "or", "out", "point"}:
        tens = all_words[last - 1].folded in _TENS_WORDS and all_words[last].folded in _DIGITS
        last, numbers = (
            (last - 2, numbers - 2) if tens else (last - 1, numbers - 1)
        )  # what is counted is another number
    return last, numbers


def _take_long(page: Page) -> None:
    """Five or more single digits in a row."""
    past = -1
    for index, word in enumerate(page.words):
        if index <= past or word.folded not in _DIGITS or not page.free(word.start, word.end):
            continue
        last, numbers = _run(page, index, letters=False)
        past = last
        run = page.words[index : last + 1]
        digits = [one for one in run if one.folded in _DIGITS]
        counted = index and page.words[index - 1].folded in _COUNTED
        if len(digits) >= 5 and len(digits) >= numbers - 1 and not counted and "point" not in {w.folded for w in run}:
            category = Category.PHONE if len(digits) in (7, 10, 11) else Category.OTHER_ID
            page.take(run[0].start, run[-1].end, category)
