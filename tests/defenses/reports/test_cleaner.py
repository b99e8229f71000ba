from __future__ import annotations

import datetime as dt
import re
import sys
from itertools import islice

import pytest

from medveil.defenses.reports import cleaner as module
from medveil.defenses.reports.cleaner import CleanedText, ReportCleaner
from medveil.errors import Quarantined, SettingsError
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person
from medveil.person.search.known import KnownSearch
from medveil.person.span import Span
from medveil.person.surrogates.surrogates import Surrogates

KEYS = Keys.for_demonstration(3)
PERSON = Person(
    KEYS,
    "MR-1234567",
    (Known(Category.NAME, "Kerley^Alice"), Known(Category.MRN, "MR-1234567"), Known(Category.DATE, "20210314")),
    "F",
)
REPORT = """Harrowfield General Hospital
Patient: KERLEY, ALICE   MRN: MR-1234567   Exam date: 03/14/2021 14:35

FINDINGS: Kerley B lines. The 12 mm nodule in the left upper lobe is unchanged since 03/01/2021.
No pneumothorax. Discussed with Dr. Joan Hartwell, tel (617) 555-0143.
"""


@pytest.fixture(scope="module")
def cleaner() -> ReportCleaner:
    return ReportCleaner(tagger=None)


@pytest.fixture(scope="module")
def reader() -> ReportCleaner:
    """With the network, which names and houses are left to."""
    return ReportCleaner()


class OneByOne:
    """A search that sees but one of its words at a time, the first that is still there."""

    def __init__(self, words: str) -> None:
        self.words = words.split()

    def find(self, text: str) -> list[Span]:
        places = (Span(at, at + len(word), Category.NAME) for word in self.words if (at := text.find(word)) >= 0)
        return [*islice(places, 1)]


STRANGE = "Abzorp Bezrik Cazwot Dizmuk Ezfloq Fozgrut Gizbrod Hazknil"


def test_a_text_without_identifiers_is_the_very_same(cleaner: ReportCleaner) -> None:
    text = "No acute process.\r\nKerley B lines.  \n"
    person = Person(KEYS, "1")
    cleaned = cleaner.clean(text, person)
    assert cleaned.text is text
    assert cleaned.found == ()


def test_identifiers_go_and_findings_stay(reader: ReportCleaner) -> None:
    cleaned = reader.clean(REPORT, PERSON)
    for gone in ("ALICE", "1234567", "03/14/2021", "Hartwell", "Joan", "555-0143", "Harrowfield", "14:35"):
        assert gone not in cleaned.text
    for kept in ("12 mm nodule in the left upper lobe", "No pneumothorax", "FINDINGS:", "Discussed with Dr. "):
        assert kept in cleaned.text
    assert cleaned.text.count("\n") == REPORT.count("\n")
    pieces = {REPORT[one.start : one.end] for one in cleaned.found}
    assert {"KERLEY, ALICE", "MR-1234567", "03/14/2021", "03/01/2021", "Joan Hartwell"} <= pieces


def test_what_is_known_goes_though_it_is_an_eponym(cleaner: ReportCleaner, reader: ReportCleaner) -> None:
    stranger = reader.clean("Kerley B lines in Kerley, Alice.", Person(KEYS, "9"))
    assert "Kerley B lines" in stranger.text
    assert "Alice" not in stranger.text
    searched = cleaner.find("a note on ALICE KERLEY", KnownSearch(PERSON.known))
    assert [one.category for one in searched] == [Category.NAME]


def test_dates_move_by_the_persons_own_shift_and_keep_their_intervals(cleaner: ReportCleaner) -> None:
    text = cleaner.clean("Compared to 03/01/2021 and 02/14/2021 from 03/14/2021.", PERSON).text
    days = [dt.datetime.strptime(day, "%m/%d/%Y").date() for day in re.findall(r"\d\d/\d\d/\d{4}", text)]
    assert days == [day - PERSON.shift for day in (dt.date(2021, 3, 1), dt.date(2021, 2, 14), dt.date(2021, 3, 14))]


