import numpy as np

from medveil.defenses.reports.tagger.deciding import decide
from medveil.defenses.reports.tagger.network import NONE


def _shares(*none):
    """So sure of each token that it identifies nobody; the rest is for class 3."""
    shares = np.zeros((len(none), NONE + 1), np.float32)
    shares[:, NONE], shares[:, 3] = none, 1 - np.array(none)
    return shares


def test_a_token_goes_free_if_that_is_sure_enough():
    assert decide(_shares(0.995, 0.85, 0.999), 0.9).tolist() == [NONE, 3, NONE]


def test_beside_an_identifier_more_is_asked():
    assert decide(_shares(0.97, 0.97, 0.2, 0.97, 0.99, 0.97), 0.9).tolist() == [3, 3, 3, 3, NONE, NONE]


def test_doubt_alone_catches_nothing():
    assert decide(_shares(0.95, 0.95, 0.95), 0.9).tolist() == [NONE] * 3


def test_nothing_is_decided_of_nothing():
    assert decide(_shares(), 0.9).tolist() == []
