"""A tagger with a tiny vocabulary and random weights: what it finds means nothing, where it finds it must be exact."""

from __future__ import annotations

import pytest
import torch

from medveil.defenses.reports.tagger.model_file import TaggerModel
from medveil.defenses.reports.tagger.network import NONE, TaggerNetwork
from medveil.defenses.reports.tagger.word_features import Vocabulary

PIECES = ("[UNK]", "chest", "clear", "lung", "##s", "k", "##er", "##ley", "smith", ".", ",", "a", "##b")


@pytest.fixture(scope="session")
def random_model() -> TaggerModel:
    torch.manual_seed(3)
    networks = tuple(TaggerNetwork(len(PIECES), embedding=16, buckets=64, width=width) for width in (24, 16))
    with torch.no_grad():
        for network in networks:
            network.eval().requires_grad_(False)
            network.words.pieces = networks[0].words.pieces
            network.out.weight.mul_(6)
            network.out.bias[NONE] += 7
    return TaggerModel(networks, Vocabulary(PIECES), 64, sure=0.5)