def test_the_same_name_has_the_same_stand_in_everywhere(cleaner: ReportCleaner) -> None:
    one = cleaner.clean("Discussed with Dr. Hartwell.", PERSON).text
    other = cleaner.clean("Dr. Hartwell was paged.", Person(KEYS, "another")).text
    stand_in = one.removeprefix("Discussed with Dr. ").removesuffix(".")
    assert stand_in not in ("", "Hartwell")
    assert other == f"Dr. {stand_in} was paged."


def test_placeholders_say_what_was_there() -> None:
    cleaner = ReportCleaner(style="placeholders")
    text = cleaner.clean(REPORT, PERSON).text
    assert f"[PATIENT {PERSON.pseudonym}]" in text
    assert "Dr. [DOCTOR], tel [PHONE]" in text
    assert "[HOSPITAL]\n" in text


def test_endings_punctuation_and_lines_stay(cleaner: ReportCleaner) -> None:
    text = "Dr. Hartwell's note: Mr. Voss doesn't smoke. Signed: Joan Hartwell\n\nFINDINGS: clear."
    made = cleaner.clean(text, Person(KEYS, "8")).text
    assert re.fullmatch(
        r"Dr\. [\w']+'s note: Mr\. [\w']+ doesn't smoke\. Signed: \w+ [\w']+\n\nFINDINGS: clear\.", made
    )


def test_safe_harbor_leaves_the_years_alone() -> None:
    for cleaner in (
        ReportCleaner(style="safe-harbor", tagger=None),
        ReportCleaner(style="placeholders", dates="years", tagger=None),
    ):
        made = cleaner.clean(REPORT, PERSON).text
        assert "Exam date: 2021 " in made and "since 2021." in made and "ALICE" not in made
    with pytest.raises(SettingsError, match="years"):
        ReportCleaner(dates="days")  # type: ignore[arg-type]


def test_many_are_cleaned_as_one_by_one(cleaner: ReportCleaner) -> None:
    texts = [REPORT, "Normal chest.", "Seen by Dr. Hartwell on 3/14."]
    people = [PERSON, Person(KEYS, "2"), Person(KEYS, "3")]
    alone = [cleaner.clean(text, person) for text, person in zip(texts, people, strict=True)]
    assert cleaner.clean_many(texts, people) == alone


def test_many_are_searched_as_one_by_one() -> None:
    both = ReportCleaner()
    texts = [REPORT, "", "No pneumothorax.", REPORT.upper(), "Seen by Dr. Hartwell on 3 May 2021."]
    assert both.find_many(texts) == [both.find(text) for text in texts]


def test_what_keeps_being_found_takes_its_line_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cleaner = ReportCleaner(tagger=None)
    monkeypatch.setattr(module, "_tools", lambda *_: (OneByOne(STRANGE), Surrogates(PERSON, realistic=True)))
    line = ", then of ".join(STRANGE.split()[:6])
    cleaned = cleaner.clean(f"Normal chest.\nfilm of {line} came.\nNo effusion.", PERSON)
    assert cleaned.text == "Normal chest.\n[REMOVED]\nNo effusion."


def test_what_cannot_be_cleaned_is_quarantined_without_a_word_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cleaner = ReportCleaner(tagger=None)
    monkeypatch.setattr(module, "_tools", lambda *_: (OneByOne(STRANGE), Surrogates(PERSON, realistic=True)))
    text = "\n".join(f"film of {word} came." for word in STRANGE.split())
    with pytest.raises(Quarantined) as refused:
        cleaner.clean(text, PERSON)
    assert str(refused.value) == "report that could not be cleaned"
    results = cleaner.attempt_many([text, "Normal chest."], [PERSON, PERSON])
    assert isinstance(results[0], Quarantined)
    assert isinstance(results[1], CleanedText)


def test_a_text_that_is_no_report_is_quarantined(cleaner: ReportCleaner) -> None:
    with pytest.raises(Quarantined, match="too long"):
        cleaner.clean("x" * 1_000_001, PERSON)


