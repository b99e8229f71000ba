from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from medveil.attacks.refit.attack import Refit, RefitAttackSettings
from medveil.attacks.refit.cross_fit import link_after_refit
from medveil.cohort import Cohort
from medveil.encoders.vectors.embedding_folder import Embeddings
from medveil.errors import NotMeasurable
from medveil.parts import choose, registered
from medveil.testing import check_attack

QUICK = RefitAttackSettings(dim=16, epochs=5, patience=2)


def test_it_runs_only_where_it_is_asked_for() -> None:
    assert registered("attacks")["refit"] is Refit
    assert "refit" not in [choice.name for choice in choose("attacks")]


def test_the_attack_conforms(hospital: Cohort) -> None:
    finding = check_attack(Refit(QUICK), hospital)
    assert finding.estimate.unit == "patient"


def test_a_link_behind_a_rotation_is_learned_from_other_patients(hospital: Cohort) -> None:
    """The control, which compares vectors as they are, finds nothing."""
    rng = np.random.default_rng(3)
    images = rng.standard_normal((len(hospital), 12)).astype(np.float32)
    turn = np.linalg.qr(rng.standard_normal((12, 12)))[0].astype(np.float32)
    hidden = Embeddings(images, images @ turn, np.arange(len(hospital)), {})
    found = link_after_refit("refit", hospital, hidden, QUICK, seed=1).estimate
    assert found.control is not None and found.chance is not None
    assert found.low > 0.5 > 0.2 > found.control
    gone = replace(hidden, reports=rng.standard_normal(images.shape).astype(np.float32))
    nothing = link_after_refit("refit", hospital, gone, QUICK, seed=1).estimate
    assert nothing.low <= nothing.chance <= nothing.high  # type: ignore[operator]


def test_too_few_pairs_are_refused_before_anything_is_encoded(hospital: Cohort) -> None:
    few = hospital.where(np.arange(len(hospital)) < 40)
    with pytest.raises(NotMeasurable, match="at least 60"):
        Refit().run(few, few, seed=1)
