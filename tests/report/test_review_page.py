from __future__ import annotations

import re

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from medveil.report.review_page import Case, changes, render_review

JPEG = cv2.imencode(".jpg", np.full((20, 20), 99, np.uint8))[1].tobytes()


def page(*names: str) -> str:
    cases = [
        Case(name, ("read again: 1 line",), JPEG, JPEG, ((5, 5, 40, 10),), (), "Seen by Dr. Who.", "Seen by Dr. X.")
        for name in names
    ]
    return render_review(cases, title="A <release>", hidden=2, run="cafe")


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_pieces_are_the_texts(before: str, after: str) -> None:
    left, right = changes(before, after)
    assert "".join(text for text, _ in left) == before
    assert "".join(text for text, _ in right) == after
    assert [text for text, differs in left if not differs] == [text for text, differs in right if not differs]


def test_what_changed_is_marked_and_what_is_shown_is_escaped() -> None:
    text = page("ab/1.dcm")
    assert "<del>Who</del>" in text and "<ins>X</ins>" in text
    assert "A &lt;release&gt;" in text and "<release>" not in text


def test_nothing_is_loaded_from_elsewhere() -> None:
    assert not re.search(r"(src|href)=\"(?!data:)", page("ab/1.dcm"))
