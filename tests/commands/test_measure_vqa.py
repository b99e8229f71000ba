"""`medveil measure vqa` from the command line, with stand-ins for what it would ask and how it would clean."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from medveil import cli
from medveil.release.vqa import cleaners, models
from medveil.utility.vqa.experiment.conditions import INPAINTED, MASKED, OURS
from tests.utility.vqa.experiment.stand_ins import Looker, unchanged

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    model = Looker()
    monkeypatch.setattr(models, "answering", lambda name, **more: model)
    ways = dict.fromkeys((MASKED, INPAINTED, OURS), unchanged)
    monkeypatch.setattr(cleaners.Cleaners, "by_method", lambda self: ways)

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["medveil", "measure", "vqa", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        told = capsys.readouterr()
        return int(end.value.code or 0), told.out, told.err

    return call


def test_a_hospital_is_asked_about_and_the_answer_told(run: Run, hospital_folder: Path, tmp_path: Path) -> None:
    code, said, _ = run(hospital_folder, "-o", tmp_path / "out", "--most", 60, "--severity", 0, "--quiet", "--json")
    told = json.loads(said)
    assert code == 1 and told["holds"] is False and "there is no verdict" in told["answer"]
    assert told["provenance"]["settings"]["severities"] == [0.0]
    assert told["provenance"]["command"].endswith("measure vqa IN --out OUT --most 60 --severity 0.0")
    again, words, _ = run(hospital_folder, "-o", tmp_path / "out", "--most", 60, "--severity", 0)
    assert again == 1 and "The report is" in words


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--score", "luck"], "one of strict, relaxed, token F1, judge"),
        (["--margin", "3"], "between 0 and 1"),
        (["--severity", "2"], "shares of the image"),
        (["--judge-endpoint", "http://localhost:1/v1"], "--judge"),
        (["--judge", "nothing here"], "no judge called"),
        (["--labels", "nothing.csv"], "name it with --judge"),
        (["--judge-prompt", "paper"], "name one with --judge"),
        (["-o", __file__], "is a file"),
    ],
)
def test_what_makes_no_sense_is_one_sentence_and_exit_code_2(
    run: Run, hospital_folder: Path, tmp_path: Path, words: list[str], sentence: str
) -> None:
    code, _, error = run(hospital_folder, "-o", tmp_path / "out", "--most", 20, *words)
    assert code == 2 and sentence in error and error.startswith("medveil: ") and error.count("\n") == 1


def test_a_folder_without_questions_is_refused(run: Run, tmp_path: Path) -> None:
    code, _, error = run(tmp_path, "-o", tmp_path / "out")
    assert code == 2 and "no questions" in error
