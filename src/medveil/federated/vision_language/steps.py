"""A site's steps in a round, from the shared weights to its own: plain, or private by patient.

A patient takes part with one film, drawn anew each time, so that nobody counts more for having been examined often.
The proximal term pulls every step back to the shared weights; it knows no patient, so it joins after the noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from medveil.defenses.alignment.losses import Loss, PublicNegatives
from medveil.defenses.alignment.sampling import Units, poisson_sample
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.augmentation import varied
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.losses import Batch, batch_loss
from medveil.federated.vision_language.network import VisionLanguageNetwork, trained_parameters
from medveil.federated.vision_language.patient_gradients import clipped_sum

LONGEST = 5.0  # a plain gradient is shortened to; a rare batch must not throw the weights far off
BETAS = (0.9, 0.99)  # rounds are short: a longer memory would not fill
Public = tuple[NDArray[np.uint8], NDArray[np.int32]]
Rows = NDArray[np.intp]


@dataclass
class Stock:
    """A site's films on the device they are trained on."""

    pixels: Tensor
    words: Tensor
    targets: Tensor
    known: Tensor
    units: Units

    @classmethod
    def of(cls, films: Films, device: str) -> Stock:
        return cls(
            pixels=torch.from_numpy(films.pixels).to(device),
            words=torch.from_numpy(films.words).long().to(device),
            targets=torch.from_numpy(films.targets).to(device),
            known=torch.from_numpy(films.known).float().to(device),
            units=Units.of(films.patients),
        )

    def batch(self, rows: Rows, generator: torch.Generator) -> Batch:
        index = torch.from_numpy(rows).to(self.pixels.device)
        films = self.pixels[index].unsqueeze(1).float() / 255
        return Batch(varied(films, generator), self.words[index], self.targets[index], self.known[index])

    def one_film_each(self, chosen: Rows, rng: np.random.Generator) -> Rows:
        """A row for each of the chosen patients."""
        starts, counts = self.units.starts[chosen], np.diff(self.units.starts)[chosen]
        return self.units.order[starts + (rng.random(len(chosen)) * counts).astype(np.intp)]


@dataclass
class LocalSteps:
    """Takes the recipe's steps on one site's films; what it leaves in the network is a function of its arguments."""

    recipe: Recipe
    stock: Stock
    public: Public | None
    device: str

    @property
    def sampling(self) -> float:
        """The probability of a patient to take part in a private step."""
        return min(1.0, self.recipe.batch / len(self.stock.units))

    def run(self, network: VisionLanguageNetwork, round_number: int, rng: np.random.Generator) -> None:
        """All steps of a round. Adam begins anew each time: its memory would be of other weights. Where Adam is the
        coordinator's, the steps follow the gradient, so that the update is their sum."""
        if not network.training:  # a walk through all its parts, which a round of one step would feel
            network.train()
        parameters = list(trained_parameters(network).values())
        shared = [parameter.detach().clone() for parameter in parameters]
        optimiser = self._optimiser(parameters)
        generator = torch.Generator(self.device)
        generator.manual_seed(int(rng.integers(2**62)))
        step = self._plain if self.recipe.privacy is None else self._private
        for number in range(self.recipe.local_steps):
            if self.recipe.adam == "sites":
                for group in optimiser.param_groups:
                    group["lr"] = self._rate(round_number, number)
            step(network, parameters, rng, generator)
            if self.recipe.proximal:
                gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
                away = torch._foreach_sub([parameter.detach() for parameter in parameters], shared)
                torch._foreach_add_(gradients, away, alpha=self.recipe.proximal)
            optimiser.step()

    def _optimiser(self, parameters: list[torch.nn.Parameter]) -> torch.optim.Optimizer:
        how = self.recipe
        if how.adam == "coordinator":
            return torch.optim.SGD(parameters, lr=how.site_rate)
        return torch.optim.AdamW(
            parameters, lr=how.learning_rate, betas=BETAS, weight_decay=how.weight_decay, fused=True
        )

    def _rate(self, round_number: int, number: int) -> float:
        """Up in a line over the first round, then as the recipe says."""
        if round_number <= 1:
            return self.recipe.learning_rate * (number + 1) / self.recipe.local_steps
        return self.recipe.rate(round_number)

    def _plain(
        self,
        network: VisionLanguageNetwork,
        parameters: list[torch.nn.Parameter],
        rng: np.random.Generator,
        generator: torch.Generator,
    ) -> None:
        patients = len(self.stock.units)
        chosen = rng.choice(patients, min(self.recipe.batch, patients), replace=False, shuffle=False)
        batch = self.stock.batch(self.stock.one_film_each(chosen, rng), generator)
        loss = batch_loss(network, batch, self.recipe)
        gradients = torch.autograd.grad(loss, parameters, materialize_grads=True)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient
        torch.nn.utils.clip_grad_norm_(parameters, LONGEST)

    def _private(
        self,
        network: VisionLanguageNetwork,
        parameters: list[torch.nn.Parameter],
        rng: np.random.Generator,
        generator: torch.Generator,
    ) -> None:
        """DP-SGD's step: a Poisson sample of patients, clipped gradients, noise, also on an empty sample."""
        privacy = self.recipe.privacy
        assert privacy is not None
        chosen = poisson_sample(len(self.stock.units), self.sampling, rng)
        batch = self.stock.batch(self.stock.one_film_each(chosen, rng), generator)
        sums = clipped_sum(network, batch, self.recipe, self._public_negatives(network), privacy.clip)
        # numpy's generator, and double precision: torch's keeps 32 bits of a seed, few enough to try them all
        noise = torch.from_numpy(rng.standard_normal(sum(part.numel() for part in sums))).to(self.device)
        noise *= privacy.noise * privacy.clip
        for parameter, part, more in zip(
            parameters, sums, torch.split(noise, [part.numel() for part in sums]), strict=True
        ):
            # over the batch that was asked for, not the one that came: how many patients there are stays private
            parameter.grad = ((part + more.view_as(part)) / self.recipe.batch).to(parameter.dtype)

    def _public_negatives(self, network: VisionLanguageNetwork) -> Loss | None:
        if network.text is None or not self.recipe.contrast:
            return None
        assert self.public is not None
        films, words = (torch.from_numpy(part).to(self.device) for part in self.public)
        with torch.no_grad():
            vectors = network.film_vectors(films.unsqueeze(1).float() / 255)
            return PublicNegatives(vectors, network.report_vectors(words.long()), self.recipe.temperature)


def predicted(network: VisionLanguageNetwork, pixels: NDArray[np.uint8], *, device: str) -> NDArray[np.float32]:
    """Log odds of the findings, films × findings."""
    found = []
    network.eval()
    with torch.inference_mode():
        for start in range(0, len(pixels), 256):
            films = torch.from_numpy(pixels[start : start + 256]).to(device).unsqueeze(1).float() / 255
            found.append(network.odds(films).float().cpu())
    return torch.cat(found).numpy()
