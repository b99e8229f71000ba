"""Dates in every common form, whole or in part; fractions, levels and scores of the same shape stay."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category

_ENGLISH = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_FOREIGN = (  # with a number beside them only
    "januar februar marz maerz mai juni juli oktober dezember janner jaenner okt dez janvier fevrier mars avril juin "
    "juillet aout septembre octobre novembre decembre enero febrero marzo abril mayo junio julio agosto septiembre "
    "setiembre octubre noviembre diciembre gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre "
    "janeiro fevereiro marco maio junho julho setembro outubro dezembro januari februari maart mei augustus "
    "maj augusti desember janv fevr juil ogos disember julai "
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia "
    "ledna unora brezna dubna kvetna cervna cervence srpna rijna listopadu prosince "
    "ocak subat nisan mayis haziran temmuz agustos eylul ekim kasim aralik "
    "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesakuuta heinakuuta elokuuta syyskuuta lokakuuta "
    "marraskuuta joulukuuta ianuarie februarie martie aprilie iunie iulie septembrie octombrie noiembrie decembrie"
)
_MONTHS = frozenset(_ENGLISH.split())
_ALL_MONTHS = _MONTHS | frozenset(_FOREIGN.split())
_WORDS_TOO = words("may march mar mars mai marco marzo mei dec sep jan jun")
# In small letters too.
_ENGLISH_WEEKDAYS = words("monday tuesday wednesday thursday friday saturday sunday tues weds thurs")
_WEEKDAYS = words(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed weds thu thur thurs fri "
    "montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche "
    "lunes martes miercoles jueves viernes sabado domingo"
)

_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_YEAR = r"(?:(?:1[89]|20|21)\d\d)"
_GAP = r"(?:[ \t]{0,3}(?:\r?\n[ \t]*)?)"
_NUMERIC = tuple(
    re.compile(form)
    for form in (
        rf"{_YEAR}(?P<s>[-/.]){_MONTH}(?P=s){_DAY}(?!\d)",
        rf"{_DAY}(?P<s>[-/.]|[ ]?[-/][ ]?){_DAY}(?P=s)(?:{_YEAR}|\d\d)(?!\d|[./-]\d)",
        rf"{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)",
        rf"{_MONTH}[/-]{_YEAR}(?![\d/-])",
        r"(?:0[1-9]|[12]\d|3[01])[ ](?:0[1-9]|1[0-2])[ ](?:19|20)\d\d(?!\d)",
        rf"{_YEAR}-(?:0[1-9]|1[0-2])(?![\d-])",
    )
)
_STAMP = re.compile(
    rf"{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d(?:\.\d{{1,6}})?)?(?!\d)"
)
_ISO_TIME = re.compile(r"T\d\d:?\d\d(?::?\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?")
_PART = re.compile(rf"(?P<first>{_DAY})/(?P<second>{_DAY})(?![\d/]|\.\d)")
_GERMAN_PART = re.compile(rf"{_DAY}\.[ ]?{_MONTH}\.(?![ ]?\d)")  # am 3.4.
_GERMAN_BEFORE = re.compile(r"\b(?:am|vom|seit|bis|zum|ab|den)[ ]$", re.IGNORECASE)
_SAYING = re.compile(r"24/7(?![\d/])|9/11(?=[ ](?:survivor|responder|attack|victim))")
_RANGE_END = re.compile(rf"[ ]?(?:-|–|to|through)[ ]?(?P<day>{_DAY}/{_DAY}(?:/(?:{_YEAR}|\d\d))?)(?![\d/])")
# What is counted by ordinals and is no day.
_COUNTED = (
    "ribs?|left|right|posterior|anterior|lateral|medial|intercostal|thoracic|lumbar|cervical|vertebra\\w*|days?|"
    "percentile|digit|finger|toe|ray|week|month|year|hour|cycle|floor|attempt|ventricle|decade|metatarsal|metacarpal|"
    "proximal|distal|costal|and|through|to|portion|part|nerve|cranial|branch|order|degree|line|dose|time"
)
ORDINAL_DAY = re.compile(
    rf"(?P<day>(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th))(?![\w-]|\s+(?:{_COUNTED})\b)", re.IGNORECASE
)
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)", re.IGNORECASE)
_ON_THE = re.compile(
    r"\b(?:on|since|until|till|from|of|by|before|after|visit|due)[ \t\r\n]+the[ \t\r\n]+$", re.IGNORECASE
)

_AFTER_MONTH = re.compile(
    rf"\.?(?:{_GAP}|-|/|,[ ]?)(?:the[ ])?(?P<day>{_DAY})(?:[ ]?(?:st|nd|rd|th|er|\.(?={_GAP}{_YEAR})))?"
    rf"(?:[ ]?[-–][ ]?{_DAY}(?:st|nd|rd|th)?)?(?P<stop>)(?![\d:%]|[.,]\d(?!\d{{3}})|/\d)"
    rf"(?:(?:,?{_GAP}|[-/][ ]?|{_GAP}of{_GAP}|,?{_GAP}de{_GAP})(?P<year>{_YEAR}|['’]\d\d)(?!\d)|(?:,[ ]|"
    rf"[-/])\d\d(?![\d:/]))?",
    re.IGNORECASE,
)
_MONTH_YEAR = re.compile(
    rf"\.?(?:,?{_GAP}(?:of{_GAP}|de[l]?{_GAP})?{_YEAR}|{_GAP}['’]\d\d|[-/](?:{_YEAR}|\d\d))(?!\d)", re.IGNORECASE
)
_YEAR_AFTER = re.compile(
    rf"\.?(?:(?:,?{_GAP}(?:of{_GAP}|de[l]?{_GAP})?|[-/. ]){_YEAR}(?!\d)|(?:,?{_GAP}['’]|[-/. ])\d\d(?![\d:]))",
    re.IGNORECASE,
)
_BEFORE_MONTH = re.compile(
    rf"(?<![\d/.:-])(?P<day>{_DAY})(?:[ ]?(?:st|nd|rd|th|er|º|\.))?(?:{_GAP}(?:of{_GAP}|de{_GAP})?|-|/|\.)$",
    re.IGNORECASE,
)
_DAY_TO = re.compile(r"(?<![\w/.:-])(?P<day>\d{1,2}(?:st|nd|rd|th))[ ](?:to|and|until|till|through)[ ](?:the[ ])?$")
_YEAR_BEFORE = re.compile(rf"(?<!\d){_YEAR}(?:[ ]|-|/|,[ ])$")
_WEEKDAY_BEFORE = re.compile(
    r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?[ \t\r\n]+(?:the[ \t]+)?$", re.IGNORECASE
)
_WEEKDAY_ABROAD = re.compile(
    r"\b(?:lun|mar|mer|jeu|ven|sam|dim|mi[ée]|jue|vie|s[áa]b|dom|mo|di|mi|do|fr|sa|so)(?:di|es|oles|ves|rnes|ado|ingo|"
    r"anche|medi|credi|ntag|enstag|ttwoch|nnerstag|eitag|mstag|nntag)?\.?,?[ \t]+(?:den[ ]|le[ ])?$",
    re.IGNORECASE,
)
_IN_MONTH = words("in since last of until till early late mid this next by from during through before after around")

_PART_OF_MONTH = re.compile(rf"(?:mid|early|late|end)-(?:{'|'.join(sorted(_MONTHS))})")  # mid-August

# A part such as 3/14 is a date after one of these words ...
_DATE_WORDS = words(
    "on since from dated of with to through until till by and prior cf c/w comp compared comparison versus vs "
    "typed d t "
    "dob born birth date seen exam study film radiograph cxr x-ray xr ct scan examination image images dictated "
    "transcribed signed taken obtained performed placed read removed admitted discharged admission discharge surgery "
    "before after again around yesterday today between visit previous last than at was started began op report rept "
    "echo tte cath shingrix tdap pneumovax prevnar vaccine vaccinated booster recheck rv due tca tmrw tomorrow "
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun"
)
# ... and never before or after one of these.
_NOT_AFTER = words(
    "grade graded strength motor power murmur reflexes pulses pulse gcs score scored pain page image series slice "
    "ratio vision visual acuity stage level bp pressure upper lower mid distal proximal approximately about nearly "
    "over only level levels at-level systolic bore gauge size pack step out day in for x times every glasgow"
)
NOT_BEFORE = re.compile(
    r"[ \t]*(?:(?:of[ \t]+(?:the|its|his|her|a|an|left|right|lung|normal|their|films?|images?)\b)|th\b|ths\b|"
    r"murmur|systolic|diastolic|"
    r"strength|pack|ppd|inch|in\.|cm\b|mm\b|mg\b|ml\b|cc\b|tab|cup|dose|way|full|lung|hemithorax|thirds?|quarters?|"
    r"pulses?|reflex|holo|SEM\b|on[ \t]a[ \t]scale|positive|negative|bottles|sets|cores|nodes|lymph|joint|space|"
    r"rib|interspace|%|x\b|-?year|y/?o|strength|criteria|in[ \t]all|bilateral|throughout|gauge|screws?|normal)",
    re.IGNORECASE,
)
# `PHQ-9 4/27`, `Apgar was 9/9`
SCORED = re.compile(
    r"\b(?:BiPAP|IPAP|PHQ|GAD|MMSE|MoCA|Apgars?|GCS|NIHSS|ILO|ECOG|scored?)(?:-?\d\d?)?[ :=]{0,2}(?:(?:of|was)[ ])?$",
    re.IGNORECASE,
)
_BEFORE_WORD = re.compile(r"([A-Za-z/\-]+)[.:;,(#]?[ \t\r\n]*(?:the[ \t\r\n]+)?$")


def take(page: Page) -> None:
    for word in page.standing(_ALL_MONTHS):
        _take_named(page, word)
    for word in page.words:
        if "-" in word.folded and _PART_OF_MONTH.fullmatch(word.folded) and page.free(word.start, word.end):
            page.take(word.start, word.end, Category.DATE)
    text = page.text
    for start in page.numbers:
        if not page.free(start, start + 1) or _take_numeric(page, start):
            continue
        if "/" in text[start : start + 3]:
            _take_part(page, start)
        elif (part := _GERMAN_PART.match(text, start)) and _GERMAN_BEFORE.search(page.before(start, 6)):
            _take(page, *part.span())
    for match in ORDINAL_DAY.finditer(text) if _ORDINAL.search(text) else ():
        if page.free(*match.span("day")) and _ON_THE.search(page.before(match.start(), 16)):
            page.take(*match.span("day"), Category.DATE)
    _take_weekdays(page)


def _take(page: Page, start: int, end: int, *, doubted: bool = False) -> None:
    """With the weekday before it."""
    before = page.before(start, 16)
    weekday = _WEEKDAY_BEFORE.search(before) or (page.is_foreign and _WEEKDAY_ABROAD.search(before))
    if weekday:
        start -= len(weekday[0])
    if page.free(start, end):
        page.take(start, end, Category.DATE, doubted=doubted)


def _take_numeric(page: Page, start: int) -> bool:
    text = page.text
    if stamp := _STAMP.match(text, start):
        page.take(start, start + 8, Category.DATE)
        page.take(start + 8, stamp.end(), Category.TIME)
        return True
    for form in _NUMERIC:
        match = form.match(text, start)
        if match and _possible(match[0]) and page.free(*match.span()):
            _take(page, *match.span())
            if clock := _ISO_TIME.match(text, match.end()):
                page.take(clock.start() + 1, clock.end(), Category.TIME)
            return True
    return False


def _possible(written: str) -> bool:
    """Of two small numbers one must be a month."""
    numbers = [int(part) for part in re.findall(r"\d+", written)]
    if len(numbers) != 3 or numbers[0] > 31:
        return True
    return min(numbers[0], numbers[1]) <= 12 and (
        written.count(".") < 2 or numbers[2] > 31 or len(written) >= 8 or numbers[1] <= 12
    )


def _take_part(page: Page, start: int) -> None:
    match = _PART.match(page.text, start)
    if _SAYING.match(page.text, start):
        return
    if not match or min(int(match["first"]), int(match["second"])) > 12:
        return
    before = page.before(start, 24)
    word = _BEFORE_WORD.search(before)
    said = word[1].lower().strip("/-") if word else ""
    padded = match["first"][0] == "0" and len(match["second"]) == 2
    if (said in _NOT_AFTER and not padded) or SCORED.search(before) or NOT_BEFORE.match(page.text, match.end()):
        return
    end = match.end()
    if before.lower().rstrip(" :").endswith(("d.o.b.", "d.o.b")):
        said = "dob"
    beside = (
        page.taken_at(start - 2) or page.taken_at(start - 3) or page.taken_at(start - 1) or _followed_by_time(page, end)
    )
    signed = bool(re.search(r"(?:^|[\s/:])[A-Za-z]{2,3}[ \t]+$", before)) and bool(
        re.match(r"[ \t]*(?:\r?\n|$)", page.text[end:])
    )
    plain = int(match["second"]) > 12 and said not in ("gcs", "e", "m", "v")  # no fraction or score has such a whole
    certain = said in _DATE_WORDS or beside or signed
    if certain or padded or plain or _alone_on_line(page, start, end):
        _take(page, start, end, doubted=not certain)
        if ending := _RANGE_END.match(page.text, end):
            _take(page, *ending.span("day"))


def _followed_by_time(page: Page, end: int) -> bool:
    return bool(re.match(r"[ \t,]{1,3}(?:at[ ])?(?:\d{1,2}:\d\d|[012]\d[0-5]\d\b)", page.text[end : end + 14]))


def _alone_on_line(page: Page, start: int, end: int) -> bool:
    before, after = page.before(start, 3), page.text[end : end + 3]
    return (not before or before.endswith(("\n", "\n- ", "\n* ", ", "))) and (not after or after[0] in "\r\n")


def _take_named(page: Page, word: PageWord) -> None:
    text = page.text
    ordinary = word.folded in _WORDS_TOO
    if ordinary and not word.capital:
        # "may 3" and "mar 3" are dates only as a whole date
        match = re.compile(rf"[ .\-]{{1,2}}{_DAY}(?:st|nd|rd|th)?,?[ \-]{{1,2}}{_YEAR}(?!\d)").match(text, word.end)
        day = _BEFORE_MONTH.search(page.before(word.start, 10))
        if not match and not (day and _YEAR_AFTER.match(text, word.end)):
            return
    start, end = word.start, word.end
    day = _BEFORE_MONTH.search(page.before(word.start, 12))
    if day and (year := _YEAR_AFTER.match(text, word.end)):
        start, end = word.start - len(day[0]), year.end()
    elif (
        (after := _AFTER_MONTH.match(text, word.end))
        and not _is_amount(text, after)
        and not (day and not after["year"])
    ):
        end = after.end() if page.free(start, after.end()) else after.end("stop")
        if year := _YEAR_BEFORE.search(page.before(word.start, 8)):
            start -= len(year[0])
    elif year := _MONTH_YEAR.match(text, word.end):
        end = year.end()
    elif day and not (word.folded in _WORDS_TOO and not word.capital):
        start = word.start - len(day[0])
        if first := _DAY_TO.search(page.before(start, 14)):  # 8th to 22nd July
            _take(page, start - len(first[0]), start - len(first[0]) + len(first["day"]))
    elif not _month_alone(page, word):
        return
    _take(page, start, end)


def _is_amount(text: str, match: re.Match[str]) -> bool:
    """`May 3 cm` and the like; and months that are a verb before a number."""
    return bool(
        re.match(r"[ \t]?(?:mm|cm|mg|ml|views?|weeks?|months?|days?|hours?|%)\b", text[match.end() : match.end() + 9])
    )


def _month_alone(page: Page, word: PageWord) -> bool:
    if word.folded not in _MONTHS or not word.capital or len(word.folded) < 3:
        return False
    before = re.findall(r"[A-Za-z]+", page.before(word.start, 14))
    if (
        not before
        or before[-1].lower() not in _IN_MONTH
        or re.match(r"[ \t]+[A-Z]", page.text[word.end : word.end + 3])
    ):
        return False
    if word.folded in ("may", "march") and page.in_capitals(word.start):
        return False
    return len(word.folded) > 3 or word.folded == "may"


def _take_weekdays(page: Page) -> None:
    """A weekday tells the shift by up to a week where the date beside it was moved."""
    for word in page.standing(_WEEKDAYS):
        told = word.folded in _ENGLISH_WEEKDAYS or (len(word.folded) > 5 and word.capital)
        if (told or (page.is_foreign and len(word.folded) > 4)) and page.free(word.start, word.end):
            page.take(word.start, word.end, Category.DATE)
