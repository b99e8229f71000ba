"""Telephone, fax and pager numbers, e-mail and web addresses, names on the net."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import words
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}")
_URL = re.compile(
    r"(?<!\w)(?:https?://|ftp://|www\.)[^\s<>\"')\]]{1,2000}"
    r"|(?<![\w@.-])(?:[a-z0-9-]{1,63}\.){1,5}(?:com|org|net|edu|gov|mil|info|health|care|example|uk|de|fr|es)"
    r"(?:/[^\s<>\"')\]]{0,500})?(?![\w-])",
    re.IGNORECASE,
)
# A name on the net, told by a digit, a dot or an underscore among letters: `@` alone is `at` in hasty notes.
_HANDLE = re.compile(r"(?<![\w.@])@(?=[A-Za-z]{2})(?=[A-Za-z]{1,30}[\d_.]\w)(?P<name>[\w.]{3,40}\w)(?![\w@])")
_MAC = re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![\w:-])")

_EXTENSION = r"(?:[ \t,]{0,2}(?:x|ext\.?|extension)[ \t:]{0,2}\d{2,6}(?!\d))?"
_NUMBER = re.compile(
    r"(?<![\w.-])(?:"
    r"(?:\+?1[ \t.\-]{1,2})?(?:\(\d{3}\)[ \t.\-/]{0,3}(?:\r?\n[ \t]*)?|\d{3}[ \t.\-/]{1,3}(?:\r?\n[ \t]*)?)\d{3}"
    r"(?:[ \t.\-]{1,3}(?:\r?\n[ \t]*)?|\r?\n)\d{4}(?!\d)"  # of America
    r"|\+\d{1,3}(?:[ \t().\-/]{0,3}(?:\r?\n)?\d){6,13}(?!\d)"
    r"|\(0\d{1,5}\)[ \t/\-]{0,2}\d{2,4}(?:[ \t\-]?\d{2,4}){1,4}(?!\d)"
    r"|0[1-9](?:[ .]\d\d){4}(?![ .]?\d)"  # of France
    r"|\d{3}-\d{4}(?![\d-]|[ \t]?(?:mm|cm|mg|ml|cc|mL|g|kg|units?|IU|calories)\b)"
    rf"){_EXTENSION}"
)
_LABELLED = re.compile(
    r"(?:no\b|number\b|num\b|nr\b|is\b|at\b|was\b|#)?[ \t.:#()\-]{0,6}(?:\r?\n[ \t]*)?"
    r"(?P<value>\+?\(?\d[\d \t().\-/]{0,24}\d(?!\d))" + _EXTENSION,
    re.IGNORECASE,
)
_PAGER = re.compile(r"(?<![^\W_])[xXpP](?P<value>\d{4,6})(?![\w.-]{0,20}\d)")
_DATE = re.compile(r"\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?")
_PHONES = words(
    "tel telephone phone ph cell cellphone mobile pager pgr beeper bleep ext extension callback call telefon "
    "telefono telephon tfno tlf movil handy portable hotline voicemail landline phones"
)
_FAXES = words("fax facsimile telefax faxed faxes")
_FEWEST = {"ext": 2, "extension": 2, "call": 6, "portable": 6, "cell": 6, "faxed": 6}  # digits

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
    text = page.text
    for match in _EMAIL.finditer(text) if "@" in text else ():
        page.take(*match.span(), Category.EMAIL)
    for match in _HANDLE.finditer(text) if "@" in text else ():
        _take(page, *match.span("name"), Category.OTHER_ID)
    for match in _URL.finditer(text) if "." in text else ():
        if not is_standard(written := match[0].rstrip(".,;:")):
            _take(page, match.start(), match.start() + len(written), Category.URL)
    for match in _MAC.finditer(text) if text.count(":") + text.count("-") > 4 else ():
        page.take(*match.span(), Category.DEVICE_SERIAL)
    for match in _NUMBER.finditer(text):
        _take(page, *match.span(), _line(page, match.start()))
    for word in page.standing(_PHONES | _FAXES):
        told, fewest = _LABELLED.match(text, word.end), _FEWEST.get(word.folded, 3)
        if told and sum(map(str.isdigit, told["value"])) >= fewest and not _DATE.fullmatch(told["value"]):
            _take(page, told.start("value"), told.end(), _line(page, told.start("value")))
    for match in _PAGER.finditer(text):
        _take(page, *match.span("value"), Category.PHONE)


def _take(page: Page, start: int, end: int, category: Category) -> None:
    if page.free(start, end):
        page.take(start, end, category)


def _line(page: Page, place: int) -> Category:
    """Telephone or fax, by the nearest word before it."""
    before = [
        word for word in re.findall(r"[a-z]+", page.before(place, 24).lower()) if word in _PHONES | _FAXES | {"f"}
    ]
    return Category.FAX if before and before[-1] in _FAXES | {"f"} else Category.PHONE
