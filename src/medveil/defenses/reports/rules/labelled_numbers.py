"""Numbers that say what they are: record, accession, social security, insurance, licence, serial and room numbers."""

from __future__ import annotations

import re
from functools import cache

from medveil.defenses.reports.rules.lexicon import words
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_NUMBER_WORD = r"(?:(?:numbers?|num|nbr|nr|no|n°|nº|id|ids|identifier|ident|code)(?![A-Za-z0-9])|#(?![A-Za-z]))"
_MARK = r"[ \t.:#=_()\[\]\-]{0,14}"
_VALUE = r"(?P<value>(?=[A-Za-z0-9./\-]{0,24}\d)[A-Za-z0-9](?:[A-Za-z0-9]|[./\-](?=[A-Za-z0-9])){1,40})"
_SHORT_VALUE = (
    r"(?P<value>\d{1,2}[ ](?:NORTH|SOUTH|EAST|WEST)(?!\w)"
    r"|(?=[A-Za-z0-9./\-]{0,8}\d)[A-Za-z0-9](?:[A-Za-z0-9]|[./\-](?=[A-Za-z0-9])){0,12})"
)
_AFTER_SURE = re.compile(rf"(?:{_MARK}{_NUMBER_WORD}){{0,2}}{_MARK}(?:\r?\n[ \t]{{0,30}})?{_VALUE}", re.IGNORECASE)
_AFTER_VAGUE = re.compile(
    rf"(?:(?:{_MARK}{_NUMBER_WORD}){{1,2}}{_MARK}|[ \t]?[#:=][ \t#:]{{0,14}})(?:\r?\n[ \t]{{0,30}})?{_VALUE}",
    re.IGNORECASE,
)
_CODE_AFTER = re.compile(
    r"[ \t](?P<value>(?=[A-Z0-9./-]*[A-Z])(?:[A-Z]{1,3}[ ])?(?=[A-Z0-9./-]*\d{2})[A-Z0-9][A-Z0-9./-]{3,16})(?![\w/])"
)
_AFTER_PLACE = re.compile(rf"(?:{_MARK}{_NUMBER_WORD})?{_MARK}{_SHORT_VALUE}(?![\w/:])", re.IGNORECASE)
_SSN = re.compile(r"\d{3}([- ])\d{2}\1\d{4}(?!\d)")
_NIR = re.compile(r"[12][ ]\d\d[ ](?:0[1-9]|1[0-2])[ ]\d[\dAB][ ]\d{3}[ ]\d{3}(?:[ ]\d\d)?(?!\d)")  # of France
_HAS_DATE = re.compile(r"\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|(?:19|20)\d\d-\d\d-\d\d")
_LONG_UID = re.compile(r"(?<![\w.])[0-2](?:\.\d{1,39}){4,30}(?![\w])")
_KEYED = re.compile(
    r"\"(?:id|identifier|reference|value|mrn|accession\w{0,12}|[a-z]{2,20}_?[iI][dD])\"[ ]?:[ ]?"
    r"\"(?:[A-Z][A-Za-z]{2,30}/)?(?P<value>(?=[\w.-]{0,20}\d)[A-Za-z0-9][\w-]{3,63})\""
)
_STANDARD_UID = "1.2.840.10008."

_SURE = {
    Category.MRN: (
        "mrn mrns mr# medrec hrn urn umrn empi emrn nhs chi fallnummer fallnr fall-nr patientennummer patientennr "
        "patienten-nr patienten-id pat-id ipp nhc nuhsa"
    ),
    Category.ACCESSION: "accession accessions acc acc# accn",
    Category.SSN: "ssn ssn# sozialversicherungsnummer nino nir dni nie nif",
    Category.HEALTH_PLAN: (
        "hicn medicare medicaid mbi policy subscriber beneficiary versichertennummer versichertennr "
        "versicherungsnummer kvnr nss"
    ),
    Category.DEVICE_SERIAL: "serial udi imei s/n sn lot lots",
    Category.OTHER_ID: "fin csn har npi dea upin vin job dictation plate plates ordernumber confirmation docket "
    "auftragsnummer auftragsnr auftrags-nr aufnahmenummer aufnahmenr",
}
# These are ordinary words as well: only with a sign that a number follows.
_VAGUE = {
    Category.MRN: (
        "mr patient pt record records chart unit hospital clinic pid hosp patientid id pat dossier historia expediente "
        "episodio"
    ),
    Category.ACCESSION: "exam study examination req requisition reference ref specimen",
    Category.SSN: "security",
    Category.HEALTH_PLAN: "plan member group insurance insured contract payer claim coverage",
    Category.DEVICE_SERIAL: "device generator implant pacemaker model detector tube equipment machine scanner system",
    Category.OTHER_ID: (
        "order visit encounter batch index account acct case file document doc invoice license licence lic "
        "certificate cert "
        "tag registration employee badge user operator station protocol passport driver drivers vehicle "
        "authorization auth referral ticket event report barcode tracking job workstation folder provider physician"
    ),
}
_PLACE_ABROAD = words("opd resus box zimmer zi bett lit chambre ch cama hab cubiculo station")
_PLACES = " ".join(sorted(_PLACE_ABROAD | words("room rm bed ward bay cubicle suite location loc theatre theater")))
_BED_LETTER = re.compile(r"[ \t:#-]{1,3}(?P<value>[A-H])(?![\w'’])")
_PLACE_SURE = words("room rm bed ward bay cubicle theatre theater")
_PLAN_WORD = re.compile(r"[ \t]*(?:[A-Z][A-Za-z]{2,20}[ \t]){1,3}(?P<value>[A-Z]{0,4}-?\d{6,14}[A-Z]?)\b")
_NOT_VALUES = re.compile(r"\d{1,3}(?:st|nd|rd|th|mm|cm|kg|mg|ml|f|fr|view|views|vw|v|x|d|yo)?", re.IGNORECASE)


