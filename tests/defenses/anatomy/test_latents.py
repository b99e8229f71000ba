from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from medveil.defenses.anatomy.latents import (
    Architecture,
    Latents,
    build_autoencoder,
    load_autoencoder,
    save_autoencoder,
)
from medveil.errors import InputError

TINY = Architecture((8, 8, 8, 8), 4)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(1)
    autoencoder = build_autoencoder(TINY)
    autoencoder.scale.fill_(2)
    autoencoder.shift.fill_(0.5)
    path = tmp_path_factory.mktemp("latents") / "autoencoder.safetensors"
    save_autoencoder(path, autoencoder, TINY)
    return path


def test_compiled_or_not_it_is_the_same_network_whatever_the_company(path: Path) -> None:
    films = np.random.default_rng(0).integers(0, 256, (3, 256, 256)).astype(np.uint8)
    network, latents = load_autoencoder(path), Latents(load_autoencoder(path))
    encoded = latents.encode(list(films))
    expected = network.encode(torch.from_numpy(films).unsqueeze(1).float() / 255).numpy()
    assert encoded.shape == (3, 4, 32, 32) and np.allclose(encoded, expected, atol=1e-4)
    again = latents.decode(encoded)
    assert again.shape == films.shape and again.dtype == np.uint8
    assert (latents.decode(encoded[1:2])[0] == again[1]).all() and (latents.encode([films[1]])[0] == encoded[1]).all()
    off = again - (network.decode(torch.from_numpy(encoded))[:, 0].clamp(0, 1) * 255).numpy()
    assert np.abs(off).max() < 0.6
    assert latents.encode([]).shape == (0, 4, 32, 32) and latents.decode(encoded[:0]).shape == (0, 256, 256)


def test_mean_and_spread_of_the_films_are_taken_off(path: Path) -> None:
    network = load_autoencoder(path)
    gray = torch.rand(1, 1, 256, 256, generator=torch.Generator().manual_seed(0))
    mean, _ = network.kl.encode(gray * 2 - 1)
    assert torch.allclose(network.encode(gray) * 2 + 0.5, mean, atol=1e-5)


def test_another_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "autoencoder.safetensors"
    path.write_bytes(b"something else")
    with pytest.raises(InputError, match="not an autoencoder"):
        load_autoencoder(path)
