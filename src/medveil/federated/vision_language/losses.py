"""What is learned, one number a film: L_img + L_text + λ · contrast; the proximal term is the step's.

A film without a report has no L_text and no contrast, one without labels no cross-entropy: it takes part with what it
has. The contrastive part comes from the alignment defense. Over a batch it is InfoNCE; where privacy is promised it is
held against phantom pairs, since InfoNCE makes the loss of one patient depend on the others in the batch, and then
clipping bounds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from medveil.defenses.alignment.losses import GroupInfoNCE, Loss
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.hashed_words import NOTHING
from medveil.federated.vision_language.network import VisionLanguageNetwork

Odds = tuple[Tensor, Tensor | None, Tensor | None, Tensor | None]


@dataclass(frozen=True)
class Batch:
    """Rows as the network takes them: films of 0..1, words, targets, and which targets count."""

    films: Tensor
    words: Tensor
    targets: Tensor
    known: Tensor

    @property
    def reported(self) -> Tensor:
        return self.words[:, 0] != NOTHING


def batch_loss(network: VisionLanguageNetwork, batch: Batch, recipe: Recipe) -> Tensor:
    """The mean over the batch, the contrast within it."""
    reported = batch.reported
    if not reported.any():  # nothing to read, as at a site without reports
        return findings_loss(network.odds(batch.films), batch.targets, batch.known).mean()
    by_film, by_report, films, reports = network(batch.films, batch.words)
    loss = findings_loss(by_film, batch.targets, batch.known).mean()
    if by_report is None or films is None or reports is None:
        return loss
    text = findings_loss(by_report, batch.targets, batch.known) * reported
    loss = loss + text.mean()
    if recipe.contrast:
        # a film without a report stands alone: it is nobody's negative, and its own contrast is nothing
        alone = torch.arange(1, len(reported) + 1, device=reported.device)
        contrast = GroupInfoNCE(torch.where(reported, 0, alone), recipe.temperature)
        loss = loss + recipe.contrast * contrast(films, reports).mean()
    return loss


def own_loss(odds: Odds, batch: Batch, recipe: Recipe, contrast: Loss | None) -> Tensor:
    """The loss of every film by itself, for each patient's gradient; `contrast` must not look at other rows."""
    by_film, by_report, films, reports = odds
    loss = findings_loss(by_film, batch.targets, batch.known)
    if by_report is None or films is None or reports is None:
        return loss
    more = findings_loss(by_report, batch.targets, batch.known)
    if contrast is not None:
        more = more + recipe.contrast * contrast(films, reports)
    return loss + more * batch.reported


def findings_loss(odds: Tensor, targets: Tensor, known: Tensor) -> Tensor:
    """Cross-entropy over the findings that are known, as a share of all: whoever knows more has more to say."""
    each = functional.binary_cross_entropy_with_logits(odds, targets, reduction="none")
    return (each * known).sum(1) / targets.shape[1]
