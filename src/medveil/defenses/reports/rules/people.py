"""People told by a cue: a title, a label, a relation or a phrase before the name; a degree, an age or a verb after it.

A cue proposes the words after or before it that can be a name, and no more. Where nothing announces one, two names of
the lists side by side are proposed in doubt; all others are for the network to find.
"""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lexicon import Kind, in_dictionary, words
from medveil.defenses.reports.rules.name_reading import name_from, possible, take_name
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category
from medveil.person.name import (
    ALL_TITLES_IN_TEXT,
    DEGREES_IN_TEXT,
    DOCTOR_TITLES_IN_TEXT,
    RANKS_IN_TEXT,
)

_KIN = words(
    "wife husband daughter son mother father brother sister niece nephew aunt uncle grandson granddaughter spouse "
    "partner guardian caregiver friend neighbor neighbour girlfriend boyfriend fiance fiancee stepson stepdaughter "
    "cousin mom mum dad grandmother grandfather parents ehefrau ehemann tochter sohn mutter vater epouse epoux "
    "fille fils mere pere esposa esposo marido hija hijo madre padre"
)
_PATIENTS = words(
    "patient patients patientin paciente name nom nombre apellidos pt pat re concerning regarding guarantor insured "
    "subscriber contact relative client member nok surname lastname firstname forename vorname nachname prenom "
    "examinee seen carer poa parent veteran dependent claimant"
)
_STAFF = words(
    "physician provider radiologist doctor md attending resident fellow referring ordering requesting technologist "
    "tech technician reader dictated signed transcribed transcriptionist typed typist interpreted read reviewed "
    "verified approved finalized author authenticated surgeon nurse consultant cc attn pcp registrar performed "
    "operator clinician practitioner to from rad by dictating supervising radiographer sonographer cardiologist "
    "intern copies copy admitting assistant scribe gp ob obgyn anesthesiologist anaesthetist hospitalist oncologist "
    "therapist pharmacist midwife interpreter spr sho scrub arzt arztin oberarzt chefarzt befunder zuweiser medecin "
    "prescripteur radiologue radiologo medico facultativo solicitante"
)
# Who somebody is to the patient or the house; never a part of the name.
ROLES = (
    ALL_TITLES_IN_TEXT
    | _KIN
    | _PATIENTS
    | _STAFF
    | words(
        "mister missus auntie aunty granny nan nana grandma grandpa reverend revd canon evangelist vicar deputy "
        "inspector constable const garda officer lance corporal sponsor physio circ rep hca str spr sho mw cwo atc inv "
        "fr mdm mnr mev aling lola gogo tannie savta mama maman papa bebe frere soeur epoux pr monsieur mag dipl ing "
        "hebamme heb vater oma opa tante nachbar nachbarin kollege kollegin assistenzarzt assistenzarztin overlege don "
        "dona senorita doctora paciente pareja viuda hermana hermano abuela tia patientin patiente hubby sono pop "
        "bronchoscopist prosector brgy"
    )
)
_SAID = {  # `with` announces a person after `discussed`, and so on
    "by": words(
        "dictated signed transcribed typed interpreted read reviewed verified approved finalized authenticated "
        "performed ordered requested referred electronically entered prepared edited supervised seen examined "
        "evaluated reported completed called paged confirmed released created done placed inserted"
    ),
    "with": words("discussed spoke spoken reviewed communicated conferred shared conversation discussion"),
    "to": words("communicated called paged relayed faxed conveyed reported given telephoned sent phoned referred copy"),
    "von": words("befundet diktiert unterschrieben erstellt gelesen validiert"),
    "par": words("dicte signe lu valide realise interprete"),
    "por": words("dictado firmado informado validado realizado"),
}
_TOLD = words("notified informed paged thanks dear")
_CLOSINGS = words("sincerely regards faithfully respectfully cordially truly cheers thanks wishes grussen cordialement")
_AFTER_TITLE = re.compile(r"(?:\.[\"!$`]|\.?\)?)[ \t\xa0]{0,3}(?:\r?\n[ \t]*)?")  # a misread space is one of "!$`
_AFTER_LABEL = re.compile(r"(?:\(s\))?[ \t]?[:=][ \t]{0,4}(?:\r?\n[ \t]{0,8})?")
_AFTER_KIN = re.compile(r"(?:[ ]of[ ]the[ ]patient)?,?[ \t]{1,2}|[ \t]?[(:][ \t]?|,?\r?\n")
_AFTER_CLOSING = re.compile(r",?[ \t]*(?:\r?\n[ \t]*){1,5}")
_SPACE = re.compile(r"[ \t]{1,2}|[ \t]*\r?\n[ \t]*|:[ \t]")
_DEGREE_AFTER = re.compile(
    r"(?:[ ]?,)?[ \t]{0,2}(?:\r?\n[ \t]*)?(?:M\.?[ ]?D\.?|D\.?O\.?|Ph\.?[ ]?D\.?|R\.?N\.?|N\.?P\.?|MBBS|MBChB|PA-C|"
    r"APRN|CRNP|CRNA|DNP|DPM|DDS|FRCR|FACR|FRCP|FACS|FRCS|RRT|R\.?T\.?[ ]?\([A-Z]|RDMS|PharmD|LPN|FACC|DABR|"
    r"CNM)(?![A-Za-z])"
)
_DEGREES = DEGREES_IN_TEXT | words("m d ph r n p")
_OF_AGE = re.compile(
    r"[ \t\r\n]{1,3}(?:is|was)[ \t\r\n]{1,3}an?[ \t\r\n]{1,3}"
    r"(?:\d{1,3}(?=[\s-]*(?:years?|yrs?|yo\b|y/o))|[a-z\-]+-year)"
    r"|[ ]\d{1,3}[ ]?(?:yo|y/o|[MF])(?![A-Za-z])|[ ](?:tolerated|denies|complains|declined|refused|verbalized|asked|"
    r"requested|reports[ ]that|states[ ]that|was[ ](?:admitted|seen|evaluated|transferred|discharged|referred))(?!\w)"
)
_SUBJECTS = words(
    "patient pt she he it this that who they there here baby infant child boy girl man woman male female lady "
    "gentleman student nurse doctor veteran history indication donor driver victim resident twin temp age bp hr rr "
    "pulse day room"
)
_LEARNED = words("med univ habil")
_GRADES = words("no trace trivial mild moderate mod severe significant and")  # mild MR: a valve
_GAP = re.compile(r"[ \t]{1,2}['’]?|\.[ \t]{0,2}")


