from __future__ import annotations

import numpy as np
import pytest

from medveil.attacks.refit.contrastive import refit_by_contrast
from medveil.attacks.refit.correlation import as_they_are, correlation_heads
from medveil.attacks.refit.pairs import SeenPairs, some_of, split_own
from medveil.attacks.refit.refitting import Target, mean_reciprocal_rank, refit, refit_attack
from medveil.attacks.refit.settings import RefitSettings
from medveil.errors import NotMeasurable, SettingsError
from medveil.stats.bootstrap import unit_weights

QUICK = RefitSettings(dim=16, epochs=10, patience=2)
ROTATION = np.linalg.qr(np.random.default_rng(9).normal(size=(24, 24)))[0]


def _pairs(n: int, seed: int, *, turned: bool = False, linked: bool = True) -> SeenPairs:
    """What image and report share is in eight directions; `turned` hides it behind a rotation of the images."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, 8))
    mixing = np.random.default_rng(0).normal(size=(8, 24))
    reports = shared @ mixing + 1.6 * rng.normal(size=(n, 24))
    images = (shared if linked else rng.normal(size=(n, 8))) @ mixing + 1.6 * rng.normal(size=(n, 24))
    if turned:
        images = images @ ROTATION
    unit = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (images, reports)]
    return SeenPairs(unit[0].astype(np.float32), unit[1].astype(np.float32), np.arange(n))


def _target(pairs: SeenPairs) -> Target:
    return Target(pairs, unit_weights(len(pairs), redraws=100, seed=0))


def test_what_was_only_hidden_is_found_again() -> None:
    points = refit_attack(
        _pairs(400, 1, turned=True), _target(_pairs(200, 2, turned=True)), sizes=(0, 400), settings=QUICK, seed=5
    )
    as_is, refitted = (point.recall["100"] for point in points)
    assert as_is.low <= as_is.chance == pytest.approx(0.01)
    assert refitted.low > 0.3
    assert points[0].means == ("as they are",)
    assert points[1].means != ("as they are",)


def test_what_is_gone_stays_gone() -> None:
    points = refit_attack(
        _pairs(400, 1, linked=False), _target(_pairs(200, 2, linked=False)), sizes=(0, 400), settings=QUICK, seed=5
    )
    for point in points:
        assert point.recall["all"].low <= 1 / 200 <= point.recall["all"].high
        assert point.recall["all"].value < 0.03


def test_more_own_pairs_link_more() -> None:
    points = refit_attack(
        _pairs(600, 3, turned=True),
        _target(_pairs(200, 4, turned=True)),
        sizes=(600, 5, 40, 10_000),
        settings=QUICK,
        seed=1,
    )
    assert [point.own for point in points] == [40, 600]  # too few or more than there are: left out
    assert points[1].recall["all"].minus(points[0].recall["all"]).low > 0


def test_an_intact_space_is_not_made_worse_by_few_pairs() -> None:
    points = refit_attack(_pairs(30, 5), _target(_pairs(200, 6)), sizes=(0, 30), settings=QUICK, seed=2)
    assert points[1].recall["100"].value > 0.8 * points[0].recall["100"].value > 0.3


def test_different_spaces_need_a_refit() -> None:
    def narrow(pairs: SeenPairs) -> SeenPairs:
        return SeenPairs(pairs.images[:, :20], pairs.reports, pairs.patients)

    own, target = narrow(_pairs(400, 7)), _target(narrow(_pairs(150, 8)))
    points = refit_attack(own, target, sizes=(0, 400), settings=QUICK, seed=3)
    assert [point.own for point in points] == [400]
    assert points[0].recall["100"].low > 0.3
    with pytest.raises(NotMeasurable):
        refit_attack(own, target, sizes=(0, 10), settings=QUICK, seed=3)
    with pytest.raises(ValueError, match="same view"):
        refit_attack(_pairs(400, 7), target, sizes=(400,), settings=QUICK, seed=3)


def test_same_seed_same_result_and_repeats_average() -> None:
    own, target = _pairs(100, 9, turned=True), _target(_pairs(120, 10, turned=True))
    twice = RefitSettings(dim=16, epochs=3, patience=2, repeats=2)
    one = refit_attack(own, target, sizes=(60,), settings=twice, seed=4)
    assert one == refit_attack(own, target, sizes=(60,), settings=twice, seed=4)
    single = RefitSettings(dim=16, epochs=3, patience=2)
    each = [refit_attack(own, target, sizes=(60,), settings=single, seed=seed)[0].recall["all"] for seed in (4, 5)]
    assert one[0].recall["all"].value == pytest.approx(np.mean([e.value for e in each]))
    assert each[0].value != each[1].value


def test_shared_variation_is_canonical_correlation() -> None:
    pairs = _pairs(800, 11, turned=True)
    heads = correlation_heads(pairs, dim=3, shrinkage=0.0)
    left, right = (np.linalg.qr(side - side.mean(axis=0))[0] for side in (pairs.images, pairs.reports))
    u, correlations, vt = np.linalg.svd(left.T @ right)  # Björck and Golub's way, by QR
    ours = (pairs.images - heads.image_centre) @ heads.image_map
    theirs = (pairs.reports - heads.report_centre) @ heads.report_map
    for k in range(3):
        assert abs(np.corrcoef(ours[:, k], left @ u[:, k])[0, 1]) > 0.999
        assert abs(np.corrcoef(theirs[:, k], right @ vt[k])[0, 1]) > 0.999
        assert np.corrcoef(ours[:, k], theirs[:, k])[0, 1] == pytest.approx(correlations[k], abs=1e-4)


def test_contrast_improves_and_keeps_the_best() -> None:
    fitted, check = _pairs(500, 12, turned=True), _pairs(200, 13, turned=True)
    start = as_they_are(fitted)

    def score(heads: object) -> float:
        return mean_reciprocal_rank(check, heads)  # type: ignore[arg-type]

    trained = refit_by_contrast(fitted, start, score=score, epochs=15, patience=15, seed=0)
    assert score(trained) > score(start) + 0.1
    assert refit_by_contrast(fitted, start, score=lambda heads: 0.0, epochs=5, patience=1, seed=0) is start


def test_the_adversary_checks_on_patients_they_did_not_fit_on() -> None:
    pairs = _pairs(300, 14)
    pairs = SeenPairs(pairs.images, pairs.reports, np.arange(300) // 3)
    fitted, check = split_own(pairs, 0.2, seed=0)
    assert not set(fitted.patients) & set(check.patients)
    assert len(check) == 60
    few, more = some_of(pairs, 30, seed=0), some_of(pairs, 90, seed=0)
    assert np.array_equal(few.images, more.images[:30])
    assert len(np.unique(few.patients)) == 10


def test_refit_reports_what_it_relied_on() -> None:
    _, means = refit(_pairs(60, 15), settings=RefitSettings(dim=8, epochs=0), seed=0)
    assert means in ("as they are", "shared variation")
    with pytest.raises(SettingsError):
        RefitSettings(own_check=1.0)


@pytest.mark.parametrize("of", ["constant", "zero", "one direction", "huge", "tiny", "few"])
def test_vectors_that_hardly_vary_are_refitted_all_the_same(of: str) -> None:
    rng = np.random.default_rng(8)
    count = 30 if of == "few" else 90
    sides = rng.normal(size=(2, count, 40))
    sides = {
        "constant": np.ones_like(sides),
        "zero": np.zeros_like(sides),
        "one direction": sides[:, :, :1] * rng.normal(size=40),
        "huge": sides * 1e37,
        "tiny": sides * 1e-40,
    }.get(of, sides)
    images, reports = sides.astype(np.float32)
    heads, _ = refit(
        SeenPairs(images, reports, np.arange(count)), settings=RefitSettings(dim=12, epochs=1, patience=1), seed=0
    )
    assert all(np.isfinite(part).all() for part in (heads.images(images), heads.reports(reports)))


def test_a_factorisation_that_does_not_converge_is_done_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = _pairs(80, 5, turned=True)
    expected = correlation_heads(pairs, dim=6, shrinkage=0.2)

    def gives_up(*_: object, **__: object) -> None:
        raise np.linalg.LinAlgError("SVD did not converge")

    monkeypatch.setattr(np.linalg, "svd", gives_up)
    monkeypatch.setattr(np.linalg, "eigh", gives_up)
    found = correlation_heads(pairs, dim=6, shrinkage=0.2)
    scores = [heads.images(pairs.images) @ heads.reports(pairs.reports).T for heads in (expected, found)]
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-5)
