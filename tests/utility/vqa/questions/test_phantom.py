"""Questions on phantom films: exact, even, and the same every time."""

from __future__ import annotations

import pickle
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.sites import MOST
from medveil.errors import InputError
from medveil.utility.vqa.question import QuestionTable
from medveil.utility.vqa.questions.phantom import hospital_questions, phantom_questions
from medveil.utility.vqa.questions.planned import BARELY

SEED = 5


@pytest.fixture(scope="module")
def table() -> QuestionTable:
    return phantom_questions(400, seed=SEED)


def test_there_are_questions_of_every_kind(table: QuestionTable) -> None:
    kinds = {question.kind for question in table.questions}
    assert kinds == {"presence", "heart size", "device", "absence", "view", "side", "lobe", "size", "comparison"}
    assert len(table) > 2 * len(table.image_ids)


def test_a_wording_tells_nothing_of_its_answer(table: QuestionTable) -> None:
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for question in table.questions:
        answers[question.text][question.answer] += 1
    assert all(len(set(counts.values())) == 1 and len(counts) > 1 for counts in answers.values())


def test_answers_are_those_of_the_plan(table: QuestionTable) -> None:
    checked = Counter[str]()
    for question in table.questions:
        number, visit = map(int, question.image_id.split("-"))
        plan = plan_patient(SEED, number, MOST).visits[visit]
        effusion = next((one for one in plan.findings if one.label == "Pleural Effusion"), None)
        checked[question.kind] += 1
        match question.text:
            case "Is there a pleural effusion?":
                assert question.answer == ("yes" if effusion else "no")
                assert effusion is None or effusion.extent >= BARELY
            case "On which side is the pleural effusion?":
                assert effusion is not None and effusion.side == question.answer
            case "Is there an endotracheal tube?":
                there = any(device.kind == "endotracheal tube" for device in plan.devices)
                assert question.answer == ("yes" if there else "no")
            case "Is this a PA or an AP film?":
                assert question.answer == plan.view
            case "Is the pleural effusion larger than on the prior study?":
                assert effusion is not None and question.image_id in table.notes
                assert effusion.course == {"yes": "larger", "no": "smaller"}[question.answer]
            case _:
                checked[question.kind] -= 1
    assert checked["presence"] > 5 and checked["view"] > 20 and checked["side"] > 3 and checked["device"] > 5


def test_the_same_seed_asks_the_same_and_another_something_else(table: QuestionTable) -> None:
    assert phantom_questions(400, seed=SEED).questions == table.questions
    assert phantom_questions(400, seed=SEED + 1).questions != table.questions


def test_films_are_drawn_when_asked_for_in_any_process(table: QuestionTable) -> None:
    image = table.image_ids[3]
    again = pickle.loads(pickle.dumps(table.load))
    assert np.array_equal(again(image), table.image(image)) and table.image(image).dtype == np.uint8


def test_burned_in_text_changes_the_film_and_not_the_question() -> None:
    plain, written = (phantom_questions(12, seed=SEED, written=way) for way in (False, True))
    assert plain.questions == written.questions
    changed = [np.mean(plain.image(image) != written.image(image)) for image in plain.image_ids]
    assert all(0 < share < 0.2 for share in changed)


def test_a_phantom_hospital_is_asked_about_by_its_own_ids(hospital: Cohort, hospital_folder: Path) -> None:
    table = hospital_questions(hospital)
    assert set(table.image_ids) <= set(hospital.table["image_id"]) and len(table) > 50
    views = dict(zip(hospital.table["image_id"], hospital.table["view"], strict=True))
    for question in table.questions:
        if question.kind == "view" and not question.closed:
            assert views[question.image_id] == question.answer
    assert table.image(table.image_ids[0]).shape == (256, 256)


def test_a_folder_that_is_no_phantom_hospital(hospital: Cohort, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no phantom hospital"):
        hospital_questions(Cohort(hospital.table, tmp_path))
