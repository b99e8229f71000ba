"""The bundled encoder links phantom films to their reports; one without training does not."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from medveil.cohort.phantom import chart
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.cohort.phantom.reports import write_report
from medveil.cohort.phantom.sites import make_site
from medveil.encoders.medveil_small.model import SmallModel
from medveil.encoders.medveil_small.small_encoder import MedveilSmall
from medveil.encoders.medveil_small.vocabulary import Tokenizer

SEED = 940_000  # a hospital that training has not seen
PATIENTS = 60


@pytest.fixture(scope="module")
def pairs() -> tuple[list[NDArray[np.uint16]], list[str]]:
    """The last visit of every patient, its report with every identifier taken out."""
    images, texts = [], []
    for number in range(PATIENTS):
        patient = plan_patient(SEED, number, 3)
        site = make_site(SEED, patient.site)
        visit = patient.visits[-1]
        images.append(draw(patient, visit, sites_seed=SEED, size=256).pixels)
        report, _ = write_report(SEED, patient, visit, chart.make_demographics(SEED, patient, site), site)
        texts.append("".join(piece.text for piece in report.pieces if piece.category is None))
    return images, texts


def reciprocal_ranks(encoder: MedveilSmall, images: list[NDArray[np.uint16]], texts: list[str]) -> float:
    """Mean over all images; chance is 7.8 per cent among 60."""
    scores = encoder.encode_images(images) @ encoder.encode_reports(texts).T
    own = np.diag(scores)[:, None]
    return float((1 / (1 + (scores > own).sum(1) + ((scores == own).sum(1) - 1) / 2)).mean())


def test_bundled_weights_link(small: MedveilSmall, pairs: tuple[list[NDArray[np.uint16]], list[str]]) -> None:
    assert reciprocal_ranks(small, *pairs) > 0.6


def test_without_training_nothing_links(small: MedveilSmall, pairs: tuple[list[NDArray[np.uint16]], list[str]]) -> None:
    torch.manual_seed(1)
    vocabulary = small._model.tokenizer.vocabulary
    untrained = MedveilSmall(SmallModel(Tokenizer(vocabulary, 4096)), fingerprint="untrained")
    assert reciprocal_ranks(untrained, *pairs) < 0.16
