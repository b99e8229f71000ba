"""How many faces are found in pictures, and how many medical images are taken for one.

    python benchmarks/pixels_faces.py --faces FACES --lfw LFW.npy --data DATA --images 100 --seed 12 --out FACES.json

FACES holds pictures that each show a face. Every picture is tried as it is, in gray, turned by a quarter and by half,
mirrored, badly compressed, and pasted small into a page. `LFW.npy` is scikit-image's file lfw_subset.npy: 100 faces of
Labeled Faces in the Wild, cut out closely at 25 pixels a side, in gray. Images of DATA are drawn by the seed from all
of a set, but that all of vqa_rad, with its slices of heads, are looked at. `ms` is processor time an image.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.objects.faces import shows_face
from medveil.stats.shares import exact_interval

Picture = NDArray[np.uint8]
PAGE, PASTED = (1400, 1000), 220  # pixels
SETS = ("nih14", "nih14_512", "nih14_1024", "iu_xray", "covid19", "vqa_rad", "odir", "fundus_vessels")
SUFFIXES = (".png", ".jpg", ".jpeg")


def gray(picture: Picture) -> Picture:
    return picture if picture.ndim == 2 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY))


def compressed(picture: Picture) -> Picture:
    return np.asarray(
        cv2.imdecode(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 25])[1], cv2.IMREAD_UNCHANGED)
    )


def on_a_page(picture: Picture) -> Picture:
    page = np.full((*PAGE, *picture.shape[2:]), 245, np.uint8)
    factor = PASTED / max(picture.shape[:2])
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    page[120 : 120 + small.shape[0], 700 : 700 + small.shape[1]] = small
    return page


WAYS: dict[str, Callable[[Picture], Picture]] = {
    "as they are": lambda picture: picture,
    "gray": gray,
    "turned by a quarter": lambda picture: np.ascontiguousarray(np.rot90(picture)),
    "turned by half": lambda picture: np.ascontiguousarray(np.rot90(picture, 2)),
    "mirrored": lambda picture: np.ascontiguousarray(picture[:, ::-1]),
    "JPEG of quality 25": compressed,
    "220 pixels on a page of 1,400 by 1,000": on_a_page,
}


def read(path: Path) -> Picture:
    """As the input layer reads a picture: gray where its channels are alike."""
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture.dtype != np.uint8:
        picture = (picture >> 8).astype(np.uint8)
    if picture.ndim == 2:
        return np.asarray(picture)
    picture = np.ascontiguousarray(picture[..., 2::-1])
    return picture[..., 0].copy() if (picture == picture[..., :1]).all() else picture


def share(pictures: Iterable[Picture]) -> dict[str, Any]:
    before = time.process_time()
    found = [shows_face(picture) for picture in pictures]
    low, high = exact_interval(float(np.mean(found)), len(found))
    spent = 1000 * (time.process_time() - before) / len(found)
    return {"found": sum(found), "value": float(np.mean(found)), "low": low, "high": high, "n": len(found), "ms": spent}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--faces", type=Path, required=True)
    parser.add_argument("--lfw", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--images", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    results: dict[str, Any] = {}

    def tell(name: str, pictures: Iterable[Picture]) -> None:
        results[name] = share(pictures)
        print(name, results[name], flush=True)

    faces = [read(path) for path in sorted(arguments.faces.iterdir())]
    for way, change in WAYS.items():
        tell(f"faces, {way}", (change(picture) for picture in faces))
    if arguments.lfw:
        cut = (np.load(arguments.lfw)[:100] * 255).astype(np.uint8)
        tell("faces of Labeled Faces in the Wild, 25 pixels, gray", (cv2.resize(one, (150, 150)) for one in cut))
    rng = np.random.default_rng(arguments.seed)
    for name in SETS:
        paths = sorted(path for path in (arguments.data / name).rglob("*") if path.suffix.lower() in SUFFIXES)
        if name != "vqa_rad":
            paths = [paths[at] for at in rng.permutation(len(paths))[: arguments.images]]
        tell(name, map(read, paths))
    arguments.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
