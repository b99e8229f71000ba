"""κ against the textbook, and corrected scores against a truth that is known."""

from __future__ import annotations

import numpy as np
import pytest

from medveil.errors import NotMeasurable
from medveil.utility.vqa.judge.agreement import agreement, corrected, kappa


def test_kappa_is_cohens() -> None:
    # 20 both say 1, 15 both say 0, 5 + 10 differ: agreement 0.7, expected 0.5
    judged = np.repeat([1.0, 1, 0, 0], [20, 5, 10, 15])
    labels = np.repeat([1.0, 0, 1, 0], [20, 5, 10, 15])
    assert kappa(judged, labels) == pytest.approx(0.4)
    from sklearn.metrics import cohen_kappa_score

    assert kappa(judged, labels) == pytest.approx(cohen_kappa_score(judged, labels))
    found = agreement(judged, labels, [f"i{n}" for n in range(50)], seed=1)
    assert found is not None and found.low < 0.4 < found.high and found.chance == 0 and found.unit == "image"
    assert found.high - found.low > 0.3


def test_kappa_needs_labels_and_both_verdicts() -> None:
    same, images = np.ones(30), [f"i{n}" for n in range(30)]
    assert agreement(same, same, images, seed=1) is None
    with pytest.raises(NotMeasurable, match="two images"):
        agreement(same, same, ["i"] * 30, seed=1)
    with pytest.raises(NotMeasurable, match="20 labels"):
        agreement(same[:5], same[:5], images[:5], seed=1)


@pytest.mark.parametrize(("sensitivity", "false"), [(0.95, 0.25), (0.6, 0.02), (0.5, 0.5)])
def test_corrected_scores_hold_the_truth_whatever_the_judge_does(sensitivity: float, false: float) -> None:
    """The judge alone is off by far; the corrected score's interval holds the truth as often as it says."""
    rng = np.random.default_rng(11)
    inside, plain, widths = 0, [], []
    for trial in range(60):
        images = np.repeat(np.arange(100), 4)
        easy = rng.beta(2, 3, 100)[images]  # images differ: their mean share of right answers is 0.4
        truth = (rng.random(400) < easy).astype(float)
        judged = (rng.random(400) < np.where(truth == 1, sensitivity, false)).astype(float)
        labels = np.where(np.isin(np.arange(400), rng.choice(400, 120, replace=False)), truth, np.nan)
        found = corrected(judged, labels, [str(image) for image in images], seed=trial)
        inside += found.low <= 0.4 <= found.high
        plain.append(found.value)
        widths.append(found.high - found.low)
    assert inside >= 54, "of 60 intervals of 95 %"
    assert np.mean(plain) == pytest.approx(0.4, abs=0.02)
    by_labels_alone = 2 * 1.96 * np.sqrt(0.24 / 120)
    assert np.mean(widths) < 1.35 * by_labels_alone


def test_a_good_judge_makes_labels_go_further() -> None:
    rng = np.random.default_rng(2)
    truth = (rng.random(3000) < 0.4).astype(float)
    judged = np.where(rng.random(3000) < 0.03, 1 - truth, truth)
    labels = np.where(np.arange(3000) < 100, truth, np.nan)
    images = [str(n) for n in range(3000)]
    found = corrected(judged, labels, images, seed=1, chance=0.3)
    alone = 2 * 1.96 * np.sqrt(0.24 / 100)
    assert found.high - found.low < 0.6 * alone
    assert found is not None and found.low < 0.4 < found.high and found.chance == 0.3


def test_too_few_labels_correct_nothing() -> None:
    with pytest.raises(NotMeasurable, match="20 labels"):
        corrected(np.ones(50), np.full(50, np.nan), [str(n) for n in range(50)], seed=1)
