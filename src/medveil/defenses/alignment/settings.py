"""How the heads are trained: the published settings, and what may be changed."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from medveil.defenses.alignment.accounting import ACCOUNTANTS, Accountant
from medveil.errors import SettingsError

Variant = Literal["dp", "dp-groups", "dp-nominal", "entropy", "plain", "noise", "erase", "findings"]
Unit = Literal["pair", "patient"]
MOST_EPSILON = 100.0
LEAST_NOISE = 0.1  # multiplier; with less, an accountant has nothing to tell

VARIANTS: dict[Variant, str] = {
    "dp": "private training against public negatives",
    "dp-groups": "private training in disjoint groups",
    "dp-nominal": "noisy training on a loss over the batch, as published; carries no guarantee",
    "entropy": "training with a reward for entropy, no privacy",
    "plain": "the training of dp without its noise, no privacy",
    "noise": "Gaussian noise on the embeddings, nothing trained",
    "erase": "directions in which images and reports vary together removed, nothing trained",
    "findings": "image embeddings reduced to the directions that findings are read from, no privacy",
}


@dataclass(frozen=True)
class Settings:
    """Defaults as published; the published unit is the pair, ours the patient."""

    unit: Unit = "patient"
    epsilon: float = 0.34
    delta: float = 6e-6
    accountant: Accountant = "pld"
    noise_multiplier: float | None = None  # σ itself; epsilon is then what the accountant makes of it
    clip: float = 1.5
    batch: int = 128  # pairs expected in a step
    epochs: int = 5
    learning_rate: float = 5e-3
    weight_decay: float = 0.01
    temperature: float = 0.07
    negatives: int = 128  # public pairs a step is held against
    group_size: int = 8  # pairs expected in a group
    entropy_weight: float = 0.1
    noise: float = 0.5  # expected length of the noise on an embedding of length 1
    directions: int = 16  # to erase
    strength: float = 1.0  # of erasing: 1 removes a direction, 0 leaves it
    seed: int | None = None  # drawn from the operating system and forgotten unless given

    @classmethod
    def for_variant(cls, variant: Variant, **changes: Any) -> Settings:
        """The published settings of a variant, with changes."""
        published = {"epochs": 500, "batch": 512} if variant == "entropy" else {}
        known = {field.name for field in fields(cls)}
        if not set(changes) <= known:
            raise SettingsError(f"an alignment setting must be one of {', '.join(sorted(known))}")
        return cls(**{**published, **changes})

    def __post_init__(self) -> None:
        positive = ("epsilon", "clip", "learning_rate", "temperature", "batch", "epochs", "negatives", "group_size")
        for name in positive:
            if not (getattr(self, name) > 0 and math.isfinite(getattr(self, name))):
                raise SettingsError(f"{name} must be a positive number")
        for name in ("weight_decay", "entropy_weight", "noise", "directions"):
            if not (getattr(self, name) >= 0 and math.isfinite(getattr(self, name))):
                raise SettingsError(f"{name} must be zero or a positive number")
        if self.epsilon > MOST_EPSILON:
            raise SettingsError(f"an epsilon above {MOST_EPSILON:g} promises nothing; use the plain variant")
        if not 0 < self.delta < 1:
            raise SettingsError("delta must be between 0 and 1")
        if not 0 <= self.strength <= 1:
            raise SettingsError("strength must be between 0 and 1")
        if self.unit not in ("pair", "patient"):
            raise SettingsError("the unit must be pair or patient")
        if self.accountant not in ACCOUNTANTS:
            raise SettingsError(f"the accountant must be {' or '.join(ACCOUNTANTS)}")
        if self.noise_multiplier is not None and not LEAST_NOISE <= self.noise_multiplier < math.inf:
            raise SettingsError(f"the noise multiplier must be a number from {LEAST_NOISE:g} on")

    def public(self) -> dict[str, Any]:
        """For the record: everything but the seed, which must stay secret, and an epsilon that was not aimed at."""
        aimed_at = self.epsilon if self.noise_multiplier is None else None
        return {**asdict(self), "epsilon": aimed_at, "seed": "drawn and forgotten" if self.seed is None else "given"}
