"""Hospitals, clinics and practices, by what their names are made of, and their short names."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lists import Kind, kind_of, words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category
from medveil.person.name import DEGREES_IN_TEXT

# The word a name turns on.
_HEADS = words(
    "hospital hospitals hosp infirmary clinic clinics klinik klinikum krankenhaus hopital hospice sanatorium "
    "sanitarium "
    "polyclinic ospedale clinique ziekenhuis sykehus universitatsklinikum surgicenter surgicentre vna"
)
_PAIRS = {
    head: frozenset(words.split())
    for head, words in {
        "center": "medical health cancer care heart trauma surgery imaging outpatient rehabilitation radiology nursing "
        "healthcare treatment surgical",
        "centre": "medical health cancer care heart trauma surgery imaging outpatient rehabilitation radiology nursing",
        "home": "nursing care convalescent retirement",
        "system": "health healthcare hospital medical",
        "group": "medical radiology physicians imaging",
        "associates": "radiology medical imaging cardiology surgical pulmonary",
        "institute": "cancer heart medical lung radiology",
        "campus": "hospital medical",
        "network": "health hospital",
        "trust": "nhs foundation hospital",
        "facility": "nursing care rehabilitation correctional",
        "school": "medical",
        "practice": "medical family",
        "health": "family community regional university behavioral",
        "partners": "health healthcare medical physician",
        "pharmacy": "community family village town",
    }.items()
}
# Words that go into a name without naming: some of them name when nothing else does.
_NAMING = words(
    "memorial royal st saint santa san mount mt holy sacred lady presbyterian methodist baptist lutheran adventist "
    "catholic jewish deaconess mercy trinity providence north south east west northern southern eastern western "
    "valley hill park lake river grace hope faith regional university county general veterans city"
)
_DESCRIBING = words(
    "medical health teaching cancer heart eye rehabilitation surgical orthopedic imaging radiology outpatient nursing "
    "specialty specialist care family urgent surgery trauma convalescent healthcare retirement physicians children "
    "children's childrens women's womens women community district state national central foundation good our new va "
    "nhs hse ihs "
    "and & of the for at de la du der local"
)
_NEVER = frozenset(  # a hospital, but not which
    "outside other another local transferring referring previous prior same this that admitting our your any each an a "
    "in to from day acute private public large small my his her their no pre post current initial recent base "
    "home field "
    "primary follow up per see with patient".split()
)
_JOINS = re.compile(r"[ \t]{1,2}(?:&[ \t])?|[ \t]*\r?\n[ \t]*|\.[ \t]|[ \t]-[ \t]|-")
_SHORT = re.compile(r"(?<![\w.\-/&'])[A-Z]{2,6}(?![\w'\-/]|\.\w)")
_BEFORE_VIEW = re.compile(r"[ \t]+(?:p?CXR|CHEST|Chest|XR|X-?RAY|RADIOLOGY|Radiology)\b")
_PAGE_AFTER = re.compile(r"[ \t]+Page[ \t]\d", re.IGNORECASE)
_AFTER_PERSON = re.compile(r"(?:,[ \t]*(?:[A-Z]\.?){1,5}(?:\([A-Z]\))?(?:[ ][A-Z]{3,6})?)?,[ \t]*$")
_STATE_AFTER = re.compile(r",?\s+\d{5}")
_AT_PLACE = re.compile(r"\b(?:at|to|from|in)[ ]$", re.IGNORECASE)
# Where prescriptions are sent, which tells the town, and houses known by half of their name.
_WELL_KNOWN = re.compile(
    r"(?<!\w)(?:CVS|Walgreens?|Rite Aid|Duane Reade|Wal-?Mart|Costco|Kroger|Publix|Wegmans|Superdrug|"
    r"Lloyds ?Pharmacy|Shoppers Drug Mart|Boots (?:the Chemist|Pharmacy)|"
    r"Mass General|Brigham and Women['’]s|MD Anderson|Cedars-Sinai|Charité|UMass|Johns Hopkins|Dana[- ]Farber|"
    r"YMCA|YWCA|AIIMS|Sloan[- ]Kettering|Quest Diagnostics|LabCorp|DaVita|LifeFlight|"
    r"Guy['’]s and St\.? Thomas['’]?)(?!\w)"
)
_LONGEST_HEAD = 120
_SENTENCE = words("was is were are has have had no not with to from in on by will may can be been this that course")
_FAMOUS = words("MGH BWH BIDMC UCSF UCLA NYU MSKCC UPMC VUMC JHH NIH UCSD OHSU UTSW MDACC NEMC")


def take(page: Page) -> None:
    words = page.words
    for index, word in enumerate(words):
        if word.folded in _HEADS or (index and words[index - 1].folded in _PAIRS.get(word.folded, ())):
            _take_around(page, index)
    for index in page.capitals[:-1]:
        if words[index].folded in ("st", "saint") and index + 1 < len(words):
            _take_saint(page, index)
    for index, word in enumerate(words[:-1] if page.is_small else ()):
        if word.text == "st":
            _take_small_saint(page, index)
    _take_well_known(page)


def _take_well_known(page: Page) -> None:
    for match in _WELL_KNOWN.finditer(page.text):
        if page.free(*match.span()):
            page.take(*match.span(), Category.HOSPITAL)


def _take_small_saint(page: Page, index: int) -> None:
    """`transferred from st brendans`, in a note without capitals; ST elevation is another matter."""
    saint, name = page.words[index], page.words[index + 1]
    named = not name.kind & (Kind.ORDINARY | Kind.SHORT) or name.listed
    if named and _AT_PLACE.search(page.before(saint.start, 8)) and page.joined(index):
        page.take(saint.start, name.end, Category.HOSPITAL)


def _take_saint(page: Page, index: int) -> None:
    """`St. Vincent's` alone is a hospital, or a town."""
    saint, name = page.words[index], page.words[index + 1]
    gap = page.text[saint.end : name.start]
    fits = gap in (". ", ".") or (gap == " " and saint.folded == "saint")
    if (
        fits
        and name.capital
        and name.folded not in ("jude", "jude's")
        and not name.kind & Kind.ORDINARY
        and page.free(saint.start, name.end)
    ):
        page.take(saint.start, name.end, Category.HOSPITAL)


def _take_around(page: Page, index: int) -> None:
    words = page.words
    if not words[index].capital or not page.free(words[index].start, words[index].end):
        return
    letterhead = _is_letterhead(page, index)
    first = index
    while first and index - first < 7 and _touch(page, first - 1) and _belongs(page, words[first - 1], letterhead):
        first -= 1
    while first < index and words[first].folded in ("of", "the", "for", "at", "and", "our", "de", "la"):
        first += 1
    last = _last_of(page, index, letterhead)
    inside = [word for word in words[first : last + 1] if word is not words[index]]
    named = any(_specific(page, word, letterhead) or word.folded in _NAMING for word in inside)
    if named and page.free(words[first].start, words[last].end):
        page.take(words[first].start, words[last].end, Category.HOSPITAL)


def _is_letterhead(page: Page, index: int) -> bool:
    """Whether the line, up to a comma, is nothing but capital words around this one."""
    line = page.line_at(page.words[index].start)
    if len(line) > _LONGEST_HEAD or ":" in line:
        return False
    head = re.split(r",|[ \t]{3,}", line.strip())[0]
    written = re.findall(r"[^\W\d_][\w'’.-]*", head)
    if any(word.lower() in _SENTENCE for word in written):
        return False
    return len(written) <= 8 and all(word[0].isupper() or word in ("of", "the", "and", "for", "at") for word in written)


def _touch(page: Page, index: int) -> bool:
    gap = page.text[page.words[index].end : page.words[index + 1].start]
    if "\n" in gap and not page.wrapped(page.words[index].end):
        return False
    if gap.startswith(".") and page.words[index].folded not in ("st", "mt", "ste"):
        return False
    return bool(_JOINS.fullmatch(gap))


def _belongs(page: Page, word: PageWord, letterhead: bool) -> bool:
    """Whether this word can stand in the name of a hospital, before the head."""
    if not page.free(word.start, word.end):
        return False
    if word.folded in ("of", "the", "and", "for", "de", "la", "du", "der"):
        return True
    known = word.folded in _NAMING or word.folded in _DESCRIBING
    return word.capital and (known or _specific(page, word, letterhead))


def _specific(page: Page, word: PageWord, letterhead: bool) -> bool:
    """Whether this word names rather than describes."""
    if not word.capital or word.folded in _DESCRIBING or word.folded in _NEVER:
        return False
    if word.short and not (letterhead and page.in_capitals(word.start)):
        return False
    if not word.kind & Kind.ORDINARY:
        return True
    loud = page.in_capitals(word.start)
    if letterhead:
        return not loud or page.line_number(word.start) < 3
    return not loud and not page.opens_sentence(word.start)


def _last_of(page: Page, index: int, letterhead: bool) -> int:
    """The word after which the name ends: `of Cape Verity`, `Clinic Bellhaven`."""
    words, last = page.words, index
    if last + 2 < len(words) and words[last + 1].folded in ("of", "at", "for", "de") and _touch(page, last):
        ahead = last + 3 if words[last + 2].folded == "the" else last + 2
        of = words[last + 1].folded in ("of", "de")
        if (
            ahead < len(words)
            and _touch(page, ahead - 1)
            and _names_place(page, words[ahead], of=of, letterhead=letterhead)
        ):
            last = ahead
    of = last > index
    while last + 1 < len(words) and last - index < 5 and _touch(page, last):
        broken = "\n" in page.text[words[last].end : words[last + 1].start]
        if (broken and not of) or not _names_place(page, words[last + 1], of=of, letterhead=letterhead):
            break
        last += 1
    if last + 1 < len(words) and words[last + 1].folded in _HEADS and _touch(page, last) and words[last + 1].capital:
        last += 1
    return last


def _names_place(page: Page, word: PageWord, *, of: bool, letterhead: bool) -> bool:
    if not word.capital or not page.free(word.start, word.end) or page.text[word.end : word.end + 1].isdigit():
        return False
    if word.folded in ("department", "radiology", "emergency", "medicine", "patient", "diagnostic", "imaging"):
        return False
    if page.in_capitals(word.start):
        return not word.kind & Kind.ORDINARY or (letterhead and page.line_number(word.start) < 3)
    if word.short:
        return False
    return of or not word.kind & Kind.ORDINARY


def take_short_names(page: Page) -> None:
    """`HGH` of a hospital named in full, and capitals that stand where a hospital's short name would."""
    text = page.text
    shorts = {_acronym(text[found.start : found.end]) for found in page.found if found.category is Category.HOSPITAL}
    for match in _SHORT.finditer(text):
        if not page.free(*match.span()):
            continue
        if match[0] in shorts or match[0] in _FAMOUS:
            page.take(*match.span(), Category.HOSPITAL)
        elif _stands_for_hospital(page, match):
            page.take(*match.span(), Category.HOSPITAL, doubted=True)


def _acronym(name: str) -> str:
    words = re.findall(r"[^\W\d_]+", name.replace("'s", "").replace("’s", ""))
    return "".join(word[0] for word in words if word[0].isupper())


def _stands_for_hospital(page: Page, match: re.Match[str]) -> bool:
    start, end = match.span()
    if (
        len(match[0]) < 3
        or match[0].lower() in DEGREES_IN_TEXT
        or kind_of(match[0].lower()) & (Kind.SHORT | Kind.ORDINARY)
    ):
        return False
    before, after = page.before(start, 24), page.text[end : end + 24]
    if page.in_capitals_beyond(start, end) and not re.match(r"[ \t]+p?CXR\b", after):
        return False
    if _PAGE_AFTER.match(after):
        return True
    if (not before or before.endswith("\n")) and _BEFORE_VIEW.match(after):
        return True
    if before.endswith("| ") and after.startswith(" |"):
        return True
    gap = _AFTER_PERSON.search(before)
    return bool(gap) and page.taken_at(start - len(gap[0] if gap else "") - 1) and not _STATE_AFTER.match(after)
