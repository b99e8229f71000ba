from __future__ import annotations

import datetime as dt
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.cohort.phantom.gold import load_gold
from medveil.person.identifiers import Category
from medveil.person.name import DEGREES, DOCTOR_TITLES, PARTICLES, TITLES
from medveil.person.person import Known
from medveil.person.search import known
from medveil.person.search.known import KnownSearch, search_for
from medveil.person.span import Span

SEARCH = KnownSearch(
    [
        Known(Category.NAME, "Pemberton^John^Michael"),
        Known(Category.DOCTOR, "O'Brien^Siobhán^^^MD"),
        Known(Category.DOCTOR, "Long^May"),
        Known(Category.NAME, "Müller-Lüdenscheid^Käthe=山田^太郎"),
        Known(Category.MRN, "MR-0012345"),
        Known(Category.OTHER_ID, "3N-04"),
        Known(Category.PHONE, "(412) 555-0123"),
        Known(Category.DATE, "19500314"),
        Known(Category.ADDRESS, "12 Maple Street, Harrowfield, NX 01234"),
        Known(Category.HOSPITAL, "HGH"),
        Known(Category.ACCESSION, "A240001234"),
        Known(Category.UID, "2.25.123456789012345"),
        Known(Category.EMAIL, "j.pemberton@mail.example.org"),
    ]
)

NO_NAMES = TITLES | DOCTOR_TITLES | DEGREES | PARTICLES


def found(text: str, search: KnownSearch = SEARCH) -> list[str]:
    return [text[one.start : one.end] for one in search.find(text)]


def test_a_family_name_with_its_particle_needs_no_title() -> None:
    search = KnownSearch([Known(Category.DOCTOR, "de Wit^Marijke^^^DO")])
    assert found("CHEST DR de Wit", search) == ["de Wit"]
    assert found("A case of some wit and wisdom", search) == []


@pytest.mark.parametrize(
    "written",
    [
        "Pemberton, John",
        "John Pemberton",
        "JOHN M PEMBERTON",
        "PEMBERTON^JOHN^M",
        "J. Pemberton",
        "Pemberton J",
        "Pemberton, J.",
        "pemberton",
        "John M. Pemberton",
        "John\n      Pemberton",
        "Jhon Pembreton",
        "JohnPemberton",
        "Pem berton",
        "PEMBERTON_JOHN",
        "Pembertons",
        "J.P.",
        "J.M.P.",
        "JP",
        "O’Brien",
        "OBRIEN",
        "O'Brein",
        "Siobhan O'Brien",
        "MULLER",
        "Mueller-Luedenscheid",
        "Müller Lüdenscheid",
        "M\ufffdller",
        "山田",
        "MR 0012345",
        "0012345",
        "0012354",
        "3N-04",
        "412.555.0123",
        "412 555 0123",
        "555-0123",
        "3/14/1950",
        "14.03.1950",
        "14 March 1950",
        "March 14th, 1950",
        "19500314",
        "03/14/50",
        "Mar 14",
        "12 Maple St",
        "Harrowfield",
        "01234",
        "HGH",
        "A24-0001234",
        "2.25.123456789012345",
    ],
)
def test_is_found_whole_however_it_is_written(written: str) -> None:
    text = f"Compared with yesterday {written} shows no change."
    assert "".join(found(text)) == written


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("ßÝöPEMBERTON^Æé", "ßÝöPEMBERTON"),
        ("PEMBERTONJOHN", "PEMBERTONJOHN"),
        ("JOHNXXPEMBERTON", "JOHNXXPEMBERTON"),
        ("Pemberton76", "Pemberton76"),
        ("DOB19500314", "19500314"),
        ("ß14.03.1950ß", "14.03.1950"),
    ],
)
def test_what_is_run_together_with_other_letters_is_found(text: str, whole: str) -> None:
    assert found(f"Seen {text} today.") == [whole]


def test_levels_of_the_spine_are_no_days() -> None:
    assert found("Narrowing at L3/14 and T14/3.") == []


@pytest.mark.parametrize(
    "text",
    [
        "There may be a long linear opacity, 12 cm long; follow up in May or on May 3.",
        "PA AND LATERAL CHEST. AP PORTABLE. L LUNG CLEAR. MAY BE LONG STANDING.",
        "The patient may have long QT.",
        "Signed by A. Reader, M.D., at 10:30 A.M. Unit 12, 3 of 4 views, 0.12 to 3.4 cm.",
        "John Doe Hospital does not matter to Pembrokeshire.".replace("John ", ""),
    ],
)
def test_ordinary_words_and_numbers_are_left(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("written", ["Dr. Long", "May Long", "Long, May", "L. May", "Ms May", "Name: LONG", "Long 76M"])
def test_ordinary_words_among_names_are_found(written: str) -> None:
    (whole,) = found(f"Called to {written} today.")
    assert "May" in whole or "long" in whole.lower()


def test_a_capital_in_the_middle_of_a_sentence_is_a_name() -> None:
    assert found("Findings were told to Long by telephone.") == ["Long"]


def test_a_title_or_a_degree_makes_a_doctor() -> None:
    search = KnownSearch([Known(Category.NAME, "Ashworth^Ann"), Known(Category.DOCTOR, "Ashworth^Bert")])
    kinds = [one.category for one in search.find("Ashworth was seen by Dr. Ashworth; Bert Ashworth, MD.")]
    assert kinds == [Category.NAME, Category.DOCTOR, Category.DOCTOR]


def test_a_number_inside_a_longer_one_is_another_number() -> None:
    assert found("measured 100123456 and A2400012345678") == []


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("PEMBERTON,", True),
        ("PEMBERT0N", True),
        ("J0HN", True),
        ("LONG", True),
        ("12345", True),
        ("03/14/1950", True),
        ("HGH", True),
        ("L", False),
        ("PA", False),
        ("AP", False),
        ("PORTABLE", False),
        ("ERECT", False),
        ("110kV", False),
    ],
)
def test_burned_in_words(word: str, known: bool) -> None:
    assert SEARCH.matches_word(word) is known


