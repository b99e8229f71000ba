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
    assert told["epochs"] == 1 and 0 < told["error"] < 1 and told["frechet"] > 0 and told["read"]["words"] == 24
    assert (tmp_path / "out" / "samples").is_dir()
    image, mask = shaded(64, 64), np.zeros((64, 64), np.float32)
    mask[20:30, 10:50] = 1
    filled = fill(image, mask, how="generator", generator=Path(told["model"])).image
    assert np.array_equal(filled[mask == 0], image[mask == 0]) and not np.array_equal(filled, image)


def test_a_time_limit_leaves_a_model_and_the_next_run_ends_it(
    shaded: Callable[..., NDArray[np.float32]], tmp_path: Path
) -> None:
    (tmp_path / "pictures").mkdir()
    for number in range(3):
        Image.fromarray((255 * shaded(64, 72, number)).astype(np.uint8)).save(tmp_path / "pictures" / f"{number}.png")
    arguments = ["train", "inpainting", str(tmp_path / "pictures"), "-o", str(tmp_path / "out"), "--json"]
    arguments += [
        "--epochs",
        "11",
        "--size",
        "64",
        "--minutes",
        "0",
        "--words",
        "0",
    ]  # looked at after ten epochs, and at the end
    told = [json.loads(CliRunner().invoke(app, arguments).output) for _ in range(2)]
    assert [(one["epochs"], one["finished"]) for one in told] == [(10, False), (11, True)]
    assert Path(told[0]["model"]).is_file()


def test_what_is_for_inpainting_alone_is_refused_elsewhere(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["train", "verification", str(tmp_path), "-o", str(tmp_path / "out"), "--masks", "detector"]
    )
    assert done.exit_code != 0 and not (tmp_path / "out").exists()
