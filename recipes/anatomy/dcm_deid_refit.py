"""Recogniser and codes of DCM-DeID fitted anew beside a trained generator, on a processor, from features taken once.

    python -m recipes.anatomy.dcm_deid_refit FILE --packed PACKED --out REFITTED --seconds 330 150

The generator stays as it is: it was trained on places hidden in every way, and on features in the same space. 800
films of NIH's training patients with several films, at most three of each, and 200 phantoms are looked at.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.anatomy.dcm_deid.codes import IdentityPredictor
from medveil.defenses.anatomy.dcm_deid.foundation import CELLS, Foundation
from medveil.defenses.anatomy.dcm_deid.model_file import Networks, load_networks, save_networks
from medveil.defenses.anatomy.dcm_deid.recogniser import Halfway, Recogniser, identity_of, small_plan
from medveil.defenses.anatomy.dcm_deid.recogniser_training import SHARP, hardest_triplets, relations
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork, load_retrieval
from medveil.runtime.compiled import compiled
from medveil.weights.bundled import RETRIEVERS, bundled
from recipes.films import unpacked

REAL, DRAWN, EACH = 800, 200, 3  # films, and of one patient
PATIENTS, BATCH = 16, 32
ALONE, JOINED = 30, 70  # steps: imitation alone up to here, and the paper's losses in full from there on
RECOGNISER_RATE, CODES_RATE, BETA = 2e-3, 1e-3, 0.5


@dataclass(frozen=True)
class Seen:
    """Of every film: patches, the identity network's opinion and that of each place, meaning, and whose it is."""

    patches: Tensor
    taught: Tensor
    places: Tensor
    features: Tensor
    who: Tensor


class _Look(nn.Module):
    """Both networks at once, side by side in one row, as the compiler takes it."""

    def __init__(self, stem: Halfway, teacher: RetrievalNetwork, foundation: Foundation) -> None:
        super().__init__()
        self.stem, self.teacher, self.foundation = stem, teacher, foundation

    def forward(self, gray: Tensor) -> Tensor:
        maps = self.teacher.backbone(gray)
        places = self.teacher.head.fc(maps.permute(0, 2, 3, 1))  # type: ignore[operator, union-attr]
        parts = (self.stem(gray), self.teacher.head(maps), places, self.foundation(gray))
        return torch.cat([part.flatten(1) for part in parts], 1)


def looked_at(packed: Path) -> Seen:
    films, who = _films(packed)
    stem, teacher = Halfway(small_plan().hybrid), load_retrieval(bundled(RETRIEVERS[0]))[0]
    foundation = Foundation()
    network = fold_normalisation(_Look(stem, teacher, foundation).eval().requires_grad_(False))
    look = compiled(network, torch.zeros(4, 1, *films.shape[1:]), varying=(0,), threads=torch.get_num_threads())
    parts = [films[start : start + 4, None].astype(np.float32) / 255 for start in range(0, len(films), 4)]
    rows = torch.cat([torch.from_numpy(look(part)) for part in parts])
    sizes = (stem.channels * 256, teacher.dim, CELLS * CELLS * teacher.dim, foundation.channels * CELLS * CELLS)
    patches, taught, places, features = torch.split(rows, sizes, 1)
    return Seen(
        patches.reshape(-1, stem.channels, 16, 16),
        functional.normalize(taught, dim=1),
        functional.normalize(places.reshape(-1, CELLS, CELLS, teacher.dim), dim=-1),
        features.reshape(-1, foundation.channels, CELLS, CELLS),
        torch.from_numpy(np.unique(who, return_inverse=True)[1]),
    )


def _films(packed: Path) -> tuple[NDArray[np.uint8], NDArray[np.str_]]:
    films, people = [], []
    for name, most in (("nih", REAL), ("phantoms", DRAWN)):
        stored = np.load(packed / f"{name}.npz")
        content, ends, patients = stored["bytes"], stored["ends"], stored["patients"].astype(str)
        rows = np.flatnonzero(stored["split"] == "train")
        if name == "nih":
            rows = rows[_up_to(EACH, patients[rows])]
        rows = rows[:most]
        starts = np.concatenate([[0], ends[:-1]])
        pieces = [content[starts[row] : ends[row]] for row in rows]
        films.append(unpacked(np.concatenate(pieces), np.cumsum([len(piece) for piece in pieces])))
        people.append(np.char.add(f"{name} ", patients[rows]))
    return np.concatenate(films), np.concatenate(people)


def _up_to(most: int, people: NDArray[np.str_]) -> NDArray[np.bool_]:
    """The first few films of those who have several."""
    _, codes, counts = np.unique(people, return_inverse=True, return_counts=True)
    before: dict[int, int] = {}
    kept = np.zeros(len(people), bool)
    for row, code in enumerate(codes.tolist()):
        before[code] = before.get(code, 0) + 1
        kept[row] = counts[code] > 1 and before[code] <= most
    return kept


