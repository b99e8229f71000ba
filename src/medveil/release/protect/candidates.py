"""The settings to try: one, every variant at several strengths, or the run of the linkage paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from medveil.defenses.alignment.settings import VARIANTS, Settings, Variant
from medveil.errors import SettingsError

EPSILONS = (0.34, 1.0, 3.0, 8.0)
NOISES = (0.5, 1.0, 2.0)
DIRECTIONS = (4, 16, 64)
PRIVATE = ("dp", "dp-groups", "dp-nominal")
Preset = Literal["published"]
# σ is not printed in the paper: it is what its Rényi accountant needs for its ε = 0.34 at δ = 6e-6 on 153,255 pairs
PUBLISHED: dict[str, Any] = {
    "unit": "pair",
    "accountant": "rdp",
    "noise_multiplier": 1.4,
    "delta": 6e-6,
    "clip": 1.5,
    "learning_rate": 5e-3,
    "weight_decay": 0.01,
}
PUBLISHED_VARIANTS: tuple[Variant, ...] = ("dp-nominal", "entropy")
LEFT_OPEN = ("seed", "temperature", "entropy_weight")  # what the paper does not tell


@dataclass(frozen=True)
class Candidate:
    """A variant at one setting; `folder` is where it is kept."""

    name: str
    folder: str
    variant: Variant
    settings: Settings

    @property
    def claims(self) -> bool:
        """Whether an epsilon is claimed for it, if only nominally."""
        return self.variant in PRIVATE

    @property
    def audited(self) -> bool:
        """Whether to audit it with canaries: every claim, and `plain`, which shows that a leak would be seen."""
        return self.claims or self.variant == "plain"


def candidates(
    variants: Sequence[Variant] = tuple(VARIANTS),
    *,
    epsilons: Sequence[float] = EPSILONS,
    noises: Sequence[float] = NOISES,
    directions: Sequence[int] = DIRECTIONS,
    **changes: Any,
) -> list[Candidate]:
    """Private variants at every epsilon, noise and erasing at every strength, the others once; `changes` to all."""
    sigma = changes.get("noise_multiplier")
    private = ("epsilon", "ε", epsilons) if sigma is None else ("noise_multiplier", "σ", (sigma,))
    strengths: dict[str, tuple[str, str, Sequence[float]]] = {
        "noise": ("noise", "length", noises),
        "erase": ("directions", "directions", directions),
    } | dict.fromkeys(PRIVATE, private)

    def each() -> Iterator[Candidate]:
        for variant in variants:
            if variant not in strengths:
                yield Candidate(variant, variant, variant, Settings.for_variant(variant, **changes))
                continue
            setting, told, values = strengths[variant]
            for value in values:
                settings = Settings.for_variant(variant, **{**changes, setting: value})
                folder = f"{variant}-sigma-{value:g}" if told == "σ" else f"{variant}-{value:g}"
                yield Candidate(f"{variant}, {told} {value:g}", folder, variant, settings)

    return list(each())


def chosen_candidates(
    variants: Sequence[Variant],
    *,
    sweep: bool,
    epsilons: Sequence[float],
    noises: Sequence[float],
    directions: Sequence[int],
    preset: Preset | None = None,
    **changes: Any,
) -> list[Candidate]:
    """What the user chose: one setting, or with `sweep` every variant named, or all, at every strength named; with a
    `preset`, the settings of a paper and no others."""
    changes = {name: value for name, value in changes.items() if value is not None}
    if preset is not None:
        return _published(variants, bool(epsilons or noises or directions), changes, sweep=sweep)
    if epsilons and "noise_multiplier" in changes:
        raise SettingsError("epsilon follows from a noise multiplier; give one of the two")
    if not sweep and any(len(values) > 1 for values in (variants, epsilons, noises, directions)):
        raise SettingsError("several variants or strengths at once are a sweep; add --sweep, or give one of each")
    usual = Settings()
    chosen = variants or (VARIANTS if sweep else ["dp"])
    return candidates(
        [variant for variant in VARIANTS if variant in chosen],
        epsilons=epsilons or (EPSILONS if sweep else (usual.epsilon,)),
        noises=noises or (NOISES if sweep else (usual.noise,)),
        directions=directions or (DIRECTIONS if sweep else (usual.directions,)),
        **changes,
    )


def _published(
    variants: Sequence[Variant], strengths: bool, changes: dict[str, Any], *, sweep: bool
) -> list[Candidate]:
    """The private training of the linkage paper, its entropy comparator, or with `sweep` both."""
    if strengths or not set(changes) <= set(LEFT_OPEN) or not set(variants) <= set(PUBLISHED_VARIANTS):
        raise SettingsError(
            f"the published run is {' or '.join(PUBLISHED_VARIANTS)} with settings of its own; leave out other ones"
            " (only the seed, the temperature and lambda are open), or the preset"
        )
    chosen = variants or (PUBLISHED_VARIANTS if sweep else PUBLISHED_VARIANTS[:1])
    return candidates([each for each in PUBLISHED_VARIANTS if each in chosen], **PUBLISHED, **changes)
