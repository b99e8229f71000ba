"""What the detector proposes on films, with and without type on them: what the evidence network learns from.

    python -m recipes.pixels.evidence_proposals --data DATA --fonts FONTS --out PROPOSALS.npz --seconds 1200

DATA holds the folders nih14, nih14_512, nih14_1024 and vqa_rad; only the split 'train' is taken. FONTS is a folder of
the files that `recipe` names; Pillow's own comes on top. Half of the films get drawn devices, three quarters type; each
is scaled, turned, mirrored and toned first. What is proposed is kept as the network would see it, with the numbers of
the reader. A line on type that was written is type; one that touches none is not, but on films of vqa_rad, which are
full of type.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.evidence import FARTHEST, best_readings, is_plain, read_numbers, row_of
from medveil.defenses.pixels.decide.evidence_network import AROUND, NUMBERS, STRIP
from medveil.defenses.pixels.find.detector import find_lines
from medveil.defenses.pixels.find.views import View, views_of
from medveil.defenses.pixels.lines import Line
from medveil.runtime.workers import ordered_map
from recipes.films import packed
from recipes.pixels.devices import draw_devices
from recipes.pixels.evidence_films import is_held_out, patient_of
from recipes.pixels.evidence_writing import Gray, Truth, write_type
from recipes.pixels.rendering import find_fonts

SEED = 77
SETS = {"nih14_1024": 0.4, "nih14_512": 0.32, "nih14": 0.25, "vqa_rad": 0.03}  # how often a film is of each
WITH_DEVICES, WITH_TYPE = 0.5, 0.75
SMALL = 300  # pixels; films up to this side are small
SIDES, SMALL_SIDES = (384, 1500), (256, 640)  # to which films are scaled
PILLOWS = 7  # times that Pillow's own font is among the others
MOST = 60  # proposals of one film
STEPS = 32  # to one deviation, in which strips are stored
QUALITY = 90  # of the stored strips
READ = 8  # numbers of the reader, in front of the others: as it is, mirrored


@dataclass(frozen=True)
class Task:
    file: Path
    fonts: Path
    seed: tuple[int, int]
    only_type: bool  # keep nothing that is none


@dataclass(frozen=True)
class Proposal:
    """A line as the network sees it, whether it is type, whether devices were drawn, and whether it only tests."""

    strip: Gray
    width: int  # of the strip that is valid
    around: Gray
    numbers: NDArray[np.float32]
    is_type: bool
    drawn: bool
    held_out: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--fonts", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=1200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args()
    tasks = until(some_tasks(train_films(args.data), args.fonts, args.seed), args.seconds)
    found = [one for several in ordered_map(proposals_of, tasks, workers=args.workers, chunk=1) for one in several]
    save(found, args.out)
    text, held = sum(one.is_type for one in found), sum(one.held_out for one in found)
    print(len(found), "proposals,", text, "of them type,", held, "held out,", args.out.stat().st_size, "bytes")


def train_films(data: Path) -> dict[str, list[Path]]:
    with (data / "nih14" / "split.csv").open() as file:
        train = {patient_of(row["image"]) for row in csv.DictReader(file) if row["split"] == "train"}
    films = {
        name: [file for file in sorted((data / name / "images").iterdir()) if patient_of(file.name) in train]
        for name in SETS
        if name != "vqa_rad"
    }
    questions = json.loads((data / "vqa_rad" / "questions.json").read_text("utf-8"))
    general = {row["image_name"] for row in questions if row["split"] == "train"}
    return films | {"vqa_rad": [data / "vqa_rad" / "images" / name for name in sorted(general)]}


def some_tasks(films: dict[str, list[Path]], fonts: Path, seed: int) -> Iterator[Task]:
    rng = np.random.default_rng(seed)
    for number in count():
        name = str(rng.choice(list(SETS), p=list(SETS.values())))
        file = films[name][int(rng.integers(len(films[name])))]
        yield Task(file, fonts, (seed, number), only_type=name == "vqa_rad")


def until(tasks: Iterator[Task], seconds: float) -> Iterator[Task]:
    """At least one, and more until the time is over."""
    end = time.monotonic() + seconds
    for task in tasks:
        yield task
        if time.monotonic() >= end:
            return


def proposals_of(task: Task) -> list[Proposal]:
    """What the detector proposes on one film, with what is drawn and written on it."""
    rng = np.random.default_rng(task.seed)
    with Image.open(task.file) as stored:
        film = varied(np.asarray(stored.convert("L")), rng)
    drawn = bool(rng.random() < WITH_DEVICES)
    if drawn:
        film = draw_devices(film, rng)
    truth = Truth.empty(film.shape)
    if rng.random() < WITH_TYPE:
        film, truth = write_type(film, rng, find_fonts(task.fonts) + ["default"] * PILLOWS)
    (view, *_) = views_of(film)
    lines = find_lines(view)
    if len(lines) > MOST:
        lines = [lines[number] for number in rng.choice(len(lines), MOST, replace=False)]
    labels = {line: truth.is_type(line) for line in lines}
    kept = [line for line, label in labels.items() if label or (label is False and not task.only_type)]
    held_out = is_held_out(task.file.name)
    return [
        Proposal(*as_stored(row), is_type=bool(labels[line]), drawn=drawn, held_out=held_out)
        for line, row in zip(kept, rows_of(kept, view), strict=True)
    ]


def varied(film: Gray, rng: np.random.Generator) -> Gray:
    """Of another size and tone, now and then mirrored, turned, inverted, noisy."""
    large = max(film.shape) > SMALL
    side = int(np.exp(rng.uniform(*np.log(SIDES)))) if large else int(rng.integers(*SMALL_SIDES))
    scale = side / max(film.shape)
    if not 0.85 < scale < 1.18:
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        film = np.asarray(cv2.resize(film, None, fx=scale, fy=scale, interpolation=how), dtype=np.uint8)
    if rng.random() < 0.35:
        film = film[:, ::-1]
    if rng.random() < 0.12:
        film = np.rot90(film, int(rng.integers(1, 4)))
    if rng.random() < 0.5:
        film = (255 * (film / 255) ** float(np.exp(rng.uniform(-0.5, 0.5)))).astype(np.uint8)
    if rng.random() < 0.12:
        film = 255 - film
    if rng.random() < 0.3:
        film = np.clip(film + rng.normal(0, rng.uniform(1, 6), film.shape), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(film)


def rows_of(lines: list[Line], view: View) -> list[NDArray[np.float32]]:
    """The evidence of each line, read as it is and, where that leaves it open, in a mirror."""
    read = CachedReader(view)
    plain = best_readings(lines, read, mirrored=False)
    mirrored = best_readings(lines, read, mirrored=True)
    rows = []
    for line, (_, one), (_, other) in zip(lines, plain, mirrored, strict=True):
        row = row_of(line, view)
        row[-NUMBERS:][: READ // 2] = read_numbers(line, one)
        if not is_plain(one):
            row[-NUMBERS:][READ // 2 : READ] = read_numbers(line, other)
        rows.append(row)
    return rows


def as_stored(row: NDArray[np.float32]) -> tuple[Gray, int, Gray, NDArray[np.float32]]:
    """The strip, how much of it is valid, what surrounds it, and the numbers; in whole steps of a deviation."""
    height, width = STRIP
    seen, valid = row[: 2 * height * width].reshape(2, height, width)
    around = row[2 * height * width : -NUMBERS].reshape(AROUND, AROUND)
    return _in_steps(seen), int(valid[0].sum()), _in_steps(around), row[-NUMBERS:]


def _in_steps(values: NDArray[np.float32]) -> Gray:
    return np.asarray(np.rint((values + FARTHEST) * STEPS).clip(0, 255), dtype=np.uint8)


def save(proposals: list[Proposal], file: Path) -> None:
    strips, strip_ends = packed((one.strip for one in proposals), quality=QUALITY)
    arounds, around_ends = packed((one.around for one in proposals), quality=QUALITY)
    np.savez(
        file,
        strips=strips,
        strip_ends=strip_ends,
        arounds=arounds,
        around_ends=around_ends,
        widths=np.array([one.width for one in proposals], np.int64),
        numbers=np.array([one.numbers for one in proposals], np.float32).reshape(-1, NUMBERS),
        is_type=np.array([one.is_type for one in proposals], bool),
        drawn=np.array([one.drawn for one in proposals], bool),
        held_out=np.array([one.held_out for one in proposals], bool),
    )


if __name__ == "__main__":
    main()
