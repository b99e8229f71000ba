"""Films out of what a site sends: the worst case of a step on few patients, unprotected and under each protection.

A site that takes one step on a handful of patients and sends the gradient itself shows the most that an update can
show. *Secure sums*: the server sees the mean over all sites. *Privacy*: each patient's gradient is clipped and noise is
added. What the server sees is then given to the same attack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import functional_call, grad, vmap

from medveil.attacks.inversion.closed_form import film_of_patches
from medveil.attacks.inversion.reconstruction import Gradients, Progress, Search, reconstruct
from medveil.attacks.inversion.undoing import followed, undone
from medveil.federated.recipe import Privacy, Recipe
from medveil.federated.vision_language.building import build
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.losses import Batch, own_loss
from medveil.federated.vision_language.network import VisionLanguageNetwork, trained_parameters
from medveil.federated.vision_language.patient_gradients import clipped_sum
from medveil.federated.vision_language.steps import LocalSteps, Stock

Protection = Literal["none", "secure sums", "privacy", "both"]
PROTECTIONS: tuple[Protection, ...] = ("none", "secure sums", "privacy", "both")
CLOSED = "closed form"
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Victims:
    """Which films take part in which update: updates × sites × films a site, as rows of `films`. The attacked site is
    the first."""

    films: Films
    rows: Codes

    @property
    def own(self) -> Codes:
        """Of the attacked site: updates × films."""
        return self.rows[:, 0]

    def seen(self, protection: Protection) -> Codes:
        """Whose films are in what the server sees: updates × films."""
        return self.own if protection in ("none", "privacy") else self.rows.reshape(len(self.rows), -1)


def deal(films: Films, *, updates: int, sites: int, batch: int, seed: int) -> Victims:
    """One film a patient, no patient twice in an update."""
    first = np.unique(films.patients, return_index=True)[1]
    if len(first) < sites * batch:
        raise ValueError("there are fewer patients than take part in an update")
    rng = np.random.default_rng([seed, 47])
    rows = [rng.permutation(first)[: sites * batch].reshape(sites, batch) for _ in range(updates)]
    return Victims(films, np.stack(rows))


class Step:
    """What one step of a recipe's network sends, from the weights that all share at the beginning."""

    def __init__(self, recipe: Recipe, device: str = "cpu") -> None:
        # each film's loss is its own; what comes from reports alone would only hide it
        self.recipe = replace(recipe, text="none", contrast=0.0, privacy=None)
        self.network: VisionLanguageNetwork = build(self.recipe).to(device).eval()
        self.device = device
        self._values = {name: one.detach() for name, one in trained_parameters(self.network).items()}

    def batch(self, films: Films, rows: Codes) -> Batch:
        """Of any number of dimensions; films are not varied, which would only make the attack harder."""
        pixels, words, targets, known = (
            torch.from_numpy(part[rows].astype(kind)).to(self.device)
            for part, kind in (
                (films.pixels, np.float32),
                (films.words, np.int64),
                (films.targets, np.float32),
                (films.known, np.float32),
            )
        )
        return Batch((pixels / 255).unsqueeze(-3), words, targets, known)

    def gradients(self, known: Batch) -> Gradients:
        """Of films, where everything else about them is known: one gradient an update."""

        def loss(values: dict[str, Tensor], films: Tensor, *rest: Tensor) -> Tensor:
            batch = Batch(films, *rest)
            return own_loss(
                functional_call(self.network, values, (films, batch.words)), batch, self.recipe, None
            ).mean()

        each = vmap(grad(loss), in_dims=(None, 0, 0, 0, 0))

        def of(films: Tensor) -> list[Tensor]:
            return list(each(self._values, films, known.words, known.targets, known.known).values())

        return of

    def sent(self, victims: Victims, protection: Protection, privacy: Privacy, *, seed: int) -> list[Tensor]:
        """What the server sees, by trained array: updates × the array's shape."""
        rows = victims.seen(protection)
        if protection in ("none", "secure sums"):
            batch = self.batch(victims.films, rows)
            return [one.detach() for one in self.gradients(batch)(batch.films)]
        sites = victims.rows if protection == "both" else victims.rows[:, :1]
        rng = np.random.default_rng([seed, 53])
        sums = [[self._noisy(victims.films, site, privacy, rng) for site in update] for update in sites]
        return [
            torch.stack([torch.stack([site[place] for site in update]).mean(0) for update in sums])
            for place in range(len(self._values))
        ]

    def _noisy(self, films: Films, rows: Codes, privacy: Privacy, rng: np.random.Generator) -> list[Tensor]:
        """A site's clipped gradients, summed, with noise."""
        sums = clipped_sum(self.network, self.batch(films, rows), self.recipe, None, privacy.clip)
        found = []
        for part in sums:
            noise = torch.from_numpy(rng.standard_normal(part.shape)).to(part.device) * privacy.noise * privacy.clip
            found.append(((part + noise) / len(rows)).float())
        return found

    def update(self, victims: Victims, *, seed: int) -> tuple[list[Tensor], list[Tensor]]:
        """The gradients that follow from what sites do send: AdamW's steps, undone as if there were one, or steps along
        the gradient where AdamW is the coordinator's; and how far they may be off."""
        shared = [one.detach().cpu().numpy() for one in self._values.values()]
        found = []
        for number, rows in enumerate(victims.own):
            network = build(self.recipe).to(self.device)
            stock = _Unvaried.of(victims.films.take(rows), self.device)
            steps = LocalSteps(replace(self.recipe, batch=len(rows)), stock, None, self.device)
            steps.run(network, 1, np.random.default_rng([seed, number]))
            after = [one.detach().cpu().numpy() for one in trained_parameters(network).values()]
            update = [new - old for new, old in zip(after, shared, strict=True)]
            if self.recipe.adam == "coordinator":
                found.append(followed(update, shared, rate=self.recipe.site_rate * self.recipe.local_steps))
            else:
                rate, decay = self.recipe.learning_rate, self.recipe.weight_decay
                found.append(undone(update, shared, rate=rate, decay=decay))
        gradients, doubts = ([getattr(one, part) for one in found] for part in ("gradients", "doubts"))
        return self._stacked(gradients), self._stacked(doubts)

    def _stacked(self, updates: Sequence[Sequence[NDArray[np.float32]]]) -> list[Tensor]:
        return [torch.from_numpy(np.stack(parts)).to(self.device) for parts in zip(*updates, strict=True)]

    def closed_form(
        self, observed: Sequence[Tensor], doubts: Sequence[Tensor] | None = None
    ) -> NDArray[np.float32] | None:
        """Updates × 1 × side × side; None where the network is no transformer."""
        if self.recipe.image != "vit":
            return None
        names = list(self._values)
        layer = next(n for n, name in enumerate(names) if "patch_embeddings" in name and name.endswith("weight"))
        places = next(n for n, name in enumerate(names) if "position_embeddings" in name)
        films = [
            film_of_patches(
                observed[layer][number],
                observed[places][number, 0, 1:],
                layer_doubt=None if doubts is None else doubts[layer][number],
                place_doubt=None if doubts is None else doubts[places][number, 0, 1:],
            )
            for number in range(len(observed[layer]))
        ]
        return np.stack([_shown(film.numpy()) for film in films])[:, None]

    def searched(
        self,
        victims: Victims,
        protection: Protection,
        observed: Sequence[Tensor],
        search: Search,
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> NDArray[np.float32]:
        """Updates × films × side × side."""
        batch = self.batch(victims.films, victims.seen(protection))
        shape = (batch.films.shape[1], self.recipe.side)
        found = reconstruct(self.gradients(batch), observed, shape, search, seed=seed, progress=progress)
        return found.films.numpy()


class _Unvaried(Stock):
    """Films as they are: what comes out can be compared with them."""

    def batch(self, rows: Codes, generator: torch.Generator) -> Batch:
        index = torch.from_numpy(rows).to(self.pixels.device)
        films = self.pixels[index].unsqueeze(1).float() / 255
        return Batch(films, self.words[index], self.targets[index], self.known[index].float())


def _shown(film: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of 0..1, from the first to the last percent of its gray values."""
    low, high = np.percentile(film, (1, 99))
    return np.clip((film - low) / max(float(high - low), 1e-9), 0, 1).astype(np.float32)
