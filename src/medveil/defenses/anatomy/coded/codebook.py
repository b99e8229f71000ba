"""The code of a film: answers to yes-or-no questions about what it shows, the most telling first.

The first bit says whether the film is a real or a drawn one (a phantom); every further bit answers a question which
depends on the answers before it ("Pleural Effusion above 0.5?"). The first b bits are so the best description of b
bits there is here, and a description of fewer bits is its beginning. What the code stands for is the mean of what the
training films with the same answers show. A film's code is an integer below 2^b, and nothing else of it goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.errors import SettingsError

LONGEST = 16  # bits
LEAF = -1  # in place of a field: nothing more is asked
SILENT = -2  # nothing is asked here, but further on
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Questions:
    """A tree of questions, its root first: which field is asked about, above which value the answer is yes, where the
    answers no and yes lead, and the mean of the training films that get there."""

    field: NDArray[np.int32]
    above: Floats
    no: NDArray[np.int32]
    yes: NDArray[np.int32]
    mean: Floats

    def path(self, shown: Floats, bits: int) -> int:
        """The answers, first one highest; those that are not asked any more are no."""
        node = path = 0
        for _ in range(bits):
            answer = int(self.field[node] >= 0 and shown[self.field[node]] > self.above[node])
            path = 2 * path + answer
            node = self.after(node, answer)
        return path

    def node(self, path: int, bits: int) -> int:
        """Where the answers lead."""
        node = 0
        for place in reversed(range(bits)):
            node = self.after(node, path >> place & 1)
        return node

    def after(self, node: int, answer: int) -> int:
        """Where one answer leads."""
        if self.field[node] == LEAF:
            return node
        return int(self.yes[node] if answer and self.field[node] >= 0 else self.no[node])


@dataclass(frozen=True)
class Codebook:
    """Questions about real films and about drawn ones; `fields` names what is asked about."""

    fields: tuple[str, ...]
    real: Questions
    drawn: Questions

    def code(self, shown: Floats, drawn: bool, bits: int) -> int:
        """An integer below 2^bits."""
        check_bits(bits)
        questions = self.drawn if drawn else self.real
        return int(drawn) << (bits - 1) | questions.path(shown, bits - 1)

    def meaning(self, code: int, bits: int) -> tuple[Floats, bool]:
        """What a code stands for: the mean of every field, and whether a drawn film is meant."""
        check_bits(bits)
        if not 0 <= code < 1 << bits:
            raise SettingsError(f"{code} is no code of {bits} bits; give one from 0 to {(1 << bits) - 1}")
        drawn, path = divmod(code, 1 << (bits - 1))
        questions = self.drawn if drawn else self.real
        return questions.mean[questions.node(path, bits - 1)], bool(drawn)

    def told(self, code: int, bits: int) -> list[str]:
        """The code in words, one line a bit that was asked."""
        drawn, path = divmod(code, 1 << (bits - 1))
        questions, node = (self.drawn if drawn else self.real), 0
        lines = ["a drawn film" if drawn else "a real film"]
        for place in reversed(range(bits - 1)):
            answer, field = path >> place & 1, questions.field[node]
            if field >= 0:
                lines.append(f"{self.fields[field]} {'above' if answer else 'at most'} {questions.above[node]:.3g}")
            node = questions.after(node, answer)
        return lines


def check_bits(bits: int) -> None:
    if not 1 <= bits <= LONGEST:
        raise SettingsError(f"a code has 1 to {LONGEST} bits, not {bits}")


def fit_questions(
    shown: Floats,
    weights: Floats,
    pairs: NDArray[np.intp],
    *,
    free: int = 0,
    leakage: Sequence[float] = (0.0,) * (LONGEST - 1),
    least: int = 6,
) -> Questions:
    """Questions about films (n × fields) such that each takes most off what is left to tell.

    What is left is the weighted squared distance from the mean of the films with the same answers. `pairs` are films
    of one person: a question whose answer a person keeps from one film to the next tells who it is, and so each costs
    the information that one film's answer gives about the other's, times `leakage`, which is told for the first
    question, the second and so on. The first `free` fields cost nothing: they are what the films are for. Where no
    question is worth its price, none is asked before it gets cheaper. No answer is left with fewer than `least` films.
    """
    spread = shown.astype(np.float64) * np.sqrt(weights)
    total = float(((spread - spread.mean(0)) ** 2).sum()) or 1.0
    nodes: list[dict[str, float]] = []
    means: list[Floats] = []

    def grow(rows: NDArray[np.intp], of: NDArray[np.intp], asked: int) -> int:
        number = len(nodes)
        nodes.append({"field": LEAF, "above": 0.0, "no": 0, "yes": 0})
        means.append(shown[rows].mean(0).astype(np.float32))
        prices = [price * total for price in leakage[asked:]]
        if not prices or _best(shown, spread, rows, of, least, free, min(prices), len(pairs)) is None:
            return number
        now = _best(shown, spread, rows, of, least, free, prices[0], len(pairs))
        if now is None:  # not yet
            nodes[number] |= {"field": SILENT}
            nodes[number]["no"] = nodes[number]["yes"] = grow(rows, of, asked + 1)
            return number
        field, above = now
        answers = shown[:, field] > above
        nodes[number] |= {"field": field, "above": above}
        for name, answer in (("no", False), ("yes", True)):
            both = (answers[of] == answer).all(1)
            nodes[number][name] = grow(rows[answers[rows] == answer], of[both], asked + 1)
        return number

    grow(np.arange(len(shown)), pairs, 0)
    columns = {name: np.array([node[name] for node in nodes]) for name in nodes[0]}
    return Questions(
        columns["field"].astype(np.int32),
        columns["above"].astype(np.float16).astype(np.float32),
        columns["no"].astype(np.int32),
        columns["yes"].astype(np.int32),
        np.stack(means).astype(np.float16).astype(np.float32),
    )


def _best(
    shown: Floats,
    spread: NDArray[np.float64],
    rows: NDArray[np.intp],
    of: NDArray[np.intp],
    least: int,
    free: int,
    price: float,
    pairs: int,
) -> tuple[int, float] | None:
    """The field and the value to ask about, or None where no question is worth its price."""
    if len(rows) < 2 * least:
        return None
    best: tuple[float, int, float] | None = None
    here = spread[rows]
    for field in range(shown.shape[1]):
        order = np.argsort(shown[rows, field], kind="stable")
        values = shown[rows[order], field]
        sums = np.cumsum(here[order], 0)
        count = np.arange(1, len(rows))
        # what the means of the two sides take off, for a cut behind each film
        low, high = sums[:-1], sums[-1] - sums[:-1]
        gain = (low**2).sum(1) / count + (high**2).sum(1) / (len(rows) - count) - (sums[-1] ** 2).sum() / len(rows)
        cuts = np.flatnonzero((np.diff(values) > 1e-3) & (count >= least) & (len(rows) - count >= least))
        for cut in cuts[np.argsort(-gain[cuts])[:3]]:
            above = float(np.float16((values[cut] + values[cut + 1]) / 2))
            cost = 0.0 if field < free else price * _kept(shown[:, field] > above, of) * len(of) / max(pairs, 1)
            worth = gain[cut] - cost
            if worth > 0 and (best is None or worth > best[0]):
                best = worth, field, above
    return None if best is None else best[1:]


def _kept(answers: NDArray[np.bool_], of: NDArray[np.intp]) -> float:
    """Bits that the answer on one film of a person gives about the answer on another."""
    if not len(of):
        return 0.0
    one, other = answers[of[:, 0]], answers[of[:, 1]]
    together = np.array([[(~one & ~other).sum(), (~one & other).sum()], [(one & ~other).sum(), (one & other).sum()]])
    share = (together + together.T) / (2 * len(of))
    apart = np.outer(share.sum(1), share.sum(0))
    some = share > 0
    return float((share[some] * np.log2(share[some] / apart[some])).sum())


def as_arrays(codebook: Codebook) -> dict[str, NDArray[np.generic]]:
    """For a file; `from_arrays` reads it back."""
    return {
        f"{kind}.{name}": getattr(questions, name)
        for kind, questions in (("real", codebook.real), ("drawn", codebook.drawn))
        for name in ("field", "above", "no", "yes", "mean")
    }


def from_arrays(fields: Sequence[str], arrays: Mapping[str, NDArray[np.generic]]) -> Codebook:
    """Raises ValueError where the arrays are no tree of questions about these fields."""
    kinds = []
    for kind in ("real", "drawn"):
        field, no, yes = (np.asarray(arrays[f"{kind}.{name}"], np.int32) for name in ("field", "no", "yes"))
        above, mean = (np.asarray(arrays[f"{kind}.{name}"], np.float32) for name in ("above", "mean"))
        inner = field != LEAF
        here = np.arange(len(field))
        whole = (field < len(fields)).all() and mean.shape == (len(field), len(fields))
        # children stand behind their parents, so that every path comes to an end
        if not whole or not all(((to[inner] > here[inner]) & (to[inner] < len(field))).all() for to in (no, yes)):
            raise ValueError("not a tree of questions")
        kinds.append(Questions(field, above, no, yes, mean))
    return Codebook(tuple(fields), *kinds)
