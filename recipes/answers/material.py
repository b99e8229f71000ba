"""What the answer model learns from: images as the findings network sees them, narrowed, and questions on them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.utility.vqa.models.answers.maps import maps_of
from medveil.utility.vqa.models.answers.network import CHANNELS, MAPS, ORGANS
from medveil.utility.vqa.models.answers.preparing import as_seen
from medveil.utility.vqa.question import QuestionTable
from medveil.utility.vqa.questions.loading import read_questions
from medveil.utility.vqa.questions.phantom import phantom_questions
from recipes.answers.augment import changed
from recipes.findings.labels import labelled

PHANTOMS, PHANTOM_SEED = 4000, 81_000
VERSIONS = 6  # of each image of VQA-RAD, the first one unchanged
SAMPLE = 1500  # images that say how to narrow
Halves = NDArray[np.float16]


def prepare(data: Path, out: Path) -> None:
    """OUT/material.npz: narrowed maps of all images, and how they were narrowed."""
    rng = np.random.default_rng(0)
    out.mkdir(parents=True, exist_ok=True)
    rad, phantoms = training_questions(data), phantom_table()
    told = labelled(data / "nih14", "train")
    sources = {
        "rad": lambda: _versions(rad, rng),
        "phantom": lambda: (changed(as_seen(phantoms.image(one)), rng, strength=0.6) for one in phantoms.image_ids),
        "nih": lambda: (changed(as_seen(film), rng, strength=0.7) for film in _films(data / "nih14", told.files)),
    }
    raw = {}
    for name, films in sources.items():
        raw[name] = np.concatenate([maps_of(some).half().numpy() for some in _parts(films(), 64)])
        print(name, len(raw[name]), flush=True)
    weight, bias = _narrowing(raw, rng)
    narrowed = {name: _narrowed(maps, weight, bias) for name, maps in raw.items()}
    np.savez(out / "material.npz", weight=weight, bias=bias, **narrowed)


def training_questions(data: Path) -> QuestionTable:
    return read_questions(data / "vqa_rad").part("train")


def phantom_table() -> QuestionTable:
    """Without comparisons, for the model sees one film."""
    return phantom_questions(PHANTOMS, seed=PHANTOM_SEED).where(lambda question: question.kind != "comparison")


def organs(data: Path) -> dict[str, int]:
    """The part of the body by image, as VQA-RAD tells it."""
    names = {"CHEST": "chest", "HEAD": "head", "ABD": "abdomen"}
    entries = json.loads((data / "vqa_rad" / "questions.json").read_text())
    return {entry["image_name"]: ORGANS.index(names[entry["image_organ"]]) for entry in entries}


def _versions(table: QuestionTable, rng: np.random.Generator) -> Iterator[NDArray[np.uint8]]:
    for image in table.image_ids:
        film = as_seen(table.image(image))
        yield film
        yield from (changed(film, rng, strength=1.0) for _ in range(VERSIONS - 1))


def _films(folder: Path, files: list[str]) -> Iterator[NDArray[np.uint8]]:
    return (np.asarray(cv2.imread(str(folder / "images" / file), cv2.IMREAD_GRAYSCALE), np.uint8) for file in files)


def _parts(films: Iterable[NDArray[np.uint8]], size: int) -> Iterator[list[NDArray[np.uint8]]]:
    source = iter(films)
    while some := list(islice(source, size)):
        yield some


def _narrowing(raw: dict[str, Halves], rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The principal directions of all places, half way to equal spread."""
    rows = [maps[rng.choice(len(maps), SAMPLE // 3)].reshape(-1, MAPS)[::2] for maps in raw.values()]
    places = np.concatenate(rows).astype(np.float32)
    mean, spread = places.mean(0), places.std(0) + np.float32(1e-3)
    scaled = (places - mean) / spread
    strength, directions = np.linalg.eigh(scaled.T @ scaled / len(scaled))
    best = np.argsort(-strength)[:CHANNELS]
    weight = (directions[:, best] / strength[best] ** 0.25 / spread[:, None]).T
    return np.asarray(weight, np.float32), np.asarray(-weight @ mean, np.float32)


def _narrowed(maps: Halves, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> Halves:
    parts = (maps[start : start + 200].astype(np.float32) for start in range(0, len(maps), 200))
    return np.concatenate([(part @ weight.T + bias).astype(np.float16) for part in parts])
