from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from medveil.defenses.reports.merging import merged
from medveil.person.identifiers import Category
from medveil.person.span import Span

TEXT = "abcd efgh ijkl mnop qrst uvwx yz01 2345"
spans = st.tuples(st.integers(0, 38), st.integers(1, 12), st.sampled_from(list(Category))).map(
    lambda drawn: Span(drawn[0], min(drawn[0] + drawn[1], len(TEXT)), drawn[2])
)


@given(st.lists(st.lists(spans, max_size=6), max_size=3))
def test_nothing_found_is_lost_and_nothing_overlaps(layers: list[list[Span]]) -> None:
    result = merged(TEXT, *layers)
    assert result == sorted(result)
    assert all(one.end <= other.start for one, other in pairwise(result))
    wanted = {
        place for layer in layers for one in layer for place in range(one.start, one.end) if TEXT[place].isalnum()
    }
    covered = {place for one in result for place in range(one.start, one.end)}
    assert wanted <= covered


def test_the_better_layer_decides_the_kind() -> None:
    name = merged("Alice Long", [Span(6, 10, Category.NAME)], [Span(0, 10, Category.DOCTOR)])
    assert name == [Span(0, 10, Category.NAME)]


def test_of_different_kinds_only_the_rest_is_taken() -> None:
    text = "3/14/21 10:30"
    both = merged(text, [Span(0, 7, Category.DATE)], [Span(0, 13, Category.TIME)])
    assert both == [Span(0, 7, Category.DATE), Span(8, 13, Category.TIME)]


def test_a_number_is_of_one_kind_wherever_it_stands() -> None:
    text = "MRN 123456 and 123456"
    found = merged(text, [Span(4, 10, Category.MRN), Span(15, 21, Category.OTHER_ID)])
    assert [one.category for one in found] == [Category.MRN, Category.MRN]


def test_what_follows_without_a_space_belongs_to_it() -> None:
    assert merged("no. 2447781W here", [Span(4, 11, Category.OTHER_ID)]) == [Span(4, 12, Category.OTHER_ID)]
    assert merged("LONG^ALICE^M||", [Span(0, 4, Category.NAME)]) == [Span(0, 12, Category.NAME)]
    assert merged("at Elm Surgery.", [Span(3, 6, Category.HOSPITAL)]) == [Span(3, 14, Category.HOSPITAL)]
    web = [Span(3, 16, Category.URL), Span(19, 22, Category.UID)]
    assert merged("at pacs.long.mt/st/889. Now", web) == [Span(3, 22, Category.URL)]


def test_a_name_inside_a_web_address_is_part_of_the_address() -> None:
    text = "write to jane@long-hospital.org"
    inside = [Span(9, 13, Category.NAME), Span(14, 27, Category.HOSPITAL)]
    assert merged(text, inside, [Span(9, 31, Category.EMAIL)]) == [Span(9, 31, Category.EMAIL)]
