"""The text that results from what is left out and written."""

from __future__ import annotations

import json

from medveil.defenses.reports.rewriter.edits import assembled, tidied
from medveil.defenses.reports.rewriter.plain_words import PlainWords, may_go
from medveil.defenses.reports.rewriter.tokens import read, sentences

PLAIN = PlainWords(
    frozenset("at by on the signed hospital accession tel cc from".split()),
    frozenset("dr md do mr ms pgy".split()),
    ("a", "clinician", "patient", "the"),
)


def rewritten(text: str, gone: str, written: dict[str, tuple[str, ...]]) -> str:
    """As if a network had left out these words and written those before them."""
    tokens = read(text)
    loose = may_go(tokens, PLAIN)
    changes = {}
    for own in sentences(tokens):
        done = {
            place: (tokens[place].text in gone.split(), written.get(tokens[place].text, ()))
            for place in own
            if tokens[place].text in gone.split()
        }
        changes |= tidied(tokens, own, done, loose)
    return assembled(text, tokens, changes)


def test_gaps_close() -> None:
    assert rewritten("Seen on 5/6 at [TIME], by [DOCTOR].", "at [TIME] , by [DOCTOR]", {}) == "Seen on 5/6."
    assert (
        rewritten("Clear ([DOCTOR]).\nTel [PHONE]\nNo effusion.", "[DOCTOR] Tel [PHONE]", {}) == "Clear.\nNo effusion."
    )
    words = {"Dr": ("the", "clinician")}
    assert rewritten("Dr. [DOCTOR] saw her.", "Dr . [DOCTOR]", words).startswith("The clinician saw her")
    assert rewritten("SEEN BY DR [DOCTOR] TODAY", "DR [DOCTOR]", {"DR": ("the", "clinician")}) == (
        "SEEN BY THE CLINICIAN TODAY"
    )


def test_a_preposition_needs_something_behind_it() -> None:
    assert rewritten("Sent on by [DOCTOR], seen at [TIME].", "[DOCTOR] [TIME]", {}) == "Sent on, seen."
    assert rewritten("Sent on [DATE] 5 cm.", "[DATE]", {}) == "Sent on 5 cm."


def test_lines_stay_lines() -> None:
    text = "Clear. At [TIME]\n\n[NAME] is well; seen by [DOCTOR]\n[PHONE] 5 cm"
    made = rewritten(
        text, "At [TIME] [NAME] [DOCTOR] [PHONE]", {"[NAME]": ("the", "patient"), "[DOCTOR]": ("a", "clinician")}
    )
    assert made == "Clear.\n\nThe patient is well; seen by a clinician\n5 cm"


def test_brackets_go_together() -> None:
    assert rewritten("Told (wife, [NAME]) of it.", "( , [NAME]", {}) == "Told (wife) of it."
    assert rewritten("Told ([NAME], [PHONE]) of it.", "[NAME] , [PHONE] )", {}) == "Told of it."


def test_what_machines_read_stays_readable() -> None:
    made = rewritten('{"id":"[MRN]","name":"[NAME]","age":54}', '[MRN] [NAME] " : ,', {})
    assert json.loads(made) == {"id": "", "name": "", "age": 54}


def test_a_label_never_denies() -> None:
    assert rewritten("Insured at hospital no. [MRN]", "[MRN]", {}) == "Insured at hospital"


def test_nothing_is_left_out_but_beside_a_placeholder() -> None:
    assert rewritten("The signed film shows [NAME] well.", "The signed [NAME]", {}) == "The signed film shows well."
