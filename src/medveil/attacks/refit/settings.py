"""How hard the adversary of the refit attack tries."""

from __future__ import annotations

from dataclasses import dataclass

from medveil.errors import SettingsError


@dataclass(frozen=True)
class RefitSettings:
    """How hard the adversary tries. `repeats`: adversaries with other pairs of their own, whose success is averaged."""

    dim: int = 128
    epochs: int = 60
    patience: int = 6
    own_check: float = 0.2
    shrinkages: tuple[float, ...] = (0.9, 0.5, 0.2, 0.05, 0.01)
    repeats: int = 1

    def __post_init__(self) -> None:
        if self.dim < 1 or self.epochs < 0 or self.repeats < 1 or not 0 < self.own_check < 1:
            raise SettingsError("the refit attack needs a dimension, repeats, and a share of own pairs between 0 and 1")
