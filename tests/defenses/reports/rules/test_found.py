"""Identifiers the rules must find: everything in double brackets, and nothing beside it."""

from __future__ import annotations

import re

import pytest

from medveil.defenses.reports.rules import find_by_rules
from medveil.person.identifiers import Category

CASES = {
    "dates": """
Comparison: [[03/14/2021]]. | Compared to [[3/14/21]]. | Study of [[2021-03-14]]. | film of [[14.03.2021]]
on [[14-Mar-2021]]
seen [[March 14, 2021]] | [[14 March 2021]] | since [[Mar 14th]] | on [[March 14]] | [[Sunday 14 March 2021]]
unchanged from [[April 19]]. No effusion. | on [[April 19. 2019]]
unchanged since [[3/14]] | cf [[3/5]] | in [[March of 2021]] | [[Mar 2021]] | [[03/2021]] | [[20210314]]
last [[September]]
examined on the [[25th]]. | am [[14. März 2021]] | le [[14 mars 2021]] | el [[14 de marzo de 2021]]
DOB [[Jan 2, 1950]]
from [[3/14]]-[[3/16]] | [[3/14]] to [[3/16]] | du [[3 mars 2022]]: rien | by the [[25th]] of the month
removed [[Wed]].
seen on [[3/4]] and again [[3/11]] | since [[monday]]
on [[04 01 2020]]
vu le [[4 janv. 2020]]
[[July 1]] [[15:58]]
""",
    "times": """
at [[7]] in the morning | [[0730Z]]
taken at [[0554]] hours
recheck lytes [[0400]]. | LKW [[2300]].
at [[14:35]] | [[2:35 PM]] | called at [[1435]] | [[14:35:22]] | at [[3 p.m.]] | [[0935 hrs]]
[[2021-03-14]]T[[08:45:00Z]] | at [[10:15a]]
""",
    "spoken": """
medical record number [[four four seven oh nine one two]] is correct | the mrn is [[eight eight one two zero three]]
you can call me back at [[six one seven five five five oh one four three]] thank you | extension [[four four one two]]
accession number [[c x r dash two one dash zero zero four four]] | room [[four twelve]] bed [[two]]
doctor [[smythe]] spelled [[s m y t h e]] | spelling [[d as in david u r o c h e r]] then | [[K-O-W-A-L-S-K-I]] came
social security number [[zero seven eight oh five one one two oh]]
the number was [[nine oh four four one seven]] then
""",
    "forms": """
a resident of [[Harlan County]] | lives in [[Co. Offaly]] | moved from [[County Antrim]] | held at [[Terrebonne Parish]]
plate [[KX19 ZTB]] seen | license plate [[7XKL482]] | her car, [[LD17 OWP]], was hit | vehicle tag [[VA XKL-4471]]
UDI [[(01)00643169007222(17)270131(21)RNB412087H]] | [[(01)08714729158868(17)240630(10)77120934]] on the sticker
from [[fe80::1c2d:33ff:fe44:5566]] | by [[2001:0db8:85a3:0000:0000:8a2e:0370:7334]] | host [[10.20.30.41]]
fingerprint ID [[FP-88213-R2]] | iris code [[IR-0091-77A]] | voiceprint: [[VP-7781]] | face template [[FT_20388]]
photo [[IMG_4471.JPG]] | saved as [[okafor_left_foot.png]] | see [[PXL_20230114_103322.heic]]
""",
    "German": """
geb. [[12.03.1951]] | Aufnahme vom [[14. März 2021]] um [[14:35 Uhr]] | am [[3.4.]] entlassen | Fallnummer [[40218833]]
Patienten-ID: [[0044712]] | Versichertennr. [[A123456789]] | Dr. med. [[Köhlbrandt]] hat befundet | Tel. [[030 4471209]]
Frau [[Oberhuber]] kommt | befundet von [[Anselm Weidacher]]
""",
    "French": """
née le [[12 mars 1951]] | vu le [[3/04/2021]] à [[14h35]] | IPP [[80021774]] | dossier n° [[2210487]]
Mme [[Petitjeannot]] vient | Dr [[Lefebvrier]] | tél. [[01 44 55 66 77]] | NIR [[2 51 03 75 116 042 19]]
signé par [[Solange Quérouil]]
""",
    "Spanish": """
nacido el [[12 de marzo de 1951]] | NHC [[448120]] | DNI [[12345678Z]] | Dra. [[Etxeberria]] informa | a las [[14:35 h]]
tfno. [[91 445 66 77]] | informado por [[Iñaki Zubiaurre]]
""",
    "ages": """
a [[92]]-year-old woman | [[90]] y/o | [[103]] year old man | aged [[94]] | Age/Sex: [[91]] / F | hx: [[95]]M SOB
her husband [[97]], sister 88 | [[ninety]] qear old
mother died at [[101]], father alive at [[95]]
[[ninety-two]] year old | a [[ninety-one]]-year-old | [[one hundred and two]]-year-old | Age: [[094]]Y
""",
    "contacts": """
Tel [[(617) 555-0143]] | [[617-555-0143]] | [[617.555.0143]] | [[+1 617 555 0143]] | fax [[617 555 0143]]
pager [[44296]]
beeper #[[31942]] | x[[4429]] | call [[555-0143]] | a [[jane.doe@mail.example.org]] b
see [[https://portal.example.org/x?y=1]].
on [[www.example.org]] | at [[radiology.example.com]]
twitter @[[kmendoza88]] | Tel [[+49 30 1234567]] | IP [[192.168.10.44]]
""",
    "numbers": """
MRN: [[0012345]] | MRN [[A-123-456]] | medical record number [[1234567]] | accession [[CXR-21-0001]]
Acc: [[RX20118277]]
SSN [[078-05-1120]] | policy [[XH1234567]] | Member ID: [[AB123456789]] | serial number [[XK99213A]]
S/N [[RA8800713]]
Job #[[4285711]] | room [[4N-34]] | rm [[12]] | Order #: [[A1234]] | license no. [[D1234567]]
phone ext. [[71]]
{"id":"[[dr-88f1c2]]","subject":{"reference":"Patient/[[p-441907]]"}} | Theatre [[7]]
VIN [[1HGCM82633A004352]]
study UID [[1.2.826.0.1.3680043.8.498.123456789]] | ref. [[17-03403092-X]] | plate [[7ABC123]] | NPI [[1234567893]]
the number [[00279393]] alone | [[123e4567-e89b-12d3-a456-426614174000]]
""",
    "places": """
P.O. Box
""",
    "people": """
Study no. [[NR65569924]] | MRN no. [[1234567]] | accession #[[7654321]] | study no [[88123456]]
spine. [[Firat, Copur]] tolerated the examination | ask dr [[smith]]
Discussed with Dr. [[Hartwell]]. | Mr. [[Long]] was seen
Mrs. [[O'Brien-Smith]] | Dr. [[van den Broek]] | Drs. [[Price]] and [[Stone]] | Dictated by [[Jane Pemberton]], MD
[[Olga Bondarenko]], DO | Technologist: [[Ruth Harding]], RT(R) | Patient: [[Pemberton, Alice M]]
her daughter, [[Sakura]], knows | cc: [[Walter Price]] | Clear. [[Noxolo Gule]] asked that her son be told
[[Long]] is a 54-year-old woman | seen by NP [[Farida]] then
Mr. [[Abdi]]'s INR goal is 2-3 | Wet read: [[JKSd]] [[SUN]] [[9:12 PM]] | discussed with Drs. [[Levy]] and [[Moon]]
Sister [[Despina]] BRCA1+ | guardian is Atty. [[Paul Reznik]] | line by Dr [[Ng]], NG tube ok, with [[Ng]]/NG tip
Prof. Dr. [[Osterhagen]] read it | told Dr [[Smith]]/[[Jones]] | wife [[Joan]] present | OB = [[Fairbairn]]
Father [[Ed]] | Dr (Col) [[Ahlawat]] | Chief (Mrs.) [[Folasade]] | Son Engr. [[Babs]] | Coach [[Brill]]
Trooper [[DeFazio]] came | transcribed by [[mk]]. | rad: [[JO]]  tech: [[BG]] | dr. [[hartwell]] was told
PCP [[Harriet Oyelowo]], NP
""",
}