@given(
    st.text(alphabet=string.ascii_lowercase, min_size=6, max_size=12).filter(lambda name: name not in NO_NAMES),
    st.data(),
)
def test_any_one_typing_error_in_a_capitalised_name_is_forgiven(name: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(name) - 2))
    letter = data.draw(st.sampled_from(string.ascii_lowercase))
    mistyped = data.draw(
        st.sampled_from(
            [
                name[:place] + name[place + 1 :],
                name[:place] + letter + name[place:],
                name[:place] + letter + name[place + 1 :],
                name[:place] + name[place + 1] + name[place] + name[place + 2 :],
            ]
        )
    ).capitalize()
    text = f"It was Mr. {mistyped} who came."
    assert mistyped in found(text, KnownSearch([Known(Category.NAME, f"{name}^Zzyzx")]))


@given(st.dates(dt.date(1931, 1, 1), dt.date(2030, 12, 31)))
def test_a_known_date_is_found_in_any_format(day: dt.date) -> None:
    search = KnownSearch([Known(Category.DATE, f"{day:%Y%m%d}")])
    for form in ("%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%d %B %Y", "%b %d, %Y", "%Y%m%d", "%d-%b-%Y", "%m/%d/%y"):
        written = day.strftime(form)
        assert found(f"Seen {written}, unchanged.", search) == [written]


@given(st.text(max_size=200))
def test_any_text_can_be_searched(text: str) -> None:
    for one in SEARCH.find(text):
        assert 0 <= one.start < one.end <= len(text)
    SEARCH.matches_word(text)


@given(
    st.lists(st.builds(Known, st.sampled_from(list(Category)), st.text(max_size=30)), max_size=6), st.text(max_size=80)
)
def test_anything_can_be_known(known: list[Known], text: str) -> None:
    KnownSearch(known).find(text + " " + " ".join(one.value for one in known))


def test_what_the_header_tells_is_found_in_the_phantoms_reports(hospital_folder) -> None:
    exempt = (Category.TIME, Category.AGE_OVER_89, Category.INITIALS)
    looked_for, missed, wrong = 0, [], []
    for image in load_gold(hospital_folder).images.values():
        search = KnownSearch(Known(one.category, one.text) for one in image.in_header)
        header = {one.value for one in image.in_header}
        text = (hospital_folder / image.report_path).read_text()
        places = search.find(text)
        covered = {place for one in places for place in range(one.start, one.end)}
        marked = {place for one in image.in_report for place in range(one.start, one.end)}
        wrong += [text[one.start : one.end] for one in places if not marked.intersection(range(one.start, one.end))]
        for one in image.in_report:
            if one.value in header and one.category not in exempt and one.text.strip("stndrh").isdigit() is False:
                title = len(one.text.split()[0]) + 1 if one.text.startswith(("Mr.", "Mrs.", "Ms.")) else 0
                looked_for += 1
                letters = {k for k in range(one.start + title, one.end) if text[k].isalnum()}
                missed += [one.text] * (not letters <= covered)
    assert looked_for > 300
    assert len(missed) <= 0.01 * looked_for, missed  # names such as Page, alone and in capitals
    assert wrong == []


def test_the_search_for_the_same_is_made_once_and_for_others_anew():
    known = [Known(Category.NAME, "Pemberton^John"), Known(Category.MRN, "MR-0012345")]
    assert search_for(known) is search_for(reversed(known))
    assert search_for(known[:1]) is not search_for(known)
    assert not search_for(known[:1]).find("MR-0012345")


def test_what_is_done_with_a_finding_leaves_the_next_as_it_was():
    search = KnownSearch([Known(Category.NAME, "Pemberton^John")])
    found = search.find("for Pemberton")
    assert len(found) == 1
    found.clear()
    assert len(search.find("for Pemberton")) == 1


@pytest.mark.parametrize("text", ["王小東", "王 小東", "王^小東"])
def test_a_family_name_of_one_sign_is_found_before_its_given_name(text: str) -> None:
    search = KnownSearch([Known(Category.NAME, "Wang^XiaoDong=王^小東")])
    (found,) = search.find(f"scan of {text} 王水")
    assert (found.start, found.end) == (8, 8 + len(text))


def test_threads_may_share_a_search_though_it_forgets(monkeypatch, from_threads) -> None:
    monkeypatch.setattr(known, "_REMEMBERED", 2)
    search = KnownSearch([Known(Category.NAME, "Pemberton^John")])
    texts = [f"CHEST PA {number} John Pemberton" for number in range(5)] * 200
    assert from_threads(lambda text: found(text, search), texts, known) == [["John Pemberton"]] * len(texts)


def test_a_day_that_is_also_a_number_in_a_file_name_is_a_day() -> None:
    known = KnownSearch([Known(Category.DATE, "20170512"), Known(Category.OTHER_ID, "20170512")])
    assert known.find("cf 2017-05-12 today") == [Span(3, 13, Category.DATE)]
