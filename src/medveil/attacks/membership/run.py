"""The membership attack on an encoder, from groups of patients to a finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from medveil.attacks.membership.blind import blind_scores
from medveil.attacks.membership.encoder_evidence import encoder_evidence
from medveil.attacks.membership.findings import Preparation, membership_finding
from medveil.attacks.membership.groups import Groups
from medveil.attacks.membership.settings import MembershipSettings
from medveil.encoders.encoder import Encoder
from medveil.finding import Finding

Progress = Callable[[str, int, int], None]


def attack_encoder(
    target: Encoder,
    references: Sequence[Encoder],
    groups: Groups,
    settings: MembershipSettings,
    *,
    seed: int,
    cache: Path | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Finding:
    """Of any encoder: how it was trained is not known, so that no models of its kind are trained."""
    asked = encoder_evidence(target, references, groups, seed=seed, cache=cache, progress=progress)
    blind = blind_scores(asked.members, asked.others, seed=seed)
    prepared = Preparation(
        references=_references(references),
        shown_on="On heads behind this encoder that were fitted closely to half of these pairs, so that they surely "
        "remember them,",
        asked="The model is asked how well each report fits its image, among the reports and images of other people.",
    )
    return membership_finding(asked.evidence, blind, asked.remembering, prepared, limit=settings.limit, seed=seed)


def _references(encoders: Sequence[Encoder]) -> str:
    if not encoders:
        return "There were no reference models."
    names = ", ".join(each.name for each in encoders)
    return (
        f"Reference models: {names}, which are taken to have seen none of these patients; they were trained otherwise "
        "than the model, so LiRA and RMIA are in their offline form, weaker than with models of its own recipe."
    )
