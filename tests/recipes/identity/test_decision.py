from __future__ import annotations

import numpy as np
import torch

from medveil.encoders.identity.training.train import score
from medveil.encoders.identity.verifier import VerificationNetwork
from recipes.identity.decision import fit_decision


def test_a_decision_fitted_on_fixed_branches_separates_patients() -> None:
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(40), 3)
    outputs = (rng.normal(size=(40, 16))[codes] * 3 + 5 + rng.normal(size=(120, 16))).astype(np.float32)
    network = VerificationNetwork("efficientnet-lite0", "global", 16)
    head = network.branch.head.fc.weight.detach().clone()  # type: ignore[union-attr]
    fit_decision(network, outputs, codes.astype(np.int64), seed=1)
    values = torch.sigmoid(torch.from_numpy((outputs - outputs.mean(0)) / outputs.std(0, ddof=1)))
    with torch.inference_mode():
        similarity = torch.stack([network.compare(values, value) for value in values]).numpy()
    assert score(lambda rows: similarity[rows], codes.astype(np.int64)).pair_auc > 0.97
    spread = torch.from_numpy(outputs).std(0)
    assert torch.allclose(network.branch.head.fc.weight * spread[:, None], head, atol=1e-5)  # type: ignore[union-attr]
