"""The head that sees what a film shows, and the questions that its code answers; minutes on a processor.

The learned remainder is trained to rebuild the coarse picture and the lungs beside the findings, against an adversary
who finds the films of one person by it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.anatomy.coded.codebook import LONGEST, Codebook, Questions, as_arrays, fit_questions
from medveil.defenses.anatomy.coded.semantics import (
    FIELDS,
    LABELS,
    LEARNED,
    ORGANS,
    SEEN,
    VIEW,
    Head,
    fields_of,
    with_table,
)
from recipes.anatomy.judges import masked_loss
from recipes.anatomy.material import Material, read_material

STEPS, BATCH, RATE = 1500, 256, 1e-3
AGAINST = 0.5  # weight of what the adversary finds
IMPORTANCE = {**dict.fromkeys(LABELS, 1.0), **dict.fromkeys(SEEN, 0.4), VIEW: 0.4}  # others below
OTHERS = 0.15
LEAKAGE = (3.0,) * 8 + (0.3,) * 7  # a bit that tells who it is, for each question
LEAST = 6
PAIRS = 30_000
Floats = NDArray[np.float32]


class Turned(torch.autograd.Function):
    """The same going forward; its gradient turned around, for what is searched to hide from who searches."""

    @staticmethod
    def forward(context: Any, values: Tensor) -> Tensor:
        return values.view_as(values)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Tensor:  # type: ignore[override]
        return -AGAINST * gradient


def fit(packed: Path, described: Path, out: Path, *, seed: int = 0, most: int | None = None) -> None:
    """OUT/semantics.npz (head and codebook) and OUT/conditions.npz (what the generator learns from)."""
    torch.manual_seed(seed)
    material, stored = read_material(packed, most=most), np.load(described)
    features = stored["features"].astype(np.float32)
    head = _taught(material, features, stored["organs"], stored["blocks"], seed)
    with torch.no_grad():
        seen = head(torch.from_numpy(features)).numpy()
    rows = [row_of(material, number) for number in range(len(features))]
    shown = np.stack([with_table(one, row) for one, row in zip(fields_of(seen[:, :-1]), rows, strict=True)])
    print(
        "drawn or real, right on films set aside:", float(((seen[:, -1] > 0) == material.drawn)[material.aside].mean())
    )
    codebook = Codebook(FIELDS, *(_questions(shown, material, drawn, seed) for drawn in (False, True)))
    out.mkdir(parents=True, exist_ok=True)
    tensors = {f"head.{name}": value.numpy() for name, value in head.state_dict().items()}
    np.savez(out / "semantics.npz", **tensors, **{f"codebook.{k}": v for k, v in as_arrays(codebook).items()})
    nodes = np.stack([_nodes(codebook, one, drawn) for one, drawn in zip(shown, material.drawn, strict=True)])
    means = np.concatenate([codebook.real.mean, codebook.drawn.mean])
    nodes[material.drawn] += len(codebook.real.mean)
    np.savez_compressed(out / "conditions.npz", nodes=nodes.astype(np.int32), means=means, drawn=material.drawn)
    _tell(codebook, shown, material)


def row_of(material: Material, number: int) -> dict[str, Any]:
    labels = dict(zip(LABELS, material.labels[number], strict=False))
    return labels | {"view": "AP" if material.front[number] else "PA"}


def _nodes(codebook: Codebook, shown: Floats, drawn: bool) -> list[int]:
    """Where a film's answers lead after no, one, two … of its questions."""
    questions: Questions = codebook.drawn if drawn else codebook.real
    path = questions.path(shown, LONGEST - 1)
    return [questions.node(path >> (LONGEST - 1 - asked), asked) for asked in range(LONGEST)]


def _questions(shown: Floats, material: Material, drawn: bool, seed: int) -> Questions:
    chosen = (material.drawn == drawn) & ~material.aside
    some, people = shown[chosen], material.patients[chosen]
    importance = np.array([IMPORTANCE.get(field, OTHERS) for field in FIELDS], np.float32)
    variance = some.var(0)
    weights = np.where(variance > 1e-6, importance / np.maximum(variance, 1e-6), 0).astype(np.float32)
    order = np.argsort(people, kind="stable")
    pairs = [
        (order[i], order[j])
        for i in range(len(order))
        for j in range(i + 1, min(i + 8, len(order)))
        if people[order[i]] == people[order[j]]
    ]
    chance = np.random.default_rng(seed)
    few = chance.permutation(len(pairs))[:PAIRS]
    return fit_questions(some, weights, np.array(pairs)[few], free=len(LABELS), leakage=LEAKAGE, least=LEAST)


