"""Scores of the bundled generator beside classical filling and plain black, and the card that holds them.

Used by `recipe evaluate`. On unseen patients, text-like masks, none too large for more than a plain surface, are laid
over images and filled; inside the masks the result is compared with what was there: mean absolute error, PSNR, SSIM,
the perceptual distance (features of an ImageNet network that training did not use), and how well a small network,
trained on other patients, tells filled patches from real ones. Every interval is by patient.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import nn
from torch.nn import functional

from medveil.defenses.pixels.paint.fill import fill
from medveil.defenses.pixels.paint.training.crops import text_masks
from medveil.defenses.pixels.paint.training.losses import PerceptualDistance
from medveil.defenses.pixels.paint.training.train import MODEL
from medveil.stats.auc import WeightedAUC
from medveil.stats.bootstrap import mean_replicates, replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.weights.bundled import bundled
from recipes.model_card import closing, write_card

SEED = 7
PATCH, AROUND = 32, 128  # pixels that the telling network and the perceptual distance see
PATCHES = 6  # of a case
TRIES = 40  # masks drawn for an image, at most
FOLDS, EPOCHS = 4, 12
Floats = NDArray[np.float32]
ABOUT: dict[str, Any] = {
    "name": "medveil-inpainting",
    "kind": "inpainting",
    "data": "NIH ChestX-ray14: 220 frontal images at 512 pixels and 887 at 256, of 887 patients; 120 phantom "
    "radiographs. Looked at during training: 40 images of 40 others",
    "start": "random weights; the perceptual loss uses the bundled identity network",
    "licence": "Apache-2.0; the images are free to use with citation",
    "citation": "X. Wang, Y. Peng, L. Lu, Z. Lu, M. Bagheri, R. M. Summers. ChestX-ray8: Hospital-scale Chest X-ray "
    "Database and Benchmarks. CVPR 2017. Images provided by the NIH Clinical Center.",
    "for": "filling regions of chest radiographs that held burned-in text",
    "not_for": [
        "restoring what text has covered: what is painted is invented, and no finding may be read from it",
        "large regions of anatomy, and images other than chest radiographs",
        "clinical use of any kind",
    ],
    "limits": [
        "One hospital, 8 bits, 512 pixels at most: at other grain and depth the painting is moved and grained to fit.",
        "Images were stored anew as WebP before training; those of val were not before scoring.",
        "A trained eye or network still finds filled regions: the last measure says how often.",
        "Training was ended by the clock, after about 330 of 465 epochs in nine minutes on an H200 shared with four "
        "other trainings; another run will differ a little.",
        "The NIH val patients were looked at while the filling around the generator was tuned at first, NIH "
        "train patients since; covid19 was not.",
        "Some training images hold markers; a marker that a mask cuts in half may be continued.",
    ],
}


@dataclass(frozen=True)
class Case:
    """One image with one mask over it."""

    patient: str
    image: Floats
    mask: Floats


def evaluate(data: Path, out: Path, *, features: Path | None, export: bool) -> None:
    generator = out / MODEL
    card: dict[str, Any] = {**ABOUT, "recipe": _recipe(), "seeds": {"training": 0, "masks and intervals": SEED}}
    card["perceptual features"] = features.name if features else "the bundled identity network, which training used"
    card["scores"] = {}
    for name, cases in _cohorts(data).items():
        card["scores"][name] = _scores(cases, _ways(generator), PerceptualDistance(features))
        for way, measures in card["scores"][name].items():
            print(name, way, {k: f"{e['value']:.4f} ({e['low']:.4f} to {e['high']:.4f})" for k, e in measures.items()})
    folder = out / "weights"
    folder.mkdir(exist_ok=True)
    shutil.copyfile(generator, folder / "generator.safetensors")
    write_card(folder / "generator", card, _page, weights=[folder / "generator.safetensors"])
    if export:
        for file in folder.glob("generator.*"):
            shutil.copyfile(file, bundled("generator").with_suffix(file.suffix))


def _recipe() -> list[str]:
    return [
        "python -m recipes.inpainting.recipe prepare --data DATA --out SMALL",
        "python -m recipes.inpainting.recipe train --data SMALL --out RUN --device cuda --seconds 540",
        "python -m recipes.inpainting.recipe evaluate --data DATA --out RUN --features IMAGENET --export",
    ]


def _cohorts(data: Path) -> dict[str, list[Case]]:
    """Val patients at both sizes, and an external collection."""
    return {
        "nih14 val, 512 px": _cases(_files(data / "nih14_512", "split.csv", "patient", "val")),
        "nih14 val, 256 px": _cases(_files(data / "nih14", "split.csv", "patient", "val")[:80]),
        "covid19 (external), 384 px": _cases(_files(data / "covid19", "metadata.csv", "patient_key", None)[:60]),
    }


def _files(folder: Path, table: str, patient: str, split: str | None) -> list[tuple[str, Path]]:
    """The first image of every patient."""
    found: dict[str, Path] = {}
    with (folder / table).open(newline="") as file:
        for row in csv.DictReader(file):
            name = row.get("file") or row["filename"]
            if split is None or row["split"] == split:
                found.setdefault(row[patient], folder / "images" / name)
    return [(key, path) for key, path in found.items() if path.is_file()]


def _cases(files: list[tuple[str, Path]]) -> list[Case]:
    """Of the masks drawn for an image, the first that is filled with more than a plain surface everywhere."""
    cases = []
    for number, (patient, path) in enumerate(files):
        with Image.open(path) as picture:
            image = np.asarray(picture.convert("L"), np.float32) / 255
        draw = torch.Generator().manual_seed(SEED * 100_000 + number)
        for _ in range(TRIES):
            drawn = text_masks(1, max(image.shape), draw)[0, 0].numpy()
            mask = np.ascontiguousarray(drawn[: image.shape[0], : image.shape[1]])
            if (mask > 0).any() and not fill(image, mask).plain:
                cases.append(Case(patient, image, mask))
                break
    return cases


def _ways(generator: Path) -> dict[str, Callable[[Case], Floats]]:
    def telea(case: Case) -> Floats:
        hole = (case.mask > 0).astype(np.uint8)
        return np.float32(cv2.inpaint((255 * case.image).round().astype(np.uint8), hole, 3, cv2.INPAINT_TELEA)) / 255

    return {
        "generator": lambda case: fill(case.image, case.mask, how="generator", generator=generator).image,
        "classical": lambda case: fill(case.image, case.mask, how="classical").image,
        "Telea (OpenCV)": telea,
        "black": lambda case: fill(case.image, case.mask, how="black").image,
    }


def _scores(
    cases: list[Case], ways: dict[str, Callable[[Case], Floats]], distance: PerceptualDistance
) -> dict[str, dict[str, Any]]:
    codes, count = unit_codes(np.array([case.patient for case in cases]))
    weights = unit_weights(count, seed=SEED)
    found = {}
    for way, paint in ways.items():
        # in whole gray levels, as the images are
        filled = [np.round(255 * paint(case)) / np.float32(255) for case in cases]
        rows = [_measures(case, each, distance) for case, each in zip(cases, filled, strict=True)]
        estimates = {}
        for measure in rows[0]:
            values = np.array([row[measure] for row in rows], np.float64)
            draws = mean_replicates(values, codes, weights)
            estimates[measure] = Estimate.from_replicates(values.mean(), draws, n=len(values), units=count)
        estimates["told from real, AUC"] = _told(cases, filled, codes, weights)
        found[way] = {name: _plain(estimate) for name, estimate in estimates.items()}
    return found


def _measures(case: Case, filled: Floats, distance: PerceptualDistance) -> dict[str, float]:
    hole = case.mask > 0
    gap = (filled - case.image)[hole].astype(np.float64)
    with torch.inference_mode():
        around = _place(case, AROUND)
        pair = (torch.from_numpy(2 * each[around] - 1)[None, None] for each in (filled, case.image))
        felt = float(distance(*pair))
    return {
        "error": float(np.abs(gap).mean()),
        "PSNR": float(-10 * np.log10(max((gap**2).mean(), 1e-10))),
        "SSIM": float(_ssim(filled, case.image)[hole].mean()),
        "perceptual distance": felt,
    }


def _ssim(first: Floats, second: Floats) -> Floats:
    """The published one: windows of 11 pixels, Gaussian of 1.5."""

    def blur(image: Floats) -> Floats:
        return np.asarray(cv2.GaussianBlur(image, (11, 11), 1.5))

    mean1, mean2 = blur(first), blur(second)
    var1, var2 = blur(first * first) - mean1**2, blur(second * second) - mean2**2
    both = blur(first * second) - mean1 * mean2
    return (
        (2 * mean1 * mean2 + 0.01**2)
        * (2 * both + 0.03**2)
        / ((mean1**2 + mean2**2 + 0.01**2) * (var1 + var2 + 0.03**2))
    )


def _told(cases: list[Case], filled: list[Floats], codes: NDArray[np.intp], weights: NDArray[np.float64]) -> Estimate:
    """A small network sees patches with a hole in the middle, filled and as they were, of patients it did not learn."""
    places = [_places(case, number) for number, case in enumerate(cases)]
    fake = np.stack([each[place] for each, some in zip(filled, places, strict=True) for place in some])
    real = np.stack([case.image[place] for case, some in zip(cases, places, strict=True) for place in some])
    codes = np.repeat(codes, PATCHES)
    scores = np.zeros(2 * len(fake))
    for fold in range(FOLDS):
        test = codes % FOLDS == fold
        network = _learn(np.concatenate([fake[~test], real[~test]]), np.arange(2 * (~test).sum()) < (~test).sum(), fold)
        with torch.inference_mode():
            logits = network(_patches(np.concatenate([fake[test], real[test]])))[:, 0].double().numpy()
        scores[np.concatenate([test, test])] = logits - logits.mean()
    is_fake = np.arange(len(scores)) < len(fake)
    auc, both = WeightedAUC(scores, is_fake), np.concatenate([codes, codes])
    draws = replicates(lambda row: auc(row[both]), weights)
    return Estimate.from_replicates(auc(), draws, n=len(scores), units=weights.shape[1], chance=0.5)


def _place(case: Case, side: int) -> tuple[slice, slice]:
    """A square around the place deepest inside the mask."""
    depth = cv2.distanceTransform((case.mask > 0).astype(np.uint8), cv2.DIST_L2, 3)
    row, column = np.unravel_index(int(depth.argmax()), depth.shape)
    top = int(np.clip(row - side // 2, 0, depth.shape[0] - side))
    left = int(np.clip(column - side // 2, 0, depth.shape[1] - side))
    return np.s_[top : top + side, left : left + side]


def _places(case: Case, seed: int) -> list[tuple[slice, slice]]:
    """Squares around places drawn from the mask."""
    rows, columns = np.nonzero(case.mask > 0)
    drawn = np.random.default_rng([SEED, seed]).integers(len(rows), size=PATCHES)
    height, width = case.mask.shape
    tops = np.clip(rows[drawn] - PATCH // 2, 0, height - PATCH)
    lefts = np.clip(columns[drawn] - PATCH // 2, 0, width - PATCH)
    return [np.s_[top : top + PATCH, left : left + PATCH] for top, left in zip(tops, lefts, strict=True)]


def _patches(patches: Floats) -> torch.Tensor:
    """Without their mean brightness, strongly contrasted: texture and seams are what gives a filling away."""
    x = torch.from_numpy(patches)[:, None].float()
    return (x - x.mean((2, 3), keepdim=True)) * 10


def _learn(patches: Floats, labels: NDArray[np.bool_], seed: int) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = nn.Sequential()
        for inside, out, stride in ((1, 16, 1), (16, 32, 2), (32, 32, 2)):
            network.append(nn.Conv2d(inside, out, 3, stride, 1)).append(nn.BatchNorm2d(out)).append(nn.ReLU())
        network.append(nn.AdaptiveAvgPool2d(1)).append(nn.Flatten()).append(nn.Linear(32, 1))
        optimizer = torch.optim.AdamW(network.parameters(), 3e-3, weight_decay=0.01)
        x, y = _patches(patches), torch.from_numpy(labels).float()
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(x)).split(64):
                turned = x[rows].rot90(int(torch.randint(4, ())), (2, 3))
                loss = functional.binary_cross_entropy_with_logits(network(turned)[:, 0], y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    return network.eval()


def _plain(estimate: Estimate) -> dict[str, Any]:
    values = {name: value for name, value in vars(estimate).items() if name != "replicates"}
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in values.items()}


def _page(card: dict[str, Any]) -> str:
    rows = [
        f"| {cohort} | {way} | {measure} | {e['value']:.4f} | {e['low']:.4f} to {e['high']:.4f} | {e['n']:,} |"
        for cohort, ways in card["scores"].items()
        for way, measures in ways.items()
        for measure, e in measures.items()
    ]
    lines = [
        f"# {card['name']}",
        "",
        f"**Trained on** {card['data']}. **Started from** {card['start']}.",
        "",
        "Inside text-like masks on unseen patients. Error and PSNR are in gray levels of 0 to 1; the last measure is a "
        "small network's AUC at telling filled patches from real ones, 0.5 being chance.",
        "",
        "| cohort | filled by | measure | value | 95 % interval by patient | n |",
        "|---|---|---|---|---|---|",
        *rows,
        "",
        *closing(card),
    ]
    return "\n".join(lines)
