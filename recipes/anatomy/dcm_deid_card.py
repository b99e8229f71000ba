"""The networks of DCM-DeID as they ship, with large weights in eight bits, and their card.

    python -m recipes.anatomy.dcm_deid_card FILE --packed PACKED --out RUN --export

On the films of NIH's val patients: how often the recogniser finds the patient, and how long the codes are. What the
method hides and keeps is measured beside the other methods, and is not in this card.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from medveil.defenses.anatomy.dcm_deid.method import NAME, DcmDeid, DcmDeidSettings
from medveil.defenses.anatomy.dcm_deid.model_file import load_networks, save_networks
from medveil.defenses.anatomy.dcm_deid.recogniser import Recogniser, identity_of
from medveil.defenses.anatomy.method import Film
from medveil.stats.bootstrap import mean_replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share
from medveil.weights.bundled import bundled
from recipes.films import unpacked
from recipes.model_card import closing, write_card

SEED = 7
ABOUT: dict[str, Any] = {
    "name": "medveil-dcm-deid",
    "kind": "dcm-deid",
    "data": "NIH ChestX-ray14, the 2,839 frontal films of the 887 training patients, and 3,766 phantom films of 1,225 "
    "patients, 256 pixels",
    "start": "nothing; the recogniser stands on half of the bundled identity network, meaning is that of the bundled "
    "findings network, and films are drawn in the space of the bundled autoencoder",
    "licence": "Apache-2.0; the images are free to use with citation",
    "citation": "X. Wang, Y. Peng, L. Lu, Z. Lu, M. Bagheri, R. M. Summers. ChestX-ray8: Hospital-scale Chest X-ray "
    "Database and Benchmarks. CVPR 2017. Images provided by the NIH Clinical Center.",
    "for": "measuring DCM-DeID and the masked baseline against other ways of hiding anatomy",
    "not_for": [
        "protecting a release: nothing is promised, and attackers who learn still find 25 to 41 % of NIH's val "
        "patients over its dial (docs/explanation/anatomy-results.md)",
        "diagnosing anything; clinical use of any kind",
        "films in colour, laterals and other body parts",
    ],
    "limits": [
        "It is far smaller than the paper's networks and was trained for minutes on a hundredth of the films.",
        "The foundation model is a small findings network, for MGCA cannot be had.",
        "The generator was trained beside an earlier recogniser, from pixels, that had learned next to nothing: places "
        "were hidden all but at random. The recogniser and the codes were fitted anew beside it afterwards.",
        "The recogniser and the codes were fitted on a busy processor (98 and 124 steps) by scripts that the recipe "
        "dcm_deid_refit was written from afterwards; the recipe itself has not been run to the end.",
        "Training was ended by the clock, on an H200 shared with other trainings; another run will differ a little.",
        "The val patients were looked at once, with the finished networks.",
    ],
    "seeds": {"training": 0, "intervals": SEED},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--packed", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--autoencoder", type=Path, help="without it, the bundled one")
    parser.add_argument(
        "--seconds", type=int, nargs=4, default=(90, 340, 330, 120), help="how long the four trainings took"
    )
    parser.add_argument("--export", action="store_true")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    small = chosen.out / f"{NAME}.safetensors"
    save_networks(small, load_networks(chosen.file), small=True)
    films, patients = _val(chosen.packed / "nih.npz")
    method = DcmDeid(weights=small, settings=DcmDeidSettings(autoencoder=chosen.autoencoder))
    first, second, third, fourth = chosen.seconds
    card = ABOUT | {
        "recipe": [
            "python -m recipes.anatomy.dcm_deid_recogniser --data PACKED --out RECOGNISER --device cuda "
            f"--seconds {first}",
            "python -m recipes.anatomy.dcm_deid_training --data PACKED --recogniser RECOGNISER --out TRAINED "
            f"--device cuda --seconds {second}",
            f"python -m recipes.anatomy.dcm_deid_refit TRAINED --packed PACKED --out FILE --seconds {third} {fourth}",
            "python -m recipes.anatomy.dcm_deid_card FILE --packed PACKED --out RUN --export",
        ],
        "scores": _scores(method, load_networks(small).recogniser, films, patients),
    }
    print(card["scores"])
    write_card(chosen.out / NAME, card, _page, weights=[small])
    if chosen.export:
        for file in chosen.out.glob(f"{NAME}.*"):
            shutil.copyfile(file, bundled(NAME).with_suffix(file.suffix))


def _val(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.str_]]:
    packed = np.load(path)
    rows = np.flatnonzero(packed["split"] == "val")
    content, ends = packed["bytes"], packed["ends"]  # once: every look reads the file
    starts = np.concatenate([[0], ends[:-1]])
    pieces = [content[starts[row] : ends[row]] for row in rows]
    films = unpacked(np.concatenate(pieces), np.cumsum([len(piece) for piece in pieces]))
    return films, packed["patients"][rows].astype(str)


def _scores(
    method: DcmDeid, recogniser: Recogniser, films: NDArray[np.uint8], patients: NDArray[np.str_]
) -> dict[str, Any]:
    codes, count = unit_codes(patients)
    weights = unit_weights(count, seed=SEED)
    told = method.codelength([Film(film) for film in films])
    bits = {
        "bits of the codes": told.all,
        "bits of what is held to tell the identity": told.identity,
        "bits passed on": told.semantics,
    }
    found = {}
    for name, values in bits.items():
        draws = mean_replicates(values.astype(np.float64), codes, weights)
        one = Estimate.from_replicates(float(values.mean()), draws, n=len(films), units=count)
        found[name] = _plain(one)
    several = np.bincount(codes)[codes] > 1
    right = _nearest_is_right(recogniser, films, codes)
    there, people = unit_codes(patients[several])
    found["nearest film of the recogniser is the patient's"] = _plain(
        share(right[several], there, unit_weights(people, seed=SEED))
    )
    return found


@torch.inference_mode()
def _nearest_is_right(recogniser: Recogniser, films: NDArray[np.uint8], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    gray = torch.from_numpy(films).unsqueeze(1)
    units = torch.cat([identity_of(recogniser(part.float() / 255)) for part in torch.split(gray, 16)])
    units = functional.normalize(units, dim=1)
    nearest = (units @ units.T).fill_diagonal_(-2).argmax(1).numpy()
    return (codes[nearest] == codes).astype(np.float64)


def _plain(one: Estimate) -> dict[str, Any]:
    return {"value": one.value, "low": one.low, "high": one.high, "n": one.n, "patients": one.units}


def _page(card: dict[str, Any]) -> str:
    lines = [
        f"# {card['name']}",
        "",
        f"**Trained on** {card['data']}. **Started from** {card['start']}.",
        "",
        "On films of nih14 val, with 95 % intervals by patient.",
        "",
        "| what | value | interval | films |",
        "|---|---|---|---|",
    ]
    for what, one in card["scores"].items():
        digits = 0 if "bits" in what else 3
        ends = f"{one['low']:,.{digits}f} to {one['high']:,.{digits}f}"
        lines.append(f"| {what} | {one['value']:,.{digits}f} | {ends} | {one['n']} |")
    return "\n".join([*lines, "", *closing(card)])


if __name__ == "__main__":
    main()
