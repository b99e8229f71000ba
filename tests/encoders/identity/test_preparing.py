"""What a network is given: as much detail as it looks at, and gray levels as it was trained on them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest
import torch

from medveil.attacks.identity.embedded_images import embed_images
from medveil.cohort import Cohort
from medveil.encoders.identity.embedder import load_embedder
from medveil.encoders.identity.inference import inputs
from medveil.encoders.identity.networks.model_file import Architecture, save_network
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork
from medveil.encoders.identity.preparing import SIDE, Preparation, prepare
from medveil.encoders.identity.training.images import from_cohort
from medveil.encoders.identity.training.settings import published
from medveil.encoders.identity.verifier import VerificationNetwork, load_verifier


@pytest.fixture
def film() -> np.ndarray:
    """1,024 pixels a side, without detail."""
    rng = np.random.default_rng(0)
    smooth = cv2.resize(rng.integers(60, 190, (16, 16), dtype=np.uint8), (1024, 1024), interpolation=cv2.INTER_CUBIC)
    return np.clip(smooth, 30, 220)


def detailed(film: np.ndarray) -> np.ndarray:
    """The same with detail of one pixel: neighbours differ, and every four by four of them have the same mean."""
    changed = film.astype(int)
    pattern = 12 * (-1) ** np.add.outer(np.arange(512), np.arange(512))
    changed[256:768, 256:768] += pattern
    return np.clip(changed, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("stretched", [True, False])
def test_one_pixel_of_detail_is_seen_at_1024_pixels(film: np.ndarray, stretched: bool) -> None:
    both = [film, detailed(film)]
    fine = next(inputs(both, 1024, "cpu", Preparation.of(1024, stretched=stretched)))
    assert fine.shape == (2, 1, 1024, 1024)
    inside = (fine[0] - fine[1]).abs()[0, 300:700, 300:700]
    assert inside.median() > 8 / 255  # where stretching leaves anything between black and white
    neighbours = (fine[1, 0, 300:700, 301:700] - fine[1, 0, 300:700, 300:699]).abs()
    assert neighbours.median() > 16 / 255
    coarse = next(inputs(both, SIDE, "cpu"))
    assert (coarse[0] - coarse[1]).abs().max() <= 3 / 255, "the detail is one that 256 pixels cannot show"


def test_training_and_the_attack_look_as_closely(film: np.ndarray, tmp_path: Path) -> None:
    for number, picture in enumerate((film, detailed(film))):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture)
    table = pd.DataFrame(
        {
            "image_id": ["a", "b"],
            "patient_id": ["a", "b"],
            "study_id": ["a", "b"],
            "path": ["0.png", "1.png"],
            "view": "PA",
            "split": ["train", "val"],
        }
    )
    cohort = Cohort.of(table, tmp_path)
    images = from_cohort(cohort, published("reidentification").preparation)
    assert images.side == 1024
    assert np.array_equal(images.pixels[np.array([0, 1])], [film, detailed(film)])


def test_the_attack_prepares_for_the_network_it_was_given(hospital: Cohort, tmp_path: Path) -> None:
    """A network of the published kind gets what is stored at its own size, from the first reading on."""
    network = RetrievalNetwork("resnet-small", "gem", 8)
    path = tmp_path / "model.safetensors"
    save_network(path, network, Architecture("reidentification", "resnet-small", "gem", 8, 320, stretched=False))
    embedder = load_embedder(path)
    assert embedder.preparation == Preparation(320, stretched=False)
    few = hospital.where(np.arange(len(hospital)) < 3)
    seen = embed_images(few, embedder)
    straight = embedder.embed(few.image(int(row)) for row in seen.rows)
    assert np.allclose(seen.vectors, straight, atol=1e-5)
    again = load_embedder(path, size=128)
    assert (again.size, again.preparation.side) == (128, 128)
    assert again.name != embedder.name, "vectors kept of one size must not serve another"
    assert not np.allclose(again.embed([few.image(0)]), straight[:1], atol=1e-3)


def test_a_verifier_keeps_its_gray_levels(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    architecture = Architecture("verification", "resnet-small", "global", 8, 64, stretched=False)
    save_network(path, VerificationNetwork("resnet-small", "global", 8), architecture)
    assert load_verifier(path).preparation == Preparation(64, stretched=False)


def test_stored_levels_stay_and_deeper_ones_keep_their_order(film: np.ndarray) -> None:
    stored = Preparation(1024, stretched=False)
    dim = film // 2
    assert np.array_equal(stored(dim), dim)
    assert prepare(dim).max() == 255
    deep = stored(dim.astype(np.uint16) * 16)
    assert deep.dtype == np.uint8
    order = np.argsort(dim[::64, ::64].ravel(), kind="stable")
    assert (np.diff(deep[::64, ::64].ravel()[order].astype(int)) >= 0).all()


@pytest.mark.real_data
def test_nih_films_are_seen_at_1024_pixels(real_data: Path) -> None:
    """Two films that agree at 256 pixels and differ in what only 1,024 show."""
    file = sorted((real_data / "nih14_1024").rglob("*.[jp][pn]g"))[0]
    real = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)
    assert real.shape == (1024, 1024)
    blurred = cv2.resize(cv2.resize(real, (256, 256), interpolation=cv2.INTER_AREA), (1024, 1024))
    fine = next(inputs([real, np.asarray(blurred)], 1024, "cpu", Preparation.of(1024, stretched=False)))
    assert not torch.equal(fine[0], fine[1])
    assert (fine[0] - fine[1]).abs().mean() > 0.5 / 255
