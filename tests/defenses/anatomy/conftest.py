from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.defenses.anatomy.method import Film
from medveil.encoders.identity.preparing import prepare

Luck = Callable[..., list[np.random.Generator]]


@pytest.fixture(scope="session")
def three() -> list[Film]:
    """Prepared films of three phantoms."""
    patients = [plan_patient(9, number, 3) for number in range(3)]
    return [Film(prepare(draw(one, one.visits[0], sites_seed=9, size=256).pixels)) for one in patients]


@pytest.fixture
def luck() -> Luck:
    """So many generators of a seed."""
    return lambda count=3, seed=0: [np.random.default_rng([seed, number]) for number in range(count)]
