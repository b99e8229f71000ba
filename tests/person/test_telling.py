from __future__ import annotations

import datetime as dt
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.person.blurring import BLOCK, blurred
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.telling import Telling, Tellings

KEYS = Keys.for_demonstration(7)
days = st.dates(dt.date(1910, 1, 1), dt.date(2090, 12, 31))


@given(st.lists(days, min_size=2, max_size=6), st.text(min_size=1, max_size=8))
def test_a_blurred_calendar_keeps_the_order(some: list[dt.date], patient: str) -> None:
    moved = [blurred(day, patient, KEYS) for day in sorted(some)]
    assert all(earlier <= later for earlier, later in pairwise(moved))
    assert all(abs((new - old).days) < BLOCK // 2 for new, old in zip(moved, sorted(some), strict=True))


def test_a_calendar_is_the_persons_own_and_the_keys() -> None:
    first, second = dt.date(2019, 1, 1), dt.date(2019, 12, 31)

    def interval(patient: str, keys: Keys) -> int:
        return (blurred(second, patient, keys) - blurred(first, patient, keys)).days

    assert interval("1", KEYS) == interval("1", KEYS)
    assert len({interval(str(patient), KEYS) for patient in range(50)}) > 30
    assert [interval(str(p), KEYS) for p in range(9)] != [interval(str(p), Keys(b"\1" * 32)) for p in range(9)]


@given(st.floats(0, 130), st.sampled_from([(1, 5), (5, 10), (10, 20)]))
def test_wider_bands_hold_narrower_ones(age: float, widths: tuple[int, int]) -> None:
    narrow, wide = (Telling(ages=width).age(age) for width in widths)
    assert narrow is not None and wide is not None
    assert wide == Telling(ages=widths[1]).age(narrow)


@pytest.mark.parametrize(
    ("dates", "told"),
    [
        ("day", dt.date(2019, 5, 17)),
        ("month", dt.date(2019, 5, 1)),
        ("quarter", dt.date(2019, 4, 1)),
        ("year", dt.date(2019, 1, 1)),
        ("dropped", None),
    ],
)
def test_as_much_of_a_date_as_is_told(dates: str, told: dt.date | None) -> None:
    assert Telling(dates=dates).day(dt.date(2019, 5, 17)) == told  # type: ignore[arg-type]


def test_less_is_told_of_some() -> None:
    some = frozenset({KEYS.digest("patient", "2")})
    keys = Keys(KEYS.secret, tellings=Tellings(Telling(10, "month"), without_age=some, without_site=some))
    assert Person(keys, "1").telling == Telling(10, "month", True)
    assert Person(keys, "2").telling == Telling(0, "month", False)
    assert Person(keys, "1").owned("St. Mary") == "St. Mary"
    assert Person(keys, "2").owned("St. Mary") != Person(keys, "1").owned("St. Mary")


def test_dates_move_by_the_shift_and_blurred_ones_beside_it() -> None:
    day = dt.date(2019, 5, 17)
    plain = Person(KEYS, "1")
    other = Person(Keys(KEYS.secret, tellings=Tellings(Telling(dates="blurred"))), "1")
    assert plain.moved(day) == day - plain.shift
    assert other.moved(day) == blurred(day, "1", KEYS) - plain.shift
