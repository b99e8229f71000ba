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
class Sheet:
    """An empty text was not stated. `recipient` is the kind that the threshold follows from; where nobody stated it, it
    is the one who may do most."""

    recipient: str
    recipient_title: str
    recipient_stated: bool
    means: str
    means_stated: bool
    threshold: Threshold
    title: str = ""
    data: str = ""
    purpose: str = ""
    recipient_name: str = ""
    legal_basis: str = ""
    conditions: str = ""
    prepared_by: str = ""
    next_review: str = ""
    signatories: tuple[str, ...] = ()
    decisions: tuple[ReviewSession, ...] = ()

    def stated(self) -> dict[str, Any]:
        """What people say and decided, apart from what was found: this alone may change after the run."""
        return {
            "title": self.title or None,
            "data": self.data or None,
            "purpose": self.purpose or None,
            "recipient": {
                "kind": self.recipient,
                "title": self.recipient_title,
                "stated": self.recipient_stated,
                "name": self.recipient_name or None,
                "means": self.means,
                "means_stated": self.means_stated,
            },
            "legal_basis": self.legal_basis or None,
            "conditions": self.conditions or None,
            "prepared_by": self.prepared_by or None,
            "next_review": self.next_review or None,
            "signatories": list(self.signatories),
            "threshold": vars(self.threshold),
            "decisions": [each.to_json() for each in self.decisions],
        }

    def to_json(self, residual_risk: str, gaps: Iterable[str]) -> dict[str, Any]:
        return {**self.stated(), "residual_risk": residual_risk, "not_assessed": [*gaps, *STANDING]}
