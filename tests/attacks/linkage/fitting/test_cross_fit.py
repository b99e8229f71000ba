"""Attackers fitted to the pairs at hand: they find what an encoder does not see, and learn nothing where nothing is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from medveil.attacks.linkage.fitting.classifier import FindingsOnFilms
from medveil.attacks.linkage.fitting.cross_fit import FEWEST, FINDINGS, FUSED, HEADS, cross_fitted, halves
from medveil.attacks.linkage.fitting.fusion import fusion_weights
from medveil.attacks.linkage.fitting.views import Views, views_of
from medveil.attacks.linkage.measurement import Sides
from medveil.attacks.linkage.run import run_linkage
from medveil.attacks.linkage.settings import LinkageSettings
from medveil.encoders.vectors.embedding_folder import Embeddings

FEW = LinkageSettings(redraws=100, pools=("all",))
WORDS = ("effusion", "cardiomegaly", "atelectasis", "pneumothorax", "granuloma", "scoliosis", "pacemaker", "hernia")


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def turned(n: int, share: float, *, seed: int = 0, dim: int = 16) -> Embeddings:
    """Reports lie where their images do, but in a space of their own, and only in a share of the cases."""
    rng = np.random.default_rng(seed)
    images, noise = rng.normal(size=(2, n, dim))
    turn = np.linalg.qr(rng.normal(size=(dim, dim)))[0]
    linked = (rng.permutation(n) < share * n)[:, None]
    return Embeddings(unit(images), unit(np.where(linked, images @ turn, noise)), np.arange(n), {})


def table(n: int, reports: list[str] | None = None) -> pd.DataFrame:
    """One pair a patient."""
    known = {"patient_id": [f"patient-{row}" for row in range(n)]}
    return pd.DataFrame(known if reports is None else {**known, "report": reports})


def films_and_findings(n: int, *, seed: int = 0) -> tuple[Embeddings, list[str]]:
    """Every film shows some of eight findings, along directions no encoder knows, and the report says which."""
    rng = np.random.default_rng(seed)
    shown = rng.random((n, len(WORDS))) < 0.35
    images = shown @ (2 * rng.normal(size=(len(WORDS), 24))) + rng.normal(size=(n, 24))
    said = [
        " ".join(f"There is {word}." if there else f"No {word}." for word, there in zip(WORDS, row, strict=True))
        for row in shown
    ]
    return Embeddings(unit(images), unit(rng.normal(size=(n, 24))), np.arange(n), {}), said


def test_a_link_that_the_encoder_cannot_see_is_found_in_12_percent_of_cases() -> None:
    """Seen by no setting of the encoder alone: its own share is that of luck."""
    n = 500
    result = run_linkage(table(n), {"encoder": turned(n, 0.12)}, seed=1, settings=FEW)
    alone = result.finding.estimates["Recall@1 by encoder"]
    assert alone.high < 0.03
    assert result.strongest != "encoder" and result.finding.estimate.value > 0.06
    assert result.finding.estimate.high > 0.09 and result.finding.verdict != "PASS"


def test_findings_in_the_reports_are_seen_on_the_films() -> None:
    vectors, reports = films_and_findings(300)
    result = run_linkage(table(300, reports), {"encoder": vectors}, seed=1, settings=FEW)
    found = result.finding.estimates
    assert found["Recall@1 by encoder"].value < 0.02
    assert found[f"Recall@1 by {FINDINGS}"].low > 0.05
    assert found[f"Recall@1 by {FUSED}"].value > 0.1
    assert result.finding.verdict == "FAIL"


@pytest.mark.parametrize("seed", range(3))
def test_where_there_is_no_link_none_is_learned(seed: int) -> None:
    """Nobody is attacked by somebody who has seen their pair, or all would be linked."""
    n = 240
    reports = films_and_findings(n, seed=seed + 9)[1]
    result = run_linkage(table(n, reports), {"encoder": turned(n, 0.0, seed=seed)}, seed=seed, settings=FEW)
    for name, found in result.finding.estimates.items():
        if name == "Recall@1" or name.startswith("Recall@1 by"):
            assert found.value < 0.03, name
    assert result.finding.power is not None and not result.finding.power.enough
    assert "never shown to work on such data" in result.finding.power.shown_on


def test_both_directions_are_attacked_by_those_who_have_not_seen_the_pair() -> None:
    n = 200
    vectors, reports = films_and_findings(n, seed=3)
    views = views_of([vectors.images], [vectors.reports], reports, np.arange(n))
    half = halves(views.patients, seed=5)
    assert half is not None
    plain = {"encoder": (vectors.images, vectors.reports)}
    before = cross_fitted(views, plain, half, seed=5)
    # other reports for those of the first half, and only they are attacked in another way
    shuffled = np.where(half == 0, np.random.default_rng(1).permutation(n), np.arange(n))
    assert views.findings is not None
    other = Views(views.images, views.reports[shuffled], views.findings[shuffled], views.patients)
    after = cross_fitted(other, plain, half, seed=5)

    def asking(attackers: dict[str, Sides], name: str, of: int) -> np.ndarray:
        vectors = attackers[name].images_ask[0][half == of, :-1]
        return vectors[:, vectors.any(axis=0)]

    for name in (HEADS, FINDINGS):
        assert np.array_equal(asking(before, name, 0), asking(after, name, 0))
        assert not np.array_equal(asking(before, name, 1), asking(after, name, 1))


def test_with_too_few_patients_nothing_is_fitted_and_that_is_said(embeddings_of: Any) -> None:
    n = 2 * FEWEST - 1
    finding = run_linkage(table(n), {"encoder": embeddings_of(n, 2.0)}, seed=1, settings=FEW).finding
    assert finding.power is not None and not finding.power.enough
    assert "not fitted" in finding.power.shown_on and "No attacker was fitted" in " ".join(finding.limits)
    assert not any("fitted here" in name for name in finding.estimates)


def test_below_its_own_control_is_no_power(table_of: Any, embeddings_of: Any) -> None:
    """Labels alone link many, the attack a few: that must not read as safe."""
    n = 600
    finding = run_linkage(table_of(n), {"encoder": embeddings_of(n, 0.35)}, seed=1, settings=FEW).finding
    assert finding.estimate.control is not None and finding.estimate.value < finding.estimate.control
    assert finding.power is not None and not finding.power.enough and finding.verdict != "PASS"
    assert "below its own control" in " ".join(finding.doubts)


def test_what_links_nothing_weighs_little() -> None:
    rng = np.random.default_rng(0)
    good, noise = 3 * np.eye(40) + rng.normal(size=(40, 40)), rng.normal(size=(40, 40))
    weights = fusion_weights([[good, noise], [good.T, noise.T]])
    assert weights[0] > 0.5 and weights[1] < 0.3 * weights[0] and (weights >= 0).all()


def test_a_finding_that_is_hardly_ever_stated_teaches_nothing() -> None:
    rng = np.random.default_rng(0)
    films = rng.normal(size=(50, 5)).astype(np.float32)
    rare = np.zeros((50, 2), dtype=bool)
    rare[:3] = True
    views = Views(films, films, rare, np.arange(50))
    assert FindingsOnFilms.fit(views, 10.0) is None


def test_images_that_are_all_the_same_tell_nothing_and_break_nothing() -> None:
    vectors, reports = films_and_findings(120)
    constant = Embeddings(np.repeat(vectors.images[:1], 120, axis=0), vectors.reports, vectors.rows, {})
    found = run_linkage(table(120, reports), {"encoder": constant}, seed=1, settings=FEW).finding
    assert found.estimate.low <= 1 / 120 <= found.estimate.high
    assert found.power is not None and not found.power.enough


def test_reports_without_a_common_word_are_no_obstacle() -> None:
    vectors = turned(80, 1.0)
    reports = [f"word{row}" for row in range(80)]
    views = views_of([vectors.images], [vectors.reports], reports, np.arange(80))
    assert views.reports.shape == (80, 16) and views.findings is not None and not views.findings.any()
