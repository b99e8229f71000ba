"""The questionnaire: what is read, what is refused and in which words, and what the sheet makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from medveil.errors import SettingsError
from medveil.finding import ONE_IN_ELEVEN
from medveil.release.clean.reviewed import Reviewed
from medveil.release.questionnaire import Questionnaire, questionnaire_of
from medveil.release.recipients import RECIPIENTS
from medveil.release.settings import Settings
from medveil.release.signing import sheet_of

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "questionnaire.toml"


def written(folder: Path, text: str) -> Path:
    path = folder / "answers.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_example_of_the_documentation_answers_everything() -> None:
    answers = Questionnaire.read(EXAMPLE)
    assert all(vars(answers).values()), "an example shows every field"
    assert answers.recipient in RECIPIENTS and len(answers.next_review) == len("2027-11-01")


def test_an_empty_file_is_an_answer_too(tmp_path: Path) -> None:
    assert Questionnaire.read(written(tmp_path, "")) == Questionnaire()


@pytest.mark.parametrize(
    "text, words",
    [
        ('purpos = "x"', "answers what is not asked: purpos"),
        ("purpose = 3", "purpose is a text"),
        ('recipient = "friends"', "recipient is one of public, researcher, secure-room"),
        (f'legal_basis = "{"x" * 281}"', "legal_basis has 281 characters and the sheet has room for 280"),
        ('title = "a\\u0007b"', "title holds characters that cannot be printed"),
        ('next_review = "soon"', "next_review is a date such as 2027-11-01"),
        ("next_review = 2027-11-01T10:00:00", "next_review is a date"),
        ('signatories = "me"', "signatories is a list of at most 3"),
        ('signatories = ["a", "b", "c", "d"]', "signatories is a list of at most 3"),
        ("title = ", "is not valid TOML"),
    ],
)
def test_what_cannot_be_printed_is_refused_in_a_sentence(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"answers\.toml") as refused:
        Questionnaire.read(written(tmp_path, text))
    assert words in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        Questionnaire.read(tmp_path / "none.toml")


def test_dates_come_as_toml_has_them_or_as_text(tmp_path: Path) -> None:
    for form in ("2027-11-01", '"2027-11-01"'):
        assert Questionnaire.read(written(tmp_path, f"next_review = {form}")).next_review == "2027-11-01"


def test_what_is_given_beside_the_file_counts_more(tmp_path: Path) -> None:
    path = written(tmp_path, 'title = "A"\nrecipient = "public"\npurpose = "P"')
    answers = questionnaire_of(path, title="B", recipient="secure-room")
    assert answers is not None
    assert (answers.title, answers.recipient, answers.purpose) == ("B", "secure-room", "P")
    assert questionnaire_of(None) is None
    with pytest.raises(SettingsError, match="--recipient is one of"):
        questionnaire_of(None, recipient="friends")


def test_the_threshold_follows_the_recipient_unless_one_is_set() -> None:
    values = {kind: Settings(recipient=kind).resolved().accepted.value for kind in RECIPIENTS}
    assert values == {"public": 0.09, "researcher": 0.2, "secure-room": 0.33}
    assert Settings().accepted == ONE_IN_ELEVEN, "who is not named is the public"
    chosen = Settings(recipient="secure-room", threshold=0.05).accepted
    assert chosen.value == 0.05 and chosen.source == "set by the user"
    with pytest.raises(SettingsError, match="the recipient is one of"):
        Settings(recipient="friends").resolved()


def test_a_threshold_that_no_regulator_set_says_so() -> None:
    for recipient in RECIPIENTS.values():
        assert ("chosen by medveil" in recipient.threshold.source) == (recipient.kind != "public")


def test_naming_the_public_is_no_other_run() -> None:
    """Who fills in the questionnaire after a run gets the sheet anew, not a refusal."""
    assert Settings().to_json() == Settings(recipient="public").to_json()
    assert Settings().to_json() != Settings(recipient="researcher").to_json()


def test_the_sheet_says_what_is_assumed_and_what_was_stated() -> None:
    assumed = sheet_of(Questionnaire(), Settings(), Reviewed()).stated()
    assert assumed["recipient"]["kind"] == "public" and not assumed["recipient"]["stated"]
    assert assumed["recipient"]["means"] == RECIPIENTS["public"].means and not assumed["recipient"]["means_stated"]
    assert assumed["purpose"] is assumed["legal_basis"] is assumed["next_review"] is None
    answers = Questionnaire(means="Nothing but a pencil.", recipient="secure-room")
    stated = sheet_of(answers, Settings(recipient="secure-room"), Reviewed()).stated()
    assert stated["recipient"]["means"] == "Nothing but a pencil." and stated["recipient"]["means_stated"]
    assert stated["threshold"]["value"] == 0.33
