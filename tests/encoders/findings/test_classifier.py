from __future__ import annotations

import numpy as np
import pytest

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.encoders.findings.classifier import load_classifier
from medveil.encoders.findings.network import load_findings
from medveil.errors import InputError
from medveil.weights.bundled import bundled, read_card


def films() -> list[np.ndarray]:
    patients = [plan_patient(9, number, 3) for number in range(5)]
    return [draw(patient, patient.visits[0], sites_seed=9, size=256).pixels for patient in patients]


def test_probabilities_of_every_film_and_finding() -> None:
    classifier = load_classifier()
    found = classifier.probabilities(films())
    assert found.shape == (5, len(classifier.findings)) and len(classifier.findings) == 14
    assert ((found > 0) & (found < 1)).all()
    assert found.std(axis=0).min() > 0
    alone = classifier.probabilities(films()[2:3])
    assert np.allclose(alone[0], found[2], atol=1e-4)
    assert classifier.probabilities([]).shape == (0, 14)


def test_thresholds_say_what_is_called_present() -> None:
    classifier = load_classifier()
    below, above = classifier.thresholds - 0.001, classifier.thresholds + 0.001
    assert not classifier.present(below).any()
    assert classifier.present(above).all()


def test_other_weights_are_refused() -> None:
    with pytest.raises(InputError, match="not a findings network"):
        load_findings(bundled("lungs"))


def test_the_card_tells_of_these_weights() -> None:
    card = read_card(bundled("findings"))
    assert card["scores"]["mean of these"]["low"] > 0.5
    assert tuple(card["thresholds"]) == load_classifier().findings
