"""Dates without a number, or with a year alone: feasts, seasons, weekdays cut short, years told by a small word."""

from __future__ import annotations

import re
from bisect import bisect_right

from medveil.defenses.reports.rules.lexicon import words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category

_YEAR = r"(?:1[89]|20|21)\d\d"
_FEASTS = words(
    "thanksgiving christmas xmas new easter halloween boxing labor labour memorial independence veterans presidents "
    "stephen's stephen’s "
    "columbus mother's mother’s mothers father's father’s fathers valentine's valentine’s valentines st fourth "
    "ramadan hanukkah passover yom diwali mardi eid lunar chinese good ash palm guy bonfire rosh juneteenth cinco "
    "canada anzac holi navratri pongal onam vaisakhi purim shavuot sukkot kwanzaa epiphany pentecost whitsun "
    "michaelmas martinmas hogmanay super burns pancake shrove maundy holy all day nowruz tet orthodox bastille "
    "australia waitangi remembrance patriots patriots' patriots’ groundhog carnival lent advent heritage freedom "
    "women's women’s ostern pfingsten weihnachten heiligabend silvester fasching rosenmontag aschermittwoch "
    "fronleichnam allerheiligen paques noel toussaint pentecote ascension navidad nochebuena nochevieja reyes pascua "
    "carnaval"
)
_FEAST = re.compile(
    r"(?:thanksgiving(?:[ ]day)?|christmas(?:[ ](?:eve|day))?|xmas|new[ ]year(?:['’]?s)?[ ](?:eve|day)|new[ ]year['’]s|"
    r"easter(?:[ ](?:sunday|monday))?|halloween|(?:boxing|labou?r|memorial|independence|veterans|presidents|columbus|"
    r"mother['’]?s|father['’]?s|valentine['’]?s|st\.?[ ]patrick['’]?s|(?:st\.?[ ])?stephen['’]?s)[ ]day|"
    r"fourth[ ]of[ ]july|ramadan|hanukkah|"
    r"passover|yom[ ]kippur|diwali|mardi[ ]gras|eid(?:[ -]al-(?:fitr|adha))?|(?:lunar|chinese)[ ]new[ ]year|"
    r"good[ ]friday|ash[ ]wednesday|palm[ ]sunday|(?:guy[ ]fawkes|bonfire)[ ]night|rosh[ ]hashanah|juneteenth|"
    r"cinco[ ]de[ ]mayo|(?:canada|anzac|australia|waitangi|bastille|remembrance|patriots['’]?|groundhog|pancake)[ ]day|"
    r"holi|navratri|pongal|onam|vaisakhi|purim|shavuot|sukkot|kwanzaa|epiphany|pentecost|whitsun|michaelmas|martinmas|"
    r"hogmanay|nowruz|super[ ]bowl(?:[ ](?:sunday|weekend))?|burns[ ]night|shrove[ ]tuesday|maundy[ ]thursday|"
    r"holy[ ](?:thursday|saturday|week)|all[ ](?:saints|souls)['’]?(?:[ ]day)?|day[ ]of[ ]the[ ]dead|"
    r"orthodox[ ](?:easter|christmas)|carnival(?=[ ](?:monday|tuesday|saturday|sunday|week))|"
    r"(?:heritage|freedom|women['’]s)[ ]day|ostern|pfingsten|weihnachten|heiligabend|silvester|fasching|rosenmontag|"
    r"aschermittwoch|fronleichnam|allerheiligen|p[âa]ques|no[ëe]l(?=[ ]\d|[.,;])|toussaint|pentec[ôo]te|ascension|"
    r"navidad|nochebuena|nochevieja|"
    r"(?:d[íi]a[ ]de[ ])?reyes(?=[ .,;])|pascua|carnaval|semana[ ]santa)(?!\w)"
    rf"(?:(?:,?[ ]|[ ]of[ ]|[ ]in[ ]){_YEAR}(?!\d))?(?![ ](?:tree|disease|factor))",
    re.IGNORECASE,
)
_SEASONS = words("spring summer fall autumn winter")
_YEAR_OF_SEASON = re.compile(rf"(?:[ ]of)?[ ](?:{_YEAR}|['’]\d\d)(?!\d)", re.IGNORECASE)
_WEEKDAYS = words("Mon Tue Tues Wed Weds Thu Thur Thurs Fri")
_YEAR_ALONE = re.compile(
    rf"{_YEAR}s?(?!\w|-(?!(?:\d\d|\d{{4}})(?!\d))|[.,]\d|"
    r"[ ]?(?:m[lgm]|cc|cm|g|kg|units?|IU|calories|steps|h|hrs|hours)\b)",
    re.IGNORECASE,
)
_TELLS_A_YEAR = re.compile(
    r"(?<![a-z])(?:in|since|until|till|circa|early|late|mid|around|year|born|yob)[ \t\r\n-]{1,2}"
    r"(?:the[ ])?$|(?<!\w)[bd]\.[ ]?$",
    re.IGNORECASE,
)