def snippets(family: str) -> list[str]:
    return [part.strip() for line in CASES[family].strip().splitlines() for part in line.split(" | ")]


def read(marked: str) -> tuple[str, list[tuple[int, int]]]:
    text, spans, last = "", [], 0
    for match in re.finditer(r"\[\[(.*?)\]\]", marked):
        text += marked[last : match.start()]
        spans.append((len(text), len(text) + len(match[1])))
        text += match[1]
        last = match.end()
    return text + marked[last:], spans


@pytest.mark.parametrize("family", CASES)
def test_everything_in_brackets_is_found_and_nothing_else(family: str) -> None:
    wrong = []
    for marked in snippets(family):
        text, spans = read(marked)
        found = [(one.start, one.end) for one in find_by_rules(text)]
        if _letters(text, found) != _letters(text, spans):
            wrong.append((marked, [text[start:end] for start, end in found]))
    assert wrong == []


def _letters(text: str, spans: list[tuple[int, int]]) -> set[int]:
    return {place for start, end in spans for place in range(start, end) if text[place].isalnum()}


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("MRN: 0012345", Category.MRN),
        ("Dr. Hartwell", Category.DOCTOR),
        ("Mr. Hartwell", Category.NAME),
        ("fax 617-555-0143", Category.FAX),
        ("SSN 078-05-1120", Category.SSN),
        ("JD/mk", Category.INITIALS),
        ("of Harlan County", Category.COUNTY),
        ("plate 7XKL482", Category.VEHICLE),
        ("UDI (01)00643169007222(17)270131(21)RNB412087H", Category.UDI),
        ("host 10.20.30.41", Category.NETWORK),
        ("iris code IR-0091-77A", Category.BIOMETRIC),
        ("see IMG_4471.JPG", Category.PHOTO),
        ("mrn is eight eight one two zero three", Category.MRN),
        ("a 92-year-old", Category.AGE_OVER_89),
    ],
)
def test_the_kind_is_told(text: str, category: Category) -> None:
    assert {one.category for one in find_by_rules(text)} == {category}


def test_a_name_is_found_again_where_nothing_tells_it_and_mistyped_too() -> None:
    text = "Patient: Vandermolen, Alice\n\nNo acute process in Vandermolen. The heart of Vandermlen is normal."
    found = [text[one.start : one.end] for one in find_by_rules(text)]
    assert found == ["Vandermolen, Alice", "Vandermolen", "Vandermlen"]


@pytest.mark.parametrize(
    "marked",
    [
        "CHEST PA [[KJ]]",
        "CXR FOR DR [[HARTWELL]]",
        "CHEST DR [[de Vries]]",
        "Films of [[Smith-Jones]] were compared",
        "CHEST PA [[SHARP, COLIN]]",
        "Chest AP for Ms [[Hartwell]]",
        "CHEST [[03/14/2021]]",
        "CHEST PA",
        "XR CHEST 2 VIEWS",
        "THORAX AP LIEGEND",
    ],
)
def test_phrases_without_a_sentence(marked: str) -> None:
    text, spans = read(marked)
    found = [(one.start, one.end) for one in find_by_rules(text, phrase=True)]
    assert _letters(text, found) == _letters(text, spans)
