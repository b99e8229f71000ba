"""What the membership attack can be set to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from medveil.attacks.membership.limits import PrivacyLimit
from medveil.errors import SettingsError


@dataclass(frozen=True)
class MembershipSettings:
    """How the attacker prepares.

    `references`: encoders that were trained on none of the patients, by name, folder or owner/model on the hub; unless
    set, the bundled one, if that is not attacked itself. A federated model is attacked with models of its own recipe.
    `shadows`: how many of those are trained; each takes as long as the attacked model did.
    `epsilon`, `delta`: what the training promised, where it promised something.
    `keep`: a folder for the shadow models' answers, from which a killed run goes on; it tells of patients, so keep it
    to yourself.
    """

    references: tuple[str, ...] = ()
    shadows: int = 8
    epsilon: float | None = None
    delta: float = 1e-5
    keep: Path | None = None

    def __post_init__(self) -> None:
        if self.shadows < 4 or self.shadows % 2:
            raise SettingsError("shadow models come in pairs, one with a patient and one without: at least 4, and even")
        if not 0 <= self.delta < 1:
            raise SettingsError("delta lies between 0 and 1, such as 1e-5")
        if self.epsilon is not None:
            PrivacyLimit(self.epsilon, self.delta)

    @property
    def limit(self) -> PrivacyLimit | None:
        return None if self.epsilon is None else PrivacyLimit(self.epsilon, self.delta)
