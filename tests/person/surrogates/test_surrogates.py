from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from medveil.cohort.phantom import invented_names as phantom
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person
from medveil.person.search.known import KnownSearch
from medveil.person.span import Span
from medveil.person.surrogates import stock
from medveil.person.surrogates import surrogates as module
from medveil.person.surrogates.surrogates import Surrogates
from medveil.person.telling import Telling, Tellings

KEYS = Keys.for_demonstration(1)
KNOWN = (
    Known(Category.NAME, "Pemberton^John^Michael"),
    Known(Category.NAME, "Pemberton^Ingrid"),
    Known(Category.DOCTOR, "O'Brien^Siobhán^^^MD"),
    Known(Category.MRN, "MR-0012345"),
    Known(Category.DATE, "20240314"),
    Known(Category.ACCESSION, "A240001234"),
    Known(Category.PHONE, "(412) 555-0123"),
)
PERSON = Person(KEYS, "MR-0012345", KNOWN, sex="M")
REAL = Surrogates(PERSON, realistic=True)
PLAIN = Surrogates(PERSON, realistic=False)


def said(surrogates: Surrogates, category: Category, piece: str, before: str = "", after: str = "") -> str:
    found = Span(len(before), len(before) + len(piece), category)
    return surrogates.in_note(before + piece + after, [found]).written(found)


def test_the_patient_has_one_name_in_every_form() -> None:
    family, given_name = REAL.patient_name().split("^")
    assert given_name in stock.MEN
    for real, surrogate in {
        "John Pemberton": f"{given_name} {family}",
        "PEMBERTON, JOHN": f"{family}, {given_name}".upper(),
        "Mr. Pembertn": f"Mr. {family}",
        "J. Pemberton": f"{given_name[0]}. {family}",
        "pemberton": family.lower(),
        "Pemberton\n  John": f"{family}\n  {given_name}",
    }.items():
        assert said(REAL, Category.NAME, real) == surrogate
    assert said(REAL, Category.INITIALS, "J.P.") == f"{given_name[0]}.{family[0]}."


def test_relatives_share_the_family_name_only() -> None:
    family, given_name = REAL.patient_name().split("^")
    other = said(REAL, Category.NAME, "Ingrid Pemberton")
    assert other.endswith(" " + family) and not other.startswith(given_name)


def test_doctors_keep_their_name_across_patients() -> None:
    other = Surrogates(Person(KEYS, "another", KNOWN), realistic=True)
    full = said(REAL, Category.DOCTOR, "Siobhán O’Brien")
    assert said(other, Category.DOCTOR, "SIOBHAN O'BRIEN") == full.upper()
    given_name, family = full.split()
    assert said(REAL, Category.DOCTOR, "S. O'Brien") == f"{given_name[0]}. {family}"


def test_placeholders() -> None:
    assert said(PLAIN, Category.NAME, "John Pemberton") == f"[PATIENT {PERSON.pseudonym}]"
    assert said(PLAIN, Category.NAME, "Rosa Okafor") == "[NAME]"
    assert said(PLAIN, Category.DOCTOR, "O'Brien") == "[DOCTOR]"
    assert said(PLAIN, Category.AGE_OVER_89, "94") == "[AGE OVER 89]"


@pytest.mark.parametrize(
    ("category", "piece", "like"),
    [
        (Category.COUNTY, "Harlan County", r"[A-Z]\w+ County"),
        (Category.COUNTY, "County Offaly", r"County [A-Z]\w+"),
        (Category.NETWORK, "10.20.30.40", r"192\.0\.2\.\d+"),
        (Category.NETWORK, "fe80::1c2d:33ff:fe44:5566", r"2001:db8::[0-9a-f:]+"),
        (Category.PHOTO, "IMG_4471.jpg", r"photo-\d{6}\.jpg"),
        (Category.VEHICLE, "KX19 ZTB", r"[A-Z]{2}\d\d [A-Z]{3}"),
    ],
)
def test_what_has_a_form_of_its_own_keeps_it(category: Category, piece: str, like: str) -> None:
    made = said(REAL, category, piece)
    assert re.fullmatch(like, made) and made != piece
    assert said(PLAIN, category, piece) == f"[{category}]"


