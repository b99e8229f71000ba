"""What poisoned sites do to a federated model, with and without aggregation that withstands them.

Some of the sites turn their labels round, send scaled updates, or teach the model a backdoor. The damage is what the
model loses on honest films, and how often a mark on a film makes it see a finding that is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.poisoning.data import backdoored, flipped, marked
from medveil.attacks.poisoning.updates import Scaled, TrainingSite
from medveil.federated.aggregation import aggregation
from medveil.federated.local_training import LocalTraining, assemble
from medveil.federated.recipe import Recipe
from medveil.federated.rounds import federate
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.steps import predicted

Poison = Literal["none", "flipped labels", "scaled updates", "backdoor"]
POISONS: tuple[Poison, ...] = ("none", "flipped labels", "scaled updates", "backdoor")
FACTOR = -10.0  # of a scaled update: enough that two sites of eleven turn the mean round
BOOSTED = 5.0  # of the backdoor's update, so that it is not averaged away
SHARE = 0.5  # of the films of a site with a backdoor that are marked


@dataclass(frozen=True)
class Poisoned:
    """Log odds of honest films and of the same films marked (films × findings), by the model that came out."""

    honest: NDArray[np.float32]
    marked: NDArray[np.float32]


def poisoned_sites(
    recipe: Recipe, sites: Mapping[str, Films], poison: Poison, bad: int, finding: int, *, device: str, seed: int
) -> dict[str, TrainingSite]:
    """The first `bad` of the sites are poisoned; `finding` is what the backdoor's mark is to mean."""
    found: dict[str, TrainingSite] = {}
    for number, (name, films) in enumerate(sorted(sites.items())):
        wrong = number < bad
        if wrong and poison == "flipped labels":
            films = replace(films, targets=flipped(films.targets))
        if wrong and poison == "backdoor":
            changed = backdoored(films.pixels, films.targets, films.known, finding, share=SHARE, seed=seed)
            films = replace(films, pixels=changed[0], targets=changed[1], known=changed[2])
        site: TrainingSite = LocalTraining(recipe, films, None, device)
        if wrong and poison in ("scaled updates", "backdoor"):
            site = Scaled(site, FACTOR if poison == "scaled updates" else BOOSTED)
        found[name] = site
    return found


def train_poisoned(
    recipe: Recipe,
    sites: Mapping[str, Films],
    tried: Films,
    rounds: int,
    *,
    poison: Poison,
    rule: str,
    bad: int,
    finding: int,
    device: str = "cpu",
    seed: int = 0,
) -> Poisoned:
    """Train, and ask the model about films of other people."""
    taking_part = poisoned_sites(recipe, sites, poison, bad, finding, device=device, seed=seed)
    shared = federate(recipe, taking_part, rounds, aggregation(rule, bad_sites=bad)).shared
    network = assemble(recipe, shared).to(device)
    return Poisoned(*(predicted(network, pixels, device=device) for pixels in (tried.pixels, marked(tried.pixels))))
