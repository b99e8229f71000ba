"""The parts of a coded generator in one file, and its card. Used by `recipe export`.

Refused where the audit found that it repeats films it has learned from.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch

from medveil.defenses.anatomy.coded.codebook import from_arrays
from medveil.defenses.anatomy.coded.generator import Sampler, Shape
from medveil.defenses.anatomy.coded.known_films import fingerprint
from medveil.defenses.anatomy.coded.memorisation import refuse_memorised
from medveil.defenses.anatomy.coded.model_file import save_coded
from medveil.defenses.anatomy.coded.semantics import FIELDS, Head
from medveil.training.checkpoint import read_header, read_tensors
from recipes.anatomy.material import read_material
from recipes.model_card import Card, closing, write_card

SAMPLER = "medveil.coded.sampler/1"


def load_sampler(path: Path) -> Sampler:
    told = read_header(path, form=SAMPLER)
    sampler = Sampler(Shape(**{**told["shape"], "channels": tuple(told["shape"]["channels"])}), told["fields"])
    sampler.load_state_dict({name: value.float() for name, value in read_tensors(path).items()})
    return sampler.eval().requires_grad_(False)


def load_semantics(path: Path) -> tuple[Head, Any]:
    stored = np.load(path)
    tensors = {
        name.removeprefix("head."): torch.from_numpy(stored[name]) for name in stored.files if name[:5] == "head."
    }
    head = Head(tensors["inner.weight"].shape[1])
    head.load_state_dict(tensors)
    arrays = {name.removeprefix("codebook."): stored[name] for name in stored.files if name.startswith("codebook.")}
    return head.eval().requires_grad_(False), from_arrays(FIELDS, arrays)


def export(packed: Path, out: Path, *, seed: int, most: int | None = None) -> Path:
    """OUT/weights/coded.* and autoencoder.*"""
    audit = {"memorisation": json.loads((out / "audit.json").read_text())}
    refuse_memorised(audit, out / "sampler.safetensors")
    material = read_material(packed, most=most)
    real = material.films[~material.drawn]  # phantoms are nobody
    head, codebook = load_semantics(out / "semantics.npz")
    folder = out / "weights"
    folder.mkdir(exist_ok=True)
    path = folder / "coded.safetensors"
    save_coded(path, load_sampler(out / "sampler.safetensors"), head, codebook, np.stack([*map(fingerprint, real)]))
    shutil.copyfile(out / "autoencoder.safetensors", folder / "autoencoder.safetensors")
    card: Card = ABOUT | audit | {"seeds": {"training": seed}, "scores": json.loads((out / "scores.json").read_text())}
    write_card(path, card, _page, weights=[path])
    return path


ABOUT: Card = {
    "name": "medveil-coded",
    "kind": "coded",
    "data": "NIH ChestX-ray14, 2,496 frontal films of seven of every eight training patients, and about 3,500 films of "
    "a phantom hospital, 256 pixels; the films of the other training patients chose and audited",
    "licence": "Apache-2.0; the images are free to use with citation",
    "citation": "X. Wang, Y. Peng, L. Lu, Z. Lu, M. Bagheri, R. M. Summers. ChestX-ray8: Hospital-scale Chest X-ray "
    "Database and Benchmarks. CVPR 2017. Images provided by the NIH Clinical Center.",
    "for": "making frontal chest films anew so that nobody is recognised by them and the labelled findings stay",
    "not_for": [
        "films of NIH ChestX-ray14's training patients: the generator has learned from them, and refuses those films",
        "reading anything from a film that its code does not say: place, size and side of a finding are invented",
        "clinical use of any kind; laterals, colour and other body parts",
    ],
    "limits": [
        "A few thousand noisily labelled films taught it: what it draws for a finding is what two small networks take "
        "for it.",
        "At the same code all films show the same findings; a rare combination shares its code with commoner ones.",
        "Fingerprints recognise copies of training films, not other films of the same person.",
        "Training was ended by the clock; another run will differ.",
    ],
    "recipe": [
        "python -m recipes.anatomy.pack --data DATA --out PACKED",
        "python -m recipes.anatomy.autoencoder train --packed PACKED --out RUN --device cuda --seconds 200",
        "python -m recipes.anatomy.judges --packed PACKED --out RUN/helper.safetensors --seed 1 --device cuda",
        "python -m recipes.anatomy.judges --packed PACKED --out RUN/judge.safetensors --start reidentification-2 "
        "--seed 2 --device cuda",
        "python -m recipes.anatomy.described --packed PACKED --out RUN/described.npz",
        "python -m recipes.anatomy.coded fit --packed PACKED --out RUN",
        "python -m recipes.anatomy.coded train --packed PACKED --out RUN --device cuda",
        "python -m recipes.anatomy.coded export --packed PACKED --out RUN",
    ],
}


def _page(card: Card) -> str:
    lines = [f"# {card['name']}", "", f"**Trained on** {card['data']}.", "", "| measured | value |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in card["scores"].items()]
    lines += [
        "",
        "| nearest training film, cosine | drawn films | films held out | drawn beyond their 99 % |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {space} | {one['drawn']:.3f} | {one['held_out']:.3f} | {one['beyond']:.1%} |".replace("%", " %")
        for space, one in card["memorisation"]["spaces"].items()
    ]
    return "\n".join([*lines, "", *closing(card)])
