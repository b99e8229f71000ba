"""Initials of who read and who typed: `JD/mk`, `tech: BG`, `overread by CM`, and a last line before its date."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import Kind, kind_of
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_TYPED_BY = re.compile(r"\b(?i:typed|transcribed|dictated)[ ]by:?[ ](?P<own>[^\W\d_]{2,3})(?=[.,;\n]|$)")
_BY = re.compile(
    r"(?:\b(?i:over-?read|read|reviewed|signed|interpreted|entered|verified|approved)[ ]by:?[ ]|"
    r"\d(?:[ ][AP]M)?[ ]by[ ]|"
    r"\b(?:referring|us[ ]to[ ]see|sending[ ]us)[ ](?=[A-Z]{2,3},)|\bto[ ]E[DR],[ ](?=[A-Z]{2,3},))"
    r"(?P<own>[^\W\d_]{2,3})(?![\w/'’-]|[ ][A-Z])"
)
_LABELLED = re.compile(
    r"\b(?i:tech|technologist|rad|radiologist|reader|resident|initials?|dict|trans|transcriptionist|typist|typed|tr|"
    r"operator|diktat|gez)[ ]?:[ ]{0,2}(?P<own>[^\W\d_]{2,3})(?![\w/'’:-])"
)
_LAST_LINE = re.compile(r"(?<=\n\n)(?P<own>[^\W\d_]{2,3})(?=(?:[ ]+[\w./,: -]{4,24})?\s*$)")
_AFTER_DASH = re.compile(r"(?<=\n-[ ])(?P<own>[^\W\d_]{2,3})(?=[ ]+(?:[A-Z][a-z]{2,8}[ ])?\d)")
_PAIR = re.compile(r"(?<![\w/.:-])(?P<one>[^\W\d_]{2,4})(?:[/:]|[ ]/[ ])(?P<two>[^\W\d_]{2,4})(?![\w/:-])")
_EDGE = re.compile(r"(?:^|\n|[,.][ ]|\n-[ ])$")
_CLOSED = re.compile(r"\.?[ \t]*(?:\r?\n|$)|[ \t]{1,3}(?:typed|[DT]:|(?:[A-Z][a-z]{2,8}[ ])?\d)")
_NEAR_END = 250
_MODALITIES = frozenset({"CT", "MR", "US", "XR", "RT", "RN", "DR"})


def take(page: Page) -> None:
    for form in (_TYPED_BY, _BY, _LABELLED, _LAST_LINE, _AFTER_DASH):
        for match in form.finditer(page.text):
            own = match["own"]
            known = own in _MODALITIES or (_is_known(own) and (own.islower() or form is _AFTER_DASH))
            written = own.isupper() or (own.islower() and form not in (_LAST_LINE, _AFTER_DASH))
            if written and (form is _TYPED_BY or not known):
                _take(page, match, "own")
    for match in _PAIR.finditer(page.text):
        if _is_pair(page, match):
            _take(page, match, "one")
            _take(page, match, "two")


def _is_pair(page: Page, match: re.Match[str]) -> bool:
    """Of who read and, small, who typed, at the end; SVC/RA is a place, AP/lat are views, and CAG: LAD a finding."""
    one, two, end = match["one"], match["two"], match.end()
    known = _is_known(one) + _is_known(two)
    if not one.isupper() or not (two.islower() or two.isupper()) or len(page.text) - end > _NEAR_END:
        return False
    closed = bool(_CLOSED.match(page.text, end))
    if two.isupper():
        return not known and closed and ":" not in match[0]
    return known < (1 if not closed else 3 if _EDGE.search(page.before(match.start(), 3)) else 2)


def _is_known(short: str) -> bool:
    return bool(kind_of(short.lower()) & (Kind.SHORT | Kind.ORDINARY))


def _take(page: Page, match: re.Match[str], part: str) -> None:
    if page.free(*match.span(part)):
        page.take(*match.span(part), Category.INITIALS)
