"""Numbers that say what they are: record, accession, social security, insurance, licence, serial and room numbers."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_NUMBER_WORD = r"(?:(?:numbers?|num|nbr|nr|no|n°|nº|id|ids|identifier|ident|code)(?![A-Za-z0-9])|#(?![A-Za-z]))"
_MARK = r"[ \t.:#=_()\[\]\-]{0,14}"
_BREAK = r"(?:\r?\n[ \t]{0,30})?"
_VALUE = r"(?P<value>(?=[A-Za-z0-9./\-]{0,24}\d)[A-Za-z0-9](?:[A-Za-z0-9]|[./\-](?=[A-Za-z0-9])){1,40})"
_AFTER_SURE = re.compile(rf"(?:{_MARK}{_NUMBER_WORD}){{0,2}}{_MARK}{_BREAK}{_VALUE}", re.IGNORECASE)
_AFTER_VAGUE = re.compile(
    rf"(?:(?:{_MARK}{_NUMBER_WORD}){{1,2}}{_MARK}|[ \t]?[#:=][ \t#:]{{0,14}}){_BREAK}{_VALUE}", re.IGNORECASE
)
_PLACE = re.compile(
    rf"(?:{_MARK}{_NUMBER_WORD})?(?P<mark>{_MARK})(?P<value>(?=[A-Za-z0-9./\-]{{0,8}}\d)[A-Za-z0-9]"
    r"(?:[A-Za-z0-9]|[./\-](?=[A-Za-z0-9])){0,12})(?![\w/:]|[ \t]*(?:cm|mm|views?|minutes|hours|days|weeks|x\b|of\b))",
    re.IGNORECASE,
)
_PLAN = re.compile(r"[ \t:]*(?:[A-Z][A-Za-z]{2,20}[ \t]){1,3}(?P<value>[A-Z]{0,4}-?\d{6,14}[A-Z]?)\b")
_SOCIAL = re.compile(  # of the United States and of France
    r"(?<![\w.-])(?:\d{3}([- ])\d{2}\1\d{4}"
    r"|[12][ ]\d\d[ ](?:0[1-9]|1[0-2])[ ]\d[\dAB][ ]\d{3}[ ]\d{3}(?:[ ]\d\d)?)(?!\d)"
)
_DATE = re.compile(r"\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|(?:19|20)\d\d-\d\d-\d\d")
_UID = re.compile(r"(?<![\w.])[0-2](?:\.\d{1,39}){4,30}(?![\w])")
_STANDARD_UID = "1.2.840.10008."
_KEYED = re.compile(  # `"id":"dr-88f1c2"`, `"reference":"Patient/p-441907"` of a machine's message
    r"\"(?:id|identifier|reference|value|mrn|accession\w{0,12}|[a-z]{2,20}_?[iI][dD])\"[ ]?:[ ]?"
    r"\"(?:[A-Z][A-Za-z]{2,30}/)?(?P<value>(?=[\w.-]{0,20}\d)[A-Za-z0-9][\w-]{3,63})\""
)
_SMALL = re.compile(r"\d{1,3}(?:st|nd|rd|th|mm|cm|kg|mg|ml|f|fr|view|views|vw|v|x|d|yo)?", re.IGNORECASE)

# What labels a number wherever it stands, and what is an ordinary word as well: only with a sign that one follows.
_SURE, _VAGUE = (
    {word: category for category, told in labels.items() for word in told.split()}
    for labels in (
        {
            Category.MRN: (
                "mrn mrns mr# medrec hrn urn umrn empi emrn nhs chi fallnummer fallnr fall-nr patientennummer "
                "patientennr patienten-nr patienten-id pat-id ipp nhc nuhsa"
            ),
            Category.ACCESSION: "accession accessions acc acc# accn",
            Category.SSN: "ssn ssn# sozialversicherungsnummer nino nir dni nie nif",
            Category.HEALTH_PLAN: (
                "hicn medicare medicaid mbi policy subscriber beneficiary versichertennummer versichertennr "
                "versicherungsnummer kvnr nss"
            ),
            Category.DEVICE_SERIAL: "serial udi imei sn lot lots",
            Category.OTHER_ID: (
                "fin csn har npi dea upin vin job dictation plate plates ordernumber confirmation docket "
                "auftragsnummer auftragsnr auftrags-nr aufnahmenummer aufnahmenr"
            ),
        },
        {
            Category.MRN: (
                "mr patient pt record records chart unit hospital clinic pid hosp patientid id pat dossier historia "
                "expediente episodio"
            ),
            Category.ACCESSION: "exam study examination req requisition reference ref specimen",
            Category.SSN: "security",
            Category.HEALTH_PLAN: "plan member group insurance insured contract payer claim coverage",
            Category.DEVICE_SERIAL: "device generator implant pacemaker model detector tube equipment machine scanner",
            Category.OTHER_ID: (
                "order visit encounter batch index account acct case file document doc invoice license licence lic "
                "certificate cert tag registration employee badge user operator station protocol passport driver "
                "drivers vehicle authorization auth referral ticket event report barcode tracking workstation folder "
                "provider physician"
            ),
        },
    )
)
_PLACES = frozenset("room rm bed ward bay cubicle theatre theater".split())
_VAGUE_PLACES = frozenset("suite location loc opd resus box zimmer zi bett lit chambre ch cama hab cubiculo".split())
_INSURERS = frozenset("insurance insurer medicare medicaid policy plan".split())
_NO_PLACE_AFTER = frozenset("dr mr mrs ms drs prof o po".split())  # P.O. Box


def take(page: Page) -> None:
    for match in _UID.finditer(page.text) if page.text.count(".") >= 4 else ():
        if len(match[0]) >= 14 and not match[0].startswith(_STANDARD_UID):
            page.take(*match.span(), Category.UID)
    for match in _KEYED.finditer(page.text) if '":' in page.text else ():
        _take(page, match, Category.OTHER_ID)
    for match in _SOCIAL.finditer(page.text):
        if page.free(*match.span()):
            page.take(*match.span(), Category.SSN)
    for index, word in enumerate(page.words):
        if word.folded in _INSURERS and (plan := _PLAN.match(page.text, word.end)):
            _take(page, plan, Category.HEALTH_PLAN)
        if word.folded in _PLACES | _VAGUE_PLACES:
            _take_place(page, index)
        elif word.folded in _SURE:
            _take_value(page, _AFTER_SURE, word.end, _SURE[word.folded])
        elif word.folded in _VAGUE:
            _take_value(page, _AFTER_VAGUE, word.end, _VAGUE[word.folded])
        elif word.folded == "s" and page.text[word.end : word.end + 2].lower() == "/n":
            _take_value(page, _AFTER_SURE, word.end + 2, Category.DEVICE_SERIAL)


def _take(page: Page, match: re.Match[str], category: Category, *, doubted: bool = False) -> None:
    if page.free(*match.span("value")):
        page.take(*match.span("value"), category, doubted=doubted)


def _take_value(page: Page, form: re.Pattern[str], place: int, category: Category) -> None:
    match = form.match(page.text, place)
    if not match or _DATE.search(match["value"]):
        return
    sure, digits = form is _AFTER_SURE, sum(map(str.isdigit, match["value"]))
    marked = any(mark in page.text[place : match.start("value")] for mark in "#:=")
    if (sure or not _SMALL.fullmatch(match["value"])) and digits >= (2 if sure or marked else 4):
        _take(page, match, category)


def _take_place(page: Page, index: int) -> None:
    """`rm 12`, `Theatre 7`; of what else the word may mean in doubt."""
    word, match = page.words[index], _PLACE.match(page.text, page.words[index].end)
    before = page.words[index - 1].folded if index else ""
    if not match or before in _NO_PLACE_AFTER or _DATE.fullmatch(match["value"]):
        return
    marked = any(mark in match["mark"] for mark in "#:=")
    coded = not match["value"].isdigit() and len(match["value"]) > 2
    _take(page, match, Category.OTHER_ID, doubted=not (word.folded in _PLACES or marked or coded))
