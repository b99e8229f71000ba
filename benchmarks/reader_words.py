"""Which words stay and which go, decided by reading alone: markers and, many times as many, words that are none.

    python -m recipes.reader.backgrounds --data DATA --split val --out FILMS.npz
    python benchmarks/reader_words.py --films FILMS.npz --fonts OTHER_FONTS --out RESULTS.json \
        [--markers 4000] [--others 24000] [--seed 7] [--workers 2]

Each word is written on a piece of a radiograph, and its place handed over about as exactly as the text detector would:
a little too wide, too narrow or askew, spaced words now and then one by one. Films and fonts are not those of the
training. The words that are no markers are near misses (a letter more, less or other), initials, random signs, names,
dates and numbers. Where such a line is handed over word by word, a word that is a marker by itself may stay, but for
single letters.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import recipes_path  # noqa: F401
from medveil.defenses.pixels.decide.decision import decide
from medveil.defenses.pixels.decide.markers import is_marker
from medveil.defenses.pixels.lines import Line
from medveil.runtime.workers import ordered_map
from medveil.stats.shares import exact_interval
from recipes.pixels.writing import phrase
from recipes.reader.rendering import Stock, background, printed, stamped, worn
from recipes.reader.texts import marker, no_marker

PER_TASK = 250
LONGEST = 16  # characters of a marker


@dataclass(frozen=True)
class Task:
    films: Path
    fonts: Path
    seed: int
    number: int
    markers: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--films", type=Path, required=True)
    parser.add_argument("--fonts", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--markers", type=int, default=4000)
    parser.add_argument("--others", type=int, default=24_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    results: dict[str, Any] = {}
    for name, count in (("markers", args.markers), ("others", args.others)):
        tasks = [Task(args.films, args.fonts, args.seed, k, name == "markers") for k in range(-(-count // PER_TASK))]
        found = [one for part in ordered_map(judged, tasks, workers=args.workers) for one in part]
        kept = np.array([one["kept"] for one in found], dtype=float)
        low, high = exact_interval(float(kept.mean()), len(kept))
        results[name] = {"kept": int(kept.sum()), "n": len(kept), "low": low, "high": high}
        results[name] |= {"seconds": float(np.mean([one["seconds"] for one in found]))}
        wrong = [(one["text"], one["read"]) for one in found if one["kept"] != (name == "markers")]
        results[name]["wrong"] = wrong[:200]
        print(name, {key: value for key, value in results[name].items() if key != "wrong"}, wrong[:60], flush=True)
    if args.out:
        args.out.write_text(json.dumps(results, indent=1))


_STOCK: dict[tuple[Path, Path], Stock] = {}


def judged(task: Task) -> list[dict[str, Any]]:
    key = (task.films, task.fonts)
    if key not in _STOCK:
        _STOCK[key] = Stock.load(task.fonts, None, task.films)
    rng = np.random.default_rng([task.seed, int(task.markers), task.number])
    found = []
    while len(found) < PER_TASK:
        text = some_marker(rng) if task.markers else phrase(rng) if rng.random() < 0.1 else no_marker(rng)
        scene = written(rng, _STOCK[key], text)
        if scene is None:
            continue
        view, lines = scene
        start = time.process_time()
        kept = decide(lines, view, None, keep_markers=True).kept
        seconds = time.process_time() - start
        read = [marker for marker, _ in kept]
        found.append({"text": text, "kept": bool(read) and not harmless(read, text), "read": read, "seconds": seconds})
    return found


def harmless(kept: list[str], text: str) -> bool:
    """Whether only whole words stay that are markers by themselves, more than an initial, in a line that is none."""
    words = {word.upper() for word in text.split() if is_marker(word) and len(word.strip(".,()")) > 1}
    return not is_marker(text) and len(text.split()) > 1 and all(one in words for one in kept)


def some_marker(rng: np.random.Generator) -> str:
    """As markers are printed: short ones in capitals, and none too long for one."""
    while len(text := marker(rng)) > LONGEST:
        pass
    return text.upper() if len(text) <= 4 else text


def written(rng: np.random.Generator, stock: Stock, text: str) -> tuple[NDArray[np.uint8], list[Line]] | None:
    """A piece of film with the text on it, upright or turned by quarters, and the lines a detector would give."""
    points = round(math.exp(rng.uniform(math.log(14), math.log(60))))
    if len(text) <= 2:
        points = max(points, 24)  # as large as lead letters are
    stamp = stamped(rng, stock, text, points)
    if stamp is None:
        return None
    rows, columns = stamp.ink.shape
    pad = 2 * max(rows, points // 2) + 8
    ink = np.pad(stamp.ink, pad)
    box = (pad, pad, pad + columns, pad + rows)
    scene, contrast = printed(rng, background(rng, stock, ink.shape[::-1]), ink, box, rows)
    if contrast < 0.15:
        return None
    view = worn(rng, scene, rows, contrast)
    lines = [_about(rng, one) for one in _boxes(rng, text, stamp.ends, box)]
    turns = int(rng.choice((0, 0, 0, 0, 1, 2, 3)))
    return np.ascontiguousarray(np.rot90(view, turns)), [_turned(line, view.shape, turns) for line in lines]


def _boxes(
    rng: np.random.Generator, text: str, ends: list[tuple[float, float]], box: tuple[int, int, int, int]
) -> list[tuple[float, float, float, float]]:
    """The whole line, or word by word."""
    left, top, _, bottom = box
    if rng.random() < 0.7 or " " not in text.strip():
        return [box]
    found, start = [], 0
    for word in text.split(" "):
        if word:
            found.append((left + ends[start][0], top, left + ends[start + len(word) - 1][1], bottom))
        start += len(word) + 1
    return found


def _about(rng: np.random.Generator, box: tuple[float, float, float, float]) -> Line:
    """The box as a detector sees it: off by a little at every side."""
    left, top, right, bottom = box
    height = bottom - top
    off = rng.normal(0.02, 0.06, 4).clip(-0.1, 0.3) * height
    corners = [[left - off[0], top - off[1]], [right + off[2], top - off[1]]]
    corners += [[right + off[2], bottom + off[3]], [left - off[0], bottom + off[3]]]
    slant = float(rng.normal(0, 0.02)) * min(1.0, 5 * height / (right - left + height))
    turn = np.array([[math.cos(slant), -math.sin(slant)], [math.sin(slant), math.cos(slant)]])
    points = np.array(corners)
    middle = points.mean(axis=0)
    return Line.around(((points - middle) @ turn.T + middle).astype(np.float32), 0.9)


def _turned(line: Line, shape: tuple[int, ...], turns: int) -> Line:
    """The line in the image turned counter-clockwise by quarters."""
    rows, columns = shape
    points = line.corners
    for _ in range(turns):
        points = np.stack([points[:, 1], columns - points[:, 0]], axis=1)
        rows, columns = columns, rows
    return Line.around(points.astype(np.float32), line.score)


if __name__ == "__main__":
    main()
