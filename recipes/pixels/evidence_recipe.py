"""The network that weighs proposed lines, from proposals to weights.

    python -m recipes.pixels.evidence_proposals --data DATA --fonts FONTS --out PROPOSALS.npz --seconds 1200
    python -m recipes.pixels.evidence_recipe --proposals PROPOSALS.npz --out RUN --seconds 85

Real films bear type of their own, which counts as none in the proposals. So a first network is trained without those
that can be read or stand at the border; what it takes for type, at the border or legible, is left out when the second
is trained, on all the rest. The second is kept: RUN/text-evidence.safetensors. Training stops when the seconds are
over; nothing is picked by score. Proposals of the patients kept out are only scored.
"""

from __future__ import annotations

import argparse
import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.pixels.decide.evidence import FARTHEST
from medveil.defenses.pixels.decide.evidence_network import STRIP, EvidenceNetwork
from medveil.defenses.pixels.find.networks import fused
from medveil.errors import InputError
from medveil.stats.verification import ScoredPairs
from medveil.training.device import autocast, placed
from medveil.training.loop import run
from medveil.training.timed import TimedTraining
from recipes.films import unpacked
from recipes.pixels.evidence_proposals import READ, STEPS

FIRST = 0.4  # share of the time that the first network gets
BATCH, SMALL_BATCH = 512, 64  # half of it type; the small one without an accelerator
SCORED = 1024  # proposals at a time
RATE = 2e-3
DECAY = 6e-2
SOFT = 0.02  # of certainty that no label has
LEGIBLE, SURELY_LEGIBLE = 0.3, 0.5  # certainty of each of two letters or more
RIM, WIDER_RIM = 0.2, 0.25  # of the shorter side
LETTERS, CERTAINTY, MIRRORED, PLACE = 0, 1, READ // 2, READ + 3  # which number is which
TWO = 0.15  # of ten letters: more than one


