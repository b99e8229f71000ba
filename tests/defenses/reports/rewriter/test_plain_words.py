"""What may be left out beside a placeholder, and what may be written for one."""

from __future__ import annotations

import pytest

from medveil.defenses.reports.rewriter.plain_words import PlainWords, may_go, may_stand_for, stood_for
from medveil.defenses.reports.rewriter.tokens import read

PLAIN = PlainWords(
    frozenset("at by on the signed hospital accession tel cc from".split()),
    frozenset("dr md do mr ms pgy".split()),
    ("a", "clinician", "patient", "the"),
)


def free(text: str) -> dict[str, bool]:
    tokens = read(text)
    return dict(zip((token.text for token in tokens), may_go(tokens, PLAIN), strict=True))


@pytest.mark.parametrize(
    ("text", "word", "goes"),
    [
        ("Dr. [DOCTOR]", "Dr", True),
        ("[DOCTOR], M.D.", "M", True),
        ("[DOCTOR], DO", "DO", True),
        ("patients do [DOCTOR]", "do", False),
        ("known MS [NAME]", "MS", False),
        ("Dr. said [DOCTOR]", "Dr", False),
        ("signed by [DOCTOR]", "signed", True),
        ("no [OTHER ID]", "no", False),
        ("hospital no. [MRN]", "no", True),
        ("30 cc [DOCTOR]", "cc", False),
        ("cc [DOCTOR]", "cc", True),
        ("[DOCTOR] PGY2", "PGY", False),
        ("EF -13 [DOCTOR]", "-", False),
        ("1.5 [TIME]", ".", False),
        ("left [TIME]", "left", False),
        ("[TIME] 5", "5", False),
        ("PID||[MRN]|M", "|", False),
        ("Name | [NAME] | 5", "|", True),
        ('{"id":"[MRN]"}', ":", False),
        ('called "[NAME]"', '"', True),
        ("[ADDRESS], TX [ADDRESS]", "TX", True),
        ("[ADDRESS], TX", "TX", False),
        ("p[PHONE]", "p", True),
        ("L[OTHER ID]", "L", False),
        ("by [DOCTOR]", "by", True),
        ("by-pass [DOCTOR]", "by", False),
        ("on [DATE] #NOF", "#", False),
        ("#[MRN]", "#", True),
        ("Insurance, no. [HEALTH PLAN]", "no", False),
        ("Pacemaker: no. [OTHER ID]", "no", False),
    ],
)
def test_what_says_something_stays(text: str, word: str, goes: bool) -> None:
    assert free(text)[word] is goes


@pytest.mark.parametrize(
    ("word", "text", "may"),
    [
        ("clinician", "[NAME] called", False),
        ("clinician", "Dr. [NAME] called", True),
        ("clinician", "[DOCTOR] called", True),
        ("patient", "[DOCTOR] called", False),
        ("patient", "[NAME] called", True),
        ("patient", "[NAME] called [PATIENT 3f]", False),
        ("institution", "from [ADDRESS]", False),
        ("the", "film of it", False),
        ("the", "[TIME]", True),
    ],
)
def test_words_stand_for_their_own_kind(word: str, text: str, may: bool) -> None:
    tokens = read(text)
    place = next((place for place, token in enumerate(tokens) if token.kind), 0)
    kind, titled = stood_for(tokens, may_go(tokens, PLAIN))[place]
    known = any(token.kind == "PATIENT" for token in tokens)
    assert may_stand_for(word, kind, titled=titled, known=known) is may
