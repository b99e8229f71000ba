"""Dates: what stands in a column is read in one order, and never by a guess."""

from __future__ import annotations

from datetime import date, datetime

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.cohort.tables.dates import parse_dates
from medveil.errors import InputError

DAYS = st.dates(date(1969, 1, 1), date(2068, 12, 31))
ORDERS = {"day-first": "{d.day:02d}{mark}{d.month:02d}", "month-first": "{d.month:02d}{mark}{d.day:02d}"}


def read(*values: str | None, **options) -> list[pd.Timestamp]:
    return list(parse_dates(pd.Series(values, dtype="str"), **options))


@given(st.lists(DAYS, min_size=1), st.sampled_from(list(ORDERS)), st.sampled_from("/.-"), st.booleans())
def test_a_column_is_read_in_its_own_order_or_asked_about(days, order, mark, short):
    written = [
        ORDERS[order].format(d=d, mark=mark) + f"{mark}{d:%y}"
        if short
        else ORDERS[order].format(d=d, mark=mark) + f"{mark}{d:%Y}"
        for d in days
    ]
    told = read(*written, order=order)
    assert [stamp.date() for stamp in told] == days
    try:
        assert read(*written) == told
    except InputError:
        assert all(d.day <= 12 for d in days) and any(d.day != d.month for d in days)


@given(st.lists(DAYS, min_size=1), DAYS.filter(lambda d: d.day > 12), st.sampled_from(list(ORDERS)))
def test_one_date_decides_for_all(days, decisive, order):
    written = [ORDERS[order].format(d=d, mark="/") + f"/{d:%Y}" for d in (*days, decisive)]
    assert [stamp.date() for stamp in read(*written)] == [*days, decisive]


@pytest.mark.parametrize(
    ("value", "stamp"),
    [
        ("2021-03-04", datetime(2021, 3, 4)),
        ("2021-03-04T05:06:07", datetime(2021, 3, 4, 5, 6, 7)),
        ("2021-03-04 05:06", datetime(2021, 3, 4, 5, 6)),
        ("2021-03-04T05:06:07+01:00", datetime(2021, 3, 4, 4, 6, 7)),
        ("20210304", datetime(2021, 3, 4)),
        ("20210304050607.123", datetime(2021, 3, 4, 5, 6, 7)),
        ("2021/3/4", datetime(2021, 3, 4)),
        ("2021.03.04", datetime(2021, 3, 4)),
        ("13/03/2021 05:06", datetime(2021, 3, 13, 5, 6)),
        ("03/13/2021 5:06:07 PM", datetime(2021, 3, 13, 17, 6, 7)),
        ("03/13/2021 12:06 am", datetime(2021, 3, 13, 0, 6)),
        ("4 Mar 2021", datetime(2021, 3, 4)),
        ("04-MAR-2021", datetime(2021, 3, 4)),
        ("March 4, 2021", datetime(2021, 3, 4)),
    ],
)
def test_ways_to_write_a_date(value, stamp):
    assert read(value) == [pd.Timestamp(stamp)]


@pytest.mark.parametrize(
    "value", ["2021", "2021-03", "31/02/2021", "yesterday", "44259", "0/0/0", "2021-13-01", "x/y/z"]
)
def test_what_is_no_date_is_missing(value):
    assert pd.isna(read(value)[0])
    assert pd.isna(read(None)[0])


def test_days_of_a_workbook():
    assert read("44259", "44259.5", serials_from=datetime(1899, 12, 30)) == [
        pd.Timestamp("2021-03-04"),
        pd.Timestamp("2021-03-04 12:00"),
    ]


def test_contradiction_and_doubt_are_one_sentence_without_a_date():
    for values, message in ((("13/01/2020", "01/13/2020"), "some dates"), (("01/02/2020",), "no date shows")):
        with pytest.raises(InputError, match=message) as caught:
            read(*values, where="t.csv, column Datum")
        assert "2020" not in str(caught.value) and "--date-order" in str(caught.value)
    assert read("01/01/2020") == [pd.Timestamp("2020-01-01")]
