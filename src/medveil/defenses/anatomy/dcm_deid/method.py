"""`DcmDeid`: block identity in the film, make it anew from what is left and from its semantic codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from medveil.defenses.anatomy.batches import Chance, images_of, in_batches, normal
from medveil.defenses.anatomy.dcm_deid.blocking import Kept, blocked, visible
from medveil.defenses.anatomy.dcm_deid.foundation import Foundation
from medveil.defenses.anatomy.dcm_deid.model_file import Networks, load_networks
from medveil.defenses.anatomy.dcm_deid.recogniser import likeness
from medveil.defenses.anatomy.dcm_deid.synthesis import sampled
from medveil.defenses.anatomy.latents import CHANNELS, Autoencoder, load_autoencoder
from medveil.defenses.anatomy.latents import SIDE as LATENT
from medveil.defenses.anatomy.method import Film, Pixels
from medveil.errors import InputError, SettingsError
from medveil.parts import Guarantee
from medveil.training.device import placed
from medveil.weights.bundled import bundled

NAME = "dcm-deid"
Without = Literal["semantics", "decoupling", "blocking"]


@dataclass(frozen=True)
class DcmDeidSettings:
    """`keep` is the sign of the blocking, `steps` how many the sampler takes (1 is allowed), `without` an ablation.

    `foundation` is another findings network, with which the networks were trained; `autoencoder` another autoencoder.
    """

    keep: Kept = "most-like"
    steps: int = 8
    without: Without | None = None
    foundation: Path | None = None
    autoencoder: Path | None = None


@dataclass(frozen=True)
class Codelength:
    """Bits of each film's codes: all of them, those held to tell the identity, and those that are passed on."""

    all: NDArray[np.float32]
    identity: NDArray[np.float32]
    semantics: NDArray[np.float32]


class DcmDeid:
    """Re-makes gray films. What it passes on is thousands of bits and the pixels left visible: nothing is promised."""

    name = NAME
    title = "DCM-DeID"
    unit = "share of the film that is blocked"
    levels = (0.2, 0.4, 0.7, 0.95)

    def __init__(
        self, *, weights: Path | None = None, device: str = "cpu", settings: DcmDeidSettings | None = None
    ) -> None:
        self.settings = settings or DcmDeidSettings()
        if self.settings.steps < 1:
            raise SettingsError("DCM-DeID samples in at least one step; give steps=1 or more")
        self._device = device
        self._parts = load_parts(weights, self.settings.foundation, self.settings.autoencoder, device)

    def bits(self, level: float) -> None:
        """Not bounded: visible pixels are passed on as they are, and the codes' length is only expected."""

    def guarantee(self, level: float) -> Guarantee:
        return Guarantee("none", "nothing in its training keeps identity out of what it passes on; measure it")

    def protect(self, films: Sequence[Film], level: float, chance: Sequence[np.random.Generator]) -> list[Pixels]:
        if not 0 <= level <= 1:
            raise SettingsError("DCM-DeID blocks a share of the film, from 0 to 1")

        def remake(images: Tensor, luck: Chance) -> Tensor:
            meaning, known = self._meaning(images, level)
            shown = self._shown(images, level)
            return remade(self._parts, images, shown, meaning, known, luck, self.settings.steps)

        return in_batches(films, chance, remake, device=self._device)

    def codelength(self, films: Sequence[Film]) -> Codelength:
        """How many bits the semantic codes of films have, under their own entropy model."""
        codes, found = self._parts.networks.codes, []
        with torch.inference_mode():
            for film in films:
                coded = codes.code(codes.standardised(self._parts.foundation(images_of([film]).to(self._device))))
                parts = (coded.codes, coded.codes * coded.mask, coded.codes * (1 - coded.mask))
                found.append([float(codes.bits(part)) for part in parts])
        return Codelength(*np.array(found, np.float32).reshape(-1, 3).T)

    def _shown(self, images: Tensor, level: float) -> Tensor:
        alike = likeness(self._parts.networks.recogniser(images))
        if self.settings.without == "blocking":  # no pixel is passed on: the dial turns the codes instead
            return torch.zeros_like(alike, dtype=torch.bool)
        return visible(alike, torch.full((len(images),), level, device=images.device), self.settings.keep)

    def _meaning(self, images: Tensor, level: float) -> tuple[Tensor, Tensor]:
        """The semantic features, and which of them are known."""
        codes, without = self._parts.networks.codes, self.settings.without
        features = codes.standardised(self._parts.foundation(images))
        known = torch.full((len(images),), without != "semantics", device=images.device)
        if without == "decoupling":
            return features, known
        coded = codes.code(features)
        passed = 1 - coded.mask
        if without == "blocking":
            passed = passed + coded.mask * _least_likely(codes.likely_identity(coded.codes), coded.mask, 1 - level)
        return codes.features(coded.codes * passed), known


class Parts:
    """All networks on the device: those of DCM-DeID, the foundation model and the autoencoder."""

    def __init__(self, networks: Networks, foundation: Foundation, autoencoder: Autoencoder, device: str) -> None:
        self.networks, self.foundation = placed(networks, device), placed(foundation, device)
        self.autoencoder = placed(autoencoder, device)


def load_parts(weights: Path | None, foundation: Path | None, autoencoder: Path | None, device: str) -> Parts:
    """The user's networks, or those that come with medveil."""
    path = bundled(NAME) if weights is None else weights
    networks, features = load_networks(path), Foundation(foundation)
    if networks.foundation != features.digest:
        raise InputError(f"{path} was trained with another foundation model; give that one, or train again")
    return Parts(networks, features, load_autoencoder(autoencoder), device)


def remade(
    parts: Parts, images: Tensor, shown: Tensor, meaning: Tensor, known: Tensor, luck: Chance, steps: int
) -> Tensor:
    """New films from what is visible of the old ones and what they mean, where that is known."""
    latents = parts.autoencoder.encode(blocked(images, shown))
    synthesis = parts.networks.synthesis
    noise = normal(luck, (CHANNELS, LATENT, LATENT), images.device)
    return parts.autoencoder.decode(sampled(synthesis, noise, synthesis.conditions(latents, meaning, known), steps))


def _least_likely(odds: Tensor, mask: Tensor, share: float) -> Tensor:
    """Of the codes held to tell the identity, the share that does so least: 1 there, 0 elsewhere."""
    chosen = torch.zeros_like(mask).flatten(1)
    for row, one, held in zip(chosen, odds.flatten(1), mask.flatten(1) > 0, strict=True):
        places = held.nonzero().flatten()
        order = places[one[places].argsort()]
        row[order[: round(share * len(order))]] = 1
    return chosen.view(mask.shape)