def timed(seconds: float, rate: float, learning: list[nn.Parameter], loss: Callable[[int], Tensor]) -> None:
    """As many steps as fit; the rate rises over twenty steps and falls with the time."""
    optimizer = torch.optim.AdamW(learning, lr=rate, betas=(0.9, 0.99), weight_decay=0.02)
    began, step = time.monotonic(), 0
    while (share := (time.monotonic() - began) / seconds) < 1:
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / 20) * (1 + math.cos(math.pi * share)) / 2
        found = loss(step)
        optimizer.zero_grad(set_to_none=True)
        found.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        step += 1
        if step % 20 == 0:
            print(step, round(share * seconds), round(float(found.detach()), 3), flush=True)


def fit_recogniser(seen: Seen, seconds: float) -> Recogniser:
    recogniser = Recogniser(small_plan()).train()
    imitates = nn.Linear(recogniser.plan.width, seen.taught.shape[1])
    people = nn.Parameter(torch.randn(int(seen.who.max()) + 1, recogniser.plan.width) * 0.02)
    draw = _pairs(seen.who)

    def loss(step: int) -> Tensor:
        rows = next(draw)
        patches = seen.patches[rows]
        shown = torch.rand(len(rows), 1, *patches.shape[2:]) > 0.15
        local = recogniser.from_patches(patches * shown + 0.1 * torch.randn_like(patches))
        found, near = identity_of(local), functional.adaptive_avg_pool2d(local, CELLS).permute(0, 2, 3, 1)
        imitated = functional.normalize(imitates(found), dim=1)
        there = functional.cosine_similarity(imitates(near), seen.places[rows], dim=-1).mean()
        taught = seen.taught[rows]
        total = 2 - (imitated * taught).sum(1).mean() - there + relations(imitated, taught)
        if step > ALONE:
            unit, share = functional.normalize(found, dim=1), min(1.0, (step - ALONE) / (JOINED - ALONE))
            odds = unit @ functional.normalize(people, dim=1).T / SHARP
            classes = functional.cross_entropy(odds, seen.who[rows])
            total = total + share * (classes / 4 + hardest_triplets(unit, seen.who[rows]))
        return total

    timed(seconds, RECOGNISER_RATE, [*recogniser.vit.parameters(), *imitates.parameters(), people], loss)
    return recogniser.eval().requires_grad_(False)


def _pairs(who: Tensor) -> Iterator[Tensor]:
    """Rows of two films each of some patients who have several."""
    chance = np.random.default_rng(0)
    several = [rows for code in who.unique().tolist() if len(rows := np.flatnonzero(who.numpy() == code)) > 1]  # type: ignore[no-untyped-call]
    while True:
        chosen = chance.permutation(len(several))[:PATIENTS]
        yield torch.from_numpy(np.concatenate([chance.permutation(several[one])[:2] for one in chosen]))


def fit_codes(networks: Networks, seen: Seen, seconds: float) -> None:
    codes, predictor = networks.codes.requires_grad_(True), IdentityPredictor(networks.codes.plan)
    with torch.no_grad():
        locals_ = [identity_of(networks.recogniser.from_patches(part)) for part in torch.split(seen.patches, 50)]
        who, features = functional.normalize(torch.cat(locals_), dim=1), codes.standardised(seen.features)
        nn.init.normal_(codes.part.weight, std=0.02)  # what was held to tell the identity is forgotten
        assert codes.part.bias is not None
        nn.init.zeros_(codes.part.bias)

    def loss(step: int) -> Tensor:
        rows = torch.randperm(len(features))[:BATCH]
        coded = codes.code(features[rows], temperature=1.0)
        telling = coded.codes * coded.mask
        error = (codes.features(coded.codes) - features[rows]).square().flatten(1).mean(1).sqrt().mean()
        missed = (predictor(telling) - who[rows]).norm(dim=1).mean()
        bits = codes.bits(coded.codes).mean() + codes.bits(telling).mean()
        if step % 20 == 0:
            print(
                f"features {error:.3f} identity {missed:.3f} bits {bits:.0f} mask {coded.mask.mean():.3f}", flush=True
            )
        return error + missed + BETA * bits / 256**2

    timed(seconds, CODES_RATE, [*codes.parameters(), *predictor.parameters()], loss)
    codes.requires_grad_(False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--packed", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, nargs=2, default=(330, 150), help="for the recogniser and the codes")
    chosen = parser.parse_args()
    torch.manual_seed(0)
    before, seen = load_networks(chosen.file), looked_at(chosen.packed)
    recogniser = fit_recogniser(seen, chosen.seconds[0])
    networks = Networks(recogniser, before.codes, before.synthesis, before.foundation)
    fit_codes(networks, seen, chosen.seconds[1])
    save_networks(chosen.out, networks)


if __name__ == "__main__":
    main()
