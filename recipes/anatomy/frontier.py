"""Risk and utility of every way of hiding anatomy, on films packed small.

    python -m recipes.anatomy.frontier measure --packed PACKED --films nih --weights WEIGHTS --out RUN --device cuda
    python -m recipes.anatomy.frontier measure … --methods dcm-deid dcm-deid:keep=least-like dcm-deid:without=semantics
    python -m recipes.anatomy.frontier tell --packed PACKED --films nih --out RUN

`measure` fits attackers and classifiers on the patients of 'train' and measures on those of 'val'; every setting is
kept when it is done, and one that is there is not measured again. WEIGHTS holds METHOD.safetensors of the methods
that must be trained. It needs only PyTorch, NumPy, SciPy, Pillow and MONAI. `tell` prints the tables.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.adversaries.recognisers import load_recognisers
from medveil.defenses.anatomy.coded.method import Coded
from medveil.defenses.anatomy.dcm_deid.method import DcmDeid, DcmDeidSettings
from medveil.defenses.anatomy.method import METHODS, Method
from medveil.errors import InputError
from medveil.release.anatomy.frontier import Frontier, Judged, Point, Side, judged, measured_method
from medveil.release.anatomy.frontier_page import (
    as_markdown,
    attackers_table,
    compared_table,
    frontier_table,
    published_table,
)
from medveil.utility.diagnosis.diagnosing import Effort, learn
from recipes.films import unpacked
from recipes.findings.labels import to_choose_by

SEED = 7


def sides(packed: Path, films: str, *, wide: bool = False) -> tuple[Side, Side, tuple[str, ...]]:
    """The films of 'train', those of 'val', and the names of the findings. `wide` measures also on those of NIH's
    training patients that were set aside: no generator has learned from them."""
    stored = np.load(packed / f"{films}.npz")
    pixels = unpacked(stored["bytes"], stored["ends"])
    _, patients = np.unique(stored["patients"], return_inverse=True)
    told = "findings" if "findings" in stored else "labels"
    names = stored["finding_names" if told == "findings" else "label_names"]
    labels, columns = stored[told].astype(np.float32), [str(name) for name in stored["label_names"]]
    rows: list[dict[str, Any]] = [
        {**dict(zip(columns, values.tolist(), strict=True)), "view": str(view), "sex": str(sex), "age": float(age)}
        for values, view, sex, age in zip(stored["labels"], stored["view"], stored["sex"], stored["age"], strict=True)
    ]

    measured = stored["split"] == "val"
    if wide:
        assert films == "nih", "only NIH's training patients were set aside so"
        train = np.flatnonzero(~measured)
        measured[train] = to_choose_by(stored["patients"][train])

    def side(chosen: NDArray[np.bool_]) -> Side:
        at = np.flatnonzero(chosen)
        return Side(pixels[at], labels[at], patients[at].astype(np.int64), [rows[row] for row in at])

    return side(~measured), side(measured), tuple(map(str, names))


def measure(
    packed: Path,
    films: str,
    weights: Path,
    out: Path,
    *,
    wide: bool,
    methods: list[str],
    levels: list[float],
    draws: int,
    effort: Effort,
    steps: int | None,
    device: str,
    other: Path | None,
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    fit, target, _ = sides(packed, films, wide=wide)
    began = time.monotonic()
    clean = learn(fit.labelled, effort=effort, device=device, seed=SEED)
    known = load_recognisers(device=device, other=other)
    frontier = Frontier(fit, target, clean, known, effort, device, SEED, steps=steps)
    for name in methods:
        method = None if name == "nothing" else _loaded(name, weights, device)
        if name != "nothing" and method is None:
            continue
        for level in [0.0] if method is None else [one for one in method.levels if not levels or one in levels]:
            several = f" {draws} draws" if draws > 1 else ""
            path = out / f"{films} {name.replace(':', ' ')} {level:g}{several}.npz"
            if path.exists():
                continue
            point = frontier.measure(method, level, draws=draws)
            with path.open("wb") as file:
                np.savez_compressed(file, **point.to_arrays())  # type: ignore[arg-type]
            best = point.attacked.strongest(seed=SEED)
            print(point.name, f"{best.estimate.value:.3f}", f"{best.estimate.high:.3f}", best.attacker, best.mode)
            print(f"{time.monotonic() - began:.0f} s", flush=True)


def points(out: Path, films: str) -> list[Point]:
    found = []
    for path in sorted(out.glob(f"{films} *.npz")):
        with np.load(path) as stored:
            found.append(Point.from_arrays(dict(stored)))
    order = ["nothing", *METHODS]
    return sorted(
        found, key=lambda point: (order.index(point.method.split(":")[0]), point.method, point.level, point.draws)
    )


def tell(out: Path, films: str, names: tuple[str, ...]) -> list[Judged]:
    return judged(points(out, films), names, seed=SEED)


def _loaded(name: str, weights: Path, device: str) -> Method | None:
    """A method by its name, or in one of its ways: dcm-deid:keep=least-like, coded:steps=20."""
    plain, _, way = name.partition(":")
    own = weights / f"{plain}.safetensors"
    given = own if own.exists() else None
    try:
        if not way:
            return measured_method(name, weights=given, device=device)
        field, _, value = way.partition("=")
        how: dict[str, Any] = {field: int(value) if value.isdigit() else value}
        method: Coded | DcmDeid
        if plain == Coded.name:
            method = Coded(weights=given, device=device, measuring=True, **how)
        else:
            method = DcmDeid(weights=given, device=device, settings=DcmDeidSettings(**how))
    except InputError as missing:
        print(name, "left out:", missing, flush=True)
        return None
    method.name = name
    return method


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("measure")
    verb.add_argument("--packed", type=Path, required=True)
    verb.add_argument("--films", default="nih")
    verb.add_argument("--wide", action="store_true", help="also on training patients that were set aside")
    verb.add_argument("--weights", type=Path, default=Path("weights"))
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--methods", nargs="*", default=["nothing", *METHODS])
    verb.add_argument("--levels", nargs="*", type=float, default=[])
    verb.add_argument("--draws", type=int, default=1, help="films drawn from each code")
    verb.add_argument("--effort", choices=("small", "full"), default="full")
    verb.add_argument("--steps", type=int)
    verb.add_argument("--device", default="cpu")
    verb.add_argument("--other", type=Path)
    verb = verbs.add_parser("tell")
    verb.add_argument("--packed", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--films", default="nih")
    verb.add_argument("--against", default="coded 8", help="the setting that the others are compared with")
    chosen = parser.parse_args()
    if chosen.verb == "measure":
        measure(
            chosen.packed,
            chosen.films,
            chosen.weights,
            chosen.out,
            wide=chosen.wide,
            methods=chosen.methods,
            levels=chosen.levels,
            draws=chosen.draws,
            effort=chosen.effort,
            steps=chosen.steps,
            device=chosen.device,
            other=chosen.other,
        )
    else:
        found = tell(chosen.out, chosen.films, sides(chosen.packed, chosen.films)[2])
        tables = (
            frontier_table(found),
            compared_table(found, chosen.against),
            attackers_table(found, seed=SEED),
            published_table(found, seed=SEED),
        )
        print(*(f"{table.title}\n\n{as_markdown(table)}" for table in tables), sep="\n\n")


if __name__ == "__main__":
    main()