def take(page: Page) -> None:
    all_words = page.words
    for index, word in enumerate(all_words[:-1]):
        if word.folded in ALL_TITLES_IN_TEXT:
            _after_title(page, index)
        if word.folded in _KIN:
            _after(page, index, _AFTER_KIN, Category.NAME)
        if word.folded in _PATIENTS or word.folded in _STAFF:
            category = Category.NAME if word.folded in _PATIENTS else Category.DOCTOR
            _after(page, index, _AFTER_LABEL, category, label=True)
        if word.folded in _SAID and index and all_words[index - 1].folded in _SAID[word.folded]:
            _after(page, index, _SPACE, Category.DOCTOR)
        elif word.folded in _TOLD or word.folded in _CLOSINGS:
            _after(page, index, _AFTER_CLOSING if word.folded in _CLOSINGS else _SPACE, Category.DOCTOR)
    for index, word in enumerate(all_words[1:]):
        if word.folded in _DEGREES and _DEGREE_AFTER.match(page.text, all_words[index].end):
            _before(page, index, Category.DOCTOR)
    for index in page.capitals:
        if all_words[index].folded not in _SUBJECTS and _OF_AGE.match(page.text, all_words[index].end):
            _before(page, index, Category.NAME, doubted=True)
    _take_listed(page)


def _take_listed(page: Page) -> None:
    """`Aili Koivula`, `KOIVULA, AILI`: capital words side by side, one of them a name and none anything else."""
    all_words, past = page.words, -1
    for index in page.capitals[:-1]:
        if index <= past or page.is_foreign or not _is_named(page, index):
            continue
        last = index
        while last + 1 < len(all_words) and last - index < 4 and _is_named(page, last + 1):
            gap = page.text[all_words[last].end : all_words[last + 1].start]
            if gap not in (" ", "  ", ", ", "^") or ("," in gap and last > index):
                break
            last += 1
        past = last
        if last > index and any(word.listed for word in all_words[index : last + 1]):
            page.take(all_words[index].start, all_words[last].end, Category.NAME, doubted=True)


def _is_named(page: Page, index: int) -> bool:
    word = page.words[index]
    if not word.capital or len(word.text) < 3 or word.folded in _DEGREES or word.folded in ALL_TITLES_IN_TEXT:
        return False
    plain = bool(word.kind & (Kind.ORDINARY | Kind.SHORT | Kind.CITY)) or (word.kind & Kind.EPONYM and not word.listed)
    return not plain and page.free(word.start, word.end) and not is_eponym(page, index)