def _taught(material: Material, features: Floats, organs: Floats, blocks: Floats, seed: int) -> Head:
    learned = ~material.aside
    centre = lambda values: (values - values[learned].mean(0)) / (values[learned].std(0) + 1e-6)  # noqa: E731
    sizes = np.stack([organs[:, 1] - organs[:, 0], organs[:, 3] - organs[:, 2], organs[:, 4] - organs[:, 5]], 1)
    sizes, coarse = centre(sizes), centre(np.concatenate([blocks, organs], 1))
    data = [features, material.labels, material.front, material.drawn.astype(np.float32), sizes, coarse]
    x, labels, front, drawn, lungs, rough = (torch.from_numpy(np.asarray(one, np.float32)) for one in data)
    partner = _partners(material.patients, learned)
    head = Head(x.shape[1])
    known = len(LABELS) + len(SEEN) + 2
    rebuild = nn.Sequential(nn.Linear(len(LEARNED) + known, 64), nn.SiLU(), nn.Linear(64, rough.shape[1]))
    search = nn.Sequential(nn.Linear(len(LEARNED), 64), nn.SiLU(), nn.Linear(64, 16))
    optimizer = torch.optim.AdamW(
        [*head.parameters(), *rebuild.parameters(), *search.parameters()], lr=RATE, weight_decay=0.02
    )
    chance = np.random.default_rng(seed)
    usable = np.flatnonzero(learned)
    places = {"labels": slice(0, len(LABELS) + len(SEEN)), "organs": slice(known - 1, known - 1 + len(ORGANS))}
    for step in range(STEPS):
        rows = chance.choice(usable, BATCH)
        other = np.array([chance.choice(partner[row]) if len(partner[row]) else row for row in rows])
        out = head(functional.dropout(x[rows], 0.2))
        shape = out[:, -1 - len(LEARNED) : -1]
        seen = torch.cat([labels[rows].nan_to_num(), front[rows, None], drawn[rows, None]], 1)
        loss = (
            masked_loss(out[:, places["labels"]], labels[rows])
            + functional.binary_cross_entropy_with_logits(out[:, known - 2], front[rows])
            + functional.binary_cross_entropy_with_logits(out[:, -1], drawn[rows])
            + functional.mse_loss(out[:, places["organs"]], lungs[rows])
            + functional.mse_loss(rebuild(torch.cat([shape, seen], 1)), rough[rows])
            + 0.01 * (shape.square().mean(0) - 1).square().sum()
        )
        again = head(functional.dropout(x[other], 0.2))[:, -1 - len(LEARNED) : -1]
        loss = loss + _found(search, shape, again, torch.from_numpy(material.patients[rows]), rows != other)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 300 == 0:
            print(step, round(loss.item(), 3), flush=True)
    _calibrated(head, x, labels, front, material)
    return head.eval().requires_grad_(False)


def _partners(patients: NDArray[np.int64], usable: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    of = {person: np.flatnonzero((patients == person) & usable) for person in np.unique(patients)}
    return [of[person][of[person] != row] for row, person in enumerate(patients)]


def _found(search: nn.Module, one: Tensor, other: Tensor, people: Tensor, has: NDArray[np.bool_]) -> Tensor:
    """What the adversary loses when it looks for each film's partner among all; a person's other films do not count."""
    ours, theirs = (functional.normalize(search(Turned.apply(part)), dim=1) for part in (one, other))
    likeness = ours @ theirs.T / 0.1
    same = (people[:, None] == people[None]) & ~torch.eye(len(people), dtype=torch.bool)
    loss = functional.cross_entropy(likeness.masked_fill(same, -1e4), torch.arange(len(people)), reduction="none")
    weight = torch.from_numpy(has.astype(np.float32))
    return (loss * weight).sum() / weight.sum().clamp(min=1)


def _calibrated(head: Head, x: Tensor, labels: Tensor, front: Tensor, material: Material) -> None:
    """Probabilities that mean what they say, on real films set aside: the network has seen the labels of the others.

    One tilt for all findings, for the films are few.
    """
    chosen = np.flatnonzero(material.aside & ~material.drawn)
    with torch.no_grad():
        odds = head(x[chosen])[:, : len(LABELS) + len(SEEN)]
    tilt = torch.ones(1, requires_grad=True)
    lift = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS([tilt, lift], max_iter=50)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = masked_loss(odds * tilt + lift, labels[chosen])
        loss.backward()
        return loss

    optimizer.step(closure)
    print("tilt", tilt.item(), "lift", lift.item())
    with torch.no_grad():
        head.tilt[: len(LABELS) + len(SEEN)] = tilt.clamp(0.05, 1)
        head.lift[: len(LABELS) + len(SEEN)] = lift


def _tell(codebook: Codebook, shown: Floats, material: Material) -> None:
    """How much the labels can still be told by, and how well a person's films are found by their code alone."""
    from medveil.stats.auc import WeightedAUC

    for name, drawn in (("real", False), ("drawn", True)):
        questions = codebook.drawn if drawn else codebook.real
        chosen = np.flatnonzero((material.drawn == drawn) & material.aside)
        people = material.patients[chosen]
        print(name, len(questions.field), "nodes;", [FIELDS[f] for f in questions.field[:6] if f >= 0])
        for asked in (1, 2, 3, 4, 5, 6, 7, 9, 11, 15):
            paths = np.array([questions.path(shown[row], asked) for row in chosen])
            mean = np.stack([questions.mean[questions.node(int(path), asked)] for path in paths]).astype(np.float64)
            truth = material.labels[chosen]
            enough = [k for k in range(len(LABELS)) if 5 <= np.nansum(truth[:, k]) <= len(truth) - 5]
            auc = [
                WeightedAUC(mean[~np.isnan(truth[:, k]), k], truth[~np.isnan(truth[:, k]), k] == 1)() for k in enough
            ]
            hits = []
            for place in range(len(paths)):
                alike = paths == paths[place]
                alike[place] = False
                others = people == people[place]
                others[place] = False
                if others.any():
                    hits.append(others[alike].mean() if alike.any() else others.mean())
            print(
                name,
                asked,
                "codes",
                len(np.unique(paths)),
                "P@1 by code",
                round(float(np.mean(hits)), 3),
                "AUROC",
                round(float(np.mean(auc)), 3),
            )
