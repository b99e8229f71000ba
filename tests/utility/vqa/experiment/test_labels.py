"""A sample for a person, and the judge's scores corrected by what they said."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from medveil.errors import InputError, NotMeasurable
from medveil.utility.vqa.experiment.asking import Asked
from medveil.utility.vqa.experiment.conditions import OURS, RAW, Condition
from medveil.utility.vqa.experiment.labels import (
    COLUMNS,
    Item,
    drawn,
    held_against_people,
    labelled,
    read_labels,
    sample,
    sheet,
)
from medveil.utility.vqa.question import Question

RAW_ONES, CLEAN = Condition(RAW), Condition(OURS)


def made(n: int = 600) -> tuple[Asked, dict[Condition, np.ndarray], dict[Condition, np.ndarray]]:
    """Answers of which the truth is known, and a judge that takes some wrong ones for right."""
    rng = np.random.default_rng(4)
    questions = tuple(Question.of(str(k), str(k // 3), f"What is {k}?", "a mass") for k in range(n))
    truth = {RAW_ONES: (rng.random(n) < 0.6).astype(float)}
    truth[CLEAN] = np.where(rng.random(n) < 0.1, 0.0, truth[RAW_ONES])
    answers = {
        each: [f"{'mass' if right else 'other'} {k}" for k, right in enumerate(values)]
        for each, values in truth.items()
    }
    judged = {each: np.where((values == 0) & (rng.random(n) < 0.3), 1.0, values) for each, values in truth.items()}
    asked = Asked(questions, answers, {each: np.zeros(n) for each in truth}, {}, {})  # type: ignore[arg-type]
    return asked, judged, truth


def said(asked: Asked, truth: dict[Condition, np.ndarray]) -> dict[str, float]:
    """What a person who knows the truth says of the sample."""
    told = {
        Item.of(question, str(answer)).item: float(right)
        for condition, values in truth.items()
        for question, answer, right in zip(asked.questions, asked.answers[condition], values, strict=True)
    }
    return {one.item: told[one.item] for one in sample(asked, seed=3)}


def test_the_sample_is_blind_random_and_without_doubles() -> None:
    asked, _, _ = made()
    items = sample(asked, seed=3)
    assert len(drawn(asked, seed=3)) == 100 and 100 <= len(items) <= 200
    assert items == sample(asked, seed=3) and items != sample(asked, seed=4)
    assert len({one.item for one in items}) == len(items)
    places = [int(one.question.split()[2].rstrip("?")) for one in items]
    assert places != sorted(places), "the order tells nothing"
    assert not any("raw" in text or "medveil" in text for one in items for text in vars(one).values())


def test_questions_without_both_answers_are_not_drawn() -> None:
    asked, _, _ = made(30)
    asked.answers[CLEAN][:20] = [None] * 20
    assert drawn(asked, seed=3).tolist() == list(range(20, 30))


def test_the_sheet_is_read_back_and_holds_no_formula(tmp_path: Path) -> None:
    items = [Item("aa", "Is it?", "=1+1", "-2"), Item("bb", 'Where, "then"?', "left", "@left")]
    text = sheet(items)
    rows = list(csv.reader(io.StringIO(text)))
    assert tuple(rows[0]) == COLUMNS
    assert rows[1] == ["aa", "Is it?", "'=1+1", "'-2", ""] and rows[2][3] == "'@left"
    path = tmp_path / "sheet.csv"
    path.write_text(text)
    assert read_labels(path) == {}
    path.write_text("item,label\naa,1\nbb, 0 \ncc,\n")
    assert read_labels(path) == {"aa": 1.0, "bb": 0.0}
    path.write_text("item,label\naa,right\n")
    with pytest.raises(InputError, match="row 2"):
        read_labels(path)


def test_labels_belong_to_the_answer_they_were_given_for() -> None:
    asked, _, truth = made()
    found = labelled(asked, said(asked, truth), CLEAN, seed=3)
    places = drawn(asked, seed=3)
    assert np.isfinite(found).sum() == 100 and np.array_equal(found[places], truth[CLEAN][places])
    other = Asked(asked.questions, {RAW_ONES: asked.answers[RAW_ONES], CLEAN: ["else"] * 600}, asked.hidden, {}, {})
    assert np.isnan(labelled(other, said(asked, truth), CLEAN, seed=3)).all()


def test_corrected_scores_are_nearer_to_the_truth_than_the_judge() -> None:
    asked, judged, truth = made()
    found = held_against_people(asked, judged, said(asked, truth), seed=3)
    assert found.kappa is not None and "κ = 0." in found.sentence
    assert 0.5 < found.kappa.value < 0.95 and found.kappa.low < found.kappa.value < found.kappa.high
    assert found.labels == 200
    for condition in (RAW_ONES, CLEAN):
        each, right = found.corrected[condition.method], truth[condition].mean()
        assert each.low < right < each.high
        assert abs(each.value - right) < abs(judged[condition].mean() - right)
    change = found.corrected["cleaned minus raw"]
    assert change.low < (truth[CLEAN] - truth[RAW_ONES]).mean() < change.high and change.value < 0
    assert len(found.table().rows) == 4


def test_labels_of_another_run_and_labels_without_a_judge_are_refused() -> None:
    asked, judged, _ = made(60)
    with pytest.raises(InputError, match="this very run"):
        held_against_people(asked, judged, {"ffff": 1.0}, seed=3)
    labels = {one.item: 1.0 for one in sample(asked, seed=3)}
    with pytest.raises(InputError, match=rf"1 of {len(labels) + 1} labels"):
        held_against_people(asked, judged, labels | {"ffff": 1.0}, seed=3)
    with pytest.raises(NotMeasurable, match="no judge"):
        held_against_people(asked, {}, {"ffff": 1.0}, seed=3)
