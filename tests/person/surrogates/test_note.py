"""A note as a whole: one order of day and month, one name a person, one surrogate an organisation, nobody 94."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

import pytest

from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.normalised import fold
from medveil.person.person import Known, Person
from medveil.person.span import DoubtfulSpan, Span
from medveil.person.surrogates.surrogates import Surrogates
from medveil.person.surrogates.traditions import sex_of, tradition_of
from medveil.person.telling import Telling, Tellings

KEYS = Keys.for_demonstration(5)
PERSON = Person(KEYS, "4711", (Known(Category.NAME, "Ferreira^Ana"), Known(Category.DATE, "20220517")), "F")
STRANGER = Person(KEYS, "4712")
_MARKED = re.compile(r"\{(\w+)\|(.*?)\}", re.DOTALL)


def written(marked: str, person: Person = STRANGER, *, realistic: bool = True, years: bool = False) -> str:
    """A note in which `{KIND|text}` marks what was found."""
    text, found = "", []
    place = 0
    for one in _MARKED.finditer(marked):
        text += marked[place : one.start()]
        found.append(Span(len(text), len(text) + len(one[2]), Category(one[1])))
        text += one[2]
        place = one.end()
    text += marked[place:]
    note = Surrogates(person, realistic=realistic, years=years).in_note(text, found)
    result, last = "", 0
    for span in found:
        result += text[last : span.start] + note.written(span)
        last = span.end
    return result + text[last:]


def back(year: int, month: int, day: int, person: Person = STRANGER) -> dt.date:
    return person.moved(dt.date(year, month, day))


# dates


@pytest.mark.parametrize(
    "told",
    [
        "{DATE|23/06/2021}",
        "{DATE|23 June 2021}",
        "{DATE|Monday 05/07/2021}",  # the fifth of July was one
        "{DATE|23.06.2021}",
    ],
)
def test_the_order_of_day_and_month_is_the_notes(told: str) -> None:
    made = written(f"Seen {told}, again {{DATE|04/05/2021}}.")
    assert made.endswith(f"again {back(2021, 5, 4):%d/%m/%Y}.")


def test_the_order_is_month_first_where_the_note_says_so() -> None:
    made = written("Seen {DATE|06/23/2021}, again {DATE|04/05/2021}.")
    assert made.endswith(f"again {back(2021, 4, 5):%m/%d/%Y}.")


def test_a_note_that_does_not_tell_has_the_order_of_its_table() -> None:
    note = "Seen {DATE|04/05/2021}."
    assert written(note, replace(STRANGER, date_order="day-first")) == f"Seen {back(2021, 5, 4):%d/%m/%Y}."
    assert written(note) == f"Seen {back(2021, 4, 5):%m/%d/%Y}."
    told = "Seen {DATE|06/23/2021} and {DATE|04/05/2021}."
    assert written(told, replace(STRANGER, date_order="day-first")).endswith(f"{back(2021, 4, 5):%m/%d/%Y}.")


def test_intervals_are_exact_in_every_form() -> None:
    made = written("{DATE|23/06/2021}, {DATE|3 July 2021}, {DATE|04/08/2021}, {DATE|2021-08-05}, {DATE|6.8.2021}")
    days = made.split(", ")
    read = [
        dt.datetime.strptime(day, form).date()
        for day, form in zip(days, ("%d/%m/%Y", "%d %B %Y", "%d/%m/%Y", "%Y-%m-%d", "%d.%m.%Y"), strict=True)
    ]
    assert [(day - read[0]).days for day in read] == [0, 10, 42, 43, 44]


def test_weekdays_follow() -> None:
    made = written("Fell on {DATE|Tuesday}, seen {DATE|Thursday, June 24, 2021}.")
    fell, seen = re.findall(r"\w+day", made)
    assert seen == f"{back(2021, 6, 24):%A}" and fell == f"{back(2021, 6, 22):%A}"


def test_parts_and_spans_of_time_follow() -> None:
    made = written("On {DATE|06/23/2021}: pain since {DATE|6/12}, admitted {DATE|June 14-16, 2021}.")
    first, last = back(2021, 6, 14), back(2021, 6, 16)
    since = back(2021, 6, 12)
    assert f"since {since.month}/{since.day}," in made
    assert f"{first:%B} {first.day}-" in made and made.endswith(f"{last.day}, {last.year}.")


def test_other_languages_keep_theirs() -> None:
    made = written("Befund vom {DATE|14. März 2021}, Kontrolle am {DATE|3. April 2021}.")
    names = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
    first, second = back(2021, 3, 14), back(2021, 4, 3)
    assert f"{first.day}. {names[first.month - 1]} {first.year}" in made
    assert f"{second.day}. {names[second.month - 1]} {second.year}" in made


@pytest.mark.parametrize("realistic", [True, False])
def test_of_every_date_the_year_alone_may_be_left(realistic: bool) -> None:
    made = written(
        "{DATE|06/23/2021}, {DATE|3 July 1998}, {DATE|May 2020}, {DATE|2019}, {DATE|6/12}, {DATE|Tuesday}",
        years=True,
        realistic=realistic,
    )
    assert made == "2021, 1998, 2020, 2019, [DATE], [DATE]"


# ages of 90 and more


@pytest.mark.parametrize(
    ("note", "made"),
    [
        ("A {AGE_OVER_89|94}-year-old woman.", "A 90+-year-old woman."),
        ("{AGE_OVER_89|94}M.", "90+ M."),
        ("Aged {AGE_OVER_89|ninety-one}.", "Aged 90+."),
        ("This {AGE_OVER_89|nonagenarian} fell.", "This person aged 90+ fell."),
        ("She is {AGE_OVER_89|in her late nineties}.", "She is aged 90+."),
        ("On his {AGE_OVER_89|95th} birthday.", "On his 90+ birthday."),
    ],
)
def test_no_exact_age_is_told_of_the_oldest(note: str, made: str) -> None:
    assert written(note) == made


@pytest.mark.parametrize("realistic", [True, False])
@pytest.mark.parametrize(
    "note",
    [
        "{AGE_OVER_89|94} y/o. DOB {DATE|BORN}.",
        "Born {DATE|BORN}, film of {DATE|05/17/2022}.",
        "Film of {DATE|05/17/2022} ({DATE|BORN} DOB).",
        "PID|77||DOE||{DATE|BORN}|F|{DATE|20220517}|{AGE_OVER_89|94}",
    ],
)
@pytest.mark.parametrize("born", ["03/12/1928", "1928", "12 Mar 1928", "03/12/28"])
def test_the_birth_date_goes_with_the_age(note: str, born: str, realistic: bool) -> None:
    if "PID" in note and len(born) == 8:
        return  # two digits of a year, and no word that says of what
    for style in (False, True):
        made = written(note.replace("BORN", born), realistic=realistic, years=style)
        assert "[DATE]" in made and "28" not in made and "27" not in made


def test_a_child_born_in_a_year_of_two_digits_is_not_a_hundred() -> None:
    assert "[DATE]" not in written("Pt: {NAME|Aiden Stone}  DOB {DATE|6/1/15}, film of {DATE|05/17/2022}.")
    assert "[DATE]" not in written("Twin B, born {DATE|02/29/24}.")


def test_of_others_the_birth_date_only_moves() -> None:
    note = "DOB {DATE|03/12/1978}, film of {DATE|05/17/2022}; her mother died at {AGE_OVER_89|93}."
    assert "[DATE]" not in written(note)


# people


def test_one_person_has_one_name_throughout() -> None:
    made = written(
        "Dr. {DOCTOR|Rosa Delgado} called. {NAME|Rosa} and {DOCTOR|R. Delgado} are one; signed {INITIALS|RD}, "
        "{NAME|DELGADO}."
    )
    match = re.fullmatch(r"Dr\. (\w+) (\w+) called\. (\w+) and (\w)\. (\w+) are one; signed (\w\w), (\w+)\.", made)
    assert match
    given, family = match[1], match[2]
    assert (match[3], match[4], match[5], match[6]) == (given, given[0], family, given[0] + family[0])
    assert match[7] == family.upper() and given != "Rosa" and sex_of(fold(given)) == "F"


@pytest.mark.parametrize(
    ("note", "sex"),
    [
        ("Mrs. {NAME|Xilonen Quetz}", "F"),
        ("{NAME|Mr. Xilonen Quetz}", "M"),
        ("her son {NAME|Xilonen}, who", "M"),
        ("{NAME|Xilonen}, his wife, rang", "F"),
        ("her daughter {NAME|Xilonen} rang", "F"),
    ],
)
def test_titles_and_relations_tell_the_sex(note: str, sex: str) -> None:
    for number in range(8):
        made = written(note, Person(KEYS, str(number)))
        names = [word for word in re.findall(r"[A-Z][\w']+", made) if word not in ("Mrs", "Mr")]
        if "Quetz" in note or sex_of(fold(names[0])):
            assert sex_of(fold(names[0])) in (sex, None)


def test_whoever_is_called_by_the_given_name_has_one_for_it() -> None:
    made = written("Daughter {NAME|Mags} rang; {NAME|Mags} is well. Dear {NAME|Mags}, and Mr. {NAME|Mags}.")
    names = re.fullmatch(r"Daughter (\w+) rang; (\w+) is well\. Dear (\w+), and Mr\. ([\w']+)\.", made)
    assert names and names[1] == names[2] == names[3] != names[4]
    assert sex_of(fold(names[1])) == "F"


@pytest.mark.parametrize(
    ("place", "like"),
    [
        ("P.O. Box 1187", r"P\.O\. Box \d{4}"),
        ("1017 GL", r"\d{4} [A-Z]{2}"),
        ("Goethestraße 12", r"[A-Z]\w+ \d\d"),
        ("41 Wattle Parade", r"\d+ [A-Z]\w+ Parade"),
        ("Route 9", r"Route \d"),
    ],
)
def test_addresses_keep_their_form(place: str, like: str) -> None:
    made = written(f"{{ADDRESS|{place}}}")
    assert re.fullmatch(like, made) and made != place


@pytest.mark.parametrize(
    ("moment", "form"),
    [
        ("2023-09-14T08:22:10", "%Y-%m-%dT"),
        ("SEP 14, 2023@13:40", None),
        ("20230914082210", "%Y%m%d"),
        ("09/14/2023 at 4:12 PM", "%m/%d/%Y at "),
    ],
)
def test_moments_move_as_their_parts_do(moment: str, form: str | None) -> None:
    made = written(f"{{DATE|{moment}}}")
    day = back(2023, 9, 14)
    assert made.startswith(day.strftime(form) if form else f"{day:%b}".upper()) and "[" not in made
    if form is None:
        assert re.fullmatch(r"[A-Z]{3} \d\d?, \d{4}@\d\d:\d\d", made)


@pytest.mark.parametrize(
    ("time", "like"), [("9 AM", r"\d\d?:\d\d [AP]M"), ("10:15a", r"\d\d:\d\d[ap]"), ("14h20", r"\d\dh\d\d")]
)
def test_times_keep_their_form(time: str, like: str) -> None:
    assert re.fullmatch(like, written(f"{{TIME|{time}}}"))


def test_a_ward_is_called_by_another_word() -> None:
    made = written("ward {OTHER_ID|Bluebell}, {OTHER_ID|4 NORTH}")
    assert re.fullmatch(r"ward [A-Z][a-z]+, \d NORTH", made) and "Bluebell" not in made


def test_weeks_and_weekdays_with_part_of_a_date_follow() -> None:
    made = written("On {DATE|06/23/2021}; {DATE|week of 14 June}, {DATE|Tues 6/22}, {DATE|Saturday the 19th}.")
    first, second, third = back(2021, 6, 14), back(2021, 6, 22), back(2021, 6, 19)
    assert (
        f"week of {first.day} {first:%B}, {second:%a} {second.month}/{second.day}, {third:%A} the {third.day}" in made
    )


def test_a_visit_written_with_two_digits_stays_a_date_for_the_oldest() -> None:
    made = written("{AGE_OVER_89|94}F, DOB {DATE|3/12/28}, seen {DATE|5/17/22} and {DATE|5/1/23}.")
    assert made.count("[DATE]") == 1


def test_postal_codes_keep_their_form() -> None:
    assert re.fullmatch(r"Co\. \w+ [A-Z]\d\d [A-Z]\d[A-Z]\d", written("{COUNTY|Co. Meath} {ADDRESS|C15 K7X2}"))


def test_the_sex_of_the_patient_is_the_fields() -> None:
    for sex in "FM":
        person = replace(PERSON, sex=sex)
        given = Surrogates(person, realistic=True).patient_name().split("^")[1]
        assert sex_of(fold(given)) == sex
        assert written("{NAME|Ana} is well.", person) == f"{given} is well."


@pytest.mark.parametrize("name", ["Nguyen", "Kowalski", "Okafor", "Tanaka", "Papadopoulos", "Garcia", "Patel", "Smith"])
def test_names_stay_in_their_part_of_the_world(name: str) -> None:
    made = written(f"Dr. {{DOCTOR|{name}}} called.").split()[1]
    assert made != name and tradition_of(fold(made).replace("'", "")) == tradition_of(fold(name))


def test_two_people_of_a_note_never_become_one() -> None:
    people = "Voss Brandt Keller Ritter Huber Lindner Fuchs Kraft Busch Seidel Engel Haas".split()
    for number in range(10):
        made = written(", ".join(f"{{DOCTOR|Dr. {name}}}" for name in people), Person(KEYS, str(number)))
        names = re.findall(r"Dr\. ([\w']+)", made)
        assert len(set(names)) == len(people) and not set(names) & set(people)


# organisations


def test_an_organisation_has_one_surrogate_of_its_own_kind() -> None:
    made = written(
        "{HOSPITAL|Tarrant Vale General Hospital} ({HOSPITAL|TVGH}); {HOSPITAL|Tarrant Vale} had no bed; "
        "pupil of {HOSPITAL|Tarrant Vale Elementary School}, {HOSPITAL|St. Brigid's Church}, {ADDRESS|Tarrant Vale}."
    )
    match = re.fullmatch(
        r"(\w+) General Hospital \((\w+)\); (\w+) had no bed; pupil of (\w+) Elementary School, St\. (\w+)'s Church, "
        r"(\w+)\.",
        made,
    )
    assert match
    assert len({match[1], match[3], match[4], match[6]}) == 1 and match[1] not in ("Tarrant", "Vale")
    assert match[5] != "Brigid"


def test_an_organisation_taken_for_a_name_is_still_one() -> None:
    made = written("Pupil at {NAME|Lincoln Elementary School}, works for {NAME|Brandt Logistics LLC}.")
    assert re.fullmatch(r"Pupil at \w+ Elementary School, works for \w+ Logistics LLC\.", made)
    assert written("{NAME|Lincoln Elementary School}", realistic=False) == "[HOSPITAL]"


def test_a_name_of_nothing_but_its_kind_becomes_another_of_that_kind() -> None:
    assert written("{HOSPITAL|University Hospital}") != "University Hospital"
    assert re.search("School|Academy", written("{HOSPITAL|the High School}"))


# what is unsure, and what could be a value


def test_what_is_doubtful_becomes_a_tag() -> None:
    text = "Image 4471 of 03/04."
    found = [DoubtfulSpan(6, 10, Category.OTHER_ID), DoubtfulSpan(14, 19, Category.DATE)]
    note = Surrogates(STRANGER, realistic=True).in_note(text, found)
    assert [note.written(one) for one in found] == ["[OTHER ID]", "[DATE]"]


@pytest.mark.parametrize("value", ["12", "3.5", "7/10", "118", "1:200", "8 x 4", "7.18/7.26", "450-0-675", "F/68"])
def test_what_could_be_a_measurement_never_becomes_another_one(value: str) -> None:
    for category in (Category.OTHER_ID, Category.MRN, Category.DEVICE_SERIAL, Category.PHONE, Category.ADDRESS):
        assert written(f"{{{category}|{value}}}") == f"[{category.replace('_', ' ')}]"


def test_dictated_numbers_stay_dictated() -> None:
    made = written("record number {MRN|four four seven two dash nine B} please")
    assert re.fullmatch(r"record number (?:[a-z]+ ){4}dash [a-z]+ [A-Z] please", made)
    assert "four four seven two" not in made
    assert written("call {PHONE|the usual number}") == "call [PHONE]"


def test_what_less_is_told_of_is_left_out_as_before() -> None:
    keys = replace(KEYS, tellings=Tellings(Telling(dates="dropped")))
    assert written("{DATE|06/23/2021}", Person(keys, "1")) == "[DATE]"
