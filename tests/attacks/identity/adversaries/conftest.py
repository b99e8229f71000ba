from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from medveil.attacks.identity.adversaries.effort import Effort
from medveil.attacks.identity.adversaries.films import Films
from medveil.attacks.identity.adversaries.recognisers import Recognisers
from medveil.encoders.identity.networks.model_file import Architecture, save_network
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork

TINY = Effort(4, 64, 4, 2, 4, 32, 4, 4, likeness=1.0, every=2)


@pytest.fixture(scope="session")
def recogniser_files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two small networks that have learned nothing."""
    files = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        architecture = Architecture("reidentification", "resnet-small", "gem", 16, 64)
        network = RetrievalNetwork(architecture.backbone, architecture.head, architecture.dim)
        files.append(tmp_path_factory.mktemp("networks") / f"{seed}.safetensors")
        save_network(files[-1], network, architecture)
    return files


@pytest.fixture
def recognisers(recogniser_files: list[Path]) -> Recognisers:
    return Recognisers(recogniser_files[:1], recogniser_files[1], "cpu")


@pytest.fixture
def tiny() -> Effort:
    return TINY


@pytest.fixture
def people() -> Callable[..., Films]:
    """Patients with some visits each; without noise, all films of a patient are the same."""

    def make(patients: int, visits: int, *, noise: float = 20, seed: int = 0, first: int = 0) -> Films:
        rng = np.random.default_rng(seed)
        coarse = rng.uniform(0, 255, size=(patients, 8, 8)).repeat(visits, axis=0)
        films = coarse.repeat(32, axis=1).repeat(32, axis=2)
        films = np.clip(films + noise * rng.standard_normal(films.shape), 0, 255).astype(np.uint8)
        return Films(films, films, np.arange(first, first + patients).repeat(visits))

    return make
