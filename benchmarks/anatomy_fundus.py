"""Hiding anatomy on photographs of the eye: who is still recognised, and what the photographs are still good for.

    python benchmarks/anatomy_fundus.py prepare --data DATA --out EYES.npz
    python benchmarks/anatomy_fundus.py run --eyes EYES.npz --method blur --method deformation --out RESULTS.json

DATA holds the folders odir and fundus_vessels. `prepare` packs the photographs small; `run` needs PyTorch, NumPy,
SciPy, Pillow and safetensors, and takes minutes a method and level on two cores, seconds on CUDA
(`--device cuda --effort full`). ODIR has one visit a person: "the same person" means the left against the right eye.
Diagnoses: eight of ODIR, told of a person; learned from the defended eyes of training people and tried on the
originals of others, and the reverse. Vessels: 40 photographs, a network that learns from three quarters of the people
looks at the others. What is learned here is thrown away. A method that refuses colours is told, and left out.
"""

from __future__ import annotations

import argparse
import io
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from medveil.errors import MedveilError
from medveil.stats.bootstrap import mean_replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate

SEED = 7
WAYS = ("learned from defended", "clean on defended")
ATTACKERS = ("frozen", "retrained")
PARTS = ("diagnoses", "vessels", "identity")
COLUMNS = (
    *(f"{what}, {way}" for what in ("AUROC", "share kept", "vessel Dice") for way in WAYS),
    *(f"{who} {mode}" for who in ATTACKERS for mode in ("dd", "do")),
)
Eyes = NDArray[np.uint8]


def prepare(data: Path, out: Path, people: int | None) -> None:
    """Photographs of ODIR (with so many people to learn from at most) and those with vessels, in one file."""
    from medveil.cohort.input import read_cohort
    from medveil.cohort.readers.fundus_vessels import vessels
    from medveil.cohort.readers.odir import DIAGNOSES, diagnoses
    from medveil.utility.fundus.photographs import eye, prepare_eye, prepare_outline

    odir = read_cohort(data / "odir")
    learn = odir.table["split"].eq("train")
    taken = odir.table["patient_id"][learn].drop_duplicates().iloc[:people]
    odir = odir.where(~learn | odir.table["patient_id"].isin(taken))
    outlined = read_cohort(data / "fundus_vessels")
    photographs = [eye(outlined, row) for row in range(len(outlined))]
    outlines = [prepare_outline(vessels(outlined, row), shown) for row, shown in enumerate(photographs)]
    parts: dict[str, Any] = {
        "patients": np.unique(odir.table["patient_id"].astype(str), return_inverse=True)[1],
        "learn": odir.table["split"].eq("train").to_numpy(),
        "diagnoses": diagnoses(odir),
        "names": np.array(list(DIAGNOSES.values())),
        "outlines": np.packbits(np.stack(outlines), axis=-1),
        "outlined_patients": np.unique(outlined.table["patient_id"].astype(str), return_inverse=True)[1],
    }
    parts["bytes"], parts["ends"] = packed(prepare_eye(eye(odir, row)) for row in range(len(odir)))
    parts["outlined"], parts["outlined_ends"] = packed(map(prepare_eye, photographs))
    np.savez(out, **parts)


def packed(photographs: Any) -> tuple[Eyes, NDArray[np.int64]]:
    stored = []
    for photograph in photographs:
        file = io.BytesIO()
        Image.fromarray(photograph).save(file, "WEBP", quality=85, method=4)
        stored.append(file.getvalue())
    return np.frombuffer(b"".join(stored), np.uint8), np.cumsum([len(one) for one in stored])


