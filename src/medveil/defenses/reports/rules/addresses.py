"""Streets, towns and postal codes where they stand as an address."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import Kind, kind_of
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category
from medveil.person.normalised import fold

_WORD = r"(?:[A-ZÀ-Þ][\w'’.\-]{0,24})"
_SMALL = r"(?:(?:de|la|le|du|des|del|of|the|and|am|an|der|den|von|van)(?!\w)|l['’][\w'’\-]{1,24})"
_SPACE = r"(?:[ \t]{1,2}|[ \t]*\r?\n[ \t]*)"
_SURE = (
    "Street|St|Avenue|Ave|Av|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Highway|Hwy|Parkway|Pkwy|Terrace|Crescent|Cres|"
    "Turnpike|Tpke|Alley|Esplanade|Causeway|Strasse|Straße|Allee|Gasse"
)
_VAGUE = (
    "Court|Ct|Way|Place|Pl|Circle|Cir|Square|Sq|Walk|Row|Close|Hill|View|Parade|Path|Loop|Trail|Trl|Ridge|Grove|"
    "Gardens|Mews|Quay|Green|Park|Point|Run|Pass|Plaza|Bend|Heights|Meadow|Meadows|Estate|Weg|Platz"
)
_HOUSE = r"\d{1,5}[A-Za-z]?(?:[-/]\d{1,4})?"
_UNIT = (
    rf"(?:,?{_SPACE}(?:Apt|Apartment|Suite|Ste|Unit|Floor|Fl|Bldg|Building|PO Box)\.?[ \t]?#?[ \t]?"
    r"[A-Za-z0-9\-]{1,6})?"
)
_NO_STREET = r"(?!(?:WITH|TO|BY|FOR|FROM|PER|AND|DEAR|Dear|SEE|VIA|CALLED|TOLD)\s)"  # 06/18 WITH DR
_STREET = re.compile(
    rf"{_HOUSE}{_SPACE}(?:{_NO_STREET}(?:{_WORD}|{_SMALL}|\d{{1,3}}(?:st|nd|rd|th|ST|ND|RD|TH)){_SPACE}){{1,4}}"
    rf"(?:{_SURE}|{_SURE.upper()})(?!\w)(?!(?<=[Dd][Rr])\.?\s+[A-Z])\.?{_UNIT}"  # not 14 Jul Dr. Long
)
_VAGUE_STREET = re.compile(
    rf"{_HOUSE}{_SPACE}(?:(?:{_WORD}|{_SMALL}){_SPACE}){{1,3}}(?:{_VAGUE}|{_VAGUE.upper()})(?!\w)\.?{_UNIT}"
    rf"(?=,?{_SPACE}{_WORD}(?:{_SPACE}{_WORD}){{0,3}},)"
)
_NUMBERED = re.compile(
    rf"{_HOUSE}{_SPACE}(?:County|State|Old|Route|US|Rural|Farm|Ranch)(?:{_SPACE}(?:Road|Route|Highway|Rd|Hwy))?{_SPACE}\d{{1,4}}(?!\d)"
)
_FRENCH = re.compile(
    rf"{_HOUSE},?{_SPACE}(?:bis,?{_SPACE})?(?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Pp]lace|[Cc]hemin|[Qq]uai|[Aa]llée|[Cc]alle|[Aa]venida|[Vv]ia|[Pp]laza)"
    rf"(?:{_SPACE}(?:{_SMALL}|{_WORD})){{1,5}}"
)
_GERMAN = re.compile(
    r"(?<!\w)[A-ZÄÖÜ][\wäöüß\-]{2,30}(?:straße|strasse|str\.|weg|platz|allee|gasse|ufer|damm)[ \t]\d{1,4}[a-z]?(?!\w)"
    r"(?:,[ \t]*(?P<zip>\d{5})[ \t](?P<town>[A-ZÄÖÜ][\wäöüß\-]{2,30}))?"
)
_GERMAN_NAMED = re.compile(  # Am Anger 7, 99084 Erfurt
    r"(?<!\w)(?:Am|An|Auf|Im|In|Zum|Zur|Unter|Hinter)[ ](?:(?:de[rmn]|das|die)[ ])?[A-ZÄÖÜ][\wäöüß\-]{2,30}"
    r"[ ]\d{1,4}[a-z]?,[ \t]*\d{5}[ \t][A-ZÄÖÜ][\wäöüß\-]{2,30}"
)
_SPANISH = re.compile(
    r"(?<!\w)(?:C/|Calle|Avda\.?|Avenida|Plaza|Paseo|Camino)[ ](?:del?[ ](?:las?[ ]|los[ ])?)?"
    r"[A-ZÀ-Þ][\w-]{2,24}(?:[ ](?:de[ ])?[A-ZÀ-Þ][\w-]{2,24}){0,2},?[ ](?:n[.ºo°]{0,2}[ ]?)?\d{1,4}(?!\w)"
)
_CODE_AND_TOWN = re.compile(r"(?:(?<=,[ ])|(?<=\n)|(?<=[ ]{2}))\d{5}[ ][A-ZÀ-Þ][a-zà-ÿ][\wà-ÿ-]{1,24}(?![\w-])")
_IN_CODE_AND_TOWN = re.compile(r"\d{5}[ ][A-ZÀ-Þ]")
_GERMAN_TOWN = re.compile(r",[ \t]*\d{5}[ \t]")
_GERMAN_PARTS = ("stra", "str.", "weg ", "platz", "allee", "gasse", "ufer", "damm")
_BOX = re.compile(r"(?<!\w)P\.?[ ]?O\.?[ ]?Box[ \t]#?\d{1,8}", re.IGNORECASE)
_ZIP = re.compile(r"\d{5}(?:-\d{4})?(?![\w-]|\.\d|/\d)")
_STATES = (
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|"
    "Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|"
    "Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|"
    "Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|"
    "West Virginia|Wisconsin|Wyoming"
)
# Without a postal code: not those that are also a view, a degree or a word.
_POSTAL = "AK|AZ|CA|FL|GA|HI|IL|KS|KY|MA|MN|NH|NJ|NM|NY|NC|NV|OH|OK|RI|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC"
_TOWN = rf"{_WORD}(?:(?:{_SPACE}|-){_WORD}){{0,3}}"
_STATE = rf"(?:[A-Z]{{2}}|[A-Z]\.[A-Z]\.|{_STATES})"
_TOWN_AND_STATE = re.compile(rf"(?P<town>{_TOWN})(?:,{_SPACE}?|{_SPACE}){_STATE}[,.]?{_SPACE}$")
_FIRST_WORD = re.compile(r"[^\s]+\s+")
_LINE_BEFORE = re.compile(
    rf"(?P<street>{_HOUSE}{_SPACE}(?=[A-ZÀ-Þ\d])[^,\n]{{3,48}}?)(?:,[ \t]*(?:\r?\n)?[ \t]*|[ \t]*\r?\n[ \t]*)$"
)
_STATE_AFTER = re.compile(rf",[ \t](?:{_POSTAL})(?![\w.-])")
_TOWN_BEFORE = re.compile(rf"(?<!\w)(?P<town>{_WORD}(?:[ -]{_WORD}){{0,2}})$")
_WORDS = Kind.ORDINARY | Kind.SHORT | Kind.EPONYM
_BRITISH = re.compile(
    r"(?<![\w-])[A-Z]{1,2}\d[A-Z\d]?[ ]\d(?!ST|ND|RD|TH|CM|MM|ML|MG|KG|PM|AM|FR|XR|CT)[ABD-HJLNP-UW-Z]{2}(?![\w-])"
)
_IN_BRITISH, _IN_CANADIAN = re.compile(r"[ ]\d[A-Z]{2}"), re.compile(r"[A-Z]\d[A-Z]")
_CANADIAN = re.compile(r"(?<![\w-])(?!T\dN\dM\d)[ABCEGHJ-NPRSTVXY]\d[A-Z][ -]?\d[A-Z]\d(?![\w-])")
_ADDRESS_LABEL = re.compile(
    r"(?<!\w)(?:home |mailing |street )?address(?:ed)?[ \t]*[:=][ \t]*(?P<value>\d[^\n]{3,80}?)(?=[ \t]{3,}|\r?\n|$)",
    re.IGNORECASE,
)
_ZIP_LABEL = re.compile(
    r"(?<!\w)(?:zip|postal|post)[ \t]*(?:code)?[ \t]*[:#]?[ \t]*(?P<value>\d{5}(?:-\d{4})?)(?!\d)", re.IGNORECASE
)

_RESIDENT_PARTS = ("R/o", "r/o", "R/O", "Resident of", "Add")
# `R/o H.No. 221, VPO Kherki Daula`: a resident of, and where
_RESIDENT = re.compile(
    r"(?<!\w)(?:R/o|r/o|R/O|Resident of|Add(?:r|ress)?)[.:]?[ ]{1,2}"
    r"(?P<value>(?:H\.? ?No\.?|House|Flat|Plot|Vill(?:age)?|VPO|Qtr|#)[^\n]{2,80}?)(?=[ \t]{2,}|\r?\n|$)"
)


def take(page: Page) -> None:
    text = page.text
    for match in _RESIDENT.finditer(text) if any(part in text for part in _RESIDENT_PARTS) else ():
        page.take(*match.span("value"), Category.ADDRESS)
    for start in page.numbers:
        if page.free(start, start + 1):
            _take_at_number(page, start)
    _take_codes(page)
    lowered = text.lower()
    for form, may_be in (
        (_GERMAN, any(part in lowered for part in _GERMAN_PARTS)),
        (_GERMAN_NAMED, _GERMAN_TOWN.search(text)),
        (_SPANISH, any(part in text for part in ("C/", "Calle", "Av", "Plaza", "Paseo", "Camino"))),
        (_CODE_AND_TOWN, _IN_CODE_AND_TOWN.search(text)),
        (_BOX, "box" in lowered),
    ):
        if may_be:
            for match in form.finditer(text):
                if page.free(*match.span()):
                    page.take(*match.span(), Category.ADDRESS)
    if "address" in lowered:
        for match in _ADDRESS_LABEL.finditer(text):
            if page.free(*match.span("value")):
                page.take(
                    match.start("value"), match.start("value") + len(match["value"].rstrip(" ,.")), Category.ADDRESS
                )
    if "zip" in lowered or "post" in lowered:
        for match in _ZIP_LABEL.finditer(text):
            page.take(*match.span("value"), Category.ADDRESS)


def _take_at_number(page: Page, start: int) -> None:
    text = page.text
    zip_code = _ZIP.match(text, start)
    if zip_code and (place := _TOWN_AND_STATE.search(page.before(start, 90))):
        _take_town_line(page, start, zip_code.end(), place)
        return
    for form in (_NUMBERED, _FRENCH, _STREET, _VAGUE_STREET):
        match = form.match(text, start)
        if match and page.free(*match.span()):
            page.take(*match.span(), Category.ADDRESS)
            _take_town_after(page, match.end())
            return


def _take_town_line(page: Page, zip_start: int, zip_end: int, place: re.Match[str]) -> None:
    """`12 Larch Way, Springfield, NX 12345`: the code, its town, and the street before it however it is named."""
    offset = zip_start - len(page.before(zip_start, 90))
    page.take(zip_start, zip_end, Category.ADDRESS)
    town, end = offset + place.start("town"), offset + place.end("town")
    while not page.free(town, end) or "\n" in page.text[town:end]:
        gap = _FIRST_WORD.match(page.text, town, end)
        if not gap:
            break
        town = gap.end()
    street = _LINE_BEFORE.search(page.before(town, 80))
    if street:
        begin = town - len(page.before(town, 80)) + street.start("street")
        if page.free(begin, begin + len(street["street"])):
            page.take(begin, begin + len(street["street"]), Category.ADDRESS)
    if page.free(town, end):
        page.take(town, end, Category.ADDRESS)


def _take_town_after(page: Page, place: int) -> None:
    match = re.compile(rf",{_SPACE}(?P<town>{_TOWN})(?=[,.;\n]|$)").match(page.text, place)
    if match and page.free(*match.span("town")):
        page.take(*match.span("town"), Category.ADDRESS)


def _take_codes(page: Page) -> None:
    for form, part in ((_BRITISH, _IN_BRITISH), (_CANADIAN, _IN_CANADIAN)):
        for match in form.finditer(page.text) if part.search(page.text) else ():
            if page.free(*match.span()):
                page.take(*match.span(), Category.ADDRESS, doubted=match[0].isalnum())  # A2L3B2 is a disease's extent
    for match in _STATE_AFTER.finditer(page.text):
        place = _TOWN_BEFORE.search(page.before(match.start(), 60))
        if place and any(not kind_of(fold(word)) & _WORDS for word in place["town"].split()):
            end = match.start()
            if page.free(end - len(place["town"]), end):
                page.take(end - len(place["town"]), end, Category.ADDRESS)
