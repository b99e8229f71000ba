from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from medveil.defenses.reports.draft import REMOVED, Draft
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.span import Span
from medveil.person.surrogates.surrogates import Surrogates

SURROGATES = Surrogates(Person(Keys.for_demonstration(1), "77"), realistic=False)
TEXT = "one two three four five six seven eight nine ten"


@given(st.sets(st.integers(0, 9), max_size=6), st.integers(0, 9))
def test_every_place_of_the_draft_leads_back_to_the_original(chosen: set[int], asked: int) -> None:
    words = TEXT.split()
    starts = [len(" ".join(words[:place])) + (place > 0) for place in range(len(words))]
    found = [Span(starts[place], starts[place] + len(words[place]), Category.DOCTOR) for place in sorted(chosen)]
    draft = Draft(TEXT, SURROGATES, found)
    assert draft.text == " ".join("[DOCTOR]" if place in chosen else word for place, word in enumerate(words))
    if asked not in chosen:
        start = draft.text.split().index(words[asked])
        place = len(" ".join(draft.text.split()[:start])) + (start > 0)
        (origin,) = draft.origin(place, place + len(words[asked]), Category.NAME)
        assert TEXT[origin.start : origin.end] == words[asked]


def test_surrogates_have_no_origin() -> None:
    draft = Draft("one two three", SURROGATES, [Span(4, 7, Category.DOCTOR)])
    assert draft.origin(4, 12, Category.NAME) == []
    assert [TEXT[one.start : one.end] for one in draft.origin(0, 14, Category.NAME)] == ["one", "three"]


def test_a_line_is_blotted_out_whole() -> None:
    draft = Draft("first\nsecond line\nthird", SURROGATES, [Span(0, 5, Category.DOCTOR)])
    draft.blot_out([Span(13, 17, Category.NAME)], whole_lines=True)
    assert draft.text == f"[DOCTOR]\n{REMOVED}\nthird"


def test_line_breaks_inside_stay() -> None:
    draft = Draft("to Cape\nVerity now", SURROGATES, [Span(3, 14, Category.HOSPITAL)])
    assert draft.text == "to [HOSPITAL]\n now"


def test_words_are_never_joined_or_cut() -> None:
    text = "seen at Meath C15 K7X2, by Hartwell's team; he can't go"
    found = [
        Span(8, 13, Category.ADDRESS),
        Span(text.index("K7"), text.index("K7") + 1, Category.ADDRESS),
        Span(text.index("7X2"), text.index("7X2") + 3, Category.ADDRESS),
        Span(text.index("Hart"), text.index(" team"), Category.DOCTOR),
        Span(text.index("can"), text.index("can") + 3, Category.NAME),
    ]
    assert Draft(text, SURROGATES, found).text == "seen at [ADDRESS] C15 [ADDRESS], by [DOCTOR]'s team; he can't go"


def test_part_of_a_number_is_no_date() -> None:
    text = "metoprolol 25/12.5 since 3/14."
    found = [Span(11, 16, Category.DATE), Span(25, 29, Category.DATE)]
    made = Draft(text, Surrogates(Person(Keys.for_demonstration(1), "77"), realistic=True), found).text
    assert made.startswith("metoprolol 25/12.5 since ") and "3/14" not in made


PIECES = [
    "Dr. Hartwell's",
    "can't",
    "03/14/2021",
    "\n",
    "\n\n",
    " ",
    ", ",
    "12",
    "94",
    "de la Cruz",
    "St. Mary's",
    "K7X2",
    "é",
    "-",
]


@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 14), st.sampled_from(list(Category))), max_size=5),
    st.booleans(),
)
def test_whatever_is_found_the_rest_stays(
    pieces: list[str], places: list[tuple[int, int, Category]], realistic: bool
) -> None:
    text = "".join(pieces)
    found = [Span(start, min(start + length, len(text)), kind) for start, length, kind in places if start < len(text)]
    draft = Draft(text, Surrogates(Person(Keys.for_demonstration(1), "77"), realistic=realistic), found)
    last, written = 0, 0
    for one in draft.replaced:
        assert last <= one.found.start < one.found.end
        assert draft.text[written : one.start] == text[last : one.found.start]
        assert text[one.found.start : one.found.end].count("\n") == draft.text[one.start : one.end].count("\n")
        last, written = one.found.end, one.end
    assert draft.text[written:] == text[last:]
