"""Telephone, fax and pager numbers, e-mail and web addresses, names on the net."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import words
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}")
_URL = re.compile(r"(?<!\w)(?:https?://|ftp://|www\.)[^\s<>\"')\]]{1,2000}", re.IGNORECASE)
_DOMAIN = re.compile(
    r"(?<![\w@.-])(?:[A-Za-z0-9-]{1,63}\.){1,5}(?:com|org|net|edu|gov|mil|info|health|care|example|nhs\.uk|ac\.uk|co\.uk|de|fr)"
    r"(?:/[^\s<>\"')\]]{0,500})?(?![\w-])"
)
# A name on the net, told by a digit, a dot or an underscore among letters: `@` alone is `at` in hasty notes.
_HANDLE = re.compile(r"(?<![\w.@])@(?=[A-Za-z]{2})(?=[A-Za-z]{1,30}[\d_.]\w)[\w.]{3,40}\w(?![\w@])")
_MAC = re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![\w:-])")

_IN_MAC = re.compile(r"(?:[:-][0-9A-Fa-f]{2}){3}")

_JOIN = r"[ \t.\-/]{0,3}(?:\r?\n[ \t]*)?"
_BEGINS_NUMBER = re.compile(r"[(+]|1[ \t.\-]|0\d[ .]|\d{3}[ \t.\-/]")  # as every one of the five does
_EXTENSION = r"(?:[ \t,]{0,2}(?:x|ext\.?|extension)[ \t:]{0,2}\d{2,6}(?!\d))?"
_AMERICAN = re.compile(
    rf"(?:\+?1[ \t.\-]{{1,2}})?(?:\(\d{{3}}\){_JOIN}|\d{{3}}[ \t.\-/]{{1,3}}(?:\r?\n[ \t]*)?)\d{{3}}"
    rf"(?:[ \t.\-]{{1,3}}(?:\r?\n[ \t]*)?|\r?\n)\d{{4}}(?!\d){_EXTENSION}"
)
_INTERNATIONAL = re.compile(r"\+\d{1,3}(?:[ \t().\-/]{0,3}(?:\r?\n)?\d){6,13}(?!\d)" + _EXTENSION)
_NATIONAL = re.compile(r"\(0\d{1,5}\)[ \t/\-]{0,2}\d{2,4}(?:[ \t\-]?\d{2,4}){1,4}(?!\d)")
_FRENCH = re.compile(r"0[1-9](?:[ .]\d\d){4}(?![ .]?\d)")
_LOCAL = re.compile(r"\d{3}-\d{4}(?![\d-]|[ \t]?(?:mm|cm|mg|ml|cc|mL|g|kg|units?|IU|calories)\b)" + _EXTENSION)
_LABELLED = re.compile(
    r"(?:no\b|number\b|num\b|nr\b|is\b|at\b|was\b|#)?[ \t.:#()\-]{0,6}(?:\r?\n[ \t]*)?"
    r"(?P<value>\+?\(?\d[\d \t().\-/]{0,24}\d(?!\d))" + _EXTENSION,
    re.IGNORECASE,
)
_BARE_PAGER = re.compile(r"\d{4,6}(?![\w.-]{0,20}\d)")
_PHONES = words(
    "tel telephone phone ph cell cellphone mobile pager pgr beeper bleep ext extension callback call telefon "
    "telefono telephon tfno tlf movil handy portable hotline voicemail landline phones"
)
_FAXES = words("fax facsimile telefax faxed faxes")

# Where vocabularies and guidelines are kept: the same for everybody.
_STANDARD = re.compile(
    r"(?:https?://)?(?:www\.)?(?:[\w-]+\.)?(?:loinc\.org|snomed\.info|hl7\.org|unitsofmeasure\.org|ihe\.net|nema\.org|"
    r"w3\.org|who\.int|cdc\.gov|nih\.gov|fda\.gov|cms\.gov|nice\.org\.uk|acr\.org|rsna\.org|radiopaedia\.org|"
    r"uptodate\.com|medlineplus\.gov|mdcalc\.com)(?:/[A-Za-z-]{0,40}){0,4}",
    re.IGNORECASE,
)


def is_standard(address: str) -> bool:
    return bool(_STANDARD.fullmatch(address))


def take(page: Page) -> None:
    _take_written_addresses(page)
    for place in _telephone_starts(page):
        if page.free(place, place + 1):
            _take_telephone(page, place)
    _take_labelled(page)


def _take_written_addresses(page: Page) -> None:
    text = page.text
    if "@" in text:
        for match in _EMAIL.finditer(text):
            page.take(match.start(), match.end(), Category.EMAIL)
        for match in _HANDLE.finditer(text):
            if page.free(*match.span()):
                page.take(match.start() + 1, match.end(), Category.OTHER_ID)
    lowered = text.lower()
    if "://" in lowered or "www." in lowered:
        for match in _URL.finditer(text):
            if not is_standard(written := match[0].rstrip(".,;:")):
                page.take(match.start(), match.start() + len(written), Category.URL)
    if any(
        ending in lowered
        for ending in (".com", ".org", ".net", ".edu", ".gov", ".uk", ".de", ".fr", ".health", ".example")
    ):
        for match in _DOMAIN.finditer(text):
            if page.free(*match.span()) and not is_standard(written := match[0].rstrip(".")):
                page.take(match.start(), match.start() + len(written), Category.URL)
    if _IN_MAC.search(text):
        for match in _MAC.finditer(text):
            page.take(*match.span(), Category.DEVICE_SERIAL)


def _telephone_starts(page: Page) -> list[int]:
    text = page.text
    starts = []
    for start in page.numbers:
        back = start
        while back and text[back - 1] in "(+" and start - back < 3:
            back -= 1
        starts.append(back)
    return starts


def _take_telephone(page: Page, place: int) -> None:
    text = page.text
    for form in (_AMERICAN, _INTERNATIONAL, _NATIONAL, _FRENCH, _LOCAL) if _BEGINS_NUMBER.match(text, place) else ():
        match = form.match(text, place)
        if match:
            page.take(*match.span(), _line(page, place))
            return


def _line(page: Page, place: int) -> Category:
    """Telephone or fax, by the nearest word before it."""
    before = re.findall(r"[a-z]+", page.before(place, 24).lower())
    return Category.FAX if before and before[-1] in (*_FAXES, "f") else Category.PHONE


def _take_labelled(page: Page) -> None:
    text = page.text
    for word in page.standing(_PHONES | _FAXES):
        match = _LABELLED.match(text, word.end)
        if match and page.free(*match.span("value")) and _enough(match["value"], word.folded):
            page.take(match.start("value"), match.end(), Category.FAX if word.folded in _FAXES else Category.PHONE)
    for start in page.digits:
        if text[start - 1 : start] in ("x", "X", "p", "P") and not text[start - 2 : start - 1].isalnum():
            match = _BARE_PAGER.match(text, start)
            if match and page.free(*match.span()):
                page.take(*match.span(), Category.PHONE)


def _enough(value: str, label: str) -> bool:
    digits = sum(map(str.isdigit, value))
    least = 2 if label in ("ext", "extension") else 6 if label in ("call", "portable", "cell", "faxed") else 3
    return digits >= least and not re.fullmatch(r"\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?", value)
