from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from medveil.defenses.pixels.paint.generator import Architecture, Generator, save_generator
from medveil.defenses.pixels.paint.training.images import TrainingImages

Shaded = Callable[..., NDArray[np.float32]]
TINY = Architecture(width=4, channels=1, hidden=3, dilations=(1, 2))


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    torch.set_num_threads(1)


def shaded_picture(height: int, width: int, seed: int = 0) -> NDArray[np.float32]:
    """A smooth picture with grain, 0..1."""
    rng = np.random.default_rng(seed)
    coarse = cv2.resize(rng.random((6, 7), np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    noise = 0.01 * rng.standard_normal((height, width), np.float32)
    return np.clip(0.2 + 0.6 * coarse + noise, 0, 1).astype(np.float32)


@pytest.fixture(scope="session")
def shaded() -> Shaded:
    return shaded_picture


@pytest.fixture(scope="session")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny generator with random weights: what holds for it holds by construction."""
    path = tmp_path_factory.mktemp("generator") / "tiny.safetensors"
    with torch.random.fork_rng():
        torch.manual_seed(3)
        save_generator(path, Generator(TINY))
    return path


@pytest.fixture(scope="session")
def coloured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same for images in colour."""
    path = tmp_path_factory.mktemp("generator") / "coloured.safetensors"
    with torch.random.fork_rng():
        torch.manual_seed(3)
        save_generator(path, Generator(replace(TINY, channels=3)))
    return path


@pytest.fixture(scope="session")
def pictures() -> TrainingImages:
    images = [(255 * shaded_picture(96, 96 + 8 * (n % 3), n)).astype(np.uint8) for n in range(8)]
    return TrainingImages.of(images, np.arange(8) // 2, np.arange(8) >= 6)
