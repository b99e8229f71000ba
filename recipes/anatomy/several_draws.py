"""What keeps a classifier from learning as much from drawn films? Asked of phantoms that nothing learned from.

    python -m recipes.anatomy.several_draws --bits 12 --draws 2 --patients 190 --keep FOLDER
    python -m recipes.anatomy.several_draws --bits 12 --draws 4 --patients 1000 --effort full --device cuda \\
        --keep FOLDER

Codes of the films of the first patients are drawn 1 to so many times; a classifier learns from the drawn films and is
tried on originals of the others. Beside them stand films that the autoencoder gave back, of which no generator is
better, and films drawn from all that is seen of a film in place of its code. FOLDER keeps what is seen and the drawn
films: more draws later cost only those.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.schema import LABELS
from medveil.defenses.anatomy.coded.codebook import Codebook
from medveil.defenses.anatomy.coded.generator import Generator
from medveil.defenses.anatomy.coded.method import Coded
from medveil.defenses.anatomy.coded.model_file import load_coded
from medveil.defenses.anatomy.latents import Latents, load_autoencoder
from medveil.defenses.anatomy.method import Film
from medveil.stats.estimate import Estimate
from medveil.utility.diagnosis.comparison import MACRO, aurocs, share_kept
from medveil.utility.diagnosis.diagnosing import Diagnosed, Effort, diagnose
from medveil.utility.diagnosis.films import LabelledFilms
from medveil.weights.bundled import bundled
from recipes.anatomy.pack import visits

SEED, HOSPITAL = 7, 77_310
LEARNED_FROM = 9 / 19  # of the patients

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Seen(Codebook):
    """A code that leaves nothing out: the number of a film, which stands for all that is seen of it."""

    shown: NDArray[np.float32]
    kinds: NDArray[np.bool_]

    def meaning(self, code: int, bits: int) -> tuple[NDArray[np.float32], bool]:
        return self.shown[code], bool(self.kinds[code])


class Drawing:
    """Films drawn anew in either way; the same again for the same draw."""

    def __init__(self, films: list[Film], keep: Path, device: str) -> None:
        path = keep / f"seen in {len(films)} films.npz"
        if not path.exists():
            shown, kinds = zip(*Coded(measuring=True)._workshop.semantics.shown(films), strict=True)
            np.savez(path, shown=np.stack(shown), kinds=np.array(kinds))
        stored, parts = np.load(path), load_coded(bundled("coded"))
        self.keep, self.shown, self.kinds, self.codebook = keep, stored["shown"], stored["kinds"], parts.codebook
        seen = Seen(**vars(parts.codebook), shown=self.shown, kinds=self.kinds)
        self._ways = {
            coded: Generator(parts.sampler, load_autoencoder(), book, device=device)
            for coded, book in ((True, parts.codebook), (False, seen))
        }

    def drawn(self, bits: int, draws: int, *, coded: bool) -> list[Pixels]:
        codes = list(range(len(self.shown)))
        if coded:
            codes = [
                self.codebook.code(one, bool(kind), bits) for one, kind in zip(self.shown, self.kinds, strict=True)
            ]
        name = f"{bits} bits" if coded else "all"
        return [self._kept(f"{name} of {len(codes)}, draw {draw}.npy", codes, bits, draw) for draw in range(draws)]

    def _kept(self, name: str, codes: list[int], bits: int, draw: int) -> Pixels:
        path = self.keep / name
        if not path.exists():
            chance = [np.random.default_rng([HOSPITAL, draw, row]) for row in range(len(codes))]
            np.save(path, np.stack(self._ways["bits" in name].draw(codes, bits, chance)))
        return np.load(path)


def several(films: LabelledFilms, draws: list[Pixels]) -> LabelledFilms:
    parts = [films.shown(one) for one in draws]
    fields = ("pixels", "targets", "counts", "patients")
    return LabelledFilms(*(np.concatenate([getattr(part, field) for part in parts]) for field in fields))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bits", type=int, default=12)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--patients", type=int, default=190)
    parser.add_argument("--effort", choices=("small", "full"), default="small")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--keep", type=Path, required=True)
    chosen = parser.parse_args()
    chosen.keep.mkdir(parents=True, exist_ok=True)
    seen = [visit for number in range(chosen.patients) for visit in visits(HOSPITAL, number)]
    labels = np.array([visit["labels"] for visit in seen], np.float32)
    people = np.array([visit["patient"] for visit in seen])
    told = LabelledFilms.of(np.stack([visit["film"] for visit in seen]), labels, people)
    learn = people < round(LEARNED_FROM * chosen.patients)
    fit, target = told.where(learn), told.where(~learn)
    drawing = Drawing(
        [Film(seen[row]["film"], _row(seen[row])) for row in np.flatnonzero(learn)], chosen.keep, chosen.device
    )
    effort: Effort = chosen.effort

    def learned(name: str, films: LabelledFilms) -> Estimate:
        return tell(name, diagnose(films, target, effort=effort, device=chosen.device, seed=SEED))

    before = learned("originals", fit)
    made = drawing.drawn(chosen.bits, chosen.draws, coded=True)
    one = learned("1 a code", several(fit, made[:1]))
    told_of(one, before, one)
    if chosen.draws > 1:
        told_of(learned(f"{chosen.draws} a code", several(fit, made)), before, one)
    latents = Latents(load_autoencoder(), device=chosen.device)
    told_of(
        learned("given back by the autoencoder", fit.shown(latents.decode(latents.encode(list(fit.pixels))))),
        before,
        one,
    )
    whole = drawing.drawn(chosen.bits, 1, coded=False)
    told_of(learned("1 of all that is seen", several(fit, whole)), before, one)


def told_of(after: Estimate, before: Estimate, one: Estimate) -> None:
    kept, gain = share_kept(after, before), after.minus(one)
    print(f"{kept.value:.3f} ({kept.low:.3f} to {kept.high:.3f}) kept of what is above chance,")
    print(f"{gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f}) more than from one a code", flush=True)


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
