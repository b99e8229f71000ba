"""The settings a sweep tries: every variant, at several strengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from medveil.defenses.alignment.settings import VARIANTS, Settings, Variant
from medveil.errors import SettingsError

EPSILONS = (0.34, 1.0, 3.0, 8.0)
NOISES = (0.5, 1.0, 2.0)
DIRECTIONS = (4, 16, 64)
PRIVATE = ("dp", "dp-groups", "dp-nominal")


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
    strengths: dict[str, tuple[str, str, Sequence[float]]] = {
        "noise": ("noise", "length", noises),
        "erase": ("directions", "directions", directions),
    } | dict.fromkeys(PRIVATE, ("epsilon", "ε", epsilons))

    def each() -> Iterator[Candidate]:
        for variant in variants:
            if variant not in strengths:
                yield Candidate(variant, variant, variant, Settings.for_variant(variant, **changes))
                continue
            setting, told, values = strengths[variant]
            for value in values:
                settings = Settings.for_variant(variant, **{**changes, setting: value})
                yield Candidate(f"{variant}, {told} {value:g}", f"{variant}-{value:g}", variant, settings)

    return list(each())


def chosen_candidates(
    variants: Sequence[Variant],
    *,
    sweep: bool,
    epsilons: Sequence[float],
    noises: Sequence[float],
    directions: Sequence[int],
    **changes: Any,
) -> list[Candidate]:
    """What the user chose: one setting, or with `sweep` every variant named, or all, at every strength named."""
    if not sweep and any(len(values) > 1 for values in (variants, epsilons, noises, directions)):
        raise SettingsError("several variants or strengths at once are a sweep; add --sweep, or give one of each")
    usual = Settings()
    chosen = variants or (VARIANTS if sweep else ["dp"])
    return candidates(
        [variant for variant in VARIANTS if variant in chosen],
        epsilons=epsilons or (EPSILONS if sweep else (usual.epsilon,)),
        noises=noises or (NOISES if sweep else (usual.noise,)),
        directions=directions or (DIRECTIONS if sweep else (usual.directions,)),
        **{name: value for name, value in changes.items() if value is not None},
    )