def test_a_stand_in_that_is_known_of_the_person_is_blotted_out(cleaner: ReportCleaner) -> None:
    made = cleaner.clean("Seen by Dr. Hartwell.", Person(KEYS, "5")).text
    stand_in = made.removeprefix("Seen by Dr. ").removesuffix(".")
    namesake = Person(KEYS, "5", (Known(Category.NAME, f"{stand_in}^Rosalind"),))
    assert stand_in not in cleaner.clean("Seen by Dr. Hartwell.", namesake).text


def test_phrases(cleaner: ReportCleaner) -> None:
    assert cleaner.clean_phrase("XR CHEST 2 VIEWS", PERSON).text == "XR CHEST 2 VIEWS"
    assert "HARTWELL" not in cleaner.clean_phrase("CXR PA FOR DR HARTWELL", PERSON).text
    assert "ALICE" not in cleaner.clean_phrase("CHEST PA KERLEY, ALICE", PERSON).text


def test_a_word_alone_is_a_name_only_by_the_lists(reader: ReportCleaner) -> None:
    for word in ("Clear.", "Good.", "Small.", "Fine."):
        assert reader.clean(word, PERSON).text == word
    assert "Okafor" not in reader.clean("Okafor.", PERSON).text
    segment = reader.clean("NTE|1||Young,Rose|Hendra", PERSON).text  # without a space, and no word by itself
    assert not any(name in segment for name in ("Young", "Rose", "Hendra"))


def test_a_line_break_inside_a_name_stays(reader: ReportCleaner) -> None:
    text = "The study was sent to the University Hospital of\nCape Verity, and nothing else was said of it at all."
    cleaned = reader.clean(text, PERSON).text
    assert "Verity" not in cleaned
    assert cleaned.count("\n") == 1


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(SettingsError, match="surrogates"):
        ReportCleaner(style="poem")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="rewritten"):
        ReportCleaner(rewriter="somewhere")


def test_what_was_rewritten_says_what_was_found() -> None:
    plain, rewritten = ReportCleaner(tagger=None), ReportCleaner(style="rewritten", tagger=None)
    assert rewritten.clean(REPORT, PERSON).found == plain.clean(REPORT, PERSON).found


def test_a_phrase_met_before_is_searched_for_each_person_anew(cleaner: ReportCleaner) -> None:
    stranger, owner = Person(KEYS, "P1"), Person(KEYS, "P2", (Known(Category.OTHER_ID, "4821"),))
    for _ in range(2):
        assert cleaner.clean_phrase("CHEST PA 4821", stranger).text == "CHEST PA 4821"
        assert "4821" not in cleaner.clean_phrase("CHEST PA 4821", owner).text


def test_phrases_are_forgotten_before_they_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medveil.defenses.reports.cleaner._REMEMBERED_PHRASES", 3)
    cleaner = ReportCleaner(tagger=None)
    for number in range(10):
        cleaner.clean_phrase(f"CHEST {number}", PERSON)
    assert len(cleaner._phrases) <= 3


def test_threads_may_share_a_cleaner_though_it_forgets_phrases(monkeypatch, from_threads) -> None:
    monkeypatch.setattr(module, "_REMEMBERED_PHRASES", 2)
    cleaner = ReportCleaner(tagger=None)
    phrases = [f"CXR {number} FOR DR VENKATARAMAN" for number in range(5)] * 60
    alone = [ReportCleaner(tagger=None).clean_phrase(text, PERSON).text for text in phrases[:5]] * 60
    assert from_threads(lambda text: cleaner.clean_phrase(text, PERSON).text, phrases, module) == alone


@pytest.mark.parametrize("piece", ["A. ", "Jan 1, ", "12 ", "a@"])
def test_twice_the_text_takes_about_twice_the_work(piece: str) -> None:
    cleaner = ReportCleaner()
    cleaner.clean(REPORT, PERSON)  # lists and weights are loaded once
    calls = [_calls(cleaner, REPORT + piece * count) for count in (500, 1000)]
    assert calls[1] < 2.4 * calls[0]


def _calls(cleaner: ReportCleaner, text: str) -> int:
    """How many functions are called, of Python and of C."""
    count = 0

    def called(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        cleaner.clean(text, PERSON)
    finally:
        sys.setprofile(None)
    return count
