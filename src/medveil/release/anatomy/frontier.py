"""One setting of one way of hiding anatomy: what attackers still recognise, and what the films are still good for.

Everything here works on arrays of films. The attackers and the classifiers learn from some patients (`fit`) and are
tried on others (`target`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.adversaries.attacked import Attacked
from medveil.attacks.identity.adversaries.attackers import attack
from medveil.attacks.identity.adversaries.films import Films
from medveil.attacks.identity.adversaries.recognisers import Recognisers
from medveil.defenses.anatomy.coded.method import Coded
from medveil.defenses.anatomy.method import Film, Method, load_method
from medveil.stats.estimate import Estimate
from medveil.utility.diagnosis.comparison import MACRO, aurocs, share_kept
from medveil.utility.diagnosis.diagnosing import Classifier, Diagnosed, Effort, learn, tried
from medveil.utility.diagnosis.films import LabelledFilms

Pixels = NDArray[np.uint8]
NOTHING = "nothing"  # the films as they are
TOGETHER = 32  # films a batch
SHOWN = 8  # films that are kept to look at
Told = Callable[[str], None]


@dataclass(frozen=True)
class Side:
    """Films of some patients, prepared (n × 256 × 256), with their labels (n × findings) and rows of the table."""

    pixels: Pixels
    labels: NDArray[np.float32]
    patients: NDArray[np.int64]
    fields: Sequence[Mapping[str, Any]]

    def take(self, chosen: NDArray[np.bool_]) -> Side:
        at = np.flatnonzero(chosen)
        fields = [self.fields[int(row)] for row in at]
        return Side(self.pixels[at], self.labels[at], self.patients[at], fields)

    def attacked(self, defended: Pixels, draws: int = 1) -> Films:
        """Where films were drawn several times, the draws of one are of one visit: none is found in another."""
        visits = np.tile(np.arange(len(self.pixels) // draws, dtype=np.int64), draws)
        return Films(self.pixels, defended, self.patients, visits)

    def several(self, draws: int) -> Side:
        """Every film so often, all of them once before any comes again."""
        at = np.tile(np.arange(len(self.pixels)), draws)
        return Side(self.pixels[at], self.labels[at], self.patients[at], [self.fields[row] for row in at])

    @property
    def labelled(self) -> LabelledFilms:
        return LabelledFilms.of(self.pixels, self.labels, self.patients)


@dataclass(frozen=True)
class Point:
    """What one setting came to. `trained`: classifiers that learned from defended films, on real ones; `clean`: one
    that learned from real films, on defended ones."""

    method: str
    level: float
    bits: float | None
    attacked: Attacked
    trained: Diagnosed
    clean: Diagnosed
    samples: Pixels = field(repr=False)  # some of the target's films, defended
    draws: int = 1  # of each film

    @property
    def name(self) -> str:
        several = f", {self.draws} draws" if self.draws > 1 else ""
        return self.method if self.method == NOTHING else f"{self.method} {self.level:g}{several}"

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {f"attacked/{name}": each for name, each in self.attacked.to_arrays().items()}
        for kind, one in (("trained", self.trained), ("clean", self.clean)):
            arrays |= {f"{kind}/{name}": each for name, each in vars(one).items()}
        bits = np.nan if self.bits is None else self.bits
        told = {"method": np.array(self.method), "level": np.array(self.level), "bits": np.array(bits)}
        told["draws"] = np.array(self.draws)
        return arrays | told | {"samples": self.samples}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Point:
        parts: dict[str, dict[str, NDArray[Any]]] = {"attacked": {}, "trained": {}, "clean": {}}
        for name in arrays:
            kind, _, rest = name.partition("/")
            if rest:
                parts[kind][rest] = arrays[name]
        bits = float(arrays["bits"])
        return cls(
            str(arrays["method"]),
            float(arrays["level"]),
            None if np.isnan(bits) else bits,
            Attacked.from_arrays(parts["attacked"]),
            Diagnosed(**parts["trained"]),
            Diagnosed(**parts["clean"]),
            arrays["samples"],
            int(arrays.get("draws", 1)),
        )


@dataclass(frozen=True)
class Frontier:
    """Fitted once: the classifier that learned from the films as they are, and the attackers that know them. `steps`
    of the retrained attacker override what the effort says."""

    fit: Side
    target: Side
    clean: Classifier
    known: Recognisers
    effort: Effort
    device: str
    seed: int
    steps: int | None = None

    def measure(
        self,
        method: Method | None,
        level: float = 0.0,
        *,
        draws: int = 1,
        keep: Path | None = None,
        told: Told = print,
    ) -> Point:
        """A setting of a method; of none, the films as they are."""
        fit, target = (side.several(draws) for side in (self.fit, self.target))
        shown = {name: self._defended(side, name, method, level) for name, side in (("fit", fit), ("target", target))}
        told("defended")
        attacked = attack(
            fit.attacked(shown["fit"], draws),
            target.attacked(shown["target"], draws),
            effort=self.steps or self.effort,
            device=self.device,
            seed=self.seed,
            keep=keep,
            recognisers=self.known,
        )
        told("attacked")
        learned = self.clean if method is None else self._learned(fit.labelled.shown(shown["fit"]))
        return Point(
            NOTHING if method is None else method.name,
            level,
            None if method is None else method.bits(level),
            attacked,
            tried(learned, self.target.labelled),
            tried(self.clean, target.labelled.shown(shown["target"])),
            shown["target"][:SHOWN],
            draws,
        )

    def _defended(self, side: Side, name: str, method: Method | None, level: float) -> Pixels:
        if method is None:
            return side.pixels
        return defended(side, method, level, seed=f"{name} {self.seed}")

    def _learned(self, shown: LabelledFilms) -> Classifier:
        return learn(shown, effort=self.effort, device=self.device, seed=self.seed)


def measured_method(name: str, *, weights: Path | None, device: str) -> Method:
    """A method that also makes films anew which its generator has learned from, as those of `fit` may be."""
    method = load_method(name, weights=weights, device=device)
    return type(method)(weights=weights, device=device, measuring=True) if isinstance(method, Coded) else method


def defended(side: Side, method: Method, level: float, *, seed: str) -> Pixels:
    """Every film protected, each with chance of its own."""
    out: list[Pixels] = []
    for start in range(0, len(side.pixels), TOGETHER):
        rows = range(start, min(start + TOGETHER, len(side.pixels)))
        films = [Film(side.pixels[row], side.fields[row]) for row in rows]
        out += method.protect(films, level, [_chance(f"{seed} {method.name} {level:g} {row}") for row in rows])
    return np.stack(out)


def _chance(of: str) -> np.random.Generator:
    return np.random.default_rng(np.frombuffer(hashlib.sha256(of.encode()).digest(), np.uint32))


@dataclass(frozen=True)
class Judged:
    """A point's figures: the strongest attacker, and both AUROCs with what they keep of the originals' above chance."""

    point: Point
    risk: Estimate
    by: str
    trained: Estimate
    clean: Estimate
    trained_kept: Estimate | None
    clean_kept: Estimate | None


def judged(points: Sequence[Point], names: Sequence[str], *, seed: int) -> list[Judged]:
    """With the films as they are among the points, which the others are compared with."""
    base = next(point for point in points if point.method == NOTHING)
    whole = aurocs(base.clean, names, seed=seed)[MACRO]
    told = []
    for point in points:
        strongest = point.attacked.strongest(seed=seed)
        trained, clean = (aurocs(one, names, seed=seed)[MACRO] for one in (point.trained, point.clean))
        kept = [None if point is base else share_kept(one, whole) for one in (trained, clean)]
        by = f"{strongest.attacker} {strongest.mode}"
        told.append(Judged(point, strongest.estimate, by, trained, clean, *kept))
    return told
