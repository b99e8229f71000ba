"""A run that is killed goes on to the same weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from medveil.training.loop import run
from recipes.linkage.training import Pairs, Training, _Contrastive


class Tiny(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.image = nn.Sequential(nn.AvgPool2d(16), nn.Flatten(), nn.Dropout(0.2), nn.Linear(16, 8))
        self.texts = nn.Embedding(24, 8)


def training() -> _Contrastive:
    torch.manual_seed(1)
    model = Tiny()
    images = np.random.default_rng(0).integers(0, 256, (12, 64, 64), dtype=np.uint8)
    pairs = Pairs(images, [[f"text {n}", f"word {n}"] for n in range(12)], np.arange(12))

    def reader(rows: Tensor, generator: torch.Generator | None) -> Tensor:
        return model.texts(rows)

    how = Training(epochs=4, batch=4)
    return _Contrastive(model, model.image, reader, pairs, how, "cpu", None, 4)


def test_a_killed_run_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    class Killed(Exception):
        pass

    def kill(told: dict[str, Any]) -> None:
        if told["step"].startswith("6 "):
            raise Killed

    whole = training()
    run(whole)
    with pytest.raises(Killed):
        run(training(), tmp_path, progress=kill)
    again = training()
    run(again, tmp_path)
    assert again.step == whole.step == 12
    assert all(torch.equal(a, b) for a, b in zip(whole.best.values(), again.best.values(), strict=True))