def _after_title(page: Page, index: int) -> None:
    title, after = page.words[index], page.words[index + 1]
    if after.folded in _LEARNED and index + 2 < len(page.words):  # Dr. med. Long
        index += 1
        title, after = page.words[index]._replace(capital=True), page.words[index + 1]
    gap = page.text[title.end : after.start]
    category = Category.DOCTOR if title.folded in DOCTOR_TITLES_IN_TEXT | _LEARNED else Category.NAME
    if not gap or not _AFTER_TITLE.fullmatch(gap) or not after.folded.strip("x") or after.folded in ALL_TITLES_IN_TEXT:
        return
    if "\n" in gap and not page.wrapped(title.end):
        return
    if title.text == "MR" and index and page.words[index - 1].folded in _GRADES:
        return
    loud = title.text.isupper() and len(title.text) > 1 and "." not in gap  # MR and DR are machines, MS a disease
    strange = after.name_only or after.kind == Kind.UNKNOWN or (after.listed and not title.capital)
    if not strange and (loud or title.folded in RANKS_IN_TEXT or not title.capital) and not after.kind & Kind.PARTICLE:
        return
    last = name_from(page, index + 1, sure=True, titled=not loud and title.capital)
    if last < 0 and strange and not in_dictionary(after.folded) and len(after.text) > 2:  # dr smith
        last = index + 1
    if last >= 0:
        take_name(page, index + 1, last, category)
        _take_others(page, last, category)


def _take_others(page: Page, last: int, category: Category) -> None:
    """`Drs. Long and Short`, `Dr. Long/Short`."""
    all_words = page.words
    for _ in range(4):
        if last + 1 >= len(all_words):
            return
        gap = page.text[all_words[last].end : all_words[last + 1].start]
        step = 2 if gap == " " and all_words[last + 1].folded in ("and", "und", "et", "y") else 1
        if step == 1 and gap not in ("/", " / ", " & "):
            return
        if last + step >= len(all_words) or not possible(
            page, all_words[last + step], sure=all_words[last + step].listed
        ):
            return
        following = name_from(page, last + step, sure=True)
        if following < 0:
            return
        take_name(page, last + step, following, category)
        last = following


def _after(page: Page, index: int, gap: re.Pattern[str], category: Category, *, label: bool = False) -> None:
    """The name after a label, a relation or a phrase; after a label also `Family, Given`."""
    match, first = gap.match(page.text, page.words[index].end), index + 1
    while match and first < len(page.words) and page.words[first].start < match.end():  # physician(s), of the patient
        first += 1
    if match is None or first >= len(page.words) or page.words[first].start != match.end():
        return
    word = page.words[first]
    titled = word.folded in ALL_TITLES_IN_TEXT and page.text[word.end : word.end + 1] != ","  # not Pastor, Larissa
    if titled or (not label and not _nameable(page, word)):
        return
    last = name_from(page, first, sure=True, comma=label)
    if last >= 0:
        take_name(page, first, last, category)


def _nameable(page: Page, word: PageWord) -> bool:
    """Where a cue is an everyday word: a name of the lists, or a word of none."""
    if word.kind & Kind.ORDINARY and (page.in_capitals(word.start) or not word.listed):
        return False
    return word.listed or word.initial or word.kind in (Kind.UNKNOWN, Kind.PARTICLE, Kind.CITY)


def _before(page: Page, index: int, category: Category, *, doubted: bool = False) -> None:
    """The name that ends at this word."""
    word = page.words[index]
    if not word.capital or word.folded in _DEGREES or not possible(page, word, sure=True):
        return
    first = index
    while first and index - first < 4 and _belongs_before(page, first):
        first -= 1
    if category is Category.NAME and first and _is_family_before(page, first):
        first -= 1
    if first < index or word.listed or not word.kind & (Kind.ORDINARY | Kind.SHORT):
        take_name(page, first, index, category, doubted=doubted)


def _is_family_before(page: Page, first: int) -> bool:
    """`Long, Alice tolerated the examination`."""
    before = page.words[first - 1]
    return page.text[before.end : page.words[first].start] == ", " and possible(page, before, sure=True)


def _belongs_before(page: Page, first: int) -> bool:
    before, word = page.words[first - 1], page.words[first]
    gap = page.text[before.end : word.start]
    if not _GAP.fullmatch(gap) or (gap.startswith(".") and not before.initial and before.folded != "st"):
        return False
    if before.folded in ALL_TITLES_IN_TEXT or before.short:
        return False
    if before.initial or before.kind & Kind.PARTICLE:
        return True
    return possible(page, before, sure=True) and (before.listed or not before.kind & Kind.ORDINARY)
