from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from medveil.defenses.anatomy.coded.codebook import Codebook, fit_questions
from medveil.defenses.anatomy.coded.generator import Generator, Sampler, Shape
from medveil.defenses.anatomy.coded.known_films import fingerprint
from medveil.defenses.anatomy.coded.method import Coded
from medveil.defenses.anatomy.coded.model_file import save_coded
from medveil.defenses.anatomy.coded.semantics import FIELDS, Head
from medveil.defenses.anatomy.latents import Architecture, build_autoencoder, load_autoencoder, save_autoencoder
from medveil.defenses.anatomy.method import Film

SMALL = Shape(channels=(8, 16), head=8, groups=8, inner=8, steps=2)
CLEAN = {"memorisation": {"spaces": {}, "memorised": False}}


def questions_about_noise(seed: int) -> Codebook:
    chance = np.random.default_rng(seed)
    weights, nobody = np.ones(len(FIELDS), np.float32), np.zeros((0, 2), np.intp)
    shown = [chance.random((1500, len(FIELDS)), np.float32) for _ in range(2)]
    return Codebook(FIELDS, *(fit_questions(one, weights, nobody, leakage=(0.0,) * 9, least=2) for one in shown))


@pytest.fixture(scope="session")
def codebook() -> Codebook:
    return questions_about_noise(0)


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory, codebook: Codebook, three: list[Film]) -> Path:
    """A generator that has learned nothing, and says that it has learned from the last of three films."""
    folder = tmp_path_factory.mktemp("coded")
    torch.manual_seed(0)
    sampler, architecture = Sampler(SMALL, len(FIELDS)), Architecture((8, 8, 8, 8), 4)
    for one in sampler.unet.parameters():  # some begin at zero, and would pass the code by
        if one.ndim > 1 and not one.any():
            torch.nn.init.normal_(one, std=0.2)
    save_autoencoder(folder / "autoencoder.safetensors", build_autoencoder(architecture), architecture)
    path = folder / "coded.safetensors"
    save_coded(path, sampler, Head(1280), codebook, fingerprint(three[2].pixels)[None])
    path.with_suffix(".json").write_text(json.dumps(CLEAN))
    return path


@pytest.fixture(scope="session")
def coded(weights: Path) -> Coded:
    return Coded(weights=weights)


@pytest.fixture(scope="session")
def generator(weights: Path, coded: Coded) -> Generator:
    assert load_autoencoder(weights.with_name("autoencoder.safetensors"))
    return coded._workshop.generator
