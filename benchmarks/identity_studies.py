"""What the identity attack owes to detail and to the number of patients it learned from, on NIH's val patients.

    python benchmarks/identity_studies.py detail --data DATA
    python benchmarks/identity_studies.py adapted --data DATA
    python benchmarks/identity_studies.py together --data DATA
    python benchmarks/identity_studies.py together-made --data DATA
    python benchmarks/identity_studies.py patients --data DATA --start IMAGENET
    python benchmarks/identity_studies.py published --data DATA --out RUN --device cuda

`detail` gives the bundled network images with fewer pixels. `adapted` sets the network as it is beside the network that
is adapted to one half of the patients and the one that takes all films together, also on films of other hospitals
(covid19). `together` compares the last of these with the network as it is by measures that need no limit, patient by
patient, and in films turned around beside the films as they are; `together-made` does so on the films that its settings
were chosen on. `patients` teaches a small attacker: the features of EfficientNet-lite0 as ImageNet left it, at 128
pixels, and a linear map that brings images of one patient together, fitted to more and more patients (minutes on two
cores). `published` takes some steps with the paper's settings (ResNet-50, at 1,024 pixels for retrieval), from chance,
to show that they run; it trains nothing worth keeping.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

import recipes_path  # noqa: F401
from medveil.cohort import Cohort
from medveil.cohort.preprocess import resize
from medveil.encoders.identity.inference import inputs, run
from medveil.encoders.identity.networks.backbones import build_backbone, fold_normalisation
from medveil.encoders.identity.training.images import TrainingImages
from medveil.encoders.identity.training.settings import published
from medveil.encoders.identity.training.train import train_on
from medveil.training.device import placed
from recipes.identity.recipe import imagenet, read_nih14

PATIENTS = (111, 222, 444, 887)
DETAIL = (16, 32, 64, 128, 256)
SIZE, DIM, SHRINKAGE = 128, 128, 0.1
SEED, MADE = 5, 991_200
MEASURES = ("precision@1", "mAP@R", "pair AUC")

BATCH = 64

Floats = NDArray[np.float32]
Embed = Callable[[list[NDArray]], Floats]


class FrozenFeatures:
    """A backbone that does not learn, averaged over the image; every picture is looked at once."""

    def __init__(self, start: Path) -> None:
        backbone = placed(fold_normalisation(build_backbone("efficientnet-lite0", start).eval()), "cpu")
        self._network = torch.nn.Sequential(backbone, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())
        self._known: dict[bytes, Floats] = {}

    def __call__(self, images: list[NDArray]) -> Floats:
        keys = [image.tobytes() for image in images]
        new = {key: image for key, image in zip(keys, images, strict=True) if key not in self._known}
        found = run(self._network, inputs(new.values(), SIZE, "cpu"), 1280)
        self._known |= dict(zip(new, found, strict=True))
        return np.stack([self._known[key] for key in keys])


def linear_map(features: Floats, patients: NDArray) -> Floats:
    """The directions in which patients differ most, compared with how images of one patient differ."""
    from scipy.linalg import eigh

    means = np.stack([features[patients == patient].mean(0) for patient in patients])
    within = np.cov((features - means).T)
    within += SHRINKAGE * np.trace(within) / len(within) * np.eye(len(within))
    _, directions = eigh(np.cov(means.T), within, subset_by_index=(len(within) - DIM, len(within) - 1))
    return directions.astype(np.float32)


def embedded(cohort: Cohort, embed: Embed, side: int | None = None) -> Floats:
    """The vectors of a cohort's images, read a batch at a time, first shrunk to `side` pixels where given."""
    batches = []
    for start in range(0, len(cohort), BATCH):
        images = [cohort.image(row) for row in range(start, min(start + BATCH, len(cohort)))]
        batches.append(embed(images if side is None else [resize(image, side) for image in images]))
    return np.concatenate(batches)


