"""How well the evidence tells type from films: words missed against films touched, threshold by threshold.

    python benchmarks/pixels_evidence.py --data DATA --fonts FONTS [--films 100] [--split train] [--out RESULTS.json]

Every film is looked at twice: as it is, and enlarged to 1,024 pixels and written on with FONTS. A word counts as
missed where no line with a score above the threshold covers most of its ink; a film as touched where a line that holds
none of the film's own legible type is above it. The split 'train' chooses the thresholds, on patients kept out of the
network's training; 'val' reports them.

Whether the score is a probability is told by all lines proposed, on the films as they are and written on: of those with
such a score, the share that is type. A line is type where it covers most of a word's ink or lies mostly on words, none
where it holds no ink; lines in between and the film's own legible type are left out, and its own type that cannot be
read counts as none.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image

import recipes_path  # noqa: F401
from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.evidence import SUSPECTED, TYPE, weigh
from medveil.defenses.pixels.decide.markers import is_marker
from medveil.defenses.pixels.decide.words import is_legible
from medveil.defenses.pixels.find.detector import find_lines
from medveil.defenses.pixels.find.views import views_of
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.read.reader import Reading
from medveil.runtime.workers import ordered_map
from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.shares import share
from recipes.pixels.evidence_films import is_held_out, patient_of
from recipes.pixels.rendering import find_fonts
from recipes.pixels.writing import SIZE, Written, write

SEED = 7_300_000
THRESHOLDS = (0.02, 0.05, SUSPECTED, 0.2, 0.3, 0.4, TYPE, 0.6, 0.7, 0.8, 0.9, 0.95)
SETS = ("nih14_1024", "nih14_512", "nih14")
COVERED = 0.6
BINS = (0.0, 0.02, SUSPECTED, 0.3, TYPE, 0.8, 0.9, 0.97, 1.0)  # of the score
TEMPERATURES = np.geomspace(0.25, 4, 161)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--fonts", type=Path, required=True)
    parser.add_argument("--films", type=int, default=100, help="of each set")
    parser.add_argument("--split", choices=("train", "val"), default="train")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    tasks = [
        (str(file), str(args.fonts), [args.seed, number])
        for name in SETS
        for number, file in enumerate(films(args.data, name, args.split)[: args.films])
    ]
    found = list(ordered_map(of_film, tasks, workers=args.workers))
    curve = [at(threshold, found) for threshold in THRESHOLDS]
    reliability = reliability_of(found)
    print(f"{len(found)} films, {sum(len(one['words']) for one in found)} words")
    for point in curve:
        missed, touched = point["missed"]["value"], point["touched"]["value"]
        print(f"  threshold {point['threshold']:.2f}: words missed {missed:.4f}, films touched {touched:.4f}")
    for one in reliability["bins"]:
        scores = f"{one['low']:.2f} to {one['high']:.2f}, on average {one['score']:.3f}"
        print(f"  score {scores}: {one['type']} of {one['n']} are type")
    print(f"  off by {reliability['off']:.4f} on average, best temperature {reliability['temperature']:.2f}")
    if args.out:
        args.out.write_text(json.dumps({"films": found, "curve": curve, "reliability": reliability}, indent=1))


def films(data: Path, name: str, split: str) -> list[Path]:
    with (data / "nih14" / "split.csv").open() as file:
        splits = {patient_of(row["image"]): row["split"] for row in csv.DictReader(file)}
    files = [file for file in sorted((data / name / "images").iterdir()) if splits.get(patient_of(file.name)) == split]
    return [file for file in files if split == "val" or is_held_out(file.name)]


def of_film(task: tuple[str, str, list[int]]) -> dict[str, Any]:
    """The scores of a film's own lines, and of each word written on it the best."""
    file, fonts, seed = task
    rng = np.random.default_rng(seed)
    gray = np.asarray(Image.open(file).convert("L"))
    (view, *_) = views_of(gray)
    own = find_lines(view)
    own_weighed = weigh(own, view, CachedReader(view))
    clean = [
        {"score": one.score, "text": one.reading.text, "letters": one.reading.letters, "finding": one.finding.value}
        for one in own_weighed
    ]
    large = cv2.resize(gray, (SIZE, SIZE), interpolation=cv2.INTER_CUBIC)
    image = (large.astype(np.uint16) << 8) + rng.integers(0, 256, large.shape, dtype=np.uint16)
    taken = tuple(line.scaled(SIZE / max(gray.shape)).box(large.shape) for line in own)
    everything = list(write(image, rng, find_fonts(Path(fonts)), taken))
    written = [word for word in everything if not word.marker]
    (view, *_) = views_of(image)
    lines = find_lines(view)
    weighed = weigh(lines, view, CachedReader(view))
    scores = [one.score for one in weighed]
    cover = np.zeros((len(lines), *view.shape), np.uint8) if lines else np.zeros((0, *view.shape), np.uint8)
    for canvas, line in zip(cover, lines, strict=True):
        line.grown(0.3 * line.height, 2).paint(canvas, 1)
    words = []
    for word in written:
        inside = [float(canvas[word.ink].mean()) for canvas in cover]
        best = max((score for score, share in zip(scores, inside, strict=True) if share > COVERED), default=0.0)
        words.append({"score": best, **word.kind})
    proposed = [
        {"score": one.score, "type": is_type}
        for on_it, shape, found in ((everything, view.shape, weighed), ([], gray.shape, own_weighed))
        for one in found
        if (is_type := _is_type(one.look.line, one.reading, on_it, shape)) is not None
    ]
    return {
        "file": Path(file).name,
        "set": Path(file).parts[-3],
        "clean": clean,
        "words": words,
        "proposed": proposed,
    }


