"""The sheet to sign: what people state of a release beside what was found, on two pages before the annex."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from medveil.finding import Threshold

STANDING = (
    "Attackers who are better than those named here, or who know more of a patient than these were given.",
    "What a model that is trained on these data later gives away.",
    "Whether the legal basis and the agreement hold: that is for people to judge.",
)


@dataclass(frozen=True)
class ReviewSession:
    """What one person decided in `medveil review`, and when; files by the pseudonyms they are released under."""

    when: str
    reviewer: str
    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "reviewer": self.reviewer or None}


@dataclass(frozen=True)
class Answers:
    """What only people know of a release; an empty field was not stated. `recipient` is a kind of recipient."""

    title: str = ""
    data: str = ""
    purpose: str = ""
    recipient: str = ""
    recipient_name: str = ""
    means: str = ""
    legal_basis: str = ""
    conditions: str = ""
    prepared_by: str = ""
    next_review: str = ""
    signatories: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """`recipient` is the kind that the threshold follows from; where nobody stated it, it is the one who may do most.
    `assumed_means` are what such recipients have at hand, unless somebody stated it."""

    answers: Answers
    recipient: str
    recipient_title: str
    recipient_stated: bool
    assumed_means: str
    threshold: Threshold
    decisions: tuple[ReviewSession, ...] = ()

    def stated(self) -> dict[str, Any]:
        """What people say and decided, apart from what was found: this alone may change after the run."""
        told = self.answers
        return {
            "title": told.title or None,
            "data": told.data or None,
            "purpose": told.purpose or None,
            "recipient": {
                "kind": self.recipient,
                "title": self.recipient_title,
                "stated": self.recipient_stated,
                "name": told.recipient_name or None,
                "means": told.means or self.assumed_means,
                "means_stated": bool(told.means),
            },
            "legal_basis": told.legal_basis or None,
            "conditions": told.conditions or None,
            "prepared_by": told.prepared_by or None,
            "next_review": told.next_review or None,
            "signatories": list(told.signatories),
            "threshold": vars(self.threshold),
            "decisions": [each.to_json() for each in self.decisions],
        }

    def to_json(self, residual_risk: str, gaps: Iterable[str]) -> dict[str, Any]:
        return {**self.stated(), "residual_risk": residual_risk, "not_assessed": [*gaps, *STANDING]}
