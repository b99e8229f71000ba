from __future__ import annotations

import unicodedata

import pytest

from medveil.defenses.reports.cleaner import CleanedText, ReportCleaner
from medveil.errors import Quarantined
from medveil.person.keys import Keys
from medveil.person.person import Person

PERSON = Person(Keys(b"k"), "p", ())
REPORT = "Seen by Dr. Eleanor Lines on 03/05/2021. No pneumothorax."


@pytest.mark.parametrize("mark", ["\u200b", "\u200d", "\u00ad", "\ufeff", "\u0301", "\u2060", "\U000e0041"])
def test_marks_within_words_hide_nothing(mark: str) -> None:
    cleaner = ReportCleaner()
    cut = REPORT.replace("Eleanor", f"Ele{mark}anor").replace("Lines", f"Li{mark}nes").replace("05", f"0{mark}5")
    cleaned, plain = cleaner.clean(cut, PERSON), cleaner.clean(REPORT, PERSON)
    assert cleaned.text == plain.text
    assert [cut[one.start : one.end].replace(mark, "") for one in cleaned.found] == [
        REPORT[one.start : one.end] for one in plain.found
    ]


def test_letters_of_another_width_are_read() -> None:
    wide = "".join(chr(ord(letter) + 0xFEE0) if letter.isalnum() else letter for letter in "Dr. Eleanor Lines")
    cleaned = ReportCleaner().clean(f"Seen by {wide}. No pneumothorax.", PERSON)
    assert not any(part in cleaned.text for part in wide.split()[1:])


def test_accents_outside_what_is_found_stay() -> None:
    spread = unicodedata.normalize("NFD", "Procédure tolérée. Seen by Dr. Eleanor Lines.")
    assert ReportCleaner().clean(spread, PERSON).text.startswith(unicodedata.normalize("NFD", "Procédure tolérée. "))


@pytest.mark.parametrize(
    "text", ["\ufeffNo pneumothorax.", "Size 3\u00a0cm, co\u00adop\u200berative.", "TNFα was high, 5 µg."]
)
def test_marks_alone_are_no_reason_to_change_anything(text: str) -> None:
    assert ReportCleaner().clean(text, PERSON) == CleanedText(text, ())


@pytest.mark.parametrize("text", ["Seen by \u202esenil .rd", "Seen by Dr. Li\u2028nes.", "Seen by Dr. Lin\u0435s."])
def test_what_reads_otherwise_than_it_is_written_is_withheld(text: str) -> None:
    with pytest.raises(Quarantined):
        ReportCleaner().clean(text, PERSON)
