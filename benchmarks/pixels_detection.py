"""What the text detector alone finds and mistakes, threshold by threshold, and what it costs.

    python benchmarks/pixels_detection.py --data DATA --fonts FONTS --out RESULTS.json [--weights FILE] [--images 60]

The same sources as in `pixels_text.py`, and radiographs of the split 'train' to choose thresholds on. A word is found
when at least 97 % of its ink lies under the mask of the lines found. What is found on radiographs that nothing was
written on is counted as false, the letters they bear themselves included; in phantom hospitals the answer key tells
these apart. Seconds are processor time on one core.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

import recipes_path  # noqa: F401
from medveil.cohort.phantom.gold import load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.defenses.pixels.find.detector import find_lines
from medveil.defenses.pixels.lines import Box, Line
from medveil.defenses.pixels.paint.mask import soft_mask
from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.shares import share
from pixels_text import CHANGED, PHANTOM_SEED, covid_files, val_files
from recipes.pixels.backgrounds import train_files
from recipes.pixels.rendering import find_fonts
from recipes.pixels.writing import SEED, SIZE, SIZES, write

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
LARGE = (64, 80, 100)
TRAIN_SEED = 1_000  # added for text that thresholds are chosen on
Find = Callable[[NDArray[np.uint8]], list[Line]]


@dataclass
class Seen:
    """One image: words with the thresholds at which they are found, and what was seen beside text."""

    unit: str
    words: list[tuple[dict[str, str], list[bool]]] = field(default_factory=list)
    false_lines: list[int] = field(default_factory=list)
    false_share: list[float] = field(default_factory=list)
    seconds: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--fonts", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--images", type=int, default=60)
    parser.add_argument("--patients", type=int, default=60)
    args = parser.parse_args()
    find = partial(find_lines, weights=args.weights)
    results = {name: told(name, seen) for name, seen in sources(args, find)}
    if args.out:
        args.out.write_text(json.dumps(results, indent=1))


def sources(args: argparse.Namespace, find: Find) -> Iterator[tuple[str, list[Seen]]]:
    train = train_files(args.data / "nih14_512")[:: max(1, 220 // args.images)]
    val, covid = val_files(args.data / "nih14_512"), covid_files(args.data / "covid19")
    for name, files, seed, sizes in (
        ("nih14_512 train", train, SEED + TRAIN_SEED, SIZES),
        ("nih14_512 val", val, SEED, SIZES),
        ("covid19", covid, SEED, SIZES),
        ("nih14_512 val, large text", val, SEED, LARGE),
    ):
        chosen = files[: args.images]
        yield name, [on_real(find, file, args.fonts, [seed, number], sizes) for number, file in enumerate(chosen)]
    for size in (512, 1024):
        yield f"phantom {size} px", list(in_phantom(find, args.patients, size))


def on_real(find: Find, file: Path, fonts: Path, seed: list[int], sizes: tuple[int, ...]) -> Seen:
    rng = np.random.default_rng(seed)
    gray = cv2.resize(np.asarray(Image.open(file).convert("L")), (SIZE, SIZE), interpolation=cv2.INTER_CUBIC)
    image = (gray.astype(np.uint16) << 8) + rng.integers(0, 256, gray.shape, dtype=np.uint16)
    seen = Seen(str(seed[1]))
    start = time.process_time()
    clean = find((image >> 8).astype(np.uint8))
    seen.seconds = time.process_time() - start
    note_false(seen, clean, gray.shape)
    words = [word for word in write(image, rng, find_fonts(fonts), (), sizes) if not word.marker]
    lines = find((image >> 8).astype(np.uint8))
    masks = [soft_mask(above(lines, least), gray.shape) > 0 for least in THRESHOLDS]
    seen.words = [(word.kind, [float(mask[word.ink].mean()) >= CHANGED for mask in masks]) for word in words]
    return seen


def in_phantom(find: Find, patients: int, size: int) -> Iterator[Seen]:
    with tempfile.TemporaryDirectory() as folder:
        cohort = build_hospital(Path(folder) / "hospital", patients=patients, seed=PHANTOM_SEED + size, size=size)
        gold = load_gold(Path(folder) / "hospital")
        for row in range(len(cohort)):
            key = gold.images[cohort.table["image_id"][row]]
            image = cohort.image(row)
            view = (image >> max(0, int(image.max()).bit_length() - 8)).astype(np.uint8)
            yield on_phantom(find, view, cohort.table["patient_id"][row], key)


def on_phantom(find: Find, view: NDArray[np.uint8], patient: str, key: Any) -> Seen:
    seen = Seen(patient)
    start = time.process_time()
    lines = find(view)
    seen.seconds = time.process_time() - start
    boxes = {one.box for one in key.in_pixels}
    masks = [soft_mask(above(lines, least), view.shape) > 0 for least in THRESHOLDS]
    seen.words = [({}, [float(mask[_inside(box)].mean()) >= CHANGED for mask in masks]) for box in boxes]
    text = [Line.of_box(box).grown(6, 6) for box in (*boxes, *(one.box for one in key.markers))]
    note_false(seen, [line for line in lines if not any(line.distance(one) == 0 for one in text)], view.shape)
    return seen


def _inside(box: Box) -> tuple[slice, slice]:
    left, top, right, bottom = box
    return np.s_[top:bottom, left:right]


def above(lines: Iterable[Line], least: float) -> list[Line]:
    return [line for line in lines if line.score >= least]


def note_false(seen: Seen, lines: list[Line], shape: tuple[int, ...]) -> None:
    for least in THRESHOLDS:
        kept = above(lines, least)
        seen.false_lines.append(len(kept))
        seen.false_share.append(float((soft_mask(kept, shape) > 0).mean()))


def told(name: str, images: list[Seen]) -> dict[str, Any]:
    """Print and return, for every threshold, words found with their intervals and what was found beside them."""
    groups: dict[str, list[tuple[str, list[bool]]]] = defaultdict(list)
    for one in images:
        for kind, found in one.words:
            for group in ("words found", *(f"words found, {key} {value}" for key, value in kind.items())):
                groups[group].append((one.unit, found))
    result: dict[str, Any] = {"images": len(images), "seconds": float(np.median([one.seconds for one in images]))}
    print(f"{name}: {len(images)} images, {1e3 * result['seconds']:.1f} ms", flush=True)
    for k, least in enumerate(THRESHOLDS):
        lines = np.array([one.false_lines[k] for one in images])
        covered = float(np.mean([one.false_share[k] for one in images]))
        at: dict[str, Any] = {
            "false lines an image": float(lines.mean()),
            "images with false lines": float((lines > 0).mean()),
            "covered beside text, percent": 100 * covered,
        }
        for group, cases in groups.items():
            at[group] = interval([unit for unit, _ in cases], [found[k] for _, found in cases])
        result[str(least)] = at
        print(
            f"  at {least}: {sum(found[k] for _, found in groups['words found'])} of {len(groups['words found'])}; "
            f"{lines.mean():.2f} false lines, {(lines > 0).mean():.2f} of the images, {100 * covered:.3f} %",
            flush=True,
        )
    return result


def interval(units: list[str], found: list[bool]) -> dict[str, float]:
    codes, count = unit_codes(np.array(units, dtype=object))
    value = share(np.array(found, dtype=float), codes, unit_weights(count, seed=0))
    return {"value": value.value, "low": value.low, "high": value.high, "n": value.n, "units": value.units}


if __name__ == "__main__":
    main()
