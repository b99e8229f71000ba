"""Films that have a given gradient, found by search from noise.

The attacker knows the weights, the labels, the reports and how many films there were: all but the films themselves,
which is more than a real one knows. *By distance* is the first such attack (Zhu et al., 2019), with L-BFGS on the
squared distance between gradients; *by direction* the stronger one (Geiping et al., 2020), on their angle, by signed
steps, with a liking for smooth films. Of several starts the one whose gradient fits best is kept; the films themselves
have no say. Several updates are searched for side by side: the first dimension of everything is theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

import torch
from torch import Tensor

from medveil.errors import SettingsError

# of films (updates × n × 1 × side × side, 0..1), one gradient an update, through which one can differentiate again
Gradients = Callable[[Tensor], Sequence[Tensor]]
Progress = Callable[[int, int], None]  # gradients taken, of how many
Way = Literal["distance", "direction"]
WAYS: tuple[Way, ...] = ("distance", "direction")


@dataclass(frozen=True)
class Search:
    """How hard the attacker tries."""

    way: Way = "direction"
    steps: int = 1200
    starts: int = 2
    rate: float = 0.05
    smooth: float = 0.03  # how much a rough film costs

    def __post_init__(self) -> None:
        if self.way not in WAYS or self.steps < 1 or self.starts < 1:
            raise SettingsError("a search goes by distance or direction, with at least one step and one start")


@dataclass(frozen=True)
class Reconstruction:
    films: Tensor  # updates × n × side × side, 0..1
    mismatch: Tensor  # of the gradients, an update; what the attacker chooses by


def reconstruct(
    gradients: Gradients,
    observed: Sequence[Tensor],
    shape: tuple[int, int],
    search: Search,
    *,
    seed: int,
    progress: Progress | None = None,
) -> Reconstruction:
    """So many films of so many pixels a side, as (n, side), for each of the observed gradients."""
    updates, device = len(observed[0]), observed[0].device
    generator = torch.Generator().manual_seed(seed)
    best: Reconstruction | None = None
    for start in range(search.starts):
        noise = torch.rand((updates, shape[0], 1, shape[1], shape[1]), generator=generator)
        walk = _by_distance if search.way == "distance" else _by_direction
        found = walk(_watched(gradients, search, start, progress), observed, (0.4 + 0.2 * noise).to(device), search)
        best = found if best is None else _better(best, found)
    assert best is not None
    return best


def _watched(gradients: Gradients, search: Search, start: int, progress: Progress | None) -> Gradients:
    """Tells how far the search has come; one by distance may be done sooner."""
    if progress is None:
        return gradients
    told, counted, most = progress, count(start * search.steps + 1), (start + 1) * search.steps

    def of(films: Tensor) -> Sequence[Tensor]:
        told(min(next(counted), most), search.starts * search.steps)
        return gradients(films)

    return of


def _better(one: Reconstruction, other: Reconstruction) -> Reconstruction:
    nearer = other.mismatch < one.mismatch
    films = torch.where(nearer.view(-1, 1, 1, 1), other.films, one.films)
    return Reconstruction(films, torch.minimum(one.mismatch, other.mismatch))


def _by_direction(gradients: Gradients, observed: Sequence[Tensor], films: Tensor, search: Search) -> Reconstruction:
    films = films.requires_grad_()
    optimiser = torch.optim.Adam([films], lr=search.rate)
    falling = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, search.steps, eta_min=search.rate / 100)
    for _ in range(search.steps):
        cost = (_angle(gradients(films), observed) + search.smooth * _roughness(films)).sum()
        (slope,) = torch.autograd.grad(cost, films)
        films.grad = slope.nan_to_num(0.0).sign()
        optimiser.step()
        falling.step()
        with torch.no_grad():
            films.clamp_(0, 1)
    return _told(films, _angle(gradients(films), observed))


def _by_distance(gradients: Gradients, observed: Sequence[Tensor], films: Tensor, search: Search) -> Reconstruction:
    """All updates together: they share the length of a step, and nothing else."""
    films = films.requires_grad_()
    scale = 1 / _sums([one.square() for one in observed]).clamp(min=1e-30)
    optimiser = torch.optim.LBFGS(
        [films], lr=1.0, max_iter=min(20, search.steps), history_size=50, line_search_fn="strong_wolfe"
    )

    def distance() -> Tensor:
        cost = (_squares(gradients(films), observed) * scale).sum()
        films.grad = torch.autograd.grad(cost, films)[0].nan_to_num(0.0).contiguous()
        return cost.detach()

    for _ in range(max(1, search.steps // 20)):
        before = films.detach().clone()
        cost = optimiser.step(distance)  # type: ignore[no-untyped-call]
        if not torch.isfinite(films).all():
            with torch.no_grad():
                films.copy_(before)
            break
        if torch.equal(before, films) or float(cost) < 1e-12:
            break
    return _told(films, _squares(gradients(films), observed) * scale)


def _sums(parts: Sequence[Tensor]) -> Tensor:
    """Over all numbers of each update."""
    return torch.stack([one.flatten(1).sum(1) for one in parts]).sum(0)


def _angle(ours: Sequence[Tensor], observed: Sequence[Tensor]) -> Tensor:
    product = _sums([one * other for one, other in zip(ours, observed, strict=True)])
    own, given = (_sums([one.square() for one in each]).sqrt() for each in (ours, observed))
    return 1 - product / (own * given).clamp(min=1e-30)


def _squares(ours: Sequence[Tensor], observed: Sequence[Tensor]) -> Tensor:
    return _sums([(one - other).square() for one, other in zip(ours, observed, strict=True)])


def _roughness(films: Tensor) -> Tensor:
    """The total variation of each update's films, a pixel."""
    down, across = films[..., 1:, :] - films[..., :-1, :], films[..., 1:] - films[..., :-1]
    return down.abs().flatten(1).mean(1) + across.abs().flatten(1).mean(1)


def _told(films: Tensor, mismatch: Tensor) -> Reconstruction:
    return Reconstruction(films.detach()[:, :, 0].clamp(0, 1).cpu(), mismatch.detach().cpu())
