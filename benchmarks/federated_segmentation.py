"""Brain tumours outlined across institutions, against pooled data and each institution alone, on BraTS as published.

    python benchmarks/federated_segmentation.py --brats FOLDER --out OUT --rounds 50 --device cuda

FOLDER is the training data of any BraTS (see `medveil.federated.segmentation.brats`); with a FeTS partition in it the
institutions are its sites, without one patients are dealt over `--sites`. Every fifth patient is tested on.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from pathlib import Path

from medveil.federated.rounds import Federation, run_rounds
from medveil.federated.segmentation.brats import REGIONS, Subject, read_brats
from medveil.federated.segmentation.overlap import overlap
from medveil.federated.segmentation.training import SegmentationRecipe, SegmentationTraining, assemble, initial
from medveil.runtime.storage import write_json
from medveil.stats.estimate import Estimate


def dealt(subjects: list[Subject], sites: int) -> list[Subject]:
    """Patients over sites in turn, where no partition says whose they are."""
    if len({subject.site for subject in subjects}) > 1:
        return subjects
    people = {patient: number for number, patient in enumerate(dict.fromkeys(one.patient for one in subjects))}
    return [replace(one, site=f"site-{people[one.patient] % sites + 1}") for one in subjects]


def train(recipe: SegmentationRecipe, sites: dict[str, list[Subject]], rounds: int, device: str) -> Federation:
    trainings = {name: SegmentationTraining(recipe, mine, device) for name, mine in sites.items()}
    return run_rounds(initial(recipe), trainings, rounds, name=recipe.digest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--brats", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sites", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--crop", type=int, default=96)
    parser.add_argument("--channels", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    subjects = dealt(read_brats(given.brats), given.sites)
    people = sorted({subject.patient for subject in subjects})
    tested = set(people[::5])
    recipe = SegmentationRecipe(channels=given.channels, crop=given.crop, local_steps=given.steps, seed=given.seed)
    sites: dict[str, list[Subject]] = {}
    for subject in subjects:
        if subject.patient not in tested:
            sites.setdefault(subject.site, []).append(subject)
    test = [subject for subject in subjects if subject.patient in tested]
    every = [subject for mine in sites.values() for subject in mine]
    pooled = replace(recipe, local_steps=recipe.local_steps * len(sites))
    ways = {"federated": (recipe, sites), "centralised": (pooled, {"all": every})}
    ways |= {f"{name} alone": (recipe, {name: mine}) for name, mine in sorted(sites.items())}
    found: dict[str, dict[str, Estimate]] = {}
    size = 0
    for name, (how, whose) in ways.items():
        done = train(how, whose, given.rounds, given.device)
        size = done.rounds[-1].bytes_a_site
        network = assemble(how, done.shared).to(given.device)
        found[name] = overlap(network, test, crop=given.crop, device=given.device)
        print(name, {region: round(one.value, 3) for region, one in found[name].items()}, flush=True)
    lines = ["| | " + " | ".join(REGIONS) + " |", "|---|" + "---|" * len(REGIONS)]
    lines += [
        f"| {name} | "
        + " | ".join(f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})" for one in by_region.values())
        + " |"
        for name, by_region in found.items()
    ]
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "segmentation.md").write_text("\n".join(lines) + "\n")
    record = {
        "recipe": json.loads(json.dumps(asdict(recipe))),
        "bytes_a_round": size,
        "sites": len(sites),
        "dice": {name: {region: one.to_json() for region, one in each.items()} for name, each in found.items()},
        "federated_minus_centralised": {
            region: found["federated"][region].minus(found["centralised"][region]).to_json() for region in REGIONS
        },
    }
    write_json(given.out / "segmentation.json", record)


if __name__ == "__main__":
    main()
