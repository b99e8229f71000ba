"""Which filling comes closest to what a film showed: holes are cut where nothing was, and filled.

    python benchmarks/inpainting_quality.py --data DATA --fonts FONTS --split val --films 60 --out RESULTS.json
        [--sheet WORST.png]

DATA holds nih14 (for the split and the labels), nih14_1024, nih14_512 and, unless the split is train, covid19; FONTS
any TrueType files. Holes are the dilated strokes of random text of 12 to 48 pixels, as masks of removed text are, and
small boxes, as where letters could not be told apart; both are no larger than what is filled with more than a plain
surface. Beside the ways of medveil stand OpenCV's (Telea, Navier-Stokes) and, where scikit-image is installed, its
biharmonic inpainting. LaMa has no weights on the package index: `simple-lama-inpainting`, `litelama` and `iopaint`
fetch theirs when first used.

Inside the holes: error and PSNR, in gray levels of 0 to 1; grain in three bands from fine to coarse, as the filled
film's typical strength over the true one's (1 is right); speckle, how many pixels in a thousand stand out from their
neighbours five times as much as is usual around, beyond those that did before; seams, the mean step across the edges
of holes over the true one. Findings: a linear probe on the bundled encoder's vectors, fitted on NIH train patients,
calls as many films positive as the labels do; counted are its calls that change, in a hundred, and the mean change of
its log odds. Intervals are by patient.
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from medveil.cohort.input import read_cohort
from medveil.cohort.labels import POLICIES
from medveil.defenses.pixels.paint.fill import How, fill
from medveil.encoders.loading import load_encoder
from medveil.stats.bootstrap import mean_replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.utility.linear_probe import LabelledEmbeddings, LinearProbe, fit_probe

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
SEED = 11
LINES, BOXES = 5, 6
SIGMAS = (0.6, 1.2, 2.4)
CHARACTERS = list("ABCDEFGHKLMNPRSTXYZ0123456789-/:")
ENCODER = "medveil-small"
LEARNT, CHOSEN = 1000, 300  # NIH train films that the probe is fitted on, and those its penalty is chosen on
SHOWN, AROUND = 6, 96  # holes on the sheet, and pixels around each


@dataclass(frozen=True)
class Film:
    group: str
    patient: str
    image: Floats


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--fonts", type=Path, required=True)
    parser.add_argument("--split", choices=("train", "val"), default="val")
    parser.add_argument("--films", type=int, default=60, help="of each group, at most")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sheet", type=Path)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    fonts = sorted(options.fonts.rglob("*.ttf"))
    probe = Findings(options.data)
    ways = _ways()
    results: dict[str, Any] = {"machine": platform.machine(), "split": options.split, "seed": SEED, "scores": {}}
    worst: list[tuple[float, Floats]] = []
    for group, films in _groups(options.data, options.split, options.films):
        for shape in ("strokes", "boxes"):
            holes = [_hole(shape, film.image.shape, fonts, number) for number, film in enumerate(films)]
            rows: dict[str, list[dict[str, float]]] = {}
            said = probe.said(film.image for film in films)
            for way, paint in ways.items():
                filled = [_whole_levels(paint(film.image, hole)) for film, hole in zip(films, holes, strict=True)]
                called = probe.changes(said, filled)
                rows[way] = [
                    {**_measures(film.image, made, hole), **change}
                    for film, made, hole, change in zip(films, filled, holes, called, strict=True)
                ]
                if way == "classical":
                    worst += [_shown(*each) for each in zip(films, holes, filled, strict=True)]
            results["scores"][f"{group}, {shape}"] = _estimates(films, rows)
            for way, found in results["scores"][f"{group}, {shape}"].items():
                told = ", ".join(
                    f"{name} {e['value']:.4g} ({e['low']:.4g} to {e['high']:.4g})" for name, e in found.items()
                )
                print(f"{group} | {shape} | {way}: {told}", flush=True)
    options.out.write_text(json.dumps(results, indent=1) + "\n")
    if options.sheet:
        worst.sort(key=lambda one: -one[0])
        Image.fromarray(np.vstack([picture for _, picture in worst[:SHOWN]])).save(options.sheet)


def _groups(data: Path, split: str, most: int) -> Iterator[tuple[str, list[Film]]]:
    """Films of distinct patients, in an order that depends on nothing but the seed."""
    with (data / "nih14" / "split.csv").open(newline="") as file:
        of_split = {row["patient"] for row in csv.DictReader(file) if row["split"] == split}
    for folder, side in (("nih14_1024", 1024), ("nih14_512", 512)):
        files = sorted((data / folder / "images").iterdir())
        found = {f"nih{path.name[3:8]}": path for path in reversed(files) if f"nih{path.name[3:8]}" in of_split}
        yield f"nih14 {split}, {side} px", _films(folder, found, most)
    if split != "train":
        with (data / "covid19" / "metadata.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        found = {
            row["patient_key"]: data / "covid19" / "images" / (row.get("file") or row["filename"])
            for row in reversed(rows)
        }
        yield "covid19, 384 px", _films("covid19", {key: path for key, path in found.items() if path.is_file()}, most)


def _films(group: str, found: dict[str, Path], most: int) -> list[Film]:
    patients = sorted(found)
    some = np.random.default_rng(SEED).permutation(len(patients))[:most]
    films = []
    for number in some:
        with Image.open(found[patients[number]]) as picture:
            films.append(Film(group, patients[number], np.asarray(picture.convert("L"), np.float32) / 255))
    return films


def _hole(shape: str, size: tuple[int, ...], fonts: list[Path], number: int) -> Bools:
    rng = np.random.default_rng([SEED, number])
    hole = np.zeros(size, np.uint8)
    if shape == "boxes":
        for _ in range(BOXES):
            height, width = int(rng.integers(8, 20)), int(rng.integers(12, 90))
            top, left = rng.integers(0, size[0] - height), rng.integers(0, max(1, size[1] - width))
            hole[top : top + height, left : left + width] = 1
        return hole > 0
    scale = min(size) / 1024
    for _ in range(LINES):
        height = int(max(12, scale * rng.integers(12, 49)))
        font = ImageFont.truetype(str(fonts[rng.integers(len(fonts))]), height)
        sheet = Image.new("L", size[::-1])
        place = (int(rng.integers(0, max(1, size[1] - 5 * height))), int(rng.integers(0, size[0] - height)))
        ImageDraw.Draw(sheet).text(place, "".join(rng.choice(CHARACTERS, rng.integers(6, 16))), fill=255, font=font)
        wide = 2 * max(1, round(0.1 * height)) + 1
        strokes = (np.asarray(sheet) > 60).astype(np.uint8)
        hole |= cv2.dilate(strokes, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (wide, wide)))
    return hole > 0


def _ways() -> dict[str, Callable[[Floats, Bools], Floats]]:
    def ours(how: How) -> Callable[[Floats, Bools], Floats]:
        return lambda image, hole: fill(image, hole.astype(np.float32), how=how).image

    def opencv(method: int) -> Callable[[Floats, Bools], Floats]:
        def paint(image: Floats, hole: Bools) -> Floats:
            levels = np.rint(255 * image).astype(np.uint8)
            return np.float32(cv2.inpaint(levels, hole.astype(np.uint8), 3, method)) / np.float32(255)

        return paint

    ways = {
        "classical": ours("classical"),
        "generator": ours("generator"),
        "Telea (OpenCV)": opencv(cv2.INPAINT_TELEA),
        "Navier-Stokes (OpenCV)": opencv(cv2.INPAINT_NS),
        "black": ours("black"),
    }
    try:
        from skimage.restoration import inpaint_biharmonic
    except ImportError:
        print("scikit-image is not installed; its biharmonic inpainting is left out")
    else:
        ways["biharmonic (scikit-image)"] = lambda image, hole: np.float32(
            inpaint_biharmonic(image, hole, split_into_regions=True)
        )
    return ways


def _whole_levels(image: Floats) -> Floats:
    """As images of eight bits are kept."""
    return np.round(255 * np.clip(image, 0, 1)).astype(np.float32) / np.float32(255)


def _measures(image: Floats, filled: Floats, hole: Bools) -> dict[str, float]:
    gap = (filled - image)[hole].astype(np.float64)
    found = {
        "error": float(np.abs(gap).mean()),
        "PSNR": float(-10 * np.log10(max((gap**2).mean(), 1e-10))),
    }
    for name, made, was in zip(("fine", "middle", "coarse"), _bands(filled), _bands(image), strict=True):
        least = 0.05 / 255  # less is nothing in either
        found[f"grain, {name}"] = float((np.median(made[hole]) + least) / (np.median(was[hole]) + least))
    found["speckle"] = 1000 * float(
        (_stands_out(filled, image) & hole).sum() - (_stands_out(image, image) & hole).sum()
    )
    found["speckle"] /= int(hole.sum())
    found["seam"] = _step(filled, hole) / max(_step(image, hole), 1e-4)
    return found


def _bands(image: Floats) -> list[Floats]:
    levels = [image, *(cv2.GaussianBlur(image, (0, 0), sigma) for sigma in SIGMAS)]
    return [np.abs(finer - coarser) for finer, coarser in pairwise(levels)]


def _stands_out(image: Floats, usual: Floats) -> Bools:
    around = cv2.blur(np.abs(usual - cv2.medianBlur(usual, 5)), (31, 31)) + np.float32(1 / 255)
    return np.asarray(np.abs(image - cv2.medianBlur(image, 5)) > 5 * around)


def _step(image: Floats, hole: Bools) -> float:
    steps = [np.abs(np.diff(image, axis=axis))[np.diff(hole, axis=axis)] for axis in (0, 1)]
    return float(np.concatenate(steps).mean())


class Findings:
    """What a probe of the 14 findings says about films."""

    def __init__(self, data: Path) -> None:
        self.encoder = load_encoder(ENCODER)
        cohort = read_cohort(data / "nih14")
        train = np.flatnonzero((cohort.table["split"] == "train").to_numpy())
        some = np.random.default_rng(SEED).permutation(train)[: LEARNT + CHOSEN]
        targets, counts = POLICIES["uncertain-missing"].apply(cohort.table)
        vectors = self.encoder.encode_images(cohort.image(int(row)) for row in some)
        parts = [
            LabelledEmbeddings(vectors[which], targets[some[which]], counts[some[which]])
            for which in (slice(0, LEARNT), slice(LEARNT, None))
        ]
        self.probe: LinearProbe = fit_probe(parts[0], parts[1])
        said = self.probe.log_odds(vectors)
        rates = [targets[some, label][counts[some, label]].mean() for label in self.probe.labels]
        self.limits = np.array([np.quantile(said[:, at], 1 - rate) for at, rate in enumerate(rates)])
        print(
            f"findings: {len(rates)}, macro AUROC of the probe on other train films {self.probe.validation_auroc:.3f}"
        )

    def said(self, films: Iterable[Floats]) -> NDArray[np.float64]:
        return self.probe.log_odds(self.encoder.encode_images(map(_levels, films)))

    def changes(self, was: NDArray[np.float64], filled: list[Floats]) -> list[dict[str, float]]:
        now = self.said(filled)
        flipped = 100 * ((was > self.limits) != (now > self.limits)).mean(1)
        moved = np.abs(was - now).mean(1)
        return [{"calls changed, %": float(a), "log odds": float(b)} for a, b in zip(flipped, moved, strict=True)]


def _levels(image: Floats) -> NDArray[np.uint8]:
    return np.rint(255 * image).astype(np.uint8)


def _estimates(films: list[Film], rows: dict[str, list[dict[str, float]]]) -> dict[str, dict[str, Any]]:
    codes, count = unit_codes(np.array([film.patient for film in films]))
    weights = unit_weights(count, seed=SEED)
    found: dict[str, dict[str, Any]] = {}
    for way, measured in rows.items():
        found[way] = {}
        for name in measured[0]:
            values = np.array([row[name] for row in measured])
            draws = mean_replicates(values, codes, weights)
            estimate = Estimate.from_replicates(values.mean(), draws, n=len(values), units=count)
            kept = ("value", "low", "high", "n")
            found[way][name] = {key: getattr(estimate, key) for key in kept}
    return found


def _shown(film: Film, hole: Bools, filled: Floats) -> tuple[float, NDArray[np.uint8]]:
    """Around the place where a film's filling stands out most: the film, the hole, the filling."""
    excess = np.where(hole, np.abs(filled - film.image), 0)
    at = np.unravel_index(int(cv2.blur(excess, (9, 9)).argmax()), hole.shape)
    top, left = (int(np.clip(a - AROUND, 0, side - 2 * AROUND)) for a, side in zip(at, hole.shape, strict=True))
    place = np.s_[top : top + 2 * AROUND, left : left + 2 * AROUND]
    row = np.hstack([each[place] for each in (film.image, np.where(hole, 1, film.image), filled)])
    return float(cv2.blur(excess, (9, 9)).max()), _levels(row)


if __name__ == "__main__":
    main()