_CLIPPED_YEAR = re.compile(r"(?<=[ (])['’]\d\d(?![\w'’\"])")  # in '98
# `CABG 1998`, `quit 1987`: what befell somebody, and when; `Fleischner 2017` befell nobody.
_EVENTS = words(
    "cabg mi stemi nstemi cva tia dvt pe stent stents stenting surgery repair replacement avr mvr ppm icd thr tkr "
    "pacemaker tha tka fusion bypass transplant fracture fx graft stroke infarct infarction cancer ca lymphoma "
    "accident mva chemo chemotherapy radiation xrt cath echo pft pfts tte tee dx diagnosed born quit retired stopped "
    "died deceased married divorced widowed immigrated graduated usmc usn usaf army navy marines service colonoscopy "
    "mammogram mri pci ptca veteran served smoked worked lived"
)
_QUARTER = re.compile(r"(?<!\w)Q[1-4][ ,/]{0,2}(?:of[ ])?(?:19|20)\d\d(?!\d)|(?<!\w)(?:19|20)\d\d[ -]?Q[1-4](?!\w)")
_YEARS_TO = re.compile(r"[ ]?[-–][ ]?(?P<end>(?:1[89]|20)?\d\d)(?![\w/])")  # 1967-71
# `echo 12/80`, `here in 10/80`: a month and a year too late for a day
_MONTH_AND_YEAR = re.compile(r"(?:0?[1-9]|1[0-2])/(?!52)(?:3[2-9]|[4-9]\d)(?![\d/])")  # 6/52 are weeks
_TIMES_DONE = re.compile(r"[ ]x[ ]?\d[ ]$", re.IGNORECASE)  # CABG x4 '68
_OPERATIONS = ("ectomy", "otomy", "ostomy", "plasty", "scopy")


def take_feasts(page: Page) -> None:
    """Before a weekday is taken for itself: Easter Monday."""
    for word in page.standing(_FEASTS):
        _take(page, word.start, _end(_FEAST.match(page.text, word.start)))


def take(page: Page) -> None:
    for index, word in enumerate(page.words):
        if word.folded in _SEASONS:
            _take(page, word.start, _end(_YEAR_OF_SEASON.match(page.text, word.end)))
        elif word.text in _WEEKDAYS and index and _in_sentence(page, page.words[index - 1], word):
            _take(page, word.start, word.end)
    for match in _QUARTER.finditer(page.text) if "Q" in page.text else ():
        _take(page, *match.span())
    for match in _CLIPPED_YEAR.finditer(page.text) if "'" in page.text or "’" in page.text else ():
        if _TELLS_A_YEAR.search(page.before(match.start(), 12)) or _after_event(page, match.start()):
            _take(page, *match.span())
    for start in page.numbers:
        form = _MONTH_AND_YEAR if "/" in page.text[start : start + 3] else _YEAR_ALONE
        year = form.match(page.text, start) if form is _MONTH_AND_YEAR or page.text[start] in "12" else None
        if year and (_TELLS_A_YEAR.search(page.before(start, 12)) or _after_event(page, start)):
            _take(page, *year.span())
            if ending := _YEARS_TO.match(page.text, year.end()):
                _take(page, *ending.span("end"))


def _after_event(page: Page, start: int) -> bool:
    done = _TIMES_DONE.search(page.before(start, 5))
    place = start - len(done[0]) if done else start
    index = bisect_right(page.words, place, key=lambda word: word.start) - 1
    if index < 0 or page.text[page.words[index].end : place] not in (("",) if done else (" ", ", ", " (")):
        return False
    event = page.words[index].folded
    return event in _EVENTS or event.endswith(_OPERATIONS)


def _end(match: re.Match[str] | None) -> int:
    return match.end() if match else -1


def _take(page: Page, start: int, end: int) -> None:
    if end > start and page.free(start, end):
        page.take(start, end, Category.DATE)


def _in_sentence(page: Page, before: PageWord, word: PageWord) -> bool:
    """Among small letters: `removed Wed.`, not the name of a person or the head of a column."""
    between, after = page.text[before.end : word.start], page.text[word.end : word.end + 1]
    return between == " " and before.text.islower() and len(before.text) > 1 and after not in ("'", "’", "-")
