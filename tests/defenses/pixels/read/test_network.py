from __future__ import annotations

import torch

from medveil.defenses.pixels.read.alphabet import CHARACTERS
from medveil.defenses.pixels.read.network import ReaderNetwork, fused
from medveil.defenses.pixels.read.reader import COLUMN, HEIGHT


def test_a_column_of_shares_for_every_fourth_pixel():
    assert ReaderNetwork()(torch.zeros(2, 1, HEIGHT, 96)).shape == (2, len(CHARACTERS), 96 // COLUMN)


def test_the_shipped_form_computes_the_same():
    torch.manual_seed(0)
    network = ReaderNetwork(training=True)
    strips = torch.randn(4, 1, HEIGHT, 64)
    for _ in range(3):
        network(strips)  # the normalisation sees something
    with torch.no_grad():
        torch.testing.assert_close(fused(network)(strips), network.eval()(strips), rtol=1e-4, atol=1e-4)
