"""The whole measurement on phantom films with burned-in text, by a model that knows the films."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from medveil.errors import InputError, SettingsError
from medveil.release.verify.pixel_check import Read, Reader
from medveil.release.vqa.files import JOURNAL, write_answers
from medveil.release.vqa.measuring import VqaPlan, measure_vqa
from medveil.release.vqa.models import answering, judging
from medveil.release.vqa.questions import Questions, find_questions
from medveil.report import schema
from medveil.runtime.journal import journal_sha256
from medveil.utility.vqa.experiment.asking import Asked
from medveil.utility.vqa.experiment.comparison import Compared
from medveil.utility.vqa.experiment.conditions import RAW, Condition
from medveil.utility.vqa.experiment.labels import read_labels
from medveil.utility.vqa.judge.judge import Judge
from medveil.utility.vqa.judge.reply import first_object
from medveil.utility.vqa.model import Query, one_by_one
from medveil.utility.vqa.models.connection import EndpointError
from medveil.utility.vqa.question import Image, Question, QuestionTable
from medveil.utility.vqa.questions.phantom import phantom_questions
from medveil.utility.vqa.scores import strict


class Knows:
    """Recognises the film by its lower half, where no text is, and knows what is right there."""

    name, license, fingerprint = "knows", "none", "1"

    def __init__(self, table: QuestionTable) -> None:
        self.asked = 0
        self._right = {(each.image_id, each.text): each.answer for each in table.questions}
        self._films = {image: self._part(table.image(image)) for image in table.image_ids}

    def answer(self, image: Image | None, question: str, note: str | None = None) -> str:
        self.asked += 1
        if image is None or len(question) % 5 == 0:
            return "no"
        apart = {one: float(np.abs(self._part(image) - film).mean()) for one, film in self._films.items()}
        nearest = min(apart, key=lambda one: apart[one])
        return self._right.get((nearest, question), "no") if apart[nearest] < 3 else "no"

    def answer_many(self, queries: Sequence[Query]) -> list[str]:
        return one_by_one(self, queries)

    @staticmethod
    def _part(image: Image) -> np.ndarray:
        return image[120:150, 60:130].astype(float)


@pytest.fixture(scope="module")
def table() -> QuestionTable:
    return phantom_questions(8, seed=5, size=192, written=True)


def rule(system: str, user: str) -> str:
    told = first_object(user)
    assert told is not None
    return json.dumps({"score": int(strict(told["answer"], told["reference"])), "reason": "rule"})


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_a_run_writes_report_tables_answers_and_a_sheet(
    table: QuestionTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [Read("SOMETHING", (2, 2, 60, 14), 0.9)]
    monkeypatch.setattr(Reader, "read", lambda self, image: found)  # slow, and tried elsewhere
    out, plan = tmp_path / "out", VqaPlan(severities=(0.0, 0.3), margin=0.2)
    model, judge = Knows(table), Judge("a rule", "rule", rule)
    outcome = measure_vqa(Questions(table), out, model=model, plan=plan, judge=judge, label_sheet=True)
    report = json.loads((out / "report.json").read_text())
    assert report["about"] == "a measure" and report["verdict"] is None
    import jsonschema

    jsonschema.Draft202012Validator(schema()).validate(report)
    finding = report["comparisons"][0]["after"]
    assert finding["estimates"]["relaxed, raw"]["value"] > 0.7
    assert finding["estimates"]["raw minus question alone"]["value"] > 0.1
    assert outcome.answer == finding["answer"] and "Do answers" in finding["question"]
    page = (out / "report.html").read_text()
    assert "What was measured" in page and "Right answers by mask severity" in page
    assert "The data as they are" not in page and "Each attack was run" not in page
    names = {path.name for path in out.iterdir()}
    assert names >= {"table-1-methods.csv", "table-2-question-types.csv", "table-3-hidden.csv", "scores.csv"}
    answers = rows(out / "answers.csv")
    assert {each["method"] for each in answers} >= {"raw", "medveil", "question alone"}
    assert not set(table.image_ids) & {each["image"] for each in answers}, "images go by number"
    assert all((each["relaxed"] == "1.0") == (each["answer"] == each["reference"]) for each in answers)
    sheet = rows(out / "labels-sheet.csv")
    assert sheet and {each["label"] for each in sheet} == {""} and "Right" in (out / "labels.html").read_text()

    asked, kept = model.asked, journal_sha256(out / JOURNAL)
    labelled = out / "labelled.csv"
    with labelled.open("w") as file:
        file.write("item,label\n")
        file.writelines(f"{each['item']},{int(each['answer'] == each['reference'])}\n" for each in sheet)
    assert read_labels(labelled)
    again = measure_vqa(Questions(table), out, model=model, plan=plan, judge=judge, labels=labelled)
    assert model.asked == asked and journal_sha256(out / JOURNAL) == kept, "nothing is asked twice"
    assert "κ = 1.00" in again.answer
    measure_vqa(Questions(table), out, model=model, plan=plan)
    assert not (out / "judge-probes.csv").exists(), "what an earlier run wrote of its judge is gone"


def test_what_cannot_be_asked_is_refused_before_anything_is(table: QuestionTable, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--judge"):
        measure_vqa(Questions(table), tmp_path, model=Knows(table), plan=VqaPlan(score="judge"))
    with pytest.raises(InputError, match="not a readable table"):
        judge = Judge("a rule", "rule", rule)
        measure_vqa(Questions(table), tmp_path, model=Knows(table), plan=VqaPlan(), judge=judge, labels=Path("no.csv"))
    with pytest.raises(SettingsError, match="margin"):
        VqaPlan(margin=2.0)
    assert not list(tmp_path.iterdir())


def test_a_judge_that_is_not_there_is_noticed_before_anything_is_asked(table: QuestionTable, tmp_path: Path) -> None:
    judge = judging("m", device="cpu", endpoint="http://127.0.0.1:9/v1", consent=None, wording="ours", nobody=False)
    model = Knows(table)
    with pytest.raises(EndpointError, match="cannot be reached"):
        measure_vqa(Questions(table), tmp_path, model=model, plan=VqaPlan(severities=(0.0,)), judge=judge)
    assert not model.asked


def test_answers_are_no_formulas(tmp_path: Path) -> None:
    question = Question.of("1", "film", "Is it?", "-1")
    answers = {Condition(RAW): ['=HYPERLINK("http://example.org")']}
    asked = Asked((question,), answers, {Condition(RAW): np.zeros(1)}, {}, {})
    write_answers(Compared(asked, seed=1), tmp_path / "answers.csv")
    (one,) = rows(tmp_path / "answers.csv")
    assert one["answer"].startswith("'=") and one["reference"] == "'-1" and one["hidden"] == "0.0"


@pytest.mark.parametrize("who", ["answers", "judges"])
def test_raw_images_do_not_go_to_another_machine(who: str) -> None:
    remote = {"device": "cpu", "endpoint": "https://example.org/v1", "consent": "example.org"}
    with pytest.raises(SettingsError, match="only what was cleaned may go"):
        if who == "answers":
            answering("m", nobody=False, **remote)  # type: ignore[arg-type]
        else:
            judging("m", wording="ours", nobody=False, **remote)  # type: ignore[arg-type]
    assert judging("m", wording="ours", nobody=True, **remote) is not None  # type: ignore[arg-type]


def test_a_judge_needs_a_name_where_it_has_an_address() -> None:
    with pytest.raises(SettingsError, match="--judge"):
        judging(None, device="cpu", endpoint="http://localhost/v1", consent=None, wording="ours", nobody=False)


def test_questions_of_a_hospital_know_whose_the_films_are(hospital_folder: Path) -> None:
    found = find_questions(hospital_folder, most=50, seed=1)
    assert 1 < found.people <= len(found.table.image_ids) and len(found.table) >= 50
    assert len(found.sha256) == 64
    with pytest.raises(InputError, match="--split"):
        find_questions(hospital_folder, split="val")


@pytest.mark.real_data
def test_of_a_question_set_only_held_out_images_are_asked_about(real_data: Path) -> None:
    held_out = find_questions(real_data / "vqa_rad")
    everything = find_questions(real_data / "vqa_rad", split="all")
    assert len(everything.table) > 5 * len(held_out.table) > 0
    assert {held_out.table.splits[image] for image in held_out.table.image_ids} == {"val"}
