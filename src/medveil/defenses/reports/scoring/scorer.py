"""How likely a proposal is an identifier: its evidence, weighed within its group. One file of weights, fitted on texts
whose identifiers are known (`recipes/scorer`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from medveil.defenses.reports.proposal import TAGGER, Proposal
from medveil.defenses.reports.rules import CERTAIN, GRAMMARS
from medveil.defenses.reports.rules.page import Page
from medveil.defenses.reports.scoring.evidence import GROUPS, NAMES, Marks, evidence
from medveil.defenses.reports.scoring.measurements import is_value
from medveil.defenses.reports.tagger.tagged_text import TaggedText
from medveil.errors import InputError
from medveil.runtime.storage import write_bytes

GROUP_NAMES = tuple(dict.fromkeys(GROUPS.values()))
_PLACE = {category: GROUP_NAMES.index(group) for category, group in GROUPS.items()}
_SURE = 0.9  # what is less likely may as well be a dose, a score or a ratio
_VALUES = frozenset({"numbers", "dates", "times", "ages"})
_GRAMMAR = 0.5  # of what others need is enough for what a grammar tells
_VALUE = 1.3  # times as much is needed where a value may be lost
_SURE_OF_VALUE = 0.85
_VALUED = NAMES.index("value")
_MEASURES = [_VALUED, NAMES.index("unit after"), NAMES.index("amount")]
FORMAT = "medveil-scorer-1"


@dataclass(frozen=True)
class Scorer:
    """`weights` is groups × names; a proposal is kept if it is at least `least` likely."""

    weights: NDArray[np.float32]
    least: float

    @classmethod
    def bundled(cls) -> Scorer:
        from medveil.weights.bundled import bundled

        return _loaded(bundled("scorer"))

    def likelihoods(self, page: Page, proposals: Sequence[Proposal], tagged: TaggedText) -> NDArray[np.float32]:
        return self._likely(proposals, evidence(page, proposals, tagged))

    def _likely(self, proposals: Sequence[Proposal], rows: NDArray[np.float32]) -> NDArray[np.float32]:
        own = self.weights[[_PLACE[one.category] for one in proposals]]
        return np.asarray(1 / (1 + np.exp(-(rows * own).sum(1))), np.float32)

    def kept(self, page: Page, proposals: Sequence[Proposal], tagged: TaggedText) -> list[Proposal]:
        """What is likely enough; half of it will do for what a grammar tells, and nothing where the network agrees.

        Doubtful are numbers, days and times of which it is not sure, whoever proposes them: they may as well be values
        that somebody needs.
        """
        heard = Marks(len(page.text), (one for one in proposals if one.by == TAGGER))
        settled = [self._is_certain(page, one) or self._agreed(page, one, heard) for one in proposals]
        told = Marks(len(page.text), (one for one, at_once in zip(proposals, settled, strict=True) if at_once))
        kept: list[Proposal] = []
        asked: list[tuple[Proposal, bool]] = []
        for one, at_once in zip(proposals, settled, strict=True):
            if at_once and not _is_number(page, one):
                kept.append(one)
            elif at_once or not told.cover(one):
                asked.append((one, at_once))
        if not asked:
            return kept
        weighed = [one for one, _ in asked]
        rows = evidence(page, weighed, tagged, proposals)
        likely_enough = []
        for (one, at_once), row, share in zip(asked, rows, self._likely(weighed, rows).tolist(), strict=True):
            value = bool(row[_VALUED] if one.by in GRAMMARS else row[_MEASURES].any())
            if at_once or share >= self._least_of(page, one, value=value):
                unsure = _is_number(page, one) and (share < _SURE or (value and not at_once))
                likely_enough.append((replace(one, doubtful=True) if unsure else one, at_once))
        told = Marks(len(page.text), (one for one, at_once in likely_enough if one.by in GRAMMARS and not at_once))
        return kept + [one for one, at_once in likely_enough if at_once or one.by in GRAMMARS or not told.cover(one)]

    def _is_certain(self, page: Page, one: Proposal) -> bool:
        """What hardly anything else fits; but a value is one whatever stands before it."""
        value = GROUPS[one.category] in _VALUES and is_value(page.text, one.start, one.end)
        return one.by in CERTAIN and not value

    def _agreed(self, page: Page, one: Proposal, heard: Marks) -> bool:
        """Whether a grammar and the network say the same; where another grammar has it for a value it is weighed."""
        return one.by in GRAMMARS and heard.touch(one) and not is_value(page.text, one.start, one.end)

    def _least_of(self, page: Page, one: Proposal, *, value: bool) -> float:
        """More where a number may be a value, and most where the grammar of values has it for one."""
        number = GROUPS[one.category] in _VALUES or page.text[one.start : one.end].isdigit()
        if number and value:
            return _SURE_OF_VALUE
        if one.by in GRAMMARS:
            return self.least * _GRAMMAR
        return self.least * _VALUE if number else self.least


def _is_number(page: Page, one: Proposal) -> bool:
    """Whether another number, day or time would be written in its place."""
    return GROUPS[one.category] in _VALUES or any(map(str.isdigit, page.text[one.start : one.end]))


def save_scorer(path: Path, scorer: Scorer) -> None:
    about = {"groups": GROUP_NAMES, "names": NAMES, "least": scorer.least}
    write_bytes(path, save({"weights": scorer.weights}, {"format": FORMAT, "scorer": json.dumps(about)}))


def load_scorer(path: Path) -> Scorer:
    """A scorer of `save_scorer`, for the evidence that this version collects."""
    try:
        with safe_open(path, "numpy") as file:
            metadata = file.metadata() or {}
            weights = file.get_tensor("weights")
        about = json.loads(metadata["scorer"])
        told = tuple(about["groups"]), tuple(about["names"])
        if metadata["format"] != FORMAT or told != (GROUP_NAMES, NAMES):
            raise ValueError
        return Scorer(weights, float(about["least"]))
    except (OSError, SafetensorError, ValueError, TypeError, KeyError):
        raise InputError(f"{path} is not a scorer of this version; fit it again") from None


@lru_cache(maxsize=2)
def _loaded(path: Path) -> Scorer:
    return load_scorer(path)
