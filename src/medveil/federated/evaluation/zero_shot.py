"""Diagnosis by words alone: is a film closer to a sentence that states the finding, or to one that denies it?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from medveil.errors import NotMeasurable
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.hashed_words import hashed
from medveil.federated.vision_language.network import VisionLanguageNetwork

STATED = ("There is {}.", "{} is seen.", "Findings consistent with {}.")
DENIED = ("There is no {}.", "No {}.", "No evidence of {}.")
IN_WORDS = {  # what a report calls a finding; the others are called by their names
    "Enlarged Cardiomediastinum": "widening of the mediastinum",
    "Cardiomegaly": "enlarged heart, cardiomegaly",
    "Lung Lesion": "pulmonary nodule or mass",
    "Edema": "pulmonary edema",
    "Pleural Other": "pleural thickening",
    "Fracture": "rib fracture",
    "Support Devices": "tube, line or pacemaker",
}
NORMAL = ("No acute abnormality.", "The lungs are clear. The heart is normal in size.", "Normal chest.")
ABNORMAL = ("There is an opacity.", "The heart is enlarged.", "There is an effusion.")


def sentences(finding: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those that state it, and those that deny it."""
    if finding == "No Finding":
        return NORMAL, ABNORMAL
    words = IN_WORDS.get(finding, finding.casefold())
    return tuple(one.format(words) for one in STATED), tuple(one.format(words) for one in DENIED)


def phrase_vectors(network: VisionLanguageNetwork, findings: Sequence[str], recipe: Recipe, device: str) -> Tensor:
    """Findings × dimensions: from denial to statement, each the mean of its sentences."""
    if network.text is None:
        raise NotMeasurable("a model without a text encoder knows no words")
    stated, denied = zip(*(sentences(finding) for finding in findings), strict=True)
    return _means(network, stated, recipe, device) - _means(network, denied, recipe, device)


def zero_shot_scores(
    network: VisionLanguageNetwork, films: Films, findings: Sequence[str], recipe: Recipe, *, device: str
) -> NDArray[np.float32]:
    """Films × findings; the findings may be others than those the heads were trained for."""
    with torch.inference_mode():
        direction = phrase_vectors(network.eval(), findings, recipe, device)
        vectors = film_vectors(network, films, device=device)
        return (vectors @ direction.T).cpu().numpy()


def film_vectors(network: VisionLanguageNetwork, films: Films, *, device: str, batch: int = 256) -> Tensor:
    with torch.inference_mode():
        parts = [
            network.film_vectors(
                torch.from_numpy(films.pixels[at : at + batch]).to(device).unsqueeze(1).float() / 255
            ).float()
            for at in range(0, len(films), batch)
        ]
    return torch.cat(parts)


def report_vectors(network: VisionLanguageNetwork, films: Films, *, device: str, batch: int = 256) -> Tensor:
    with torch.inference_mode():
        parts = [
            network.report_vectors(torch.from_numpy(films.words[at : at + batch]).long().to(device)).float()
            for at in range(0, len(films), batch)
        ]
    return torch.cat(parts)


def _means(network: VisionLanguageNetwork, several: Sequence[Sequence[str]], recipe: Recipe, device: str) -> Tensor:
    texts = [text for group in several for text in group]
    words = torch.from_numpy(hashed(texts, words=recipe.words, buckets=recipe.buckets)).long().to(device)
    vectors = network.report_vectors(words).float().view(len(several), -1, recipe.embedding).mean(1)
    return functional.normalize(vectors, dim=1)
