from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from medveil.attacks.refit.settings import RefitSettings
from medveil.defenses.alignment.heads import Heads, heads_from_projections
from medveil.release.protect.measurement import MeasurementSettings
from medveil.release.protect.paired_features import PairedFeatures, ProtectionData

_RNG = np.random.default_rng(77)
IMAGE_MIXING, REPORT_MIXING = _RNG.normal(size=(12, 40)), _RNG.normal(size=(12, 30))


def made_pairs(patients: int, seed: int, *, noise: float = 1.0) -> PairedFeatures:
    """Two pairs a patient; image and report share twelve numbers, and the first six decide on findings."""
    rng = np.random.default_rng(seed)
    n = 2 * patients
    shared = rng.normal(size=(n, 12))
    images = shared @ IMAGE_MIXING + noise * rng.normal(size=(n, 40))
    reports = shared @ REPORT_MIXING + noise * rng.normal(size=(n, 30))
    targets = np.zeros((n, 14), np.float32)
    targets[:, :6] = shared[:, :6] + 0.5 * rng.normal(size=(n, 6)) > 0.8
    codes = np.arange(n)
    return PairedFeatures(
        images.astype(np.float32), reports.astype(np.float32), codes // 2, codes, targets, np.ones((n, 14), bool)
    )


@pytest.fixture(scope="session")
def data() -> ProtectionData:
    return ProtectionData(
        train=made_pairs(200, 1),
        validation=made_pairs(80, 2),
        test=made_pairs(90, 3),
        own=made_pairs(100, 4),
        public=made_pairs(150, 5),
        elsewhere={"another hospital": made_pairs(70, 6, noise=2.0)},
    )


@pytest.fixture(scope="session")
def unlinked(data: ProtectionData) -> ProtectionData:
    """The same, with reports that are others': nobody can link them."""

    def mixed(part: PairedFeatures) -> PairedFeatures:
        return replace(part, reports=np.roll(part.reports, 7, axis=0))

    return ProtectionData(
        mixed(data.train), mixed(data.validation), mixed(data.test), own=mixed(made_pairs(100, 4)), public=data.public
    )


@pytest.fixture(scope="session")
def start() -> Heads:
    """Heads that know what is shared."""
    maps = (torch.from_numpy(np.linalg.pinv(mixing).T.astype(np.float32)) for mixing in (IMAGE_MIXING, REPORT_MIXING))
    return heads_from_projections(*maps)


@pytest.fixture(scope="session")
def quick() -> MeasurementSettings:
    return MeasurementSettings(
        redraws=60, seed=3, own=(0, 40, 200), refit=RefitSettings(dim=12, epochs=2, patience=1, shrinkages=(0.1,))
    )


@pytest.fixture(scope="session")
def light(quick: MeasurementSettings) -> MeasurementSettings:
    """Where only what is promised matters."""
    return replace(quick, own=(20,), redraws=20)
