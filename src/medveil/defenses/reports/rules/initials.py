"""Initials of readers, typists and patients: `JD/mk`, `by CM`, and those of a name in the text."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import Kind, kind_of, words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category
from medveil.person.name import DEGREES_IN_TEXT
from medveil.person.normalised import fold

_PAIR = re.compile(r"[A-Z]{2,4}[ ]?[/:][ ]?(?P<two>[A-Za-z]{2,4})(?![\w/:])")
_PAIR_LABELS = words("TR TYP TRANS")  # `TR : hw`
_WET_READ = re.compile(r"(?<!\w)[A-Z]{2,4}[a-z]{1,3}(?=[ ](?:MON|TUE|WED|THU|FRI|SAT|SUN)\b)")  # `JKSd SUN 9:12 PM`
_DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_PAIR_ENDS = re.compile(r"[ \t]*(?:\r?\n|$)|[ \t]{2}|[ \t](?:typed|[DT][:\s]|\d|job)|\.?[ \t]*$", re.IGNORECASE)
_SIGNERS = words(
    "rad tech technologist radiologist resident reader initial initials signed dict trans transcriptionist typist op "
    "operator rn gegenlesung visiert kurzel frappe diktat gez"
)
_NEAR_END = 250
_FIELDS = words("CC DD TD DT DV RE ID PT NB")  # `CC : MD`
_VIEWS = words("CT CTA MR MRI MRA US XR CXR KUB PET PA AP LAT DOB DOS ED ICU")
_READERS = words("typed overread read dictated transcribed reviewed signed interpreted entered verified approved")
_TYPISTS = words("transcribed typed trans typist dict initial initials transcriptionist note")
_AFTER_SIGNER = re.compile(r"[ \t]{0,2}[:=]?[ \t\r\n]{1,2}|\|")
_VALUE_ENDS = re.compile(r"[\s.,;:)/]|$")
_DASH_BEFORE = re.compile(r"(?:^|\n)[ \t]*(?:-{1,2}|—|/)[ \t]?$")
_IS_PATIENT = re.compile(
    r"[ \t\r\n]{1,2}(?:is|was)[ \t\r\n]{1,2}an?[ \t\r\n]{1,2}(?:\d|[a-z]+(?:-[a-z]+)?-year|ninety)"
    r"|[ \t\r\n]{1,2}(?:may|can)[ \t]be[ \t]reached|[ \t]\d{1,3}[ \t]?(?:yo|[MF]\b)"
)
_SEEN_BEFORE = re.compile(r"\b(?:referring|us\s+to\s+see|sending\s+us)\s{1,2}$")
_TOLD_BEFORE = re.compile(r"\b(?:process in|discussed with|prelim to (?:ED|ER),|spoke with|spoke w/)\s{1,2}$")
# Whom results are told that is nobody in particular.
_DEPARTMENTS = words("ED ER MD DO RN NP PA OR ID GI GU IR US CT MR PT OT RT SW IM FM OB UC VA HO")
_DATE_ENDS = re.compile(r"[ \t]+[\w./,: -]{4,24}\s*")  # the last line, and nothing after its date
_MODALITIES = words("CT MR US XR RT RN DR")
_SMALL_WORDS = words("by the on at in and for to of a is as it")


def take(page: Page) -> None:
    _take_wet_reads(page)
    words = page.words
    names = {
        initials for found in page.found for initials in _initials_of(page, found.start, found.end, found.category)
    }
    for index, word in enumerate(words):
        length = len(word.text)
        if length > 4 or length < 2 or not page.free(word.start, word.end):
            continue
        if word.text.isupper():
            if _take_pair(page, word):
                continue
            if length < 4 and _is_person(page, index, names):
                page.take(word.start, word.end, Category.INITIALS)
            elif length < 4 and _ends(page, word):
                page.take(word.start, word.end, Category.INITIALS, doubted=True)
        elif length < 4 and index and word.text.islower() and (_is_typist(page, index) or _closes(page, word)):
            page.take(word.start, word.end, Category.INITIALS)


def _ends(page: Page, word: PageWord) -> bool:
    """`rv 4/52 TK`, and nothing more."""
    return not page.text[word.end :].strip(" .") and not _known(word.text) and not page.in_capitals(word.start)


def _take_wet_reads(page: Page) -> None:
    for match in _WET_READ.finditer(page.text) if any(day in page.text for day in _DAYS) else ():
        if page.free(*match.span()):
            page.take(*match.span(), Category.INITIALS)


def _known(short: str) -> bool:
    return bool(kind_of(short.lower()) & (Kind.SHORT | Kind.ORDINARY))


def _take_pair(page: Page, word: PageWord) -> bool:
    match = _PAIR.match(page.text, word.start)
    before = page.before(word.start, 1)
    if not match or (before and before in "/.:-") or not _is_pair(page, word.text, match):
        return False
    if word.text not in _PAIR_LABELS:
        page.take(word.start, word.end, Category.INITIALS)
    page.take(*match.span("two"), Category.INITIALS)
    return True


def _is_pair(page: Page, one: str, match: re.Match[str]) -> bool:
    two = match["two"]
    if (not two.islower() and not two.isupper()) or (":" in match[0] and one in _FIELDS):
        return False
    if ": " in match[0] and two.isupper():  # CAG: LAD 90%
        return False
    start, end = match.span()
    before, after = page.before(start, 3), page.text[end : end + 14]
    edge = not before or before.endswith(("\n", ", ", ". ", "\n- "))
    closed = page.taken_at(end + 1) or page.taken_at(end + 2) or bool(_PAIR_ENDS.match(after))
    near_end = len(page.text) - end < _NEAR_END
    if _known(one) and _known(two):
        return edge and closed and two.islower() and near_end
    if _known(one) or _known(two):
        return closed and (two.islower() or edge) and near_end
    if ":" in match[0] and not closed:
        return False
    return (two.islower() and len(one) <= 3) or ((edge or closed) and near_end)


def _is_person(page: Page, index: int, names: set[str]) -> bool:
    word = page.words[index]
    text, place = page.text, word.end
    if text[place : place + 1] in ("-", "/", "'", "’", "&"):
        return False
    if _IS_PATIENT.match(text, place):
        return word.text not in ("PT", "ICU")
    known = _known(word.text)
    before = page.before(word.start, 24)
    if _SEEN_BEFORE.search(before) and text[place : place + 1] == ",":
        return True
    if not known and (word.text in names or (_TOLD_BEFORE.search(before) and text[place : place + 1] in ",. \n")):
        return True
    if _TOLD_BEFORE.search(before) and len(word.text) == 2 and not page.in_capitals(word.start):
        return word.text not in _DEPARTMENTS
    if before.endswith("\n\n") and page.taken_at(place + 1) and len(text) - place < _NEAR_END:
        return word.text not in _VIEWS or bool(_DATE_ENDS.fullmatch(text, place))
    if _DASH_BEFORE.search(before):
        return page.taken_at(place + 1) or (
            not known and bool(re.match(r"[ \t]*(?:[,;\n]|$)", text[place : place + 3]))
        )
    return bool(index) and _signs(page, index, known)


def _signs(page: Page, index: int, known: bool) -> bool:
    """`tech: BG`, `dictated by JD`, `called at 10:30 by CM`."""
    before, word = page.words[index - 1], page.words[index]
    gap = page.text[before.end : word.start]
    if word.folded in DEGREES_IN_TEXT and page.joined(index) and page.words[index + 1].capital:  # by NP Long
        return False
    if not _AFTER_SIGNER.fullmatch(gap) or not _VALUE_ENDS.match(page.text, word.end):
        return False
    if before.folded == "by":
        if index > 1 and page.words[index - 2].folded in _READERS:
            titled = page.joined(index) and page.words[index + 1].capital
            return word.text not in _MODALITIES or (page.words[index - 2].folded in _TYPISTS and not titled)
        return not known or (word.text not in _MODALITIES and page.taken_at(before.start - 2))
    if before.folded in _SIGNERS:
        return not known or (":" in gap and word.text not in _MODALITIES)
    return False


def _is_typist(page: Page, index: int) -> bool:
    before, word = page.words[index - 1], page.words[index]
    if (word.text in _SMALL_WORDS and before.folded != "by") or not _AFTER_SIGNER.fullmatch(
        page.text[before.end : word.start]
    ):
        return False
    if not _VALUE_ENDS.match(page.text, word.end):
        return False
    if before.folded == "by" and index > 1:
        ends = page.text[word.end : word.end + 1] in (".", ",", ";", "\n", "")
        return page.words[index - 2].folded in _TYPISTS and (ends or word.text not in _SMALL_WORDS)
    return before.folded in _TYPISTS and ":" in page.text[before.end : word.start]


def _closes(page: Page, word: PageWord) -> bool:
    """A last line of two or three small letters."""
    last = page.before(word.start, 2) == ". " and not page.text[word.end :].strip()
    if last and not _known(word.text):
        return True
    alone = page.before(word.start, 1) == "\n" and not _known(word.text)
    return (
        alone and len(page.text) - word.end < 60 and bool(re.match(r"[ \t]*(?:\n|$|[DT]:)", page.text[word.end :][:6]))
    )


def _initials_of(page: Page, start: int, end: int, category: Category) -> set[str]:
    if category not in (Category.NAME, Category.DOCTOR):
        return set()
    name = page.text[start:end]
    parts = [part for part in re.findall(r"[^\W\d_]+(?:['’`-][^\W\d_]+)*", name) if part[0].isupper()]
    parts = [part for part in parts if part.lower() not in ("mr", "mrs", "ms", "dr", "miss", "jr", "sr")]
    if len(parts) < 2:
        return set()
    if "," in name:
        parts = parts[1:2] + parts[:1]
    letters = [fold(part)[:1].upper() for part in parts]
    every = [fold(part)[:1].upper() for whole in parts for part in whole.split("-")]  # Ferreira-Lowe
    return {"".join(letters), letters[0] + letters[-1], "".join(every)}
