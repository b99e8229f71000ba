"""How much burned-in text is removed, how many clinical markers stay, what else is touched, and what it costs.

    python benchmarks/pixels_text.py --data DATA --fonts FONTS --out RESULTS.json [--images 60] [--patients 60]
        [--seed 4100000]

Three sources, none of them used in training: radiographs of nih14_512's split 'val' and of covid19, enlarged to 1,024
pixels and written on with FONTS (a folder of fonts that the detector was not trained on), and phantom hospitals of
seeds kept for this. A word counts as removed when at least 97 % of its ink has changed; a marker as kept when none of
it has. Intervals are by image or, in the phantom hospital, by patient.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

import recipes_path  # noqa: F401
from medveil.cohort.phantom.gold import load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.defenses.pixels.removal import TextRemover
from medveil.errors import Quarantined
from medveil.runtime.workers import ordered_map
from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.shares import share
from recipes.pixels.rendering import find_fonts
from recipes.pixels.writing import SEED, SIZE, Written, write

CHANGED = 0.97
PHANTOM_SEED = 52_300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--fonts", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--images", type=int, default=60)
    parser.add_argument("--patients", type=int, default=60)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--fill", default="classical")
    args = parser.parse_args()
    results: dict[str, Any] = {}
    for name, files in (
        ("nih14_512 val", val_files(args.data / "nih14_512")),
        ("covid19", covid_files(args.data / "covid19")),
    ):
        chosen = files[: args.images]
        tasks = [(str(file), str(args.fonts), [args.seed, number], args.fill) for number, file in enumerate(chosen)]
        results[name] = told(name, list(ordered_map(on_real, tasks, workers=args.workers)))
    for size in (512, 1024):
        results[f"phantom {size} px"] = told(f"phantom {size} px", phantom(args.patients, size, args.fill))
    if args.out:
        args.out.write_text(json.dumps(results, indent=1))


def val_files(folder: Path) -> list[Path]:
    with (folder / "split.csv").open() as file:
        return [folder / "images" / row["file"] for row in csv.DictReader(file) if row["split"] == "val"]


def covid_files(folder: Path) -> list[Path]:
    return sorted((folder / "images").iterdir())[::7]


def on_real(task: tuple[str, str, list[int], str]) -> dict[str, Any]:
    """One radiograph, clean and written on."""
    file, fonts, seed, how = task
    rng = np.random.default_rng(seed)
    gray = cv2.resize(np.asarray(Image.open(file).convert("L")), (SIZE, SIZE), interpolation=cv2.INTER_CUBIC)
    image = (gray.astype(np.uint16) << 8) + rng.integers(0, 256, gray.shape, dtype=np.uint16)
    remover = TextRemover(fill=how, faces="keep")  # type: ignore[arg-type]
    clean = remove(remover, image)
    written = image.copy()
    words = list(write(written, rng, find_fonts(Path(fonts)), clean["boxes"]))
    return outcome(remover, written, words, str(seed[1])) | {
        "false": clean["mask_pct"],
        "clean_quarantined": clean["quarantined"],
    }


def remove(remover: TextRemover, image: NDArray[np.uint16]) -> dict[str, Any]:
    start = time.process_time()
    try:
        cleaned, removal = remover.clean_image(image, None)
    except Quarantined:
        return {
            "quarantined": True,
            "boxes": (),
            "image": image,
            "mask_pct": 0.0,
            "seconds": time.process_time() - start,
            "rounds": 9,
        }
    seconds = time.process_time() - start
    return {
        "quarantined": False,
        "boxes": (*removal.boxes, *(box for _, box in removal.kept)),
        "image": cleaned,
        "mask_pct": removal.mask_pct,
        "seconds": seconds,
        "rounds": removal.rounds,
    }


def outcome(remover: TextRemover, image: NDArray[np.uint16], words: list[Written], unit: str) -> dict[str, Any]:
    done = remove(remover, image)
    changed = done["image"] != image
    cases = [{"marker": word.marker, "ok": _ok(word, changed, done["quarantined"]), **word.kind} for word in words]
    return {
        "unit": unit,
        "cases": cases,
        "seconds": done["seconds"],
        "rounds": done["rounds"],
        "quarantined": done["quarantined"],
    }


def _ok(word: Written, changed: NDArray[np.bool_], quarantined: bool) -> bool:
    share_changed = float(changed[word.ink].mean())
    return share_changed == 0 and not quarantined if word.marker else share_changed >= CHANGED or quarantined


def phantom(patients: int, size: int, how: str) -> list[dict[str, Any]]:
    """Every burned-in line and marker of a phantom hospital's answer key."""
    remover = TextRemover(fill=how)  # type: ignore[arg-type]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        cohort = build_hospital(Path(folder) / "hospital", patients=patients, seed=PHANTOM_SEED + size, size=size)
        gold = load_gold(Path(folder) / "hospital")
        for row in range(len(cohort)):
            key = gold.images[cohort.table["image_id"][row]]
            image = cohort.image(row)
            words = [Written(_ink(image, box), False, {"text": "line"}) for box in {one.box for one in key.in_pixels}]
            words += [Written(_inside(one.box), True, {"text": f"marker {one.name}"}) for one in key.markers]
            found.append(outcome(remover, image, words, cohort.table["patient_id"][row]))
    return found


def _ink(image: NDArray[np.uint16], box: tuple[int, int, int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The light of the letters in the box of a line: what is brighter than most by half of what is brightest."""
    left, top, right, bottom = box
    part = image[top:bottom, left:right].astype(float)
    away = part - np.median(part)
    y, x = np.nonzero(away > 0.5 * away.max())
    return y + top, x + left


def _inside(box: tuple[int, int, int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    y, x = np.mgrid[box[1] : box[3], box[0] : box[2]]
    return y.ravel(), x.ravel()


def told(name: str, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Print and return shares with intervals, by every class of case."""
    cases = [(one["unit"], case) for one in outcomes for case in one["cases"]]
    groups: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for unit, case in cases:
        top = "markers kept" if case["marker"] else "words removed"
        groups[top].append((unit, case["ok"]))
        for key, value in case.items():
            if key not in ("ok", "marker"):
                groups[f"{top}, {key} {value}"].append((unit, case["ok"]))
    seconds = [one["seconds"] for one in outcomes]
    result: dict[str, Any] = {
        "quarantined": sum(one["quarantined"] for one in outcomes),
        "images": len(outcomes),
        "seconds": float(np.median(seconds)),
        "rounds": float(np.mean([one["rounds"] for one in outcomes])),
    }
    if "false" in outcomes[0]:
        masks = np.array([one["false"] for one in outcomes])
        result["clean images masked, mean percent"] = float(masks.mean())
        result["clean images touched"] = float((masks > 0).mean())
    print(name, result, flush=True)
    for group in sorted(groups):
        units, ok = zip(*groups[group], strict=True)
        codes, count = unit_codes(np.array(units, dtype=object))
        found = share(np.array(ok, dtype=float), codes, unit_weights(count, seed=0))
        result[group] = {"value": found.value, "low": found.low, "high": found.high, "n": found.n, "units": found.units}
        print(f"  {group}: {found.value:.4f} ({found.low:.4f} to {found.high:.4f}) n {found.n}", flush=True)
    return result


if __name__ == "__main__":
    main()
