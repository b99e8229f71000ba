"""What its own form tells: counties, vehicles, implants' codes, network addresses, biometric codes, photographs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medveil.defenses.reports.rules.lexicon import Kind, kind_of, words
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category
from medveil.person.normalised import fold

_NAME = r"[A-ZÀ-Þ][\w'’-]{2,24}"
_NO_COUNTY = (
    r"(?!(?:The|This|That|Our|Your|In|At|From|To|By|Of|For|And|Or|No|Per|Local|Each|Every|Any|Another|Same|General|"
    r"Cook's)\b)"
)
_COUNTY = re.compile(
    rf"(?<![\w-]){_NO_COUNTY}{_NAME}(?:[ ]{_NAME}){{0,2}}[ ](?:County|Parish|Borough|Shire)(?![\w'’-]|[ ](?:Hospital|"
    r"Medical|General|Health|Clinic|Council|Court|Road|Line|Infirmary|Memorial|Regional|Fair))"
    rf"|(?<![\w-])(?:County|Co\.)[ ](?!(?:Road|Route|Highway|Line|Hospital|Medical|General|Health|Clinic|Council|"
    rf"Court|Infirmary|Jail|Fair|Home|Coroner|Sheriff)\b){_NAME}(?![\w-])"
)
_NO_PLACE = words("county parish borough shire co")
_PLATE_CUES = re.compile(
    r"(?<!\w)(?:(?:licen[cs]e|number|vehicle|car)[ ]plates?|plates?|license tag|vehicle tag|registration|"
    r"reg(?:istered)?|rego|tag|kennzeichen|immatriculation|matr[ií]cula)(?:[ ](?:no|number|is|was|nr))?"
    r"[.:#]{0,2}[ ]{0,2}(?P<state>[A-Z]{2}[ ])?(?P<value>(?=[A-ZÄÖÜ0-9 -]{0,9}\d)"
    r"[A-ZÄÖÜ0-9]{1,4}(?:[ -]?[A-ZÄÖÜ0-9]{1,4}){0,2})(?![\w-])",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"(?=.*[A-Z])[A-ZÄÖÜ0-9 -]{4,12}")
# British since 2001, and German with its town: no other thing is written like them.
_PLATE = re.compile(
    r"(?<![\w-])(?:[A-HJ-PR-Y]{2}(?:[0-2]\d|[5-7]\d)[ ][A-HJ-PR-Z]{3}|[A-ZÄÖÜ]{1,3}-[A-Z]{2}[ ]\d{2,4}[EH]?)(?![\w-])"
)
_VEHICLE = re.compile(
    r"\b(?:car|van|truck|lorry|vehicle|bike|motorcycle|motorbike|drives?|driving|driver|parked|sedan|plates?|civic|"
    r"corolla|ford|toyota|honda|audi|bmw|vw)\b",
    re.IGNORECASE,
)
_VIN = re.compile(r"(?<![\w-])(?=[A-HJ-NPR-Z0-9]{0,16}\d{4})(?=\d*[A-HJ-NPR-Z])[A-HJ-NPR-Z0-9]{17}(?![\w-])")
_UDI = re.compile(
    r"(?<![\w(])\(01\)[ ]?\d{14}(?:[ ]?\((?:1[0-7]|2[0-2]|30|240|250)\)[ ]?[\w./+-]{1,20})*"
    r"|(?<!\w)\+[A-Z]\d{3}[A-Z0-9]{3,20}/\$[\w$+/.-]{4,40}|(?<!\w)=/[A-Z0-9]{6,20}(?:=[\w;,<>-]{4,20}){1,4}"
)
_IPV4 = re.compile(r"(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}(?::\d{1,5})?(?![\w.]?\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?:%\w{1,8}|/\d{1,3})?(?![\w:])")
_BIOMETRIC = re.compile(
    r"(?<!\w)(?:(?:finger|thumb|palm|voice|face|foot)[ -]?prints?|biometrics?|iris|retinal?|face|facial|palm|voice|"
    r"gait|vein)(?:[ -](?:vein|scan|recognition))?(?:[ ](?:template|code|id|hash|token|enrol?ment|key|record|scan|ref|"
    r"reference|number|no))*[ .:#=]{1,3}"
    r"(?P<value>(?=[\w-]{0,30}\d)(?=[\w-]{0,30}[A-Za-z]|\d{4})[A-Za-z0-9][\w-]{3,63})(?![\w-])",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"\d+(?:mm|cm|d|th|st|nd|rd|x\d+|v\d*)", re.IGNORECASE)
_PHOTO = re.compile(
    r"(?<![\w/.-])\w[\w-]{1,79}(?:\.[\w-]{1,20}){0,2}\."
    r"(?:jpe?g|png|heic|heif|tiff?|gif|bmp|webp|mp4|mov|avi|nef|cr2|dng)(?!\w)",
    re.IGNORECASE,
)
_PICTURES = words("jpg jpeg png heic heif tif tiff gif bmp webp mp mov avi nef cr dng")
_BODY = words(
    "fingerprint fingerprints finger thumb thumbprint palm palmprint voice voiceprint face faceprint facial footprint "
    "foot biometric biometrics iris retina retinal gait vein"
)
_PLATES = words("plate plates tag registration reg registered rego kennzeichen immatriculation matricula")
_VEHICLES = words(
    "car van truck lorry vehicle bike motorcycle motorbike drive drives driving driver parked sedan plate plates civic "
    "corolla ford toyota honda audi bmw vw"
)
_IN_VIN = re.compile(r"[A-HJ-NPR-Z0-9]{17}")
_VERSION = ("version", "v", "section")


def take(page: Page) -> None:
    for start, end, category in _forms(page):
        if page.free(start, end):
            page.take(start, end, category)


def _forms(page: Page) -> Iterator[tuple[int, int, Category]]:
    """A form that takes long to search for is searched for only where a word of it stands."""
    text = page.text
    if "(01)" in text or "/$" in text or "=/" in text:
        yield from ((*match.span(), Category.UDI) for match in _UDI.finditer(text))
    yield from _networks(page)
    if page.standing(_PICTURES):
        yield from ((*match.span(), Category.PHOTO) for match in _PHOTO.finditer(text))
    for match in _BIOMETRIC.finditer(text) if page.standing(_BODY) else ():
        if not _MEASURED.fullmatch(match["value"]):
            yield *match.span("value"), Category.BIOMETRIC
    if _IN_VIN.search(text):
        yield from ((*match.span(), Category.VEHICLE) for match in _VIN.finditer(text))
    for match in _PLATE_CUES.finditer(text) if page.standing(_PLATES) else ():
        if _CAPITALS.fullmatch(match["value"]) and not kind_of(fold(match["value"].split()[0])) & Kind.ORDINARY:
            yield match.start("state") if match["state"] else match.start("value"), match.end("value"), Category.VEHICLE
    for match in _PLATE.finditer(text) if page.standing(_VEHICLES) else ():
        if _VEHICLE.search(page.before(match.start(), 60)):
            yield *match.span(), Category.VEHICLE
    if page.standing(_NO_PLACE):
        yield from ((*match.span(), Category.COUNTY) for match in _COUNTY.finditer(text))


def _networks(page: Page) -> Iterator[tuple[int, int, Category]]:
    text = page.text
    if text.count(".") >= 3:
        for start in page.numbers:
            address = _IPV4.match(text, start)
            told = page.before(start, 9).rstrip().lower()
            if address and len(address[0]) >= 8 and not told.endswith(_VERSION):  # section numbers are short
                yield *address.span(), Category.NETWORK
    for match in _IPV6.finditer(text) if text.count(":") > 1 else ():
        groups = match[0].split("%")[0].split("/")[0].split(":")
        whole = len(groups) == 8 and all(groups)
        if whole or ("::" in match[0] and sum(len(group) > 2 for group in groups) >= 2):
            yield *match.span(), Category.NETWORK