@cache
def _labels() -> dict[str, tuple[re.Pattern[str], Category]]:
    labels = {word: (_AFTER_VAGUE, category) for category, words in _VAGUE.items() for word in words.split()}
    labels |= {word: (_AFTER_SURE, category) for category, words in _SURE.items() for word in words.split()}
    return labels | dict.fromkeys(_PLACES.split(), (_AFTER_PLACE, Category.OTHER_ID))


def take(page: Page) -> None:
    text = page.text
    _take_uids(page)
    _take_keyed(page)
    for start in page.numbers:
        if (match := _SSN.match(text, start) or _NIR.match(text, start)) and page.free(*match.span()):
            page.take(*match.span(), Category.SSN)
    labels = _labels()
    for index, word in enumerate(page.words):
        known = labels.get(word.folded)
        if known is None:
            if word.folded == "s" and text[word.end : word.end + 2].lower() == "/n":
                _take_value(page, _AFTER_SURE, word.end + 2, Category.DEVICE_SERIAL, sure=True)
            elif word.folded == "insurance" or word.folded == "insurer":
                _take_plan(page, word.end)
            continue
        form, category = known
        if word.folded in ("medicare", "medicaid", "policy", "insurance", "plan"):
            _take_plan(page, word.end)
        if form is _AFTER_PLACE:
            _take_place(page, index)
        else:
            _take_value(page, form, word.end, category, sure=form is _AFTER_SURE)


def _take_keyed(page: Page) -> None:
    """`"id":"dr-88f1c2"`, `"reference":"Patient/p-441907"` of a machine's message."""
    if '":' not in page.text:
        return
    for match in _KEYED.finditer(page.text):
        if page.free(*match.span("value")):
            page.take(*match.span("value"), Category.OTHER_ID)


def _take_uids(page: Page) -> None:
    if page.text.count(".") < 4:
        return
    for match in _LONG_UID.finditer(page.text):
        if len(match[0]) >= 14 and not match[0].startswith(_STANDARD_UID):
            page.take(*match.span(), Category.UID)


def _take_value(page: Page, form: re.Pattern[str], place: int, category: Category, *, sure: bool) -> None:
    match = form.match(page.text, place)
    if not match:
        coded = _CODE_AFTER.match(page.text, place) if form is _AFTER_VAGUE else None
        if coded and page.free(*coded.span("value")) and not _HAS_DATE.search(coded["value"]):
            page.take(*coded.span("value"), category, doubted=True)
        return
    start, end = match.span("value")
    value = match["value"]
    if start == place and page.text[place - 1].isupper():  # SN1234567: one code
        start = _code_start(page.text, place)
    digits = sum(map(str.isdigit, value))
    marked = any(mark in page.text[place:start] for mark in "#:=")
    if _HAS_DATE.fullmatch(value) or not page.free(start, end) or (_NOT_VALUES.fullmatch(value) and not sure):
        return
    if "/" in value and _HAS_DATE.search(value):
        return
    if digits >= 4 or (digits >= 2 and (sure or marked) and len(value) >= 3):
        page.take(start, end, category)


def _code_start(text: str, place: int) -> int:
    while place and text[place - 1].isalnum():
        place -= 1
    return place


def _take_place(page: Page, index: int) -> None:
    word = page.words[index]
    match = _AFTER_PLACE.match(page.text, word.end)
    if not match:
        lettered = _BED_LETTER.match(page.text, word.end) if word.folded == "bed" else None
        if lettered and (page.taken_at(word.start - 2) or page.taken_at(word.start - 1)):  # room 412 bed B
            page.take(*lettered.span("value"), Category.OTHER_ID)
        return
    start, end = match.span("value")
    if index and page.words[index - 1].folded in ("dr", "mr", "mrs", "ms", "drs", "prof", "o", "po"):  # P.O. Box
        return
    marked = any(mark in page.text[word.end : start] for mark in "#:=")
    coded = not match["value"].isdigit()
    unit = re.match(r"[ \t]*(?:cm|mm|views?|minutes|hours|days|weeks|x\b|of\b)", page.text[end : end + 10])
    if unit or _HAS_DATE.fullmatch(match["value"]) or not page.free(start, end):
        return
    sure = word.folded in _PLACE_SURE or marked or (coded and len(match["value"]) > 2)
    if sure or word.folded in _PLACE_ABROAD:
        page.take(start, end, Category.OTHER_ID, doubted=not sure)


def _take_plan(page: Page, place: int) -> None:
    """The insurer's name stands between the label and the number."""
    match = _PLAN_WORD.match(page.text, place + (page.text[place : place + 1] == ":"))
    if match and page.free(*match.span("value")):
        page.take(*match.span("value"), Category.HEALTH_PLAN)
