"""Ages in a text as the table tells them: in its bands, or not at all. Durations and sizes of tubes stay."""

from __future__ import annotations

import re

from medveil.person.telling import Telling

NOT_TOLD = "[AGE]"
_TENS = {word: 10 * (2 + at) for at, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}
_ONES = {word: 1 + at for at, word in enumerate("one two three four five six seven eight nine".split())}
_TEENS = {
    word: 10 + at
    for at, word in enumerate("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split())
}
_WORD = rf"(?:(?:{'|'.join(_TENS)})(?:[ \t-](?:{'|'.join(_ONES)}))?|{'|'.join(_TEENS)}|{'|'.join(_ONES)})"
_NUMBER = rf"(?P<age>(?<![\d./:,#-])\d{{1,3}}(?:\.\d)?(?!\d|[-–+]\d|\+)|\b{_WORD})"  # a range is nobody's age
_BREAK = r"[ \t]*-?[ \t]*(?:\r?\n[ \t]*)?"
_SOMEBODY = r"(?:male|female|man|woman|gentleman|lady|boy|girl|patient|infant|child|m|f|wm|wf|bm|bf)(?![A-Za-z0-9])"
_TUBE = r"(?![ \t]*(?:r(?:ench)?\b|[\w-]*[ \t]?(?:tube|catheter|cath|drain|sheath|pigtail|line|port|stent|needle)\b))"
_YEARS_OLD = (
    r"(?:(?:years?|yrs?|y)[ \t-]*(?:\r?\n[ \t]*)?(?:old|of[ \t]+age)\b|y\.?[ ]?/?[ ]?o\b\.?|yo[mfw]?\b|y[mf]\b|"
    r"jahre[ \t]+alt|jährig\w*|ans\b|años\b|anni\b|jaar\b|"
    rf"(?:years?|yrs?|y)[ \t-]+{_SOMEBODY})"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_NUMBER}(?={_BREAK}{_YEARS_OLD})",
        rf"{_NUMBER}(?=[ \t]*[/,][ \t]*(?:[MF](?![A-Za-z0-9/])|(?:fe)?male\b))",
        rf"{_NUMBER}(?=[ \t](?:male|female|man|woman|gentleman|lady)\b)",
        rf"(?P<age>(?<![\w./:,#-])(?:\d\d(?<!9[1-9])))(?=[ ]?[MF](?![A-Za-z0-9/]){_TUBE})",  # above, a temperature
        rf"\b(?:he|she|patient|pt)[ \t]+is[ \t]+(?:now[ \t]+)?{_NUMBER}(?=[ \t]*(?:[.,;)]|\r?\n|$)(?!\d))",
        rf"\bages?[ \t]+\d{{1,3}}[ \t]+and[ \t]+{_NUMBER}(?!\d)",
        rf"(?:\bage[ds]?|\balter)[ \t]*(?:/[ \t]*sex)?[ \t]*(?:of[ \t]+|about[ \t]+|[:=][ \t]*)?{_NUMBER}"
        r"(?![\d.]*\d|[ \t]?-?(?:%|mm|cm|kg|days?|weeks?|months?|hours?))",
        rf"\b(?:died|dead|deceased|passed[ \t]+away)[ \t]+at[ \t]+{_NUMBER}(?!\d|:)",
        r"(?P<age>(?<![\w./:,#-])90\+)(?!\d)",  # as the cleaner writes the oldest
        rf"\bturn(?:ed|ing|s)[ \t]+{_NUMBER}(?![\d.]*\d|[ \t]*(?:degrees|%|mm|cm|times))",
    )
)
_YOUNG = re.compile(
    r"(?<![\d./:,#-])\d{1,3}(?P<gap>[ \t-]*)(?:days?|weeks?|wks?|months?|mos?)(?P<old>[ \t-]*old\b)", re.IGNORECASE
)
_DECADE = re.compile(
    r"\bin[ \t]+(?P<whose>(?:his|her|their|the)[ \t]+)(?P<part>(?:early|mid|middle|late)[ \t-]+(?:to[ \t-]+"
    r"(?:early|mid|late)[ \t-]+)?)?(?P<decade>[1-9]0)['’]?s\b",
    re.IGNORECASE,
)


def with_told_ages(text: str, telling: Telling) -> tuple[str, int]:
    """The text with every age in the band it is told in, and how many were changed; the same where ages are told."""
    if telling.ages == 1:
        return text, 0
    found: dict[tuple[int, int], str] = {}
    for form in _FORMS:
        for match in form.finditer(text):
            age = _value(match["age"])
            if age is not None:
                found[match.span("age")] = telling.band(age) or NOT_TOLD
    for match in _YOUNG.finditer(text):
        found[match.span()] = f"{telling.band(0) or NOT_TOLD}{match['gap']}year{match['old']}"
    for match in _DECADE.finditer(text):
        found[match.span()] = _decade(match, telling)
    pieces, last, changed = [], 0, 0
    for (start, end), new in sorted(found.items()):
        if start >= last:
            pieces += [text[last:start], new]
            changed += new != text[start:end]
            last = end
    return "".join((*pieces, text[last:])), changed


def _value(written: str) -> float | None:
    """None for what is no age of anybody: a number above 130."""
    if written[0].isdigit():
        age = float(written.rstrip("+"))
        return age if age <= 130 else None
    parts = re.split(r"[ \t-]", written.lower())
    return sum(_TENS.get(part, 0) + _TEENS.get(part, 0) + _ONES.get(part, 0) for part in parts)


def _decade(match: re.Match[str], telling: Telling) -> str:
    """ "In her late 50s" says more than a band of ten years, and "in her 50s" more than one of twenty."""
    if not telling.ages:
        return f"in {match['whose']}{NOT_TOLD}"
    if telling.ages <= 10:
        return f"in {match['whose']}{match['decade']}s"
    return f"aged {telling.band(float(match['decade']))}"