def unpacked(content: Eyes, ends: NDArray[np.int64]) -> Eyes:
    whole = content.tobytes()
    pieces = [whole[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    with ThreadPoolExecutor() as pool:
        return np.stack(list(pool.map(lambda one: np.asarray(Image.open(io.BytesIO(one)).convert("RGB")), pieces)))


@dataclass(frozen=True)
class Case:
    """Photographs before and after."""

    method: str
    level: float | None
    odir: Eyes
    outlined: Eyes


class Trial:
    """What every case is put through; the originals go first."""

    def __init__(self, eyes: Any, *, device: str, effort: str, steps: int) -> None:
        from medveil.utility.diagnosis.diagnosing import learn
        from medveil.utility.diagnosis.films import LabelledFilms

        self.device, self.effort, self.steps = device, effort, steps
        self.names = [str(name) for name in eyes["names"]]
        self.patients, self.learn = eyes["patients"], eyes["learn"]
        self.odir = unpacked(eyes["bytes"], eyes["ends"])
        self.outlined = unpacked(eyes["outlined"], eyes["outlined_ends"])
        self.outlines = np.unpackbits(eyes["outlines"], axis=-1).astype(bool)
        self.owners = eyes["outlined_patients"]
        told = LabelledFilms.of(self.odir, eyes["diagnoses"], self.patients)
        self.fit, self.target = told.where(self.learn), told.where(~self.learn)
        self.clean = learn(self.fit, effort=effort, device=device, seed=SEED)
        self.before = self.diagnosed(self.clean, self.target)

    def diagnosed(self, classifier: Any, films: Any) -> Estimate:
        from medveil.utility.diagnosis.comparison import MACRO, aurocs
        from medveil.utility.diagnosis.diagnosing import tried

        return aurocs(tried(classifier, films), self.names, seed=SEED)[MACRO]

    def __call__(self, case: Case, parts: Sequence[str]) -> dict[str, Estimate]:
        return {name: one for part in parts for name, one in getattr(self, part)(case).items()}

    def diagnoses(self, case: Case) -> dict[str, Estimate]:
        from medveil.utility.diagnosis.comparison import share_kept
        from medveil.utility.diagnosis.diagnosing import learn

        fit, target = self.fit.shown(case.odir[self.learn]), self.target.shown(case.odir[~self.learn])
        learned = self.clean if case.level is None else learn(fit, effort=self.effort, device=self.device, seed=SEED)
        found = {
            f"AUROC, {WAYS[0]}": self.diagnosed(learned, self.target),
            f"AUROC, {WAYS[1]}": self.diagnosed(self.clean, target),
        }
        try:
            kept = {f"share kept{name[5:]}": share_kept(one, self.before) for name, one in found.items()}
        except MedveilError:
            kept = {}  # the originals give nothing to keep
        return found | kept

    def vessels(self, case: Case) -> dict[str, Estimate]:
        from medveil.utility.fundus.vessels import cross_fitted, vessel_dice

        codes, units = unit_codes(self.owners)
        weights = unit_weights(units, seed=SEED)
        other = np.roll(self.outlines, 2, axis=0)  # neighbours may be the two eyes of one child
        luck = float(vessel_dice(other, self.outlines).mean())
        ways = {
            f"vessel Dice, {WAYS[0]}": (case.outlined, self.outlined),
            f"vessel Dice, {WAYS[1]}": (self.outlined, case.outlined),
        }
        found: dict[str, Estimate] = {}
        for name, (learned_from, looked_at) in ways.items():
            if case.level is None and found:
                found[name] = next(iter(found.values()))  # both ways are one
                continue
            dice = cross_fitted(
                learned_from, looked_at, self.outlines, self.owners, steps=self.steps, device=self.device, seed=SEED
            )
            draws = mean_replicates(dice, codes, weights)
            found[name] = Estimate.from_replicates(float(dice.mean()), draws, n=len(dice), units=units, chance=luck)
        return found

    def identity(self, case: Case) -> dict[str, Estimate]:
        """Left against right eye, precision@1."""
        from medveil.attacks.identity.adversaries.attackers import attack
        from medveil.attacks.identity.adversaries.films import Films

        parts = [Films(self.odir[rows], case.odir[rows], self.patients[rows]) for rows in (self.learn, ~self.learn)]
        done = attack(*parts, effort=self.effort, device=self.device, seed=SEED, attackers=ATTACKERS)
        return {f"{who} {mode}": done.estimate(who, mode) for who in ATTACKERS for mode in ("dd", "do")}


def defended(eyes: Eyes, method: Any, level: float) -> Eyes:
    from medveil.defenses.anatomy.method import Film

    luck = [np.random.default_rng([SEED, row]) for row in range(len(eyes))]
    return np.stack(method.protect([Film(one) for one in eyes], level, luck))


def cases(trial: Trial, methods: Sequence[str], levels: int | None, device: str) -> Any:
    from medveil.defenses.anatomy.method import load_method

    yield Case("nothing", None, trial.odir, trial.outlined)
    for name in methods:
        try:
            method = load_method(name, device=device)
            chosen = method.levels if levels is None else [method.levels[k] for k in spread(len(method.levels), levels)]
            for level in chosen:
                yield Case(name, level, *(defended(eyes, method, level) for eyes in (trial.odir, trial.outlined)))
        except (MedveilError, ImportError) as refused:
            print(f"{name}: {refused}", flush=True)


def spread(count: int, few: int) -> list[int]:
    """So many of a number, the first and the last among them."""
    return sorted({round(k) for k in np.linspace(0, count - 1, min(few, count))})


def row_of(case: Case, found: dict[str, Estimate]) -> str:
    known = [found.get(column) for column in COLUMNS]
    cells = ["–" if one is None else f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})" for one in known]
    return f"| {case.method} | {'' if case.level is None else f'{case.level:g}'} | {' | '.join(cells)} |"


def run(chosen: argparse.Namespace) -> None:
    began = time.monotonic()
    trial = Trial(np.load(chosen.eyes), device=chosen.device, effort=chosen.effort, steps=chosen.steps)
    people = [len(np.unique(trial.patients[rows])) for rows in (trial.learn, ~trial.learn)]
    print(f"{people[0]} people to learn from, {people[1]} tried; {len(trial.outlined)} photographs with vessels")
    results: list[dict[str, Any]] = []
    for case in cases(trial, chosen.method, chosen.levels, chosen.device):
        found = trial(case, chosen.part or PARTS)
        if not results:
            print(f"| method | level | {' | '.join(COLUMNS)} |\n|{'---|' * (2 + len(COLUMNS))}")
        print(row_of(case, found), f"<!-- {time.monotonic() - began:.0f} s -->", flush=True)
        results.append({"method": case.method, "level": case.level} | {k: v.to_json() for k, v in found.items()})
        if chosen.out:
            chosen.out.write_text(json.dumps(results, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("prepare")
    verb.add_argument("--data", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--people", type=int, help="people to learn from, at most")
    verb = verbs.add_parser("run")
    verb.add_argument("--eyes", type=Path, required=True)
    verb.add_argument("--method", action="append", default=[])
    verb.add_argument("--levels", type=int, help="so many levels of each method, from the weakest to the strongest")
    verb.add_argument("--part", action="append", choices=PARTS, help="what is tried; all, unless some are named")
    verb.add_argument("--device", default="cpu")
    verb.add_argument("--effort", choices=("small", "full"), default="small")
    verb.add_argument("--steps", type=int, default=400, help="that the vessel network learns for")
    verb.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    if chosen.verb == "prepare":
        prepare(chosen.data, chosen.out, chosen.people)
    else:
        run(chosen)


if __name__ == "__main__":
    main()
