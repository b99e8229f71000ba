"""What the identity attack can be set to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from medveil.errors import SettingsError
from medveil.part_settings import changed


@dataclass(frozen=True)
class IdentitySettings:
    """How to recognise, and how sure to be.

    `false_match_rate`: the share of pairs of two persons that may be called the same.
    `prior`: how likely two images of different studies show one person before anybody looks; by default as often
    as they do in these cohorts, or, where nobody knows, once for every image of the first.
    `weights`: another network than the bundled ones, of either kind; the word verification is the bundled verifier.
    `show_images`: attention maps over the X-rays instead of alone; the report then shows patients.
    """

    false_match_rate: float = 1e-3
    prior: float | None = None
    weights: Path | None = None
    show_images: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.false_match_rate < 1:
            raise SettingsError(
                "the false-match rate must be between 0 and 1; 0.001 allows one false match in 1,000 pairs"
            )
        if self.prior is not None and not 0 < self.prior < 1:
            raise SettingsError(
                "the prior is a probability between 0 and 1; leave it out if you have no better estimate"
            )

    def weakened(self) -> tuple[str, ...]:
        """More false matches allow more links; priors and pictures change none."""
        more = self.false_match_rate >= IdentitySettings.false_match_rate
        harmless = {"prior", "show_images"} | ({"false_match_rate"} if more else set())
        return tuple(name for name in changed(self) if name not in harmless)


@dataclass(frozen=True)
class AdversarySettings:
    """How hard attackers who learn try.

    `effort`: small (minutes on two cores), full (for a graphics card), or a number of steps.
    `keep`: a folder for what is being learned, from which a killed run goes on; it tells of patients, so keep it to
    yourself.
    `other`: a retrieval network of another architecture than the bundled one.
    """

    effort: str = "small"
    keep: Path | None = None
    other: Path | None = None

    def __post_init__(self) -> None:
        if self.effort not in ("small", "full") and not (self.effort.isdecimal() and int(self.effort) > 0):
            raise SettingsError("the attackers' effort is small, full, or a number of steps")

    def weakened(self) -> tuple[str, ...]:
        """A second network and a place to keep things weaken nothing, nor do more steps."""
        from medveil.attacks.identity.adversaries.effort import SMALL

        tries = SMALL.steps if self.effort == "full" else int(self.effort) if self.effort.isdecimal() else 0
        harmless = {"keep", "other"} | ({"effort"} if tries >= SMALL.steps else set())
        return tuple(name for name in changed(self) if name not in harmless)
