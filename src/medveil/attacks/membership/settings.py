"""What the membership attack can be set to."""

from __future__ import annotations

from dataclasses import dataclass

from medveil.attacks.membership.limits import PrivacyLimit
from medveil.errors import SettingsError


@dataclass(frozen=True)
class MembershipSettings:
    """How the attacker prepares.

    `references`: encoders that were trained on none of the patients, by name, folder or owner/model on the hub; unless
    set, the bundled one, if that is not attacked itself.
    `epsilon`, `delta`: what the training promised, where it promised something.
    """

    references: tuple[str, ...] = ()
    epsilon: float | None = None
    delta: float = 1e-5

    def __post_init__(self) -> None:
        if not 0 <= self.delta < 1:
            raise SettingsError("delta lies between 0 and 1, such as 1e-5")
        if self.epsilon is not None:
            PrivacyLimit(self.epsilon, self.delta)

    @property
    def limit(self) -> PrivacyLimit | None:
        return None if self.epsilon is None else PrivacyLimit(self.epsilon, self.delta)
