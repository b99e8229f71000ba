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
from medveil.defenses.reports.rules import GRAMMARS
from medveil.defenses.reports.rules.page import Page
from medveil.defenses.reports.scoring.evidence import GROUPS, NAMES, Marks, evidence
from medveil.defenses.reports.tagger.tagged_text import TaggedText
from medveil.errors import InputError
from medveil.runtime.storage import write_bytes

GROUP_NAMES = tuple(dict.fromkeys(GROUPS.values()))
_PLACE = {category: GROUP_NAMES.index(group) for category, group in GROUPS.items()}
_SURE = 0.8  # what is less likely may as well be a dose, a score or a ratio
_VALUES = frozenset({"numbers", "dates", "times", "ages"})
_DAYS = frozenset({"dates", "times"})
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

    def likelihoods(
        self, page: Page, proposals: Sequence[Proposal], tagged: TaggedText, among: Sequence[Proposal] | None = None
    ) -> NDArray[np.float32]:
        rows = evidence(page, proposals, tagged, among)
        own = self.weights[[_PLACE[one.category] for one in proposals]]
        return np.asarray(1 / (1 + np.exp(-(rows * own).sum(1))), np.float32)

    def kept(self, page: Page, proposals: Sequence[Proposal], tagged: TaggedText) -> list[Proposal]:
        """What a grammar tells stays in any case, and what it covers whole needs no second voice.

        Doubtful are numbers that the network alone takes for identifiers without being sure, and days and times that
        it takes for something else.
        """
        told = Marks(len(page.text), (one for one in proposals if one.by in GRAMMARS))
        heard = Marks(len(page.text), (one for one in proposals if one.by == TAGGER))
        kept, weighed = [], []
        for one in proposals:
            if one.by not in GRAMMARS:
                weighed += [] if told.cover(one) else [one]
            elif GROUPS[one.category] in _DAYS and not heard.touch(one):
                weighed.append(one)
            else:
                kept.append(one)
        if not weighed:
            return kept
        for one, likely in zip(weighed, self.likelihoods(page, weighed, tagged, proposals).tolist(), strict=True):
            grammar = one.by in GRAMMARS
            if grammar or likely >= self.least:
                doubtful = likely < (self.least if grammar else _SURE) and GROUPS[one.category] in _VALUES
                kept.append(replace(one, doubtful=True) if doubtful else one)
        return kept


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
