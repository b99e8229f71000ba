"""What its own form tells: counties, vehicles, implants' codes, network addresses, biometric codes, photographs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medveil.defenses.reports.rules.lexicon import words
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_NAME = r"[A-ZÀ-Þ][\w'’-]{2,24}"
_HOUSES = "Hospital|Medical|General|Health|Clinic|Council|Court|Road|Line|Infirmary|Memorial|Regional|Jail|Home"
_COUNTY = re.compile(
    rf"(?<=[a-z,][ ]){_NAME}(?:[ ]{_NAME})?[ ](?:County|Parish|Borough|Shire)(?![\w'’-]|[ ](?:{_HOUSES}))"
    rf"|(?<![\w-])(?:County|Co\.)[ ](?!(?:{_HOUSES})\b){_NAME}(?![\w-])"
)
_PLATE = re.compile(
    r"(?<!\w)(?i:plates?|(?:license|vehicle) tag|registration|kennzeichen|immatriculation|matr[ií]cula)"
    r"(?i:[ ](?:no|number|is|was|nr))?[.:#]{0,2}[ ]{0,2}"
    r"(?P<value>(?=[A-ZÄÖÜ -]*\d)(?=[\d -]*[A-ZÄÖÜ])[A-ZÄÖÜ0-9]{1,4}(?:[ -]?[A-ZÄÖÜ0-9]{1,4}){1,3})(?![\w-])"
)
_BRITISH_PLATE = re.compile(r"(?<![\w-])[A-HJ-PR-Y]{2}(?:[0-2]\d|[5-7]\d)[ ][A-HJ-PR-Z]{3}(?![\w-])")
_VIN = re.compile(r"(?<![\w-])(?=[A-HJ-NPR-Z0-9]{0,16}\d{4})(?=\d*[A-HJ-NPR-Z])[A-HJ-NPR-Z0-9]{17}(?![\w-])")
_UDI = re.compile(r"(?<![\w(])\(01\)[ ]?\d{14}(?:[ ]?\((?:1[0-7]|2[0-2]|30|240|250)\)[ ]?[\w./+-]{1,20})*")
_IPV4 = re.compile(r"(?<![\w.])(?:[12]?\d?\d\.){3}[12]?\d?\d(?::\d{1,5})?(?![\w.]?\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?:%\w{1,8}|/\d{1,3})?(?![\w:])")
_BIOMETRIC = re.compile(
    r"(?<!\w)(?:(?:finger|thumb|palm|voice|face|foot)[ -]?prints?|biometrics?|iris|retinal?|face|facial|palm|voice|"
    r"gait|vein)(?:[ ](?:template|code|id|hash|scan|ref|number|no))*[ .:#=]{1,3}"
    r"(?P<value>(?=[\w-]{0,30}\d)[A-Za-z]{1,4}[-_][\w-]{3,63})(?![\w-])",
    re.IGNORECASE,
)
_PHOTO = re.compile(
    r"(?<![\w/.-])\w[\w-]{1,79}(?:\.[\w-]{1,20}){0,2}\."
    r"(?:jpe?g|png|heic|heif|tiff?|gif|bmp|webp|mp4|mov|avi|nef|cr2|dng)(?!\w)",
    re.IGNORECASE,
)
# A form that takes long to search for is searched for only where one of its words stands.
_BY_WORD = (
    (_PHOTO, Category.PHOTO, words("jpg jpeg png heic heif tif tiff gif bmp webp mp mov avi nef cr dng")),
    (
        _BIOMETRIC,
        Category.BIOMETRIC,
        words(
            "fingerprint fingerprints finger thumb thumbprint palm palmprint voice voiceprint face faceprint facial "
            "footprint foot biometric biometrics iris retina retinal gait vein"
        ),
    ),
    (_PLATE, Category.VEHICLE, words("plate plates tag registration kennzeichen immatriculation matricula")),
    (_COUNTY, Category.COUNTY, words("county parish borough shire co")),
)
_VERSION = ("version", "v", "section")


def take(page: Page) -> None:
    for start, end, category in _forms(page):
        if page.free(start, end):
            page.take(start, end, category)


def _forms(page: Page) -> Iterator[tuple[int, int, Category]]:
    for form, category, cues in _BY_WORD:
        for match in form.finditer(page.text) if page.standing(cues) else ():
            yield *match.span("value" if "value" in form.groupindex else 0), category
    for form, category in ((_UDI, Category.UDI), (_VIN, Category.VEHICLE), (_BRITISH_PLATE, Category.VEHICLE)):
        yield from ((*match.span(), category) for match in form.finditer(page.text))
    for match in _IPV4.finditer(page.text):
        if len(match[0]) >= 8 and not page.before(match.start(), 9).rstrip().lower().endswith(_VERSION):
            yield *match.span(), Category.NETWORK
    for match in _IPV6.finditer(page.text) if page.text.count(":") > 1 else ():
        groups = re.split("[%/]", match[0])[0].split(":")
        if (len(groups) == 8 and all(groups)) or ("::" in match[0] and sum(len(one) > 2 for one in groups) >= 2):
            yield *match.span(), Category.NETWORK
