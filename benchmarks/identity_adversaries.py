"""What simple means of hiding anatomy leave to attackers who learn, and how long the attackers take.

    python -m recipes.identity_adversaries.recipe prepare --data DATA --out FILMS
    python benchmarks/identity_adversaries.py --films FILMS/nih.npz --device cuda --effort full
    python benchmarks/identity_adversaries.py --films FILMS/nih.npz --patients 150 --attackers frozen retrained

Patients of 'train' teach, patients of 'val' are attacked. Strengths are in pixels of films 192 pixels wide (blur),
pixels left (grid), and shares of the range (noise). DATA holds the folder nih14.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from medveil.attacks.identity.adversaries.attackers import ATTACKERS, attack
from medveil.attacks.identity.adversaries.films import Films
from medveil.attacks.identity.adversaries.recognisers import load_recognisers
from recipes.films import unpacked

MEANS = ("nothing", "blur-4", "blur-8", "grid-24", "grid-12", "noise-0.5", "noise-1.5")
SEED = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--films", type=Path, required=True)
    parser.add_argument("--means", nargs="+", default=MEANS)
    parser.add_argument("--attackers", nargs="+", default=ATTACKERS, choices=ATTACKERS)
    parser.add_argument("--patients", type=int, help="who teach; all by default")
    parser.add_argument("--effort", default="small")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--other", type=Path, help="another architecture than the bundled one")
    chosen = parser.parse_args()
    fit, target = read(chosen.films, chosen.patients)
    known = load_recognisers(device=chosen.device, other=chosen.other)
    print(f"taught by {len(fit[1]):,} films of {len(np.unique(fit[1])):,} patients, effort {chosen.effort}")
    print(f"| | {' | '.join(f'{name} dd / do' for name in chosen.attackers)} | strongest upper end | seconds |")
    for means in chosen.means:
        ours, theirs = (Films(films, hidden(films, means), who) for films, who in (fit, target))
        began = time.perf_counter()
        done = attack(
            ours,
            theirs,
            effort=chosen.effort,
            device=chosen.device,
            recognisers=known,
            attackers=chosen.attackers,
        )
        took = time.perf_counter() - began
        found = {key: done.estimate(*key).value for key in done.hits}
        cells = [f"{found[name, 'dd']:.3f} / {found[name, 'do']:.3f}" for name in done.attackers]
        strongest = done.strongest()
        end = f"{strongest.estimate.high:.3f} ({strongest.attacker}, {strongest.mode})"
        print(f"| {means} | {' | '.join(cells)} | {end} | {took:.0f} |", flush=True)
    print(f"chance {done.estimate('frozen', 'dd').chance:.4f}, {strongest.estimate.n} queries")


def read(file: Path, most: int | None) -> tuple[tuple[NDArray[np.uint8], NDArray[np.int64]], ...]:
    """Films and patients of 'train', at most so many, and of 'val'."""
    stored = np.load(file)
    films = unpacked(stored["bytes"], stored["ends"])
    who = np.unique(stored["patients"], return_inverse=True)[1].astype(np.int64)
    taught = stored["split"] == "train"
    if most is not None:
        drawn = np.random.default_rng(SEED).permutation(np.unique(who[taught]))[:most]
        taught &= np.isin(who, drawn)
    return tuple((films[rows], who[rows]) for rows in (taught, stored["split"] == "val"))


def hidden(films: NDArray[np.uint8], means: str) -> NDArray[np.uint8]:
    kind, _, strength = means.partition("-")
    if kind == "nothing":
        return films
    generator = torch.Generator().manual_seed(SEED)
    parts = [_hidden(part[:, None].float() / 255, kind, float(strength), generator) for part in _split(films)]
    return np.concatenate([(part.clamp(0, 1) * 255).round().byte()[:, 0].numpy() for part in parts])


def _split(films: NDArray[np.uint8]) -> tuple[Tensor, ...]:
    return torch.split(torch.from_numpy(films), 64)


def _hidden(gray: Tensor, kind: str, strength: float, generator: torch.Generator) -> Tensor:
    side = gray.shape[-1]
    if kind == "blur":
        sigma = strength * side / 192
        reach = int(4 * sigma)
        weights = torch.exp(-(torch.arange(-reach, reach + 1) ** 2) / (2 * sigma**2))
        weights = weights / weights.sum()
        padded = functional.pad(gray, (reach,) * 4, mode="reflect")
        return functional.conv2d(functional.conv2d(padded, weights.view(1, 1, 1, -1)), weights.view(1, 1, -1, 1))
    if kind == "grid":
        small = functional.interpolate(gray, size=(int(strength),) * 2, mode="area")
        return functional.interpolate(small, size=(side, side), mode="bilinear", align_corners=False)
    if kind == "noise":
        return gray + strength * torch.randn(gray.shape, generator=generator)
    raise SystemExit(f"there is no means called {kind}; choose from {', '.join(MEANS)}")


if __name__ == "__main__":
    main()