@pytest.mark.parametrize("surrogates", [REAL, PLAIN])
def test_what_agrees_with_the_header(surrogates: Surrogates) -> None:
    assert said(surrogates, Category.MRN, "0012345") == said(surrogates, Category.MRN, "MR 0012345") == PERSON.pseudonym
    assert said(surrogates, Category.ACCESSION, "A24-0001234") == surrogates.accession("A240001234")
    assert len(surrogates.accession("A240001234")) <= 16
    assert said(surrogates, Category.UID, "1.2.3.4") == surrogates.uid("1.2.3.4")
    shifted = dt.date(2024, 3, 14) - PERSON.shift
    assert surrogates.date(dt.date(2024, 3, 14)) == shifted
    assert said(surrogates, Category.DATE, "14-MAR-2024").upper().endswith(f"{shifted:%b-%Y}".upper())


def test_uids_of_the_standard_stay() -> None:
    assert REAL.uid("1.2.840.10008.5.1.4.1.1.1") == "1.2.840.10008.5.1.4.1.1.1"
    made = REAL.uid("1.2.3.4")
    assert re.fullmatch(r"2\.25\.[1-9]\d{0,38}", made) and len(made) <= 64
    assert made != REAL.uid("1.2.3.5")


def test_a_day_without_a_year_is_moved_from_where_the_report_stands() -> None:
    text = "Exam of 02/20/2024 compared with the film of Mar 3rd, 2023 and of "
    expected = dt.date(2024, 1, 30) - PERSON.shift
    assert said(REAL, Category.DATE, "1/30", text) == f"{expected.month}/{expected.day}"
    known = dt.date(2024, 3, 14) - PERSON.shift
    assert said(REAL, Category.DATE, "March 14", text) == f"{known:%B} {known.day}"


def test_what_is_no_date_becomes_a_placeholder() -> None:
    assert said(REAL, Category.DATE, "a week ago") == "[DATE]"


@pytest.mark.parametrize(
    ("category", "piece"),
    [
        (Category.MRN, "99-887766"),
        (Category.SSN, "912-34-5678"),
        (Category.PHONE, "(615) 555-0188"),
        (Category.PHONE, "555-0123"),
        (Category.PHONE, "615 555²0188 ³"),  # digits that are no number
        (Category.FAX, "+1 615 555 0188"),
        (Category.DEVICE_SERIAL, "SN12345678"),
        (Category.OTHER_ID, "3n-04"),
        (Category.HEALTH_PLAN, "BL123456789"),
    ],
)
def test_numbers_keep_their_shape(category: Category, piece: str) -> None:
    made = said(REAL, category, piece)
    assert made != piece
    shape = [(c.isdigit(), c.isupper(), c if not c.isalnum() else "") for c in piece]
    assert [(c.isdigit(), c.isupper(), c if not c.isalnum() else "") for c in made] == shape
    assert said(REAL, category, piece) == made


def test_places() -> None:
    made = said(REAL, Category.ADDRESS, "12 Maple Street, Harrowfield, NX 01234")
    assert re.fullmatch(r"\d+ \w+ Street, \w+, NX \d{5}", made)
    assert said(REAL, Category.ADDRESS, "Harrowfield") == made.split(", ")[1]
    assert "Harrow" not in said(REAL, Category.HOSPITAL, "Harrowfield General Hospital")


def test_the_lists_name_nobody_of_the_phantom_hospital() -> None:
    real = {name.casefold() for origin in phantom.SURNAMES for name in phantom.surnames(origin)}
    real |= {name.casefold() for origin in phantom.GIVEN for sex in "FM" for name in phantom.given_names(origin, sex)}
    real |= {town.casefold() for town in phantom.TOWNS}
    lists = (stock.WOMEN, stock.MEN, stock.SURNAMES, stock.TOWNS)
    assert not real & {name.casefold() for names in lists for name in names}


@given(st.sampled_from(list(Category)), st.text(min_size=1, max_size=30), st.booleans())
@example(Category.UID, "¹", False)
def test_nothing_known_comes_back(category: Category, piece: str, realistic: bool) -> None:
    person = Person(KEYS, "p", (*KNOWN, Known(category, piece)))
    surrogates = Surrogates(person, realistic=realistic)
    found = Span(0, len(piece), category)
    made = surrogates.in_note(piece, [found]).written(found)
    assert made == surrogates.in_note(piece, [found]).written(found)
    if re.search(r"[A-Za-z]{4}|\d{6}", piece) and category not in (Category.DATE, Category.TIME):
        assert made.casefold() != piece.casefold()


@given(st.integers(0, 400))
def test_a_surrogate_is_never_a_name_that_is_known(number: int) -> None:
    family, given_name = Surrogates(Person(KEYS, str(number)), realistic=True).patient_name().split("^")
    person = Person(KEYS, str(number), (Known(Category.NAME, f"{family}^{given_name}"),))
    search = KnownSearch(person.known)
    made = Surrogates(person, realistic=True)
    assert not search.find(made.patient_name()) and not search.find(said(made, Category.NAME, f"{given_name} {family}"))


