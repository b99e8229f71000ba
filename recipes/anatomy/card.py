"""The parts of a coded generator in one file, and the cards of it and of the autoencoder. Used by `recipe`.

Refused where the audit found that it repeats films it has learned from.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch

from medveil.defenses.anatomy.coded.codebook import Codebook, from_arrays
from medveil.defenses.anatomy.coded.generator import Sampler, Shape
from medveil.defenses.anatomy.coded.known_films import fingerprint
from medveil.defenses.anatomy.coded.memorisation import refuse_memorised
from medveil.defenses.anatomy.coded.model_file import save_coded
from medveil.defenses.anatomy.coded.semantics import FIELDS, Head
from medveil.release.anatomy.frontier import NOTHING
from medveil.runtime.storage import write_json
from medveil.training.checkpoint import read_header, read_tensors
from medveil.weights.bundled import bundled
from recipes.anatomy.frontier import sides, tell
from recipes.anatomy.material import read_material
from recipes.model_card import Card, closing, write_card

SAMPLER = "medveil.coded.sampler/1"
SEED = 7
NAMES = ("coded", "autoencoder")


def load_sampler(path: Path) -> Sampler:
    told = read_header(path, form=SAMPLER)
    sampler = Sampler(Shape(**{**told["shape"], "channels": tuple(told["shape"]["channels"])}), told["fields"])
    sampler.load_state_dict({name: value.float() for name, value in read_tensors(path).items()})
    return sampler.eval().requires_grad_(False)


def load_semantics(path: Path) -> tuple[Head, Codebook]:
    stored = np.load(path)
    tensors = {name[5:]: torch.from_numpy(stored[name]) for name in stored.files if name.startswith("head.")}
    head = Head(tensors["inner.weight"].shape[1])
    head.load_state_dict(tensors)
    arrays = {name.removeprefix("codebook."): stored[name] for name in stored.files if name.startswith("codebook.")}
    return head.eval().requires_grad_(False), from_arrays(FIELDS, arrays)


def assemble(packed: Path, out: Path, *, most: int | None = None) -> None:
    """OUT/weights, with a card that holds the audit alone: enough to draw and measure with."""
    audit = {"memorisation": json.loads((out / "tuned" / "audit.json").read_text())}
    refuse_memorised(audit, out / "tuned")
    material = read_material(packed, most=most)
    real = material.films[~material.drawn]  # phantoms are nobody
    head, codebook = load_semantics(out / "semantics.npz")
    folder = out / "weights"
    folder.mkdir(exist_ok=True)
    sampler = load_sampler(out / "tuned" / "sampler.safetensors")
    save_coded(folder / "coded.safetensors", sampler, head, codebook, np.stack([*map(fingerprint, real)]))
    shutil.copyfile(out / "autoencoder.safetensors", folder / "autoencoder.safetensors")
    write_json(folder / "coded.json", audit)


def export(packed: Path, out: Path, *, seed: int) -> None:
    """With whole cards, into the package; what `frontier measure` found lies in OUT/frontier."""
    folder = out / "weights"
    audit = {"memorisation": json.loads((folder / "coded.json").read_text())["memorisation"]}
    measured = audit | {"frontier": frontier_rows(packed, out / "frontier")}
    scores = json.loads((out / "scores.json").read_text())
    seeds = {"seeds": {"training": seed, "films and intervals": SEED}}
    for name, about, page in (
        ("coded", CODED | measured, _coded_page),
        ("autoencoder", AUTOENCODER, _autoencoder_page),
    ):
        card = about | seeds | {"scores": scores[name]}
        write_card(folder / name, card, page, weights=[folder / f"{name}.safetensors"])
    for name in NAMES:
        for file in folder.glob(f"{name}.*"):
            shutil.copyfile(file, bundled(name).with_suffix(file.suffix))


def frontier_rows(packed: Path, points: Path) -> list[dict[str, Any]]:
    """The films as they are and every setting of `coded`, on real films and on drawn ones."""
    rows = []
    for films, title in (("nih", "NIH val"), ("fresh", "unseen phantoms")):
        for each in tell(points, films, sides(packed, films)[2]):
            if each.point.method in (NOTHING, "coded"):
                told = {"strongest attacker": each.risk, "learned from": each.trained, "tried on": each.clean}
                if each.trained_kept is not None:
                    told["kept"] = each.trained_kept
                numbers = {name: [one.value, one.low, one.high] for name, one in told.items()}
                rows.append({"films": title, "setting": each.point.name, "patients": each.risk.units} | numbers)
    return rows


SHARED: Card = {
    "licence": "Apache-2.0; the images are free to use with citation",
    "citation": "X. Wang, Y. Peng, L. Lu, Z. Lu, M. Bagheri, R. M. Summers. ChestX-ray8: Hospital-scale Chest X-ray "
    "Database and Benchmarks. CVPR 2017. Images provided by the NIH Clinical Center.",
    "data": "NIH ChestX-ray14, 2,496 frontal films of seven of every eight training patients, and 3,498 films of a "
    "phantom hospital, 256 pixels; films of the other training patients and phantoms chose, audited and measured",
}
AUTOENCODER: Card = SHARED | {
    "name": "medveil-film-autoencoder",
    "kind": "autoencoder",
    "start": "random weights; the bundled findings and identity networks say how alike two films look",
    "for": "the generators that hide anatomy, which draw in its space",
    "not_for": ["storing films: what it gives back is softer than what it was given", "colour, other body parts"],
    "limits": [
        "Fine texture, small vessels and lettering are lost.",
        "It carries what a film shows, the person included: by itself it hides nothing.",
        "Training was ended by the clock, on an H200 shared with other trainings; another run will differ.",
    ],
    "recipe": [
        "python -m recipes.anatomy.pack --data DATA --out PACKED",
        "python -m recipes.anatomy.autoencoder train --packed PACKED --out RUN --device cuda --seconds 200",
        "python -m recipes.anatomy.measured score --packed PACKED --out RUN",
        "python -m recipes.anatomy.recipe export --packed PACKED --out RUN",
    ],
}
CODED: Card = SHARED | {
    "name": "medveil-coded",
    "kind": "coded",
    "start": "random weights; the bundled findings network and one more that was trained on the same films say what a "
    "drawn film shows",
    "for": "making frontal chest films anew so that nobody is recognised by them and the labelled findings stay",
    "not_for": [
        "films of NIH ChestX-ray14's training patients: the generator has learned from them, and refuses those films",
        "reading anything from a film that its code does not say: place, size and side of a finding are invented",
        "clinical use of any kind; laterals, colour and other body parts",
    ],
    "limits": [
        "A few thousand noisily labelled films taught it: what it draws for a finding is what small networks take for "
        "it.",
        "At the same code all films show the same findings; a rare combination shares its code with commoner ones.",
        "Fingerprints recognise copies of training films, not other films of the same person.",
        "Training was ended by the clock, on an H200 shared with other trainings until the second half of the second "
        "stage; another run will differ. The first stage saw changed films without a margin, the first half of the "
        "second 64 films a step: some drawn films have a dark corner or edge.",
    ],
    "recipe": [
        "python -m recipes.anatomy.pack --data DATA --out PACKED",
        "python -m recipes.anatomy.autoencoder train --packed PACKED --out RUN --device cuda --seconds 200",
        "python -m recipes.anatomy.judges --packed PACKED --out RUN/helper.safetensors --seed 1 --device cuda "
        "--seconds 150",
        "python -m recipes.anatomy.judges --packed PACKED --out RUN/judge.safetensors --start reidentification-2 "
        "--seed 2 --device cuda --seconds 150",
        "python -m recipes.anatomy.described --packed PACKED --out RUN/described.npz",
        "python -m recipes.anatomy.recipe fit --packed PACKED --out RUN",
        "python -m recipes.anatomy.recipe train --packed PACKED --out RUN --device cuda --flow-seconds 200 "
        "--tune-seconds 175 --steps 5",
        "cp -r RUN AGAIN; rm -r AGAIN/tuned",
        "python -m recipes.anatomy.recipe train --packed PACKED --out AGAIN --start RUN/tuned/sampler.safetensors "
        "--device cuda --tune-seconds 450 --steps 5",
        "python -m recipes.anatomy.recipe assemble --packed PACKED --out AGAIN",
        "python -m recipes.anatomy.measured draw --packed PACKED --out AGAIN --device cuda",
        "python -m recipes.anatomy.measured score --packed PACKED --out AGAIN",
        "python -m recipes.anatomy.frontier measure --packed PACKED --films nih --out AGAIN/frontier --device cuda "
        "--steps 300 --weights AGAIN/weights",
        "python -m recipes.anatomy.frontier measure --packed PACKED --films fresh --out AGAIN/frontier --device cuda "
        "--steps 300 --weights AGAIN/weights",
        "python -m recipes.anatomy.recipe export --packed PACKED --out AGAIN",
    ],
}


def _scores(card: Card) -> list[str]:
    lines = ["| measured | value | 95 % interval by patient | films | patients |", "|---|---|---|---|---|"]
    return lines + [
        f"| {name} | {one['value']:.3f} | {one['low']:.3f} to {one['high']:.3f} | {one['n']} | {one['patients']} |"
        for name, one in card["scores"].items()
    ]


def _frontier(card: Card) -> list[str]:
    columns = ("strongest attacker", "learned from", "kept", "tried on")
    lines = ["| films | setting | returning patients | " + " | ".join(columns) + " |", "|---|---|---|" + "---|" * 4]
    for row in card["frontier"]:
        told = (row.get(name) for name in columns)
        cells = ("–" if one is None else _percent(*one) for one in told)
        lines.append(f"| {row['films']} | {row['setting']} | {row['patients']} | " + " | ".join(cells) + " |")
    return lines


def _percent(value: float, low: float, high: float) -> str:
    return f"{100 * value:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _head(card: Card) -> list[str]:
    return [f"# {card['name']}", "", f"**Trained on** {card['data']}. **Started from** {card['start']}.", ""]


def _autoencoder_page(card: Card) -> str:
    return "\n".join([*_head(card), "On 100 films each of 'val'.", "", *_scores(card), "", *closing(card)])


def _coded_page(card: Card) -> str:
    lines = [
        *_head(card),
        "Mean AUROC of the findings by a network that had no part in the training, on the films of 'val' and on films "
        "made from their codes; a coin toss has 0.5. The codes hold the table's labels, so what is made from them can "
        "show a finding more plainly than the original did.",
        "",
        *_scores(card),
        "",
        "The frontier: precision@1 of the strongest of eight attacks, and mean AUROC of a classifier that learned "
        "from films made anew and was tried on real ones, of which the share above chance is kept, and of one that "
        "learned from real films. Attackers and classifiers learned from other patients; percent, with 95 % intervals "
        "by patient.",
        "",
        *_frontier(card),
        "",
        "Nearest training film (cosine): by a network that recognises people, and by the edges in the picture.",
        "",
        "| by | drawn films, median | films held out, median | drawn films beyond 99 % of those held out |",
        "|---|---|---|---|",
    ]
    for space, one in card["memorisation"]["spaces"].items():
        beyond = f"{one['beyond']:.1%}".replace("%", " %")
        lines.append(f"| {space} | {one['drawn']:.3f} | {one['held_out']:.3f} | {beyond} |")
    return "\n".join([*lines, "", *closing(card)])
