"""Shadow models: trained by the attacker as the attacked one was, on patients of whom they know who is in.

They come in pairs, one trained on a random half of the patients and one on the other, so that every patient is in half
of them. With a folder, what each says of the patients is kept as soon as it is known, and a killed run goes on from
there.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.membership.evidence import Evidence
from medveil.attacks.membership.scores import References
from medveil.attacks.membership.signals import Signals
from medveil.runtime.storage import write_bytes

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Answer:
    """What a model says of the patients guessed about, and how likely it finds those of the crowd."""

    signals: Signals
    population: Floats


Train = Callable[[Flags, int], Answer]  # who is in, and the number of the model


@dataclass(frozen=True)
class Shadows:
    """Models of whose members nothing is unknown: a row of `included` for each answer."""

    included: Flags
    answers: tuple[Answer, ...]

    @property
    def references(self) -> References:
        told = self.answers
        return References(
            np.stack([each.signals.odds for each in told]),
            np.stack([each.signals.likelihood for each in told]),
            np.stack([each.population for each in told]),
            self.included,
        )

    def about(self, model: int) -> Evidence:
        """One of them, attacked with the help of the others."""
        attacked = self.answers[model]
        return Evidence(self.included[model], attacked.signals, attacked.population, self.references.without(model))


def train_shadows(
    train: Train,
    patients: int,
    count: int,
    *,
    seed: int,
    name: str,
    keep: Path | None = None,
    progress: Progress | None = None,
) -> Shadows:
    """`name` tells what they are trained by and on; answers that were kept under another are not taken."""
    included = halves(patients, count, seed=seed)
    answers = []
    for number, members in enumerate(included):
        place = None if keep is None else _place(keep, name, number, seed, members)
        answer = None if place is None else _read(place)
        if answer is None:
            answer = train(members, number)
            if place is not None:
                write_bytes(place, _written(answer), private=True)
        answers.append(answer)
        if progress is not None:
            progress(number + 1, count)
    return Shadows(included, tuple(answers))


def kept_shadows(keep: Path, patients: int, count: int, *, seed: int, name: str) -> Shadows:
    """Those pairs of `train_shadows` that were trained so far."""
    included = halves(patients, count, seed=seed)
    answers = [_read(_place(keep, name, number, seed, members)) for number, members in enumerate(included)]
    there = [each for each in answers if each is not None]
    whole = answers.index(None) // 2 * 2 if None in answers else count
    return Shadows(included[:whole], tuple(there[:whole]))


def _place(keep: Path, name: str, number: int, seed: int, members: Flags) -> Path:
    told = hashlib.sha256(f"{name} {number} {seed}".encode() + members.tobytes()).hexdigest()
    return keep / f"shadow-{told[:24]}.npz"


def halves(patients: int, count: int, *, seed: int) -> Flags:
    """Models × patients: every second model has exactly those whom the one before it has not."""
    rng = np.random.default_rng([seed, 43])
    rows: list[Flags] = []
    while len(rows) < count:
        half = rng.permutation(patients) < (patients + 1) // 2
        rows += [half, ~half]
    return np.stack(rows[:count])


def _written(answer: Answer) -> bytes:
    file = io.BytesIO()
    parts = {"odds": answer.signals.odds, "likelihood": answer.signals.likelihood, "population": answer.population}
    if answer.signals.similarity is not None:
        parts["similarity"] = answer.signals.similarity
    np.savez(file, **parts)  # type: ignore[arg-type]
    return file.getvalue()


def _read(path: Path) -> Answer | None:
    """A file that cannot be read is no answer: the model is trained again."""
    try:
        with np.load(io.BytesIO(path.read_bytes())) as kept:
            similarity = kept["similarity"] if "similarity" in kept.files else None
            return Answer(Signals(kept["odds"], kept["likelihood"], similarity), kept["population"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
