"""Two findings that become one are in doubt only if both were."""

from __future__ import annotations

import pytest

from medveil.person.identifiers import Category
from medveil.person.span import DoubtfulSpan, Span, spanning, without_overlaps


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [(DoubtfulSpan, DoubtfulSpan, DoubtfulSpan), (DoubtfulSpan, Span, Span), (Span, DoubtfulSpan, Span)],
)
def test_doubt_stays_where_nothing_is_sure(first: type[Span], second: type[Span], joined: type[Span]) -> None:
    one, other = first(3, 6, Category.ADDRESS), second(5, 9, Category.ADDRESS)
    assert spanning(other, one, Category.COUNTY) == joined(3, 9, Category.COUNTY)
    assert without_overlaps([other, one]) == [joined(3, 9, Category.ADDRESS)]
