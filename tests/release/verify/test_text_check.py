from __future__ import annotations

import datetime as dt
import re

from medveil.cohort.identifiers import Category
from medveil.defenses.found import Found
from medveil.defenses.known import KnownSearch
from medveil.defenses.person import Known
from medveil.release.verify.text_check import TextCheck

SEARCH = KnownSearch([Known(Category.NAME, "Vandermeer^Anneke")])
SHIFT = dt.timedelta(days=10)
BEFORE = "Anneke Vandermeer seen by Dr. Quillfeather on 2020-05-20, compared with 2020-05-01."
AFTER = "Joan Hartwell seen by Dr. Marchbank on 2020-05-10, compared with 2020-04-21."


def doctors(text: str) -> list[Found]:
    return [Found(*match.span(1), Category.DOCTOR) for match in re.finditer(r"Dr\. (\w+)", text)]


def found(after: str, before: str | None = BEFORE) -> set[str]:
    return {wrong.found for wrong in TextCheck(doctors).wrongs("f", after, before, SEARCH, SHIFT)}


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
