"""`medveil train inpainting` from a folder of pictures to a generator that fills."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from typer.testing import CliRunner

from medveil.cli import app
from medveil.defenses.pixels.paint.fill import fill


def test_train_inpainting(shaded: Callable[..., NDArray[np.float32]], tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    for number in range(3):
        picture = (255 * shaded(64, 72, number)).astype(np.uint8)
        Image.fromarray(picture).save(tmp_path / "pictures" / f"{number}.png")
    arguments = ["train", "inpainting", str(tmp_path / "pictures"), "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*arguments, "--epochs", "1", "--size", "64", "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    assert told["epochs"] == 1 and 0 < told["error"] < 1
    image, mask = shaded(64, 64), np.zeros((64, 64), np.float32)
    mask[20:30, 10:50] = 1
    filled = fill(image, mask, how="generator", generator=Path(told["model"]))
    assert np.array_equal(filled[mask == 0], image[mask == 0]) and not np.array_equal(filled, image)