def study_patients(data: Path, start: Path) -> None:
    from medveil.attacks.identity.evaluation import evaluate
    from medveil.cohort.input import read_cohort
    from medveil.stats.bootstrap import unit_codes

    cohort = read_cohort(data / "nih14")
    unseen, training = (cohort.where(cohort.table["split"] == split) for split in ("val", "train"))
    look = FrozenFeatures(imagenet(start, "efficientnet-lite0"))

    def fit(part: Cohort) -> Embed:
        features = embedded(part, look)
        centre = features.mean(0)
        directions = linear_map(features, part.table["patient_id"].to_numpy())

        def embed(images: list[NDArray]) -> Floats:
            vectors = (look(images) - centre) @ directions
            return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

        return embed

    codes, count = unit_codes(training.table["patient_id"].to_numpy())
    place = np.random.default_rng([SEED, 11]).permutation(count)  # smaller sets are part of larger ones
    learned = {size: fit(training.where(place[codes] < size)) for size in PATIENTS}
    found = {size: evaluate(embedded(unseen, each), unseen.table, seed=SEED) for size, each in learned.items()}
    _print("patients", found)


def study_detail(data: Path) -> None:
    from medveil.attacks.identity.evaluation import evaluate
    from medveil.cohort.input import read_cohort
    from medveil.encoders.identity.embedder import load_embedder

    cohort = read_cohort(data / "nih14")
    unseen = cohort.where(cohort.table["split"] == "val")
    look = load_embedder().embed
    found = {size: evaluate(embedded(unseen, look, size), unseen.table, seed=SEED) for size in DETAIL}
    _print("pixels", found)


def study_adaptation(data: Path) -> None:
    from medveil.attacks.identity.findings import HEADLINE
    from medveil.attacks.identity.run import run_identity
    from medveil.cohort.input import read_cohort
    from medveil.encoders.identity.embedder import load_embedder

    nih = read_cohort(data / "nih14")
    unseen = {"nih14 val": nih.where(nih.table["split"] == "val"), "covid19": read_cohort(data / "covid19")}
    for name, cohort in unseen.items():
        finding = run_identity(cohort, None, embedder=load_embedder(), seed=SEED).finding
        print(f"{name}: {finding.answer}")
        for told, found in finding.estimates.items():
            if told.startswith(HEADLINE):
                print(f"  {told}: {found.value:.3f} ({found.low:.3f} to {found.high:.3f}) of {found.units}")
        print(finding.tables[0].columns, *finding.tables[0].rows, sep="\n  ")


def study_together(sets: dict[str, tuple[list[NDArray], pd.DataFrame]]) -> None:
    from medveil.attacks.identity.evaluation import evaluate
    from medveil.attacks.identity.pairs import Side
    from medveil.attacks.identity.together import together
    from medveil.cohort.features import demographics
    from medveil.encoders.identity.embedder import load_embedder
    from medveil.stats.bootstrap import unit_codes

    look = load_embedder()
    for name, (films, table) in sets.items():
        straight, turned = look.embed(films), look.embed([np.ascontiguousarray(film[:, ::-1]) for film in films])
        codes = (unit_codes(table[column].to_numpy())[0] for column in ("patient_id", "study_id"))
        side = Side(straight, demographics(table), *codes)
        both = replace(side, vectors=np.concatenate([straight, turned], 1) / np.float32(2**0.5))
        ways = {
            f"films {views}, {way}": evaluate(seen.vectors, table, seed=SEED).estimates
            for views, each in {"as they are": side, "and turned around": both}.items()
            for way, seen in (("pair by pair", each), ("taken together", together(each, None)[0]))
        }
        first = next(iter(ways.values()))
        for way, found in ways.items():
            print(f"{name}, {way}")
            for measure in MEASURES:
                e, gain = found[measure], found[measure].replicates - first[measure].replicates
                low, high = np.nanquantile(gain, (0.025, 0.975))
                more = f"{e.value - first[measure].value:+.4f} ({low:+.4f} to {high:+.4f})"
                print(f"  {measure}: {e.value:.4f} ({e.low:.4f} to {e.high:.4f}), {more}")


