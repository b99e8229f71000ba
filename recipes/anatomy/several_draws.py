"""Does a classifier learn more from several films drawn from each code? Asked of phantoms that nothing learned from.

    python -m recipes.anatomy.several_draws --bits 12 --draws 2 --patients 190 --keep FOLDER

Codes of the films of the first patients are drawn 1 to so many times; a classifier of small effort learns from the
drawn films and is tried on originals of the others. FOLDER keeps the drawn films: more draws later cost only those.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.cohort import LABELS
from medveil.defenses.anatomy.coded.method import Coded
from medveil.defenses.anatomy.method import Film
from medveil.stats.estimate import Estimate
from medveil.utility.diagnosis.comparison import MACRO, aurocs, share_kept
from medveil.utility.diagnosis.diagnosing import Diagnosed, diagnose
from medveil.utility.diagnosis.films import LabelledFilms
from recipes.anatomy.pack import visits

SEED, HOSPITAL = 7, 77_310
LEARNED_FROM = 9 / 19  # of the patients

Pixels = NDArray[np.uint8]


def drawn(films: list[Film], rows: NDArray[np.intp], bits: int, draws: int, keep: Path) -> list[Pixels]:
    """Film by film, drawn so many times; a film's code is the same every time, and only the randomness is fresh."""
    method, found = Coded(measuring=True), []
    for draw in range(draws):
        path = keep / f"{bits} bits, {len(films)} films, draw {draw}.npy"
        if not path.exists():
            chance = [np.random.default_rng([HOSPITAL, draw, int(row)]) for row in rows]
            np.save(path, np.stack(method.protect(films, bits, chance)))
        found.append(np.load(path))
    return found


def several(films: LabelledFilms, draws: list[Pixels]) -> LabelledFilms:
    parts = [films.shown(one) for one in draws]
    fields = ("pixels", "targets", "counts", "patients")
    return LabelledFilms(*(np.concatenate([getattr(part, field) for part in parts]) for field in fields))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bits", type=int, default=12)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--patients", type=int, default=190)
    parser.add_argument("--keep", type=Path, required=True)
    chosen = parser.parse_args()
    chosen.keep.mkdir(parents=True, exist_ok=True)
    seen = [visit for number in range(chosen.patients) for visit in visits(HOSPITAL, number)]
    labels = np.array([visit["labels"] for visit in seen], np.float32)
    people = np.array([visit["patient"] for visit in seen])
    told = LabelledFilms.of(np.stack([visit["film"] for visit in seen]), labels, people)
    learn = people < round(LEARNED_FROM * chosen.patients)
    fit, target = told.where(learn), told.where(~learn)
    rows = np.flatnonzero(learn)
    films = [Film(seen[row]["film"], _row(seen[row])) for row in rows]
    made = drawn(films, rows, chosen.bits, chosen.draws, chosen.keep)
    before = tell("originals", diagnose(fit, target, seed=SEED))
    each = [
        tell(f"{draws} a code", diagnose(several(fit, made[:draws]), target, seed=SEED))
        for draws in range(1, chosen.draws + 1)
    ]
    for draws, after in enumerate(each, start=1):
        kept, gain = share_kept(after, before), after.minus(each[0])
        print(f"{draws} a code: {kept.value:.3f} ({kept.low:.3f} to {kept.high:.3f}) kept of what is above chance,")
        print(f"{gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f}) more than from one a code")


def tell(name: str, done: Diagnosed) -> Estimate:
    found = aurocs(done, LABELS, seed=SEED)
    cells = [f"{label} {one.value:.2f}" for label, one in found.items() if label != MACRO]
    mean = found[MACRO]
    print(f"{name}: {mean.value:.3f} ({mean.low:.3f} to {mean.high:.3f}); {', '.join(cells)}", flush=True)
    return mean


def _row(visit: dict[str, Any]) -> dict[str, Any]:
    labels = dict(zip(LABELS, visit["labels"], strict=True))
    return {**labels, "view": visit["view"], "sex": visit["sex"], "age": visit["age"]}


if __name__ == "__main__":
    main()
