from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from medveil.defenses.alignment.accounting import noise_for
from medveil.defenses.alignment.heads import HeadShape, random_heads
from medveil.defenses.alignment.settings import Settings, Variant
from medveil.defenses.alignment.training import train_heads
from medveil.release.protect import worst_case_audit as worst_cases
from medveil.release.protect.canaries import canary_scores, make_canaries
from medveil.release.protect.paired_features import ProtectionData
from medveil.release.protect.worst_case_audit import worst_case_audit
from medveil.stats.privacy_audit import audit_one_run


def test_canaries_look_like_features_and_follow_fair_coins(data: ProtectionData) -> None:
    canaries = make_canaries(data, 600, seed=0)
    assert canaries.images.shape == (600, 40)
    assert canaries.reports.shape == (600, 30)
    assert 250 < canaries.included.sum() < 350
    real, made = (np.linalg.norm(rows, axis=1).mean() for rows in (data.public.images, canaries.images))
    assert made == pytest.approx(real, rel=0.01)
    again, other = make_canaries(data, 600, seed=0), make_canaries(data, 600, seed=1)
    assert np.array_equal(canaries.images, again.images) and np.array_equal(canaries.included, again.included)
    assert not np.array_equal(canaries.included, other.included)


def test_canaries_tell_nothing_of_the_people_to_protect(data: ProtectionData) -> None:
    """Made to the measure of the data, every canary would change with one person more, outside the books."""
    longer = replace(data.train, images=data.train.images * 5, reports=data.train.reports * 5)
    for public in (data.public, None):
        ours, theirs = (
            make_canaries(replace(data, train=train, public=public), 40, seed=0) for train in (data.train, longer)
        )
        assert np.array_equal(ours.images, theirs.images) and np.array_equal(ours.reports, theirs.reports)


def test_only_included_canaries_are_planted_each_as_a_patient(data: ProtectionData) -> None:
    canaries = make_canaries(data, 50, seed=0)
    images, reports, patients = canaries.planted(data.train)
    count = int(canaries.included.sum())
    assert len(images) == len(reports) == len(patients) == len(data.train) + count
    assert np.array_equal(images[len(data.train) :], canaries.images[canaries.included])
    assert len(np.unique(patients)) == data.train.units + count


def test_training_without_noise_gives_canaries_away_and_private_training_does_not(data, tmp_path) -> None:
    """The audit proves a leak where there is one, and never more than was promised where there is a guarantee."""
    start = random_heads(HeadShape(40, 24), HeadShape(30, 24), seed=0)
    canaries = make_canaries(data, 300, seed=2)
    images, reports, patients = canaries.planted(data.train)
    public = (data.public.images, data.public.reports)
    lower = {}
    for variant, epochs in (("plain", 40), ("dp", 5)):
        settings = Settings(epsilon=0.3, epochs=epochs, batch=24, negatives=32, seed=5)
        heads = train_heads(
            images, reports, patients=patients, start=start, out=tmp_path / variant, variant=variant,
            settings=settings, public=public,
        ).heads  # fmt: skip
        audit = audit_one_run(canary_scores(start, heads, canaries), canaries.included, delta=settings.delta)
        lower[variant] = audit.lower
    assert lower["plain"] > 1.0
    assert lower["dp"] < 0.3


def test_the_worst_data_refutes_a_nominal_claim_and_not_a_sound_one() -> None:
    settings = Settings(epsilon=1.0, negatives=16)
    nominal = worst_case_audit("dp-nominal", settings, trials=80, seed=0)
    assert nominal.refutes(1.0)
    for variant in ("dp", "dp-groups"):
        assert not worst_case_audit(variant, settings, trials=300, seed=0).refutes(1.0)


@pytest.mark.parametrize("variant", ["dp", "dp-groups"])
def test_the_worst_data_are_the_worst_for_the_loss_that_is_audited(variant: Variant) -> None:
    """At a large epsilon a sound mechanism too gives much away: an auditor who looks elsewhere sees nothing of it."""
    audit = worst_case_audit(variant, Settings(epsilon=8.0), trials=400, seed=0)
    assert 1.0 < audit.lower < 8.0


@pytest.mark.parametrize("variant", ["dp", "dp-groups"])
def test_too_little_noise_is_found_out_on_the_worst_data(variant: Variant, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program whose noise is ten times too small, beside a claim that stays as it is."""
    monkeypatch.setattr(worst_cases, "noise_for", lambda *given: noise_for(*given) / 10)
    assert worst_case_audit(variant, Settings(epsilon=1.0), trials=400, seed=0).refutes(1.0)
