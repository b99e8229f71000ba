"""Initials of who read and who typed: `JD/mk`, `tech: BG`, `overread by CM`, and a last line before its date."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import Kind, kind_of
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_BY = re.compile(
    r"\b(?i:typed|over-?read|read|dictated|transcribed|reviewed|signed|interpreted|entered|verified|approved)[ ]by:?[ ]"
    r"(?P<own>[^\W\d_]{2,3})(?![\w/'’-]|[ ][A-Z])"
)
_LABELLED = re.compile(
    r"\b(?i:tech|technologist|rad|radiologist|reader|resident|initials?|dict|trans|transcriptionist|typist|typed|tr|"
    r"operator|diktat|gez)[ ]?:[ ]{0,2}(?P<own>[^\W\d_]{2,3})(?![\w/'’:-])"
)
_PAIR = re.compile(r"(?<![\w/.:-])(?P<one>[A-Z]{2,4})(?:[/:]|[ ]/[ ])(?P<two>[A-Z]{2,3}|[a-z]{2,4})(?![\w/:-])")
_LAST_LINE = re.compile(r"(?<=\n\n)(?P<own>[^\W\d_]{2,3})(?=(?:[ ]+[\w./,: -]{4,24})?\s*$)")
_NEAR_END = 250
_MODALITIES = frozenset({"CT", "MR", "US", "XR", "RT", "RN", "DR"})


def take(page: Page) -> None:
    for form in (_BY, _LABELLED, _LAST_LINE):
        for match in form.finditer(page.text):
            own = match["own"]
            written = own.isupper() or (own.islower() and form is not _LAST_LINE)
            known = own in _MODALITIES or (_is_known(own) and (own.islower() or form is _LABELLED))
            if written and not known:
                _take(page, match, "own")
    for match in _PAIR.finditer(page.text):
        if _is_pair(page, match):
            _take(page, match, "one")
            _take(page, match, "two")


def _is_pair(page: Page, match: re.Match[str]) -> bool:
    """Typists are small, and stand at the end; SVC/RA is a place, and AP/lat are views."""
    if _is_known(match["one"]) or _is_known(match["two"]) or (":" in match[0] and match["two"].isupper()):
        return False
    ends = not page.text[match.end() :].strip(" .") or page.text[match.end()] == "\n"
    return len(page.text) - match.end() < _NEAR_END and (ends or match["two"].islower())


def _is_known(short: str) -> bool:
    return bool(kind_of(short.lower()) & (Kind.SHORT | Kind.ORDINARY))


def _take(page: Page, match: re.Match[str], part: str) -> None:
    if page.free(*match.span(part)):
        page.take(*match.span(part), Category.INITIALS)
