from __future__ import annotations

import re

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from medveil.report.review_page import Case, Region, Shot, changes, render_review

JPEG = cv2.imencode(".jpg", np.full((20, 20), 99, np.uint8))[1].tobytes()


def page(*names: str) -> str:
    regions = (Region((5, 5, 40, 10), "painted"), Region((5, 15, 40, 20), "doubtful", (0, 10, 45, 25), JPEG, JPEG))
    shot = Shot(0, (64, 48), JPEG, JPEG, regions, drawn=((1, 2, 3, 4),))
    cases = [
        Case(name, ("read again: 1 line",), (shot,), report_before="Seen by Dr. Who.", report_after="Seen by Dr. X.")
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
    text = page("ab/1.dcm")
    assert not re.search(r"(src|href)=\"(?!data:|#)", text)
    assert 'style="' not in text  # the policy lets no style in but the page's own


def test_what_a_film_shows_stands_in_its_own_pixels() -> None:
    text = page("ab/1.dcm")
    assert text.count('viewBox="0 0 64 48"') == 2
    assert text.count('class="region painted" data-region="0" x="5" y="5" width="35" height="5"') == 2
    assert text.count('<image x="0" y="10" width="45" height="15"') == 2  # at full size
    assert 'data-drawn="[[1, 2, 3, 4]]"' in text
