"""Ages of 90 and more, in digits and in words: of a year, of a decade, or of people that old; lower ages stay."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import words
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_YEARS = r"(?:years?|yrs?|yr|y\.?[ ]?/?[ ]?o\b|yo[mfw]?\b|y[mf]\b|jahre?|jährig\w*|ans\b|años|anni|jaar)"
_AFTER = re.compile(
    rf"(?P<age>0?9\d|1[0-2]\d)(?:(?=[ \t]?-?[ \t]?(?:\r?\n[ \t]*)?{_YEARS})|(?=[YMFymf](?![A-Za-z0-9]))"
    r"|(?=[ \t]*[/,][ \t]*(?:[MF](?![A-Za-z0-9])|male|female))"
    r"|(?=[ \t](?:[MF]|male|female|man|woman|lady|gentleman|wm|wf|bm|bf)(?![A-Za-z0-9])))",
    re.IGNORECASE,
)
_AGE_LABEL = re.compile(
    r"(?:\b(?:died|dead|deceased|alive|living|well|away|lived|passed)[ \t]+(?:at|to)(?:[ \t]+age)?|"
    r"\b(?:mother|father|husband|wife|brother|sister|mom|dad|grandmother|grandfather|aunt|uncle|spouse)[,]?|"
    r"\bage[ds]?|\balter|\bage[ \t]*/[ \t]*sex|\bage[ \t]+of|\baged[ \t]+about|\bturn(?:ed|ing|s))[ \t]*[:=]?[ "
    r"\t]*$",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?P<age>0?9\d|1[0-2]\d)(?![\d.,]*\d|[ \t]?-?(?:%|mm|cm|kg|lbs?|packs?|days?|weeks?|months?|hours?))",
    re.IGNORECASE,
)
_TEMPERATURE = re.compile(r"(?:temp\w*|fever|febrile|tmax|t)[ \t]*(?:of|to|is|was|:|=)?[ \t]*$", re.IGNORECASE)
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_UNITS = "un|deux|trois|quatre|cinq|six|sept|huit|neuf"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_WORDS = re.compile(
    rf"(?:ninety(?:[ \t-]+(?:{_ONES}))?|(?:one|a)[ \t-]hundred(?:[ \t-]+(?:and[ \t-]+)?"
    rf"(?:{_ONES}|ten|eleven|twelve))?)(?=(?:[MF]|yo)?(?![A-Za-z]))",
    re.IGNORECASE,
)
_AFTER_WORDS = re.compile(
    rf"[ \t]*-?[ \t]*(?:\r?\n[ \t]*)?{_YEARS}|[MF]\b|[ \t]*/[ \t]*[MF]\b|[ -]\S{{3,6}}\s+old\b", re.IGNORECASE
)
_OLD_PEOPLE = words("nonagenarian nonagenarians centenarian centenarians supercentenarian supercentenarians")
_IN_NINETIES = words("nineties mid-nineties")
_BIRTHDAYS = words("birthday b-day bday")
# in her nineties, in the mid-90s; not the nineties that a year is of
_NINETIES = re.compile(
    r"in[ \t]+(?:his|her|their|(?:the[ \t]+)?(?=early|mid|late))[ \t]*"
    r"(?:(?:early|mid|middle|late)[ \t-]*(?:to[ \t-]*(?:early|mid|late)[ \t-]*)?)?(?:nineties|['’]?90['’]?s)(?!\w)",
    re.IGNORECASE,
)
_BIRTHDAY = re.compile(
    r"\b(?P<age>(?:9\d|1[0-2]\d)(?:st|nd|rd|th)|ninet(?:ieth|y[ -](?:first|second|third|fourth|fifth|sixth|seventh|"
    r"eighth|ninth))|(?:one[ -])?hundredth)[ \t-]+$",
    re.IGNORECASE,
)

_GREAT_AGE = re.compile(  # 90 to 129 in the words of four languages
    rf"nine?ty(?:[ -](?:{_ONES}))?|(?:(?:one|a)[ -])?hundred(?:[ -](?:and[ -])?(?:{_ONES}|ten|eleven|twelve|"
    rf"\w+teen|twenty(?:[ -](?:{_ONES}))?))?(?!(?:[ ]and)?[ ](?:{_TENS}|{_ONES})\b)|"
    r"(?:\w+und)?neunzig\w*|(?:ein)?hundert(?:ein|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)?|"
    r"quatre[ -]vingts?[ -](?:dix(?:[ -](?:sept|huit|neuf))?|onze|douze|treize|quatorze|quinze|seize)|"
    rf"nonante(?:[ -](?:et[ -])?(?:{_UNITS}))?|cent(?:[ -](?:{_UNITS}|dix))?|"
    r"noventa(?:[ ]y[ ]\w+)?|cien|ciento[ ](?:uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)",
    re.IGNORECASE,
)
_OTHER_GREAT_AGE = re.compile(r"nonag|centen|nineties|ninetie|hundredth|ninety[ -]\w+(?:th|st|nd|rd)\b", re.IGNORECASE)
_MORE_BEFORE = re.compile(
    rf"(?:(?:\b(?:(?:{_ONES}|\w+teen|{_TENS})[ -]|(?:hundred|thousand)[ -](?:and[ -])?))+|"
    r"\bquatre[ -](?:vingts?[ -])?)$",
    re.IGNORECASE,
)


def whole_age(text: str, start: int, end: int) -> tuple[int, int] | None:
    """What is written here as an age of 90 or more, all of it; None where it is any other number."""
    if numbers := re.findall(r"\d{1,4}", text[start:end]):
        return (start, end) if any(90 <= int(number) < 130 for number in numbers) else None
    if _OTHER_GREAT_AGE.search(text, start, end):
        return start, end
    if before := _MORE_BEFORE.search(text, max(0, start - 40), start):  # (quatre-)vingt-onze; but five (hundred)
        start = before.start()
    age = _GREAT_AGE.match(text, start)
    return (start, max(age.end(), end)) if age else None


def take(page: Page) -> None:
    text = page.text
    for start in page.numbers:
        if text[start] not in "019" or not page.free(start, start + 1):
            continue
        match = _AFTER.match(text, start)
        if (match and not _is_temperature(page, match)) or (
            (match := _BARE.match(text, start)) and _AGE_LABEL.search(page.before(start, 20))
        ):
            page.take(*match.span("age"), Category.AGE_OVER_89)
    _take_words(page)
    for word in page.standing(_OLD_PEOPLE):
        _take(page, word.start, word.end)
    if "90" in text or page.standing(_IN_NINETIES):
        for decade in _NINETIES.finditer(text):
            _take(page, *decade.span())
    for word in page.standing(_BIRTHDAYS):
        if found := _BIRTHDAY.search(text[max(0, word.start - 24) : word.start]):
            start = max(0, word.start - 24) + found.start("age")
            _take(page, start, start + len(found["age"]))


def _take(page: Page, start: int, end: int) -> None:
    if page.free(start, end):
        page.take(start, end, Category.AGE_OVER_89)


def _is_temperature(page: Page, match: re.Match[str]) -> bool:
    fahrenheit = page.text[match.end("age") : match.end("age") + 2].strip().upper().startswith("F")
    return fahrenheit and bool(_TEMPERATURE.search(page.before(match.start(), 16)))


def _take_words(page: Page) -> None:
    for word in page.words:
        if not word.folded.startswith(("ninety", "one", "a-hundred")) and word.folded != "a":
            continue
        match = _WORDS.match(page.text, word.start)
        if match and (_AFTER_WORDS.match(page.text, match.end()) or _AGE_LABEL.search(page.before(word.start, 20))):
            page.take(*match.span(), Category.AGE_OVER_89)
