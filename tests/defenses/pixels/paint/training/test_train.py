"""Training learns, resumes as if nothing had happened, and says plainly what is wrong with its data."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from safetensors.torch import load_file

from medveil.cohort import Cohort
from medveil.defenses.pixels.paint.generator import Architecture, load_generator
from medveil.defenses.pixels.paint.training import images as training_images
from medveil.defenses.pixels.paint.training.crops import Crops
from medveil.defenses.pixels.paint.training.images import SIDE, TrainingImages, prepare, read_images
from medveil.defenses.pixels.paint.training.settings import InpaintingSettings, published
from medveil.defenses.pixels.paint.training.text_found import text_found
from medveil.defenses.pixels.paint.training.train import MODEL, train_inpainting
from medveil.errors import InputError, SettingsError

Shaded = Callable[..., NDArray[np.float32]]
TINY = Architecture(width=4, channels=1, hidden=3, dilations=(1, 2))
SMALL = InpaintingSettings(
    architecture=TINY, judge_width=2, size=32, shrink=(1, 2), batch=3, epochs=4, validate_every=1, average=0.9
)


def test_a_killed_run_goes_on_to_the_same_weights(pictures: TrainingImages, tmp_path: Path) -> None:
    train_inpainting(pictures, tmp_path / "whole", settings=SMALL)

    class Killed(Exception):
        pass

    def kill(line: dict[str, Any]) -> None:
        if line["epoch"] == 2:
            raise Killed

    with pytest.raises(Killed):
        train_inpainting(pictures, tmp_path / "killed", settings=SMALL, progress=kill)
    seen: list[int] = []
    result = train_inpainting(
        pictures, tmp_path / "killed", settings=SMALL, progress=lambda line: seen.append(line["epoch"])
    )
    assert seen == [3, 4] and result.epochs == 4 and [line["epoch"] for line in result.history] == [1, 2, 3, 4]
    whole, again = (load_file(tmp_path / name / MODEL) for name in ("whole", "killed"))
    assert all(torch.equal(whole[name], again[name]) for name in whole)
    with pytest.raises(InputError, match="other settings"):
        train_inpainting(pictures, tmp_path / "killed", settings=replace(SMALL, seed=9))


def test_training_learns_to_paint(pictures: TrainingImages, tmp_path: Path) -> None:
    settings = replace(SMALL, batch=6, epochs=60, validate_every=20, rate=5e-3, decay_from=0.5)
    result = train_inpainting(pictures, tmp_path, settings=settings)
    errors = [line["masked"] for line in result.history]
    assert errors[-1] < 0.8 * errors[0]
    assert load_generator(result.model).architecture == TINY
    assert (tmp_path / "training.json").is_file()


def test_validation_never_trains(pictures: TrainingImages) -> None:
    rng = np.random.default_rng(0)
    settings = replace(SMALL, architecture=replace(TINY, channels=3))
    for validation in (False, True):
        batch = Crops(pictures, settings, "cpu").of(validation=validation).draw(50, rng)
        assert (pictures.validation[batch.rows] == validation).all()
        assert batch.image.shape == (50, 3, 32, 32) and batch.image.abs().max() <= 1


def test_crops_are_pieces_of_the_image(pictures: TrainingImages) -> None:
    batch = (
        Crops(pictures, replace(SMALL, shrink=(2,)), "cpu")
        .of(validation=False)
        .draw(4, np.random.default_rng(3), changed=False)
    )
    for crop, row in zip(batch.image, batch.rows, strict=True):
        height, width = pictures.shapes[row]
        stored = pictures.pixels[row, :height, :width].astype(np.float32) / 127.5 - 1
        windows = np.lib.stride_tricks.sliding_window_view(stored, (64, 64))
        shrunk = windows.reshape(*windows.shape[:2], 32, 2, 32, 2).mean((3, 5))
        assert np.abs(shrunk - crop[0].numpy()).max((2, 3)).min() < 1e-5


def test_whole_images_are_all_of_the_image(pictures: TrainingImages) -> None:
    settings = replace(SMALL, whole=True, size=48)
    batch = Crops(pictures, settings, "cpu").of(validation=False).draw(4, np.random.default_rng(3), changed=False)
    for image, row in zip(batch.image, batch.rows, strict=True):
        height, width = pictures.shapes[row]
        stored = Image.fromarray(pictures.pixels[row, :height, :width]).resize((48, 48), Image.Resampling.BILINEAR)
        assert np.abs(np.asarray(stored, np.float32) / 127.5 - 1 - image[0].numpy()).max() < 0.02


def with_text(words: dict[int, str]) -> TrainingImages:
    images = []
    for number in range(6):
        picture = Image.new("L", (128, 128), 60)
        if number in words:
            ImageDraw.Draw(picture).text((12, 50), words[number], fill=240, font=ImageFont.load_default(22))
        images.append(np.array(picture))
    return TrainingImages.of(images, np.arange(6), np.arange(6) >= 4)


def test_masks_of_the_detector_cover_the_text_it_finds() -> None:
    images = with_text({1: "SMITH J", 4: "JONES A"})
    found = text_found(images)
    assert found.rows.tolist() == [1, 4]
    for row, mask in zip(found.rows, found.masks, strict=True):
        assert (mask[:128, :128][images.pixels[row, :128, :128] > 150] == 255).all()
    rng = np.random.default_rng(0)
    assert found.of(4, rng)[1] == 4 and found.of(0, rng)[1] in (1, 4)
    settings = replace(SMALL, whole=True, size=64, masks="detector")
    batch = Crops(images, settings, "cpu", found).of(validation=False).draw(20, rng)
    assert ((batch.mask > 0).sum((1, 2, 3)) > 100).all()
    stands_out = (batch.image - batch.image.flatten(1).median(1).values[:, None, None, None]).abs()
    text = stands_out > 0.1 + 0.5 * stands_out.amax((1, 2, 3), keepdim=True)
    assert text.any() and (batch.mask[text] > 0).all()  # what turns the image turns the mask
    with pytest.raises(InputError, match="--masks drawn"):
        text_found(with_text({}))


def test_the_papers_way_leaves_samples_and_a_record_of_what_can_be_read(tmp_path: Path) -> None:
    images = with_text(dict.fromkeys(range(6), "SMITH J"))
    settings = replace(SMALL, whole=True, size=64, masks="detector", sample_every=2, epochs=2, words=3)
    result = train_inpainting(images, tmp_path, settings=settings)
    sheets = sorted((tmp_path / "samples").iterdir())
    assert [sheet.name for sheet in sheets] == ["step-0000002.png", "step-0000004.png"]
    with Image.open(sheets[0]) as sheet:
        assert sheet.size == (3 * 64, 4 * 64)
    assert result.read is not None and result.read["words"] == 3
    record = json.loads((tmp_path / "training.json").read_text())
    assert record["history"][-1]["frechet"] == result.frechet > 0
    assert record["history"][-1]["read"] == result.read
    assert record["settings"]["masks"] == "detector" and "last maps" in record["features of the Fréchet distance"]


def test_a_patient_on_both_sides_is_refused() -> None:
    images = [np.zeros((40, 40), np.uint8)] * 3
    with pytest.raises(InputError, match="split the cohort by patient"):
        TrainingImages.of(images, np.array(["a", "b", "a"]), np.array([False, False, True]))
    with pytest.raises(InputError, match="more patients"):
        TrainingImages.of(images, np.array(["a", "b", "a"]), np.zeros(3, bool))


def test_images_that_are_too_small_are_refused(pictures: TrainingImages, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="smaller size"):
        train_inpainting(pictures, tmp_path, settings=replace(SMALL, size=128))


@pytest.mark.parametrize(
    "wrong",
    [{"size": 30}, {"size": 36}, {"batch": 0}, {"rate": 0.0}, {"shrink": (0,)}, {"masks": "ocr"}, {"words": -1}],
)
def test_impossible_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        replace(SMALL, **wrong)


@pytest.mark.parametrize("device", ["tpu", "cuda"])
def test_a_missing_device_is_told_before_anything_is_written(
    pictures: TrainingImages, tmp_path: Path, device: str
) -> None:
    if device == "cuda" and torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(SettingsError):
        train_inpainting(pictures, tmp_path / "out", settings=SMALL, device=device)
    assert not (tmp_path / "out").exists()


def test_the_published_settings_are_the_papers() -> None:
    settings = published()
    assert (settings.size, settings.batch, settings.epochs, settings.rate) == (256, 8, 50, 2e-4)
    assert (settings.whole, settings.masks, settings.sample_every) == (True, "detector", 25)
    assert (settings.architecture.width, settings.architecture.channels) == (64, 3)


def test_a_cohort_is_split_as_it_says(hospital: Cohort, hospital_folder: Path) -> None:
    images = read_images(hospital_folder, seed=1)
    split = hospital.table["split"]
    assert images.validation.sum() == (split == "val").sum() and (~images.validation).sum() == (split == "train").sum()


def test_without_splits_whole_patients_are_kept() -> None:
    patients = np.repeat([f"p{number}" for number in range(20)], 3)
    images = training_images._read(lambda row: np.full((40, 40), row, np.uint8), patients, None, 1, None)
    kept, used = (set(images.patients[images.validation == part].tolist()) for part in (True, False))
    assert len(kept) == 2 and len(used) == 18 and not kept & used


def test_a_folder_of_pictures_will_do(shaded: Shaded, tmp_path: Path) -> None:
    for number in range(4):
        Image.fromarray((255 * shaded(64, 64, number)).astype(np.uint8)).save(tmp_path / f"{number}.png")
    (tmp_path / "broken.png").write_bytes(b"no picture")
    images = read_images(tmp_path, seed=0)
    assert len(images.pixels) == 4 and images.set_aside == 1 and images.validation.sum() == 1
    with pytest.raises(InputError, match="is empty"):
        (tmp_path / "empty").mkdir()
        read_images(tmp_path / "empty", seed=0)


def test_images_are_brought_to_eight_bits_and_512_pixels() -> None:
    wide = prepare(np.linspace(300, 4095, 1024 * 2048).reshape(1024, 2048).astype(np.uint16))
    assert wide.shape == (SIDE // 2, SIDE) and wide.dtype == np.uint8 and wide.min() == 0 and wide.max() >= 254
    small = np.arange(16, dtype=np.uint8).reshape(4, 4)
    assert prepare(small) is small