@dataclass(frozen=True)
class Proposals:
    """What `evidence_proposals` has stored, on the device."""

    strips: Tensor  # n x rows x columns, in steps of a deviation
    arounds: Tensor
    widths: Tensor
    numbers: Tensor
    is_type: Tensor
    drawn: Tensor
    held_out: Tensor

    @classmethod
    def load(cls, file: Path, device: str) -> Proposals:
        kept = np.load(file)
        arrays = (
            unpacked(kept["strips"], kept["strip_ends"]),
            unpacked(kept["arounds"], kept["around_ends"]),
            *(kept[name] for name in ("widths", "numbers", "is_type", "drawn", "held_out")),
        )
        return cls(*(torch.from_numpy(array).to(device) for array in arrays))

    @property
    def legible(self) -> Tensor:
        """How sure the reader is of two letters or more, either way."""
        both = [self.numbers[:, start : start + READ // 2] for start in (0, MIRRORED)]
        return torch.stack([(one[:, LETTERS] > TWO) * one[:, CERTAINTY] for one in both]).amax(0)

    @property
    def rim(self) -> Tensor:
        return self.numbers[:, PLACE] / 2

    def rows(self, which: Tensor, *, vary: bool) -> Tensor:
        """Evidence as the network takes it, each time another if it is to be varied."""
        strip, around = (part[which].float() / STEPS - FARTHEST for part in (self.strips, self.arounds))
        width, numbers = self.widths[which], self.numbers[which]
        columns = torch.arange(STRIP[1], device=strip.device)
        valid = (columns < width[:, None]).float()[:, None].expand_as(strip)
        if vary:
            strip, around = _varied(strip, around, width, valid)
            numbers = _hidden(numbers)
        return torch.cat([(strip * valid).flatten(1), valid.flatten(1), around.flatten(1), numbers], dim=1)


def _varied(strip: Tensor, around: Tensor, width: Tensor, valid: Tensor) -> tuple[Tensor, Tensor]:
    """Cut out a little differently, mirrored, upside down, inverted, noisy, blurred; as strong as before."""
    mirrored, upside_down = _sometimes(strip, 0.5), _sometimes(strip, 0.3)
    moved = _moved(strip, width, mirrored, upside_down)
    around = torch.where(mirrored, around.flip(2), around)
    around = torch.where(upside_down, around.flip(1), around)
    moved = moved + torch.randn_like(moved) * _between(strip, 0, 0.4) * _sometimes(strip, 0.4)
    blurred = functional.avg_pool2d(moved[:, None], 3, 1, 1)[:, 0]
    moved = torch.where(_sometimes(strip, 0.25), blurred, moved)
    (_, before), (mean, now) = _spread(strip, valid), _spread(moved, valid)
    moved = ((moved - mean) * before / now.clamp(min=1e-3)).clamp(-FARTHEST, FARTHEST)
    inverted = _sometimes(strip, 0.25)
    return torch.where(inverted, -moved, moved), torch.where(inverted, -around, around)


def _moved(strip: Tensor, width: Tensor, mirrored: Tensor, upside_down: Tensor) -> Tensor:
    """The strip as a box a little larger or smaller, further on or back, would show it."""
    rows, columns = STRIP
    end = (width[:, None, None] - 1).float()
    x = torch.arange(columns, device=strip.device).float().expand(len(strip), 1, -1)
    y = torch.arange(rows, device=strip.device).float()[:, None].expand(len(strip), -1, 1)
    x = torch.where(mirrored, end - x, x)
    y = torch.where(upside_down, rows - 1 - y, y)
    x = (x - end / 2) * _between(strip, 0.85, 1.15) + end / 2 + _between(strip, -12, 12)
    y = (y - (rows - 1) / 2) * _between(strip, 0.8, 1.2) + (rows - 1) / 2 + _between(strip, -3.5, 3.5)
    x, y = torch.minimum(x.clamp(min=0), end), y.clamp(0, rows - 1)
    across, down = (2 * x + 1) / columns - 1, (2 * y + 1) / rows - 1
    grid = torch.stack([across.expand_as(strip), down.expand_as(strip)], dim=-1)
    return functional.grid_sample(strip[:, None], grid, padding_mode="border", align_corners=False)[:, 0]


def _hidden(numbers: Tensor) -> Tensor:
    """With a little noise, now and then without what was read, or with another place: neither must decide alone."""
    numbers = numbers + 0.03 * torch.randn_like(numbers)
    numbers[:, :READ] *= torch.rand_like(numbers[:, :1]) >= 0.25
    elsewhere = torch.rand_like(numbers[:, 0]) < 0.15
    numbers[:, PLACE] = torch.where(elsewhere, torch.rand_like(numbers[:, PLACE]), numbers[:, PLACE])
    return numbers


def _spread(strip: Tensor, valid: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and deviation of what is valid."""
    count = valid.sum((1, 2), keepdim=True)
    mean = (strip * valid).sum((1, 2), keepdim=True) / count
    return mean, (((strip - mean) ** 2 * valid).sum((1, 2), keepdim=True) / count).sqrt()


def _between(like: Tensor, low: float, high: float) -> Tensor:
    return low + (high - low) * torch.rand(len(like), 1, 1, device=like.device)


def _sometimes(like: Tensor, share: float) -> Tensor:
    return torch.rand(len(like), 1, 1, device=like.device) < share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proposals", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=85)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    args.out.mkdir(parents=True, exist_ok=True)
    train(Proposals.load(args.proposals, device), args.out, seconds=args.seconds, seed=args.seed, device=device)


def train(proposals: Proposals, out: Path, *, seconds: float, seed: int, device: str) -> None:
    """Both networks, one after the other."""
    kept = proposals.is_type | proposals.drawn | (proposals.legible <= SURELY_LEGIBLE)
    certain = proposals.is_type | (proposals.rim > RIM) | (proposals.legible < LEGIBLE)
    file = out / "first.safetensors"
    first = fit(proposals, kept & certain, file, seconds=FIRST * seconds, seed=seed, device=device)
    own = is_own_type(proposals, logits_of(first, proposals, torch.arange(len(kept), device=device)))
    print("left out as the films' own type:", int((own & kept).sum()), "of", int((kept & ~proposals.is_type).sum()))
    file = out / "text-evidence.safetensors"
    fit(proposals, kept & ~own, file, seconds=(1 - FIRST) * seconds, seed=seed, device=device)


def is_own_type(proposals: Proposals, logits: Tensor) -> Tensor:
    """What was not written and is taken for type where films bear it: at the border, or legible; not devices inside."""
    likely = (proposals.rim < WIDER_RIM) | (proposals.legible > LEGIBLE)
    device = proposals.drawn & (proposals.rim > WIDER_RIM)
    return ~proposals.is_type & (logits > 0) & likely & ~device


def fit(proposals: Proposals, use: Tensor, file: Path, *, seconds: float, seed: int, device: str) -> nn.Module:
    """A network trained on those of the proposals that are of use and not held out; the average of its weights."""
    halves = [torch.nonzero(use & ~proposals.held_out & (proposals.is_type == kind))[:, 0] for kind in (True, False)]
    if not all(len(half) for half in halves):
        raise InputError("the proposals hold no type, or nothing else; gather for longer")
    held = torch.nonzero(use & proposals.held_out)[:, 0]
    torch.manual_seed(seed)
    network = placed(EvidenceNetwork(training=True), device)
    half = (BATCH if device == "cuda" else SMALL_BATCH) // 2

    def loss() -> Tensor:
        which = torch.cat([some[torch.randint(len(some), (half,), device=device)] for some in halves])
        network.train()
        with autocast(device):
            logits = network(proposals.rows(which, vary=True))
        truth = proposals.is_type[which].float() * (1 - SOFT) + SOFT / 2
        return functional.binary_cross_entropy_with_logits(logits.float(), truth)

    training = TimedTraining(
        network=network,
        optimizer=torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY),
        loss=loss,
        score=lambda kept: score(kept, proposals, held),
        save=lambda kept: save(kept, file),
        device=device,
        seconds=seconds,
        rate=RATE,
        warm=200,
        clip=2.0,
        average=0.999,
    )
    run(training, progress=lambda told: print(file.stem, told, flush=True))
    return training.kept


@torch.no_grad()
def logits_of(network: nn.Module, proposals: Proposals, which: Tensor) -> Tensor:
    network.eval()
    return torch.cat([network(proposals.rows(part, vary=False)).float() for part in torch.split(which, SCORED)])


def score(network: nn.Module, proposals: Proposals, held: Tensor) -> dict[str, Any]:
    """The area under the curve on proposals of patients kept out, where both kinds are among them."""
    truth = proposals.is_type[held].cpu().numpy()
    counts = {"held out": len(truth), "type": int(truth.sum())}
    if not 0 < counts["type"] < len(truth):
        return counts
    logits = logits_of(network, proposals, held).cpu().numpy()
    return counts | {"auc": round(ScoredPairs(logits.astype(np.float64), truth).curve().auc, 5)}


def save(network: nn.Module, file: Path) -> None:
    plain = fused(copy.deepcopy(network).cpu())
    temporary = file.with_suffix(".part")
    save_file({name: value.half().contiguous() for name, value in plain.state_dict().items()}, temporary)
    temporary.replace(file)


if __name__ == "__main__":
    main()
