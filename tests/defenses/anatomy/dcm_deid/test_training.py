from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from medveil.defenses.anatomy.dcm_deid import recogniser_training, training
from medveil.defenses.anatomy.dcm_deid.foundation import Foundation
from medveil.defenses.anatomy.dcm_deid.model_file import load_networks
from medveil.defenses.anatomy.dcm_deid.recogniser import Recogniser, RecogniserPlan, load_recogniser
from medveil.defenses.anatomy.dcm_deid.recogniser_training import hardest_triplets, train_recogniser
from medveil.defenses.anatomy.dcm_deid.synthesis import SynthesisPlan
from medveil.defenses.anatomy.dcm_deid.training import Lessons, TrainingSettings, train_networks
from medveil.defenses.anatomy.latents import load_autoencoder
from medveil.defenses.anatomy.method import Film
from medveil.defenses.anatomy.training_films import TrainingFilms

TINY = RecogniserPlan(width=16, layers=1, heads=2, inner=16)


def films(three: list[Film]) -> TrainingFilms:
    return TrainingFilms(np.stack([film.pixels for film in three]), np.array([0, 1, 1]), device="cpu", seed=0)


def test_the_hardest_triplets_by_hand() -> None:
    unit = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.6, 0.8]])
    who = torch.tensor([0, 0, 1, 1])
    own = [2**0.5, 2**0.5, (1.6**2 + 0.8**2) ** 0.5, (1.6**2 + 0.8**2) ** 0.5]
    other = [(0.4**2 + 0.8**2) ** 0.5, (0.6**2 + 0.2**2) ** 0.5, 2**0.5, (0.6**2 + 0.2**2) ** 0.5]
    wanted = np.mean([max(a - b + 0.3, 0) for a, b in zip(own, other, strict=True)])
    assert abs(float(hardest_triplets(unit, who)) - wanted) < 1e-4


def test_a_step_of_each_training_makes_files_to_load(
    three: list[Film], trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recogniser_training, "PATIENTS", 2)
    monkeypatch.setattr(training, "PATIENTS", 1)
    monkeypatch.setattr(
        training, "SynthesisPlan", lambda features: SynthesisPlan(features, (16, 16, 32), groups=8, head=16, fused=32)
    )
    how = {"device": "cpu", "seconds": 0.01}
    told = train_recogniser(films(three), tmp_path / "vit.safetensors", plan=TINY, **how)  # type: ignore[arg-type]
    assert told["step"] == 1
    recogniser = load_recogniser(tmp_path / "vit.safetensors")
    told = train_networks(
        films(three),
        tmp_path / "all.safetensors",
        recogniser=recogniser,
        foundation=Foundation(),
        autoencoder=load_autoencoder(trained / "autoencoder.safetensors"),
        settings=TrainingSettings(),
        **how,  # type: ignore[arg-type]
    )
    assert told["bits"] > told["identity bits"] * 0.5 > 0 and 0 < told["mask"] < 1
    networks = load_networks(tmp_path / "all.safetensors")
    assert networks.recogniser.plan == TINY and networks.codes.spread.min() > 0 and networks.codes.mean.abs().sum() > 0


@pytest.mark.parametrize(
    ("settings", "whole", "counted"),
    [
        (TrainingSettings(), True, True),
        (TrainingSettings(beta=0.0), True, False),
        (TrainingSettings(discrete=False), False, False),
    ],
    ids=["as published", "without codelength", "without code space"],
)
def test_the_ablations_that_need_a_training_of_their_own(
    three: list[Film],
    trained: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: TrainingSettings,
    whole: bool,
    counted: bool,
) -> None:
    monkeypatch.setattr(
        training, "SynthesisPlan", lambda features: SynthesisPlan(features, (16, 16, 32), groups=8, head=16, fused=32)
    )
    torch.manual_seed(0)
    autoencoder = load_autoencoder(trained / "autoencoder.safetensors")
    lessons = Lessons(films(three), Recogniser(TINY), Foundation(), autoencoder, settings, "cpu")
    codes, features = lessons.network.codes, torch.randn(2, Foundation().channels, 8, 8)
    made = codes.code(features).codes
    assert bool((made == made.round()).all()) is whole
    lessons._code_losses(features, torch.nn.functional.normalize(torch.randn(2, TINY.width), dim=1))[1].backward()
    taught = sum(float(weight.grad.abs().sum()) for weight in codes.mixture.parameters() if weight.grad is not None)
    assert (taught > 0) is counted  # only what counts bits teaches the model of them
