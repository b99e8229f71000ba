"""The sheet of a real run: filled from the questionnaire, and brought up to date without cleaning anything again."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.release import Settings, release
from medveil.release.clean.records import released_files
from medveil.release.questionnaire import Questionnaire
from medveil.release.review.carrying_out import carry_out
from medveil.release.review.decisions_file import FORMAT, run_of
from medveil.report import schema

KEYS = Keys.for_demonstration(1)
QUICK = Settings(defenses=("headers", "table"), attacks=("singling-out",), measures=("label-probe",))


def signed(source: Path, out: Path, answers: Questionnaire | None, settings: Settings = QUICK) -> dict[str, Any]:
    release(source, out, keys=KEYS, settings=settings, workers=1, questionnaire=answers)
    return dict(json.loads((out / "report.json").read_bytes()))


@pytest.fixture(scope="module")
def run(hospital_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    out = tmp_path_factory.mktemp("signed") / "out"
    signed(hospital_folder, out, None)
    return hospital_folder, out


def test_the_sheet_is_brought_up_to_date_and_nothing_is_cleaned_again(run: tuple[Path, Path]) -> None:
    source, out = run
    first = json.loads((out / "report.json").read_bytes())
    jsonschema.validate(first, schema())
    assert first["sheet"]["purpose"] is None and first["sheet"]["residual_risk"].startswith("The one attack")
    journal = (out / "journal.sqlite").stat().st_mtime_ns
    second = signed(source, out, Questionnaire(purpose="To teach.", recipient="public"))
    assert second["sheet"]["purpose"] == "To teach."
    assert "To teach." in (out / "report.html").read_text()
    assert {**second, "sheet": None} == {**first, "sheet": None}
    assert (out / "journal.sqlite").stat().st_mtime_ns == journal
    assert signed(source, out, None) == second, "who gives no questionnaire takes no answer back"


def test_a_review_is_on_the_sheet_with_who_and_when_even_if_all_was_accepted(
    run: tuple[Path, Path], tmp_path: Path
) -> None:
    source, out = run
    film = next(iter(released_files(out)))["path"]
    decisions = tmp_path / "decisions.json"
    decided = {film: {"decision": "accept", "frames": {}}}
    decisions.write_text(json.dumps({"format": FORMAT, "run": run_of(out), "decisions": decided}))
    carry_out(out, decisions, keys=KEYS, reviewer="Dr. K., radiology")
    (told,) = json.loads((out / "report.json").read_bytes())["sheet"]["decisions"]
    assert told["reviewer"] == "Dr. K., radiology" and told["accepted"] == [film]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", told["when"])
    assert "Dr. K., radiology: 1 accepted, 0 rejected" in (out / "report.html").read_text()
    assert signed(source, out, None)["sheet"]["decisions"] == [told], "and stays there"


def test_another_recipient_is_another_run(run: tuple[Path, Path], tmp_path: Path) -> None:
    source, out = run
    with pytest.raises(InputError, match="made with other settings"):
        signed(source, out, None, replace(QUICK, recipient="secure-room"))
    report = signed(source, tmp_path / "room", None, replace(QUICK, recipient="secure-room"))
    (judged,) = [each for each in report["comparisons"] if each["kind"] == "attack"]
    assert judged["after"]["threshold"]["value"] == report["sheet"]["threshold"]["value"] == 0.33
    assert report["sheet"]["recipient"]["stated"]
    assert [each["reason"] for each in report["remedies"]] == report["reasons"]
