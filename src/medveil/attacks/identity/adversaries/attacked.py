"""What the attackers came to: the outcome of every query, and the estimates they add up to.

The strongest counts. Whichever attacker is strongest in truth, their own upper end is among those that the highest is
taken from, so the highest upper end errs no more often than a single one: it needs no correction. The highest lower
end would, and is taken from intervals as wide as Bonferroni asks for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.adversaries.films import Codes
from medveil.errors import NotMeasurable
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share

Doubles = NDArray[np.float64]
Key = tuple[str, str]  # attacker, mode
ATTACKERS = ("frozen", "other", "retrained", "restored")
MODES = ("dd", "do")
LEVEL = 0.95


@dataclass(frozen=True)
class Strongest:
    """The highest precision@1 and the highest upper end of all attackers, and who reached that end in which mode."""

    estimate: Estimate
    attacker: str
    mode: str


@dataclass(frozen=True)
class Attacked:
    """Arrays over the films under attack; NaN where a film has none of the same person to find.

    `hits`: precision@1 by attacker and mode, dd among the other defended films, do among the others' originals.
    `cmc`: rank 1 among all originals, the film's own too. `own`: whether a film is so alike to its own original as one
    in a thousand pairs of two persons. `chance`: blind guessing. `undefended`: precision@1 of the originals among
    themselves, by attacker: what each can do. `control`: precision@1 by the table alone. `together`: by attacker, dd
    with what the rows tell beside the films. `learned_from`: patients
    who taught the attackers, and how many of them came more than once; of two halves the fewer.
    """

    patients: Codes
    hits: dict[Key, Doubles]
    cmc: dict[str, Doubles]
    own: dict[str, Doubles]
    chance: Doubles
    undefended: dict[str, Doubles]
    control: Doubles | None = None
    learned_from: tuple[int, int] = (0, 0)
    together: dict[str, Doubles] = field(default_factory=dict)
    _weights: dict[tuple[int, int], Doubles] = field(default_factory=dict, compare=False, repr=False)

    @property
    def attackers(self) -> tuple[str, ...]:
        return tuple(name for name in ATTACKERS if name in self.cmc)

    def estimate(self, attacker: str, mode: str, *, seed: int = 0, level: float = LEVEL) -> Estimate:
        """Precision@1 over the queries of returning patients."""
        return self.mean(self.hits[attacker, mode], seed=seed, level=level)

    def mean(self, values: Doubles, *, seed: int = 0, level: float = LEVEL, searched: bool = True) -> Estimate:
        """Of one value a film, by patient; chance and control are told where somebody was `searched` for."""
        known = np.isfinite(values)
        if not known.any():
            raise NotMeasurable("no patient has films of two visits, so there is nobody to recognise")
        codes = np.unique(self.patients, return_inverse=True)[1]
        told: dict[str, Any] = {"level": level}
        if searched:
            told["chance"] = float(self.chance[known].mean())
            told["control"] = None if self.control is None else float(self.control[known].mean())
        return share(values[known], codes[known], self._redraws(int(codes.max()) + 1, seed), **told)

    def strongest(self, *, seed: int = 0) -> Strongest:
        """Over all attackers and both modes."""
        found = {key: self.estimate(*key, seed=seed) for key in self.hits}
        careful = 1 - (1 - LEVEL) / len(found)
        low = max(self.estimate(*key, seed=seed, level=careful).low for key in found)
        attacker, mode = max(found, key=lambda key: found[key].high)
        draws = [each.replicates for each in found.values() if each.replicates is not None]
        value = max(each.value for each in found.values())
        joined = replace(found[attacker, mode], value=value, low=min(low, value), replicates=np.max(draws, axis=0))
        return Strongest(joined, attacker, mode)

    def table(self, *, seed: int = 0) -> list[dict[str, Any]]:
        """One row an attacker and mode."""
        return [
            {"attacker": attacker, "mode": mode, **_row(self.estimate(attacker, mode, seed=seed))}
            for attacker, mode in self.hits
        ]

    def _redraws(self, units: int, seed: int) -> Doubles:
        if (units, seed) not in self._weights:
            self._weights[units, seed] = unit_weights(units, seed=seed)
        return self._weights[units, seed]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Plain arrays by name, as `numpy.savez` takes them."""
        arrays: dict[str, NDArray[Any]] = {f"hits.{a}.{m}": values for (a, m), values in self.hits.items()}
        for name in ("cmc", "own", "undefended", "together"):
            arrays |= {f"{name}.{attacker}": each for attacker, each in getattr(self, name).items()}
        if self.control is not None:
            arrays["control"] = self.control
        return arrays | {
            "patients": self.patients,
            "chance": self.chance,
            "learned_from": np.array(self.learned_from),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Attacked:
        parts: dict[str, dict[Any, Doubles]] = {name: {} for name in ("hits", "cmc", "own", "undefended", "together")}
        for name in arrays:
            kind, *rest = name.split(".")
            if kind in parts:
                parts[kind][tuple(rest) if kind == "hits" else rest[0]] = arrays[name]
        fewest, returning = (int(count) for count in arrays["learned_from"])
        control = arrays.get("control")
        return cls(
            arrays["patients"], chance=arrays["chance"], control=control, learned_from=(fewest, returning), **parts
        )


def joined(parts: Sequence[Attacked], rows: Sequence[NDArray[np.intp]]) -> Attacked:
    """Parts that were attacked one after the other, as one; `rows` says where each part's films stand in it."""
    place = np.argsort(np.concatenate(rows))

    def together(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate(arrays)[place]

    first = parts[0]
    control = [part.control for part in parts if part.control is not None]
    return Attacked(
        together([part.patients for part in parts]),
        {key: together([part.hits[key] for part in parts]) for key in first.hits},
        {key: together([part.cmc[key] for part in parts]) for key in first.cmc},
        {key: together([part.own[key] for part in parts]) for key in first.own},
        together([part.chance for part in parts]),
        {key: together([part.undefended[key] for part in parts]) for key in first.undefended},
        together(control) if len(control) == len(parts) else None,
        (min(part.learned_from[0] for part in parts), min(part.learned_from[1] for part in parts)),
        {key: together([part.together[key] for part in parts]) for key in first.together},
    )


def _row(estimate: Estimate) -> dict[str, Any]:
    names = ("value", "low", "high", "chance", "control", "n", "units")
    return {name: getattr(estimate, name) for name in names}
