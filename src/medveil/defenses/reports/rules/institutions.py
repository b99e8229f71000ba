"""Institutions told by what surrounds their name: a label, a trade, what happened or who works there."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lists import Kind, kind_of, words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category
from medveil.person.normalised import fold

# An institution after its label, up to the next field.
_LABELS = words("agency facility client tpa employer school pharmacy practice institution hospital clinic")
_VALUE = re.compile(
    r"[ \t]?:[ \t]{0,4}(?P<value>[A-ZÀ-Þ][^\n:;,|(]{2,60}?)"
    r"(?=[ \t]{2,}|[ \t]*(?:[\r\n;,|(]|$)|\.[ \t]|[ \t][A-Z][\w#]{1,9}(?:[ ]?:|[ ][A-Z]{0,4}[-#]?\d))"
)
_NO_INSTITUTION = ("Dr", "Mr", "Ms", "XX", "__")
# A practice by its trade: only after a word in no list.
_TRADES = words(
    "dermatology cardiology orthopedics orthopaedics ortho oncology neurology urology pathology imaging eye dental "
    "pediatrics paediatrics radiology surgery dentistry podiatry optometry rheumatology nephrology gastroenterology "
    "women's womens pharmacy rehab rehabilitation hematology endocrinology pulmonary chiropractic physiotherapy"
)
# Schools, churches and firms by the last word of their name.
_LAST_WORDS = words(
    "elementary academy college university church parish synagogue mosque llc inc ltd corp plc gmbh supermarket "
    "brewery bakery shipyard ymca hs"
)
_SHIPS = words("v uss usns uscgc hms hmcs hmas")
_VESSEL = re.compile(
    r"(?<!\w)(?:M/V|F/V|M\.V\.|USS|USNS|USCGC|HMS|HMCS|HMAS)[ ](?P<name>[A-Z][\w'’-]+(?:[ ][A-Z][\w'’-]+){0,2})"
)
_HAPPENED = re.compile(
    r"\b(?:seen|admitted|readmitted|treated|evaluated|hospitali[sz]ed|stabili[sz]ed|intubated|operated|stented|cathed|"
    r"transfer(?:red)?|xfer(?:red)?|tx['’]?d|sent|brought|flown|airlifted|medflighted|discharged|d/c['’]?d|presented|"
    r"went|delivered|biopsied|scanned|implanted|placed|done|performed|followed|rehab|films?|cxr|ct|echo|cath|surgery|"
    r"cabg|records|results?|ed|er|icu|drawn|pfts?|labs?|mri|mammogram|eval|opinion|pcp|biopsy|clinic|admission|stay|"
    r"visit|dialysis|chemo|infusion|oncologist|cardiologist|surgeon|nephrology)[ ](?:\w+[ ])?"
    r"(?:at|from|to|@)[ ](?:the[ ])?$",
    re.IGNORECASE,
)
_AT_END = ("at ", "om ", "to ", "@ ", "he ")  # the ends of all that may stand before it, looked at first
_WARD_AFTER = re.compile(r"[ ](?:ED|ER|ICU|MICU|CCU|PACU|Hosp|OR|clinic|campus|main)(?![\w/])")
_AT = re.compile(r"\b(?:at|from|@)[ ](?:the[ ])?$", re.IGNORECASE)
_CAMEL = re.compile(r"(?!Mac?[A-Z]|De[A-Z]|La[A-Z]|Di[A-Z]|Van[A-Z])[A-Z][a-z]+[A-Z][a-z]+")  # ProHealth
_WHICH_WARD = words(
    "medical surgical cardiac cardiothoracic neuro neurosurgical burn trauma main adult pediatric peds paediatric "
    "general emergency local outside referring transferring adjacent medicine surgery mixed step peripheral same"
)
_WORKS = words("works worked working employed employee job retired")
# What people do or are somewhere; only with `at` or `for`, since much else is said of them too.
_DOES = words(
    "teaches taught teacher coaches coaching coach drives driving driver attends student sophomore junior freshman "
    "pupil studies studying volunteers volunteering manager cashier clerk cook janitor custodian guard mechanic "
    "welder foreman enrolled plays boxing trains rower waitress waiter bartender librarian accountant plumber "
    "electrician machinist cleaner caretaker trader engineer"
)
_SERVICES = words("Navy Army Marines Marine Air Coast Military Home")
_CAPITAL = r"[A-ZÀ-Þ][\w'’&.-]{0,40}\w"
_EMPLOYER = re.compile(
    r"[ \t]+(?:as[ ](?:an?[ ])?(?:[a-z-]+[ ]){1,3})?(?P<where>at|for|by|with|from)[ ](?:the[ ])?"
    rf"(?P<name>{_CAPITAL}(?:[ ](?:(?:&|and|of)[ ])?{_CAPITAL}){{0,4}})"
)


def take(page: Page) -> None:
    """By a label, a trade, and the ships on which people serve."""
    for word in page.standing(_LABELS):
        match = _VALUE.match(page.text, word.end) if word.capital else None
        if match and _names(match["value"]) and page.free(*match.span("value")):
            page.take(*match.span("value"), Category.HOSPITAL)
    for index, word in enumerate(page.words) if page.standing(_TRADES) else ():
        if index and word.folded in _TRADES and word.capital:
            _take_practice(page, index)
    for index, word in enumerate(page.words) if page.standing(_LAST_WORDS) else ():
        if index and word.folded in _LAST_WORDS and word.capital and not page.in_capitals(word.start):
            _take_institution(page, index)
    for match in _VESSEL.finditer(page.text) if page.standing(_SHIPS) else ():
        if page.free(*match.span("name")):
            page.take(*match.span(), Category.HOSPITAL)


def _names(value: str) -> bool:
    parts = [kind_of(fold(part)) for part in re.findall(r"[^\W\d_]+", value)]
    return not value.startswith(_NO_INSTITUTION) and any(not kind & Kind.THING for kind in parts)


def _take_practice(page: Page, index: int) -> None:
    """`Bitterroot Dermatology`."""
    before, word = page.words[index - 1], page.words[index]
    strange = before.capital and before.kind == Kind.UNKNOWN and len(before.text) > 4 and not before.text.isupper()
    if strange and page.text[before.end : word.start] == " " and page.free(before.start, word.end):
        page.take(before.start, word.end, Category.HOSPITAL)


def _take_institution(page: Page, index: int) -> None:
    """`Tewk Elementary`, `Lincoln HS`; not the American College of anything."""
    all_words = page.words
    if page.text[all_words[index].end : all_words[index].end + 4] == " of ":
        return
    first = index
    while first and index - first < 3 and page.text[all_words[first - 1].end : all_words[first].start] in (" ", ", "):
        before = all_words[first - 1]
        if not before.capital or before.short or page.opens_sentence(before.start):
            break
        first -= 1
    if first < index and page.free(all_words[first].start, all_words[index].end):
        page.take(all_words[first].start, all_words[index].end, Category.HOSPITAL)


def take_employers(page: Page) -> None:
    """`works at Long & Short`, `worked as a driver for Northern Lines`."""
    for word in page.standing(_WORKS | _DOES):
        match = _EMPLOYER.match(page.text, word.end) if not page.in_capitals(word.start) else None
        if not match or not page.free(*match.span("name")):
            continue
        if word.folded in _DOES and (match["where"] not in ("at", "for") or not _is_employer(match["name"])):
            continue
        if match["name"].split()[0] not in _SERVICES:
            page.take(*match.span("name"), Category.HOSPITAL)


def _is_employer(name: str) -> bool:
    """Not a department, the ward or `home`."""
    return any(not kind_of(fold(part)) & (Kind.ORDINARY | Kind.SHORT) for part in name.split()) or " " in name


def take_by_events(page: Page) -> None:
    """After the names of people have been taken: `transferred from Lahey`, `at Mercy ED`."""
    words = page.words
    for index in page.capitals:
        word = words[index]
        if len(word.text) < 4 or word.kind & Kind.SHORT or not page.free(word.start, word.end):
            continue
        if not page.before(word.start, 4).lower().endswith(_AT_END) or page.in_capitals(word.start):
            continue
        before = page.before(word.start, 40)
        if _single(page, word) and _HAPPENED.search(before):
            last = index
            while last + 1 < len(words) and last - index < 2 and page.joined(last) and _single(page, words[last + 1]):
                last += 1
            page.take(word.start, words[last].end, Category.HOSPITAL)
        elif _AT.search(before) and _is_institution(page, word):
            page.take(word.start, word.end, Category.HOSPITAL)


def _is_institution(page: Page, word: PageWord) -> bool:
    """`at ProHealth`, `at Mercy ED`; not the medical ICU."""
    if _CAMEL.fullmatch(word.text):
        return _single(page, word)
    return word.folded not in _WHICH_WARD and bool(_WARD_AFTER.match(page.text, word.end))


def _single(page: Page, word: PageWord) -> bool:
    """A name or a word in no list."""
    return (
        word.capital and not word.kind & (Kind.ORDINARY | Kind.SHORT | Kind.EPONYM) and page.free(word.start, word.end)
    )
