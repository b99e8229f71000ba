from __future__ import annotations

import numpy as np
import pytest

from medveil.defenses.alignment.heads import HeadShape, random_heads
from medveil.defenses.alignment.settings import Settings
from medveil.defenses.alignment.training import train_heads
from medveil.release.protect.canaries import canary_scores, make_canaries
from medveil.release.protect.paired_features import ProtectionData
from medveil.release.protect.worst_case_audit import worst_case_audit
from medveil.stats.privacy_audit import audit_one_run


def test_canaries_look_like_features_and_follow_fair_coins(data: ProtectionData) -> None:
    canaries = make_canaries(data.train, 600, seed=0)
    assert canaries.images.shape == (600, 40)
    assert canaries.reports.shape == (600, 30)
    assert 250 < canaries.included.sum() < 350
    real, made = (np.linalg.norm(rows, axis=1).mean() for rows in (data.train.images, canaries.images))
    assert made == pytest.approx(real, rel=0.01)
    again, other = make_canaries(data.train, 600, seed=0), make_canaries(data.train, 600, seed=1)
    assert np.array_equal(canaries.images, again.images) and np.array_equal(canaries.included, again.included)
    assert not np.array_equal(canaries.included, other.included)


def test_only_included_canaries_are_planted_each_as_a_patient(data: ProtectionData) -> None:
    canaries = make_canaries(data.train, 50, seed=0)
    images, reports, patients = canaries.planted(data.train)
    count = int(canaries.included.sum())
    assert len(images) == len(reports) == len(patients) == len(data.train) + count
    assert np.array_equal(images[len(data.train) :], canaries.images[canaries.included])
    assert len(np.unique(patients)) == data.train.units + count


def test_training_without_noise_gives_canaries_away_and_private_training_does_not(data, tmp_path) -> None:
    """The audit proves a leak where there is one, and never more than was promised where there is a guarantee."""
    start = random_heads(HeadShape(40, 24), HeadShape(30, 24), seed=0)
    canaries = make_canaries(data.train, 300, seed=2)
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
    assert not worst_case_audit("dp", settings, trials=20, seed=0).refutes(1.0)