@given(st.integers(1, 9), st.sampled_from("NSEWABCD"), st.integers(1, 99))
def test_a_room_becomes_one_that_hospitals_hardly_have(floor: int, wing: str, number: int) -> None:
    """Else it may well be the room of another patient."""
    assert re.fullmatch(r"\d[JQXZ]-\d\d", said(REAL, Category.OTHER_ID, f"{floor}{wing}-{number:02d}"))


def test_threads_may_share_the_surrogates_of_a_person(from_threads) -> None:
    """The year of a day without one is that of the text it stands in, and not of a text that another thread reads."""
    texts = [f"Seen on 03/15/{1960 + place % 50}. Again on March 3rd." for place in range(100)]

    def moved(surrogates: Surrogates, text: str) -> str:
        start = text.index("March")
        found = Span(start, start + len("March 3rd"), Category.DATE)
        return surrogates.in_note(text, [found]).written(found)

    person = Person(KEYS, "77")
    alone = [moved(Surrogates(person, realistic=True), text) for text in texts]
    assert len(set(alone)) > 1
    shared = Surrogates(person, realistic=True)
    assert from_threads(lambda text: moved(shared, text), texts, module) == alone


def less(**told: Any) -> Surrogates:
    keys = replace(KEYS, tellings=Tellings(Telling(**told)))
    return Surrogates(replace(PERSON, keys=keys), realistic=True)


@pytest.mark.parametrize(
    ("dates", "piece", "form"),
    [
        ("month", "03/14/2024", "%B %Y"),
        ("month", "March 14", "%B"),
        ("quarter", "14 Mar 2024", None),
        ("year", "2024-03-14", "%Y"),
    ],
)
def test_dates_are_told_as_in_the_table(dates: str, piece: str, form: str | None) -> None:
    moved = PERSON.moved(dt.date(2024, 3, 14))
    told = moved.strftime(form) if form else f"Q{(moved.month + 2) // 3} {moved.year}"
    assert said(less(dates=dates), Category.DATE, piece, "Compared with ") == told


@pytest.mark.parametrize(
    ("dates", "piece"),
    [("dropped", "03/14/2024"), ("year", "March 14"), ("quarter", "3/14"), ("month", "the 14th"), ("year", "Monday")],
)
def test_what_would_tell_more_is_left_out(dates: str, piece: str) -> None:
    assert said(less(dates=dates), Category.DATE, piece, "Compared with ") == "[DATE]"


def test_blurred_dates_are_days_in_the_persons_calendar() -> None:
    surrogates = less(dates="blurred")
    told = surrogates.person.moved(dt.date(2024, 3, 14))
    assert said(surrogates, Category.DATE, "03/14/2024") == f"{told:%m/%d/%Y}"


def test_a_birth_date_does_not_tell_what_the_bands_hide() -> None:
    for before in ("DOB: ", "D.O.B. ", "Date of birth ", "was born on ", "born in "):
        assert said(less(ages=10), Category.DATE, "03/12/1956", before) == "[DATE]"
        assert said(REAL, Category.DATE, "03/12/1956", before) != "[DATE]"
    known = replace(PERSON, known=(*KNOWN, Known(Category.DATE, "19560312")), keys=less(ages=10).person.keys)
    surrogates = Surrogates(known, realistic=True)
    assert said(surrogates, Category.DATE, "03/12/1956", "Patient (") == "[DATE]"
    assert said(surrogates, Category.DATE, "1956", "Patient (") == "[DATE]"
    assert said(surrogates, Category.DATE, "03/14/2024", "Film of ") != "[DATE]"


def test_hospitals_and_doctors_differ_from_patient_to_patient_where_sites_are_not_told() -> None:
    def names(sites: bool) -> set[tuple[str, ...]]:
        keys = replace(KEYS, tellings=Tellings(Telling(sites=sites)))
        several = [Surrogates(Person(keys, str(patient)), realistic=True) for patient in range(12)]
        pieces = (
            (Category.HOSPITAL, "St. Mary Hospital"),
            (Category.DOCTOR, "Dr. Voss"),
            (Category.PHONE, "412-555-0123"),
        )
        return {tuple(said(one, category, piece) for category, piece in pieces) for one in several}

    assert len(names(True)) == 1
    assert len(names(False)) == 12
