"""Sentences with a placeholder, over the ends of lines."""

from __future__ import annotations

from medveil.defenses.reports.rewriter.tokens import read, sentences


def test_a_line_that_goes_on_is_one_sentence() -> None:
    text = "Comparison is made with the study that was taken by\n[DOCTOR]. Clear.\nNAME [NAME]\n5 cm."
    tokens = read(text)
    parts = [" ".join(tokens[place].text for place in own) for own in sentences(tokens)]
    assert [part.split()[-1] for part in parts] == [".", "[NAME]"]
    assert parts[0].startswith("Comparison")
