"""Which words of a report make it belong to its film: those that name what is there, or any others?

A word's relevance is how much the similarity of film and report hangs on it: gradient times embedding. It is held
against the words that name a finding the film has; by chance they would have their share of the words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from medveil.errors import NotMeasurable
from medveil.federated.evaluation.attention import Pointing
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.hashed_words import FIRST, bucket
from medveil.federated.vision_language.network import VisionLanguageNetwork, unseen

NAMES = {
    "Enlarged Cardiomediastinum": ("mediastinum", "mediastinal", "widened", "widening"),
    "Cardiomegaly": ("cardiomegaly", "heart", "cardiac", "enlarged", "enlargement"),
    "Lung Opacity": ("opacity", "opacities", "infiltrate", "airspace", "opacification"),
    "Lung Lesion": ("nodule", "nodules", "mass", "masses", "lesion"),
    "Edema": ("edema", "oedema", "congestion", "interstitial"),
    "Consolidation": ("consolidation", "consolidative"),
    "Pneumonia": ("pneumonia",),
    "Atelectasis": ("atelectasis", "atelectatic", "collapse"),
    "Pneumothorax": ("pneumothorax",),
    "Pleural Effusion": ("effusion", "effusions", "fluid"),
    "Pleural Other": ("thickening", "plaque", "plaques"),
    "Fracture": ("fracture", "fractures", "fractured"),
    "Support Devices": ("tube", "catheter", "line", "pacemaker", "wires", "picc", "device", "devices"),
}


def word_relevance(
    network: VisionLanguageNetwork, films: Films, *, device: str, batch: int = 128
) -> NDArray[np.float32]:
    """Films × places, nothing below zero; nothing where a report has no word."""
    text = network.text
    if text is None:
        raise NotMeasurable("a model without a text encoder reads no words")
    parts = []
    for at in range(0, len(films), batch):
        words = torch.from_numpy(films.words[at : at + batch]).long().to(device)
        pixels = torch.from_numpy(films.pixels[at : at + batch]).to(device).unsqueeze(1).float() / 255
        with torch.no_grad():
            shown = network.film_vectors(pixels)
            embedded: Tensor = text.encoder.get_input_embeddings()(words)
        with torch.enable_grad():
            embedded = embedded.detach().requires_grad_()
            read = text.encoder(inputs_embeds=embedded, attention_mask=unseen(words)).last_hidden_state[:, 0]
            alike = (shown * functional.normalize(network.text_projection(read), dim=1)).sum()
            (gradient,) = torch.autograd.grad(alike, [embedded])
        relevance = (gradient * embedded.detach()).sum(2).abs() * (words >= FIRST)
        parts.append(relevance.float().cpu())
    return torch.cat(parts).numpy()


def named_words(films: Films, findings: Sequence[str], recipe: Recipe) -> NDArray[np.bool_]:
    """Films × places: whether the word names a finding that the film has."""
    named = np.zeros(films.words.shape, bool)
    for column, finding in enumerate(findings):
        buckets = [bucket(word, recipe.buckets) for word in NAMES.get(finding, ())]
        there = (films.targets[:, column] == 1) & films.known[:, column]
        named |= np.isin(films.words, buckets) & there[:, None]
    return named


def on_named_words(relevance: NDArray[np.float32], named: NDArray[np.bool_], words: NDArray[np.int32]) -> Pointing:
    """The share of a report's relevance on the words that name a finding, beside their share of its words. Reports
    that name none are NaN."""
    there = words >= FIRST
    total, count = relevance.sum(1), there.sum(1)
    some = named.any(1) & (total > 0)
    nothing = np.full(len(words), np.nan)
    share = np.divide((relevance * named).sum(1), total, out=nothing.copy(), where=some)
    chance = np.divide((named & there).sum(1), count, out=nothing.copy(), where=some)
    return Pointing(share, chance)
