from __future__ import annotations

import pytest
import torch

from medveil.defenses.pixels.find.networks import CELL, CoarseNetwork, TextNetwork, fused


@pytest.mark.parametrize("network", [TextNetwork((8, 8, 8, 8, 8), training=True), CoarseNetwork(training=True)])
def test_folding_the_normalisation_in_changes_nothing(network):
    torch.manual_seed(0)
    image = torch.rand(2, 1, 64, 96)
    network(image)  # gives the normalisation something to remember
    network.eval()
    with torch.no_grad():
        assert torch.allclose(fused(network)(image), network(image), atol=1e-4)
        assert network(image).shape == (2, 2, 64 // CELL, 96 // CELL)