def unseen_patients(data: Path) -> dict[str, tuple[list[NDArray], pd.DataFrame]]:
    from medveil.cohort.input import read_cohort
    from medveil.encoders.identity.preparing import prepare

    nih = read_cohort(data / "nih14")
    unseen = {"nih14 val": nih.where(nih.table["split"] == "val"), "covid19": read_cohort(data / "covid19").frontal()}
    return {
        name: ([prepare(image) for image in each.images()], each.table.reset_index(drop=True))
        for name, each in unseen.items()
    }


def made_patients(data: Path) -> dict[str, tuple[list[NDArray], pd.DataFrame]]:
    """Phantoms, and strangers made of training patients: bent further than in training, the films changed more."""
    from medveil.cohort.phantom.plan import plan_patient
    from medveil.cohort.phantom.radiograph import draw
    from medveil.encoders.identity.preparing import SIDE, prepare
    from medveil.encoders.identity.training.augment import Augmentation, augment

    plans = [plan_patient(MADE, number, 12) for number in range(170)]
    drawn = [(number, prepare(draw(plan, visit, sites_seed=MADE, size=SIDE).pixels))
             for number, plan in enumerate(plans) for visit in plan.visits]  # fmt: skip
    pixels, codes = read_nih14(data / "nih14").part(validation=False)
    rng = np.random.default_rng(3)
    rows = np.flatnonzero(np.isin(codes, rng.permutation(codes.max() + 1)[:230]))
    mirror = rng.random(codes.max() + 1) < 0.5
    further = Augmentation(
        person=0.15, rotation=20, scale=0.4, shift=0.16, bend=0.05, gamma=0.8, contrast=0.4, shading=0.4, noise=0.15,
        covered=0.8, collimated=0.5,
    )  # fmt: skip
    films, patients = torch.from_numpy(np.asarray(pixels)[rows]), torch.from_numpy(codes[rows])
    turned, generator = torch.from_numpy(mirror[codes[rows]]), torch.Generator().manual_seed(5)
    bent = (augment(films, SIDE, patients, turned, generator, further)[:, 0] * 255).round().byte().numpy()
    return {
        "phantoms": ([film for _, film in drawn], _nothing_told([number for number, _ in drawn])),
        "strangers made of training patients": ([prepare(film) for film in bent], _nothing_told(codes[rows])),
    }


def _nothing_told(patients: Sequence[int]) -> pd.DataFrame:
    table = pd.DataFrame({"patient_id": np.array(patients).astype(str)})
    table["study_id"] = table.index.astype(str)
    return table.assign(sex="F", view="PA", site="", age=50.0, date=pd.NaT)


def _print(name: str, found: dict) -> None:
    print(f"| {name} | " + " | ".join(MEASURES) + " |")
    for size, evaluation in found.items():
        cells = (evaluation.estimates[measure] for measure in MEASURES)
        print(f"| {size} | " + " | ".join(f"{e.value:.3f} ({e.low:.3f} to {e.high:.3f})" for e in cells) + " |")


def try_published(folder: Path, out: Path, device: str) -> None:
    for kind in ("reidentification", "verification"):
        settings = published(kind)
        images = read_nih14(folder, settings.preparation)
        kept = images.validation | (images.patients % 15 == 0)  # about sixty of the training patients
        few = TrainingImages(images.pixels[kept], images.patients[kept], images.validation[kept])
        settings = replace(settings, frozen_epochs=min(1, settings.frozen_epochs), epochs=1)
        began = time.perf_counter()
        scores = train_on(kind, few, out / f"published-{kind}", settings=settings, device=device).scores
        took = time.perf_counter() - began
        print(f"{kind} at {settings.size} px: {took:.0f} s, pair AUC {scores.pair_auc:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("detail", "adapted", "together", "together-made", "patients", "published"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--start", type=Path, help="folder with the ImageNet weights")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    match options.step:
        case "detail":
            study_detail(options.data)
        case "adapted":
            study_adaptation(options.data)
        case "together":
            study_together(unseen_patients(options.data))
        case "together-made":
            study_together(made_patients(options.data))
        case "patients":
            study_patients(options.data, options.start)
        case "published":
            try_published(options.data / "nih14", options.out, options.device)


if __name__ == "__main__":
    main()
