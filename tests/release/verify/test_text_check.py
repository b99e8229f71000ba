from __future__ import annotations

import datetime as dt
import re

from medveil.person.identifiers import Category
from medveil.person.person import Known
from medveil.person.search.known import KnownSearch
from medveil.person.span import Span
from medveil.release.verify.text_check import DatesTold, TextCheck

SEARCH = KnownSearch([Known(Category.NAME, "Vandermeer^Anneke")])
SHIFT = dt.timedelta(days=10)
BEFORE = "Anneke Vandermeer seen by Dr. Quillfeather on 2020-05-20, compared with 2020-05-01."
AFTER = "Joan Hartwell seen by Dr. Marchbank on 2020-05-10, compared with 2020-04-21."


def doctors(text: str) -> list[Span]:
    return [Span(*match.span(1), Category.DOCTOR) for match in re.finditer(r"Dr\. (\w+)", text)]


def found(after: str, before: str | None = BEFORE) -> set[str]:
    return {
        wrong.found
        for wrong in TextCheck(doctors).discrepancies("f", after, before, SEARCH, DatesTold(lambda day: day - SHIFT))
    }


def test_a_clean_report_has_nothing_wrong() -> None:
    assert found(AFTER) == set()
    assert found(AFTER, None) == set()


def test_a_known_name_with_a_typing_error() -> None:
    assert found(AFTER.replace("Joan Hartwell", "Anneke Vandermer")) == {"a known identifier"}


def test_an_identifier_nobody_knew_of_is_noticed_by_the_original() -> None:
    assert found(AFTER.replace("Marchbank", "Quillfeather")) == {"as in the source"}


def test_dates_that_moved_otherwise_than_the_person() -> None:
    assert found(AFTER.replace("2020-04-21", "2020-04-22")) == {"another date"}
    assert found(AFTER.replace("2020-05-10", "2020-05-20")) == {"another date"}


KNOWN_DATE = KnownSearch([Known(Category.DATE, "20190331")])


def dates_found(after: str, before: str) -> set[str]:
    dates = DatesTold(lambda day: day - SHIFT)
    return {wrong.found for wrong in TextCheck(lambda text: []).discrepancies("f", after, before, KNOWN_DATE, dates)}


def test_a_date_moved_onto_a_known_one_is_no_leak() -> None:
    """April 10th moved by ten days falls on the anniversary of a known date."""
    assert dates_found("Compared with Mar 31st.", "Compared with Apr 10th.") == set()
    assert dates_found("Compared with 2019-03-31.", "Compared with 2019-04-10.") == set()


def test_a_date_moved_onto_one_that_the_text_had_itself_is_no_leak() -> None:
    """Ten days apart, as far as dates move: date for date each is the one that it should be."""
    before = "Compared with 2019-03-31. Typed 2019-04-10, filed Apr 10th."
    assert dates_found("Compared with 2019-03-21. Typed 2019-03-31, filed Mar 31st.", before) == set()
    assert dates_found("Compared with 2019-03-31. Typed 2019-03-31, filed Mar 31st.", before)
    assert dates_found("Compared with [DATE]. Typed 2019-03-31, filed Mar 31st.", before) == set()
    assert dates_found("Compared. Typed 2019-03-31, filed Mar 31st.", before) == {"a known identifier"}


def test_a_known_date_that_was_left_or_came_from_nowhere_is_one() -> None:
    assert dates_found("Compared with Mar 31st.", "Compared with Mar 31st.") == {"a known identifier"}
    assert dates_found("Compared with Mar 31st.", "Compared with Apr 12th.") == {"a known identifier"}
    assert dates_found("Mar 31st, then Mar 31st.", "Apr 10th, then Mar 31st.") == {"a known identifier"}
    assert "a known identifier" in dates_found("Compared with 2019-03-31.", "Compared with 2019-03-31.")


def test_an_hour_is_no_year() -> None:
    before, after = "On 2020-05-20. Dictated May 20 15:58.", "On 2020-05-10. Dictated May 10 08:52."
    assert found(after, before) == set()
    assert found(after.replace("2020-05-10", "2020-05-11"), before) == {"another date"}


def test_no_day_stands_in_a_text_where_dates_are_told_to_the_month() -> None:
    dates = DatesTold(lambda day: day - SHIFT, days=False)

    def found(after: str) -> list[str]:
        before = "Compared with 03/14/2019."
        return [wrong.found for wrong in TextCheck(lambda text: []).discrepancies("f", after, before, SEARCH, dates)]

    assert found("Compared with March 2019.") == []
    assert found("Compared with 03/04/2019.") == ["a whole date"]
    assert found("Accession 721119a59ba828dc.") == []  # a pseudonym
