from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from medveil.cohort import LABELS
from medveil.errors import NotMeasurable
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.paired import changes
from medveil.utility.linear_probe import LabelledEmbeddings, _widened, fit_probe, probe_estimates


def _part(n: int, seed: int, *, noise: float = 1.0, labels: int = 14) -> LabelledEmbeddings:
    """Embeddings whose coordinate k says something about finding k, and labels of which a fifth is unknown."""
    rng = np.random.default_rng(seed)
    targets = (rng.random((n, 14)) < 0.3).astype(np.float32)
    targets[:, labels:] = 0
    embeddings = rng.normal(size=(n, 20))
    embeddings[:, :14] = (targets - 0.5) + noise * embeddings[:, :14]
    return LabelledEmbeddings(embeddings.astype(np.float32), targets, rng.random((n, 14)) < 0.8)


TRAIN, VALIDATION, TEST = _part(400, 1), _part(200, 2), _part(300, 3)


def test_the_layer_equals_logistic_regression_on_the_known_labels() -> None:
    probe = fit_probe(TRAIN, VALIDATION, penalties=[0.01])
    standard = (TRAIN.embeddings - probe.centre) / probe.scale
    for k in (0, 7):
        use = TRAIN.counts[:, k]
        peer = LogisticRegression(C=1 / (0.01 * use.sum()), tol=1e-10, max_iter=5000).fit(
            standard[use], TRAIN.targets[use, k]
        )
        assert np.allclose(probe.weights[:, k], peer.coef_[0], atol=2e-4)
        assert np.isclose(probe.bias[k], peer.intercept_[0], atol=2e-4)


def test_measures_equal_an_independent_computation() -> None:
    probe = fit_probe(TRAIN, VALIDATION)
    found = probe_estimates(probe, TEST, np.arange(300), unit_weights(300, redraws=20, seed=0))
    aurocs = []
    for k, name in enumerate(LABELS):
        use = TEST.counts[:, k]
        truth, odds = TEST.targets[use, k] == 1, probe.log_odds(TEST.embeddings)[use, k]
        aurocs.append(roc_auc_score(truth, odds))
        assert found[f"{name} AUROC"].value == pytest.approx(aurocs[-1])
        assert found[f"{name} accuracy"].value == pytest.approx(np.mean((odds > 0) == truth))
        assert found[f"{name} sensitivity"].value == pytest.approx(np.mean(odds[truth] > 0))
        assert found[f"{name} specificity"].value == pytest.approx(np.mean(odds[~truth] <= 0))
        assert found[f"{name} AUROC"].n == use.sum()
    assert found["macro AUROC"].value == pytest.approx(np.mean(aurocs))
    assert found["macro AUROC"].value > 0.7


def test_what_is_masked_has_no_say() -> None:
    def scrambled(part: LabelledEmbeddings) -> LabelledEmbeddings:
        return replace(part, targets=np.where(part.counts, part.targets, 1 - part.targets))

    weights = unit_weights(300, redraws=5, seed=0)
    one = fit_probe(TRAIN, VALIDATION)
    other = fit_probe(scrambled(TRAIN), scrambled(VALIDATION))
    assert np.array_equal(one.weights, other.weights)
    assert probe_estimates(one, TEST, np.arange(300), weights) == probe_estimates(
        other, scrambled(TEST), np.arange(300), weights
    )


def test_validation_chooses_the_penalty() -> None:
    train = LabelledEmbeddings(TRAIN.embeddings[:60], TRAIN.targets[:60], TRAIN.counts[:60])
    each = [fit_probe(train, VALIDATION, penalties=[penalty]) for penalty in (1.0, 0.03, 0.0003)]
    chosen = fit_probe(train, VALIDATION, penalties=[0.0003, 1.0, 0.03])
    best = max(each, key=lambda probe: probe.validation_auroc)
    assert chosen.penalty == best.penalty
    assert chosen.validation_auroc == pytest.approx(best.validation_auroc, abs=1e-3)
    assert max(p.validation_auroc for p in each) - min(p.validation_auroc for p in each) > 0.005


def test_images_of_one_patient_are_redrawn_together() -> None:
    probe = fit_probe(TRAIN, VALIDATION)
    four = [np.repeat(field, 4, axis=0) for field in (TEST.embeddings, TEST.targets, TEST.counts)]
    copies = LabelledEmbeddings(*four)
    by_patient = probe_estimates(probe, copies, np.repeat(np.arange(300), 4), unit_weights(300, redraws=200, seed=1))
    by_image = probe_estimates(probe, copies, np.arange(1200), unit_weights(1200, redraws=200, seed=1), unit="image")
    assert by_patient["macro AUROC"].sd > 1.6 * by_image["macro AUROC"].sd
    assert by_patient["macro AUROC"].units == 300
    assert by_image["macro AUROC"].unit == "image"


def test_two_embeddings_compare_in_pairs() -> None:
    weights = unit_weights(300, redraws=200, seed=2)
    rng = np.random.default_rng(0)

    def blurred(part: LabelledEmbeddings) -> LabelledEmbeddings:
        return replace(part, embeddings=part.embeddings + rng.normal(0, 1.5, part.embeddings.shape).astype(np.float32))

    before = probe_estimates(fit_probe(TRAIN, VALIDATION), TEST, np.arange(300), weights)
    after = probe_estimates(fit_probe(blurred(TRAIN), blurred(VALIDATION)), blurred(TEST), np.arange(300), weights)
    assert changes(before, after)["macro AUROC"].delta.high < 0
    assert changes(before, before)["macro AUROC"].p == 1.0


def test_findings_without_both_kinds_are_left_out_and_none_at_all_is_said() -> None:
    few = _part(400, 6, labels=2)
    probe = fit_probe(few, _part(200, 7, labels=2))
    found = probe_estimates(probe, TEST, np.arange(300), unit_weights(300, redraws=5, seed=0))
    assert probe.labels == (0, 1)
    assert len(found) == 4 + 2 * 4
    with pytest.raises(NotMeasurable):
        fit_probe(_part(50, 8, labels=0), VALIDATION)
    with pytest.raises(NotMeasurable, match="10 test patients"):
        probe_estimates(probe, _part(12, 9), np.arange(12), unit_weights(12, redraws=5, seed=0))


def test_shares_of_a_finding_have_the_wider_of_both_intervals() -> None:
    """Where everything was right, redraws are certain; with a dozen patients nobody is."""
    found = _widened(Estimate(1.0, 0.0, 1.0, 1.0, 24, 12), np.repeat(np.arange(12), 2), "sensitivity")
    assert found.low == pytest.approx(0.025 ** (1 / 12)) and found.high == 1.0
    assert _widened(Estimate(1.0, 0.0, 1.0, 1.0, 24, 12), np.arange(12), "AUROC").low == 1.0
