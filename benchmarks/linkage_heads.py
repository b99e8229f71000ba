"""Heads trained on Indiana over networks that stay as phantoms left them, on a CPU; a part of linkage_indiana.py.

What the frozen networks say of every place of an image and every word of a report is computed once; then only the two
attention pools at their ends learn.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

import recipes_path  # noqa: F401
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.medveil_small.model import SmallModel, load_model
from medveil.training.average import follow, warming
from medveil.training.device import placed
from medveil.training.schedule import one_cycle
from recipes.linkage.pairs import read_pack
from recipes.linkage.training import Choices, Pairs, contrast, quick_scores

LOST_PLACES = 0.3  # share of places and words hidden from the heads at each step
Read = Callable[[Tensor, torch.Generator | None], Tensor]  # rows of texts to vectors


@dataclass(frozen=True)
class Frozen:
    """Places of images (n × places × width), and of texts one after another with their starts."""

    images: Tensor
    words: Tensor
    starts: NDArray[np.int64]  # one more than texts


@torch.inference_mode()
def frozen(model: SmallModel, images: NDArray[np.uint8], texts: list[str]) -> Frozen:
    network, report = copy.deepcopy(model.image), model.report
    network.pool = nn.Identity()
    fold_normalisation(network)
    placed(network, "cpu")
    seen = []
    for part in torch.from_numpy(images).split(16):
        gray = part.unsqueeze(1).float() / 255
        seen.append(network(gray.contiguous(memory_format=torch.channels_last)).half())
    said, lengths = [], []
    for start in range(0, len(texts), 32):
        words = model.tokenizer(texts[start : start + 32])
        present = words.index > 0
        said.append(report.phrase(report.describe(words), words.index)[present].half())
        lengths += present.sum(1).tolist()
    return Frozen(torch.cat(seen), torch.cat(said), np.cumsum([0, *lengths]))


def hide(present: Tensor, generator: torch.Generator | None) -> Tensor:
    if generator is None:
        return present
    return present & (torch.rand(present.shape, generator=generator) >= LOST_PLACES)


def words_read(pool: nn.Module, parts: Frozen) -> Read:
    def read(rows: Tensor, generator: torch.Generator | None) -> Tensor:
        texts = [parts.words[parts.starts[row] : parts.starts[row + 1]].float() for row in rows.tolist()]
        present = nn.utils.rnn.pad_sequence([torch.ones(len(text), dtype=torch.bool) for text in texts], True, False)
        return pool(nn.utils.rnn.pad_sequence(texts, True), hide(present, generator))

    return read


def places_seen(pool: nn.Module, parts: Frozen, rows: Tensor, generator: torch.Generator | None) -> Tensor:
    places = parts.images[rows].float()
    return pool(places, hide(torch.ones(places.shape[:2], dtype=torch.bool), generator))


class Heads(nn.Module):
    """What learns: a pool for images, and a pool or a plain head for texts."""

    def __init__(self, image: nn.Module, report: nn.Module) -> None:
        super().__init__()
        self.image, self.report = image, report


def fit_heads(
    heads: Heads,
    parts: Frozen,
    reader: Callable[[nn.Module], Read],
    pairs: Pairs,
    aside: NDArray[np.bool_],
    *,
    epochs: int = 24,
    batch: int = 128,
    peak: float = 5e-4,
    seed: int = 0,
) -> Heads:
    """The averaged weights where the patients set aside were linked best."""
    torch.manual_seed(seed)
    rng, generator = np.random.default_rng(seed), torch.Generator().manual_seed(seed)
    choices, kept = Choices(pairs, "cpu"), np.flatnonzero(~aside)
    own, held = np.cumsum([0, *map(len, pairs.texts)])[:-1][aside], torch.from_numpy(np.flatnonzero(aside))
    scale = nn.Parameter(torch.tensor(np.log(1 / 0.07), dtype=torch.float32))
    optimizer = torch.optim.AdamW([*heads.parameters(), scale], lr=peak, weight_decay=0.1)
    average = copy.deepcopy(heads).requires_grad_(False)
    best, best_score, began, each = heads, -1.0, time.time(), len(kept) // batch
    for step in range(epochs * each):
        if step % each == 0:
            order = rng.permutation(kept)
        rows = torch.from_numpy(order[step % each * batch :][:batch])
        optimizer.param_groups[0]["lr"] = one_cycle(step, epochs * each, peak)
        texts, right = choices.draw(rows, generator)
        heads.train()
        seen = places_seen(heads.image, parts, rows, generator)
        loss = contrast(seen, reader(heads.report)(texts, generator), right, scale)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        follow(average, heads, warming(step, 0.98))
        if (step + 1) % (3 * each) == 0:
            with torch.inference_mode():
                average.eval()
                images = functional.normalize(places_seen(average.image, parts, held, None), dim=1)
                reports = functional.normalize(reader(average.report)(torch.from_numpy(own), None), dim=1)
            recall, score = quick_scores(images.numpy(), reports.numpy())
            print(
                f"epoch {(step + 1) // each}, loss {loss.item():.3f}, aside: Recall@1 {recall:.4f}, MRR {score:.4f}, "
                f"{time.time() - began:.0f} s",
                flush=True,
            )
            if score > best_score:
                best, best_score = copy.deepcopy(average), score
    return best.eval()


def new_head() -> nn.Module:
    return nn.Sequential(
        nn.LayerNorm(384),
        nn.Linear(384, 256),
        nn.GELU(),
        nn.Dropout(0.3),
        nn.Linear(256, 128),
        nn.BatchNorm1d(128, affine=False),
    )


def read_training(pack: Path, facts: Path) -> tuple[Pairs, NDArray[np.bool_], NDArray[np.float32]]:
    content, known = read_pack(pack), np.load(facts)
    return Pairs(content.images, content.texts, known["study"]), known["aside"], known["vectors"].astype(np.float32)


def small_heads(phantom: Path, pairs: Pairs, parts: Frozen, aside: NDArray[np.bool_]) -> SmallModel:
    """medveil-small whose two pools have learned from Indiana."""
    model = load_model(phantom).requires_grad_(True)
    heads = Heads(model.image.pool, model.report.pool)
    best = fit_heads(heads, parts, lambda pool: words_read(pool, parts), pairs, aside)
    model.image.pool, model.report.pool = best.image, best.report
    return model


def sentence_heads(
    phantom: Path, pairs: Pairs, parts: Frozen, aside: NDArray[np.bool_], vectors: NDArray[np.float32]
) -> Heads:
    """medveil-small's image pool and a head over a frozen sentence model."""
    torch.manual_seed(0)
    heads = Heads(load_model(phantom).requires_grad_(True).image.pool, new_head())
    known = torch.from_numpy(vectors)
    return fit_heads(heads, parts, lambda head: lambda rows, _: head(known[rows]), pairs, aside)
