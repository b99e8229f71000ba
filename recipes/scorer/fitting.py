"""One logistic regression a group of identifiers, on the evidence of every proposal in the texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from medveil.defenses.reports.finding import all_proposals, found_in, recognised, whole
from medveil.defenses.reports.proposal import Proposal
from medveil.defenses.reports.rules import following
from medveil.defenses.reports.rules.page import Page
from medveil.defenses.reports.scoring.evidence import GROUPS, NAMES, evidence
from medveil.defenses.reports.scoring.scorer import GROUP_NAMES, Scorer
from medveil.defenses.reports.tagger.tagged_text import TaggedText
from medveil.person.span import Span
from recipes.scorer.material import Text

STRENGTH = 0.5  # of the weights' freedom
_FOLDS = 5

Part = tuple[NDArray[np.float32], list[int], list[bool], float, int]
Counts = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Proposals:
    """Row by row: its evidence, group, whether it identifies somebody, how much it counts, and the text it is of."""

    evidence: NDArray[np.float32]
    groups: NDArray[np.int64]
    right: NDArray[np.bool_]
    shares: NDArray[np.float64]
    texts: NDArray[np.int64]


def gathered(material: Sequence[Text], tagged: Sequence[TaggedText]) -> Proposals:
    """Those that follow from others follow, here, from those that are right."""
    parts: list[Part] = []
    for number, (own, said) in enumerate(zip(material, tagged, strict=True)):
        page = Page(own.text)
        proposals = all_proposals(page, said)
        parts.append(_part(page, proposals, said, own, number))
        page = recognised(own.text, whole(page, (one for one in proposals if _is_right(own, one))))
        parts.append(_part(page, following(page), said, own, number))
    sizes = [len(part[1]) for part in parts]
    return Proposals(
        np.concatenate([part[0] for part in parts]),
        np.array([group for part in parts for group in part[1]]),
        np.array([own for part in parts for own in part[2]], bool),
        np.repeat([part[3] for part in parts], sizes),
        np.repeat([part[4] for part in parts], sizes),
    )


def _part(page: Page, proposals: Sequence[Proposal], tagged: TaggedText, text: Text, number: int) -> Part:
    groups = [GROUP_NAMES.index(GROUPS[one.category]) for one in proposals]
    right = [_is_right(text, one) for one in proposals]
    return evidence(page, proposals, tagged), groups, right, text.share, number


def _is_right(text: Text, one: Span) -> bool:
    """Whether at least half of its letters identify somebody."""
    letters = {place for place in range(one.start, one.end) if text.text[place].isalnum()}
    told = {place for span in text.found for place in range(max(span.start, one.start), min(span.end, one.end))}
    return bool(letters) and 2 * len(letters & told) >= len(letters)


def fit(proposals: Proposals, rows: NDArray[np.bool_], least: float) -> Scorer:
    weights = np.zeros((len(GROUP_NAMES), len(NAMES)), np.float32)
    for group in range(len(GROUP_NAMES)):
        own = rows & (proposals.groups == group)
        right = proposals.right[own]
        if right.all() or not right.any():
            raise ValueError(f"of {GROUP_NAMES[group]} all proposals are alike; fit on more texts")
        model = LogisticRegression(C=STRENGTH, max_iter=2000, fit_intercept=False)
        weights[group] = model.fit(proposals.evidence[own], right, sample_weight=proposals.shares[own]).coef_[0]
    return Scorer(weights, least)


def cross_fitted(material: Sequence[Text], tagged: Sequence[TaggedText], proposals: Proposals, least: float) -> Counts:
    """By source, what is found where a text's own proposals had no part in the weights: hits, missed, kept, lost."""
    folds = np.random.default_rng(0).integers(_FOLDS, size=len(material))
    scorers = [fit(proposals, folds[proposals.texts] != fold, least) for fold in range(_FOLDS)]
    counts: Counts = {}
    for one, said, fold in zip(material, tagged, folds.tolist(), strict=True):
        row = counts.setdefault(one.source, dict.fromkeys(("hits", "missed", "kept", "lost"), 0))
        _count(row, one, found_in(one.text, said, scorer=scorers[fold]))
    return counts


def _count(row: dict[str, int], text: Text, found: Sequence[Span]) -> None:
    page = Page(text.text)
    covered, named = bytearray(len(text.text)), bytearray(len(text.text))
    for marks, spans in ((covered, found), (named, text.found)):
        for one in spans:
            marks[one.start : one.end] = b"\x01" * (one.end - one.start)
    for one in text.found:
        hit = all(covered[place] for place in range(one.start, one.end) if text.text[place].isalnum())
        row["hits" if hit else "missed"] += 1
    for word in page.words:
        if not any(named[word.start : word.end]):
            row["lost" if any(covered[word.start : word.end]) else "kept"] += 1
