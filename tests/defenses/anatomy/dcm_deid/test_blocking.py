from __future__ import annotations

import torch

from medveil.defenses.anatomy.dcm_deid.blocking import blocked, visible
from medveil.defenses.anatomy.dcm_deid.recogniser import likeness


def test_likeness_is_the_cosine_with_the_mean_by_hand() -> None:
    local = torch.zeros(1, 2, 2, 2)
    local[0, :, 0, 0] = torch.tensor([1.0, 0.0])
    local[0, :, 0, 1] = torch.tensor([1.0, 1.0])
    local[0, :, 1, 0] = torch.tensor([2.0, 0.0])
    local[0, :, 1, 1] = torch.tensor([0.0, 3.0])  # the mean is (1, 1)
    half = 0.5**0.5
    assert torch.allclose(likeness(local)[0], torch.tensor([[half, 1.0], [half, half]]), atol=1e-6)


def test_the_printed_sign_keeps_what_is_most_like_the_identity_and_the_other_what_is_least() -> None:
    alike = torch.arange(100.0).view(1, 10, 10)
    share = torch.tensor([0.7])
    printed, other = visible(alike, share), visible(alike, share, "least-like")
    assert printed.flatten().nonzero().flatten().tolist() == list(range(70, 100))
    assert other.flatten().nonzero().flatten().tolist() == list(range(30))


def test_every_film_has_its_own_quantile_as_torch_counts_it() -> None:
    chance = torch.Generator().manual_seed(0)
    alike = torch.rand(4, 16, 16, generator=chance)
    share = torch.tensor([0.2, 0.4, 0.7, 0.95])
    shown = visible(alike, share)
    for film, quantile, seen in zip(alike, share, shown, strict=True):
        assert torch.equal(seen, film > torch.quantile(film.flatten(), quantile))
        assert abs(float(seen.float().mean()) - (1 - float(quantile))) < 0.01


def test_blocked_pixels_are_black_in_whole_patches() -> None:
    shown = torch.zeros(1, 16, 16, dtype=torch.bool)
    shown[0, 2, 3] = True
    film = torch.full((1, 1, 256, 256), 0.5)
    left = blocked(film, shown)[0, 0]
    assert (left[32:48, 48:64] == 0.5).all() and left.sum() == 0.5 * 16 * 16