def _is_type(line: Line, reading: Reading, written: list[Written], shape: tuple[int, ...]) -> bool | None:
    """None where it cannot be told."""
    canvas = np.zeros(shape, np.uint8)
    line.paint(canvas, 1)
    inside = [float(canvas[word.ink].mean()) for word in written]
    if max(inside, default=0.0) > COVERED:
        return True
    if not any(inside):
        return None if is_legible(reading) or is_marker(reading.text) else False
    words = np.zeros(shape, np.uint8)
    for word in written:
        points = np.stack(word.ink[::-1], axis=1).astype(np.float32)
        Line.around(points).grown(2, 2).paint(words, 1)
    return True if words[canvas > 0].mean() > COVERED else None


def reliability_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    """By the score, what share of the lines is type; by how much the two differ, a line, and the temperature that
    would make these scores fit best (1 where they already do).
    """
    lines = [line for one in found for line in one["proposed"]]
    scores = np.array([line["score"] for line in lines])
    is_type = np.array([line["type"] for line in lines])
    place = np.clip(np.searchsorted(BINS, scores, side="right") - 1, 0, len(BINS) - 2)
    bins = [
        {
            "low": BINS[number],
            "high": BINS[number + 1],
            "n": int(own.sum()),
            "type": int(is_type[own].sum()),
            "score": float(scores[own].mean()),
        }
        for number in range(len(BINS) - 1)
        if (own := place == number).any()
    ]
    off = sum(abs(one["type"] - one["score"] * one["n"]) for one in bins) / len(lines)
    share = np.clip(scores, 1e-6, 1 - 1e-6)
    logits = np.log(share / (1 - share))
    losses = [float(np.logaddexp(0, np.where(is_type, -logits, logits) / one).mean()) for one in TEMPERATURES]
    return {"bins": bins, "off": float(off), "temperature": float(TEMPERATURES[int(np.argmin(losses))])}


def at(threshold: float, found: list[dict[str, Any]]) -> dict[str, Any]:
    missed = [(one["file"], word["score"] < threshold) for one in found for word in one["words"]]
    touched = [(one["file"], any(_is_false(line, threshold) for line in one["clean"])) for one in found]
    return {"threshold": threshold, "missed": _share(missed), "touched": _share(touched)}


def _share(cases: list[tuple[str, bool]]) -> dict[str, float]:
    """With an interval by patient."""
    codes, count = unit_codes(np.array([patient_of(file) for file, _ in cases], dtype=object))
    found = share(np.array([case for _, case in cases], dtype=float), codes, unit_weights(count, seed=0))
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n, "patients": found.units}


def _is_false(line: dict[str, Any], threshold: float) -> bool:
    """Above the threshold without two letters that can be read: the film's own type is no mistake."""
    return line["score"] >= threshold and line["letters"] < 2


if __name__ == "__main__":
    main()
