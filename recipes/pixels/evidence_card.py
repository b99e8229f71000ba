"""The card of the bundled network that weighs proposed lines, from the results of `pixels_evidence.py`.

python -m recipes.pixels.evidence_card TRAIN.json VAL.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from medveil.defenses.pixels.decide.evidence import SUSPECTED, TYPE
from medveil.weights.bundled import bundled
from recipes.model_card import closing, write_card
from recipes.pixels.card import CARD as DETECTOR
from recipes.pixels.evidence_proposals import SEED as PROPOSALS_SEED

MEASURED_SEED = 7_300_000
BENCHMARK = "python benchmarks/pixels_evidence.py --data DATA --fonts OTHER_FONTS --films 24"
CARD: dict[str, Any] = {
    "name": "medveil-text-evidence",
    "kind": "probability that a proposed line is type",
    "data": "21,249 lines that the text detector proposed, 7,999 of them on type that was written on the films, 13,250 "
    "on none (7,668 of these on films with drawn devices). Films: NIH ChestX-ray14, patients of the split 'train', at "
    "1,024, 512 and 256 pixels; 436 of the lines of type are on 117 images of the train part of VQA-RAD. Type in 96 "
    "fonts (DejaVu, Liberation, FreeFont, Roboto, Lato, Hack, OCR-A) and Pillow's own",
    "start": "random weights",
    "recipe": [
        "python -m recipes.pixels.evidence_proposals --data DATA --fonts FONTS --out PROPOSALS.npz --seconds 1200",
        "python -m recipes.pixels.evidence_recipe --proposals PROPOSALS.npz --out RUN --seconds 85",
        f"{BENCHMARK} --split train --out TRAIN.json",
        f"{BENCHMARK} --split val --out VAL.json",
        "python -m recipes.pixels.evidence_card TRAIN.json VAL.json",
    ],
    "seeds": {"proposals": PROPOSALS_SEED, "training": 0, "measured type": MEASURED_SEED},
    "training": {
        "device": "one H200",
        "seconds": 85,
        "steps of the first network": 1_799,
        "steps of the second network": 2_657,
        "lines left out": 329,
        "AUROC on lines of patients kept out": {"value": 0.9974, "n": 2_162, "type": 817},
    },
    "licence": "Apache-2.0; the images of NIH ChestX-ray14 are free to use with citation, those of VQA-RAD are CC0",
    "citation": DETECTOR["citation"],
    "for": "weighing what the bundled text detector proposes on radiographs, before it is decided what is removed",
    "not_for": [
        "finding text: it sees only what is proposed",
        "letters that stand alone, from which nothing was learned",
        "handwriting",
    ],
    "limits": [
        "The weights were made by drafts of these scripts, the same in kind. The drafts stored the strips as JPEG "
        "before they were evened out, and varied them a little differently; the lines were gathered in several runs "
        "with seeds of their own, 5,200 of those of type by an earlier draft with another rule for what is type, of "
        "which only legible ones were taken. The scripts as they are have made no weights that were shipped.",
        "The drafts kept out other patients, one in ten too. So most films of the split 'train' measured here were "
        "among those the network learned from, with other type in other fonts, and that curve may lean to the good "
        "side. Those of the split 'val' were not; they were looked at twice for the curve, with type in "
        "other fonts each time.",
        "A film's own type that cannot be read counts as touched: of the eight films touched at 0.5, six bear type at "
        "that place, looked at by eye; a device and a row of faint strokes are the others.",
        "The AUROC is the last of the training's own log; two fifths through the second network's time it was 0.9990. "
        "The lines left out as the films' own type are missing from it.",
        "Real films bear type of their own. What the first network took for type at the border, or where letters could "
        "be read, was left out; what it overlooked has taught the second that such type is none.",
        "Two letters in lead beside a large one, type across devices, and type cut in half by the detector get the "
        "lowest scores of all type.",
        "The decision asks for more than the score: how it uses it is told in the explanation of removing text.",
    ],
}  # fmt: skip
RELIABILITY = (
    "Of the lines proposed on the same films, as they are and written on, the share that is type, by the score. A line "
    "is type where it covers most of a written word's ink or lies mostly on words, none where it holds no ink; lines "
    "in between and the films' own legible type are left out, and their own type that cannot be read counts as none. "
    "How much of what is proposed is type depends on the films: here nine lines were written on every one."
)
THRESHOLDS = {TYPE: "type where legible", SUSPECTED: "type where the second reader is certain"}


def main(train: Path, val: Path) -> None:
    weights = bundled("text-evidence")
    scores = {f"nih14, {split}": scores_of(file) for split, file in (("train", train), ("val", val))}
    write_card(weights, CARD | {"scores": scores}, page, weights=[weights])


def scores_of(results: Path) -> dict[str, Any]:
    """The curve, how far the score is a probability, and of how many films both are."""
    told = json.loads(results.read_text("utf-8"))
    sets = [one["set"] for one in told["films"]]
    films = {name: sets.count(name) for name in dict.fromkeys(sets)}
    return {"films": films, "curve": told["curve"], "reliability": told["reliability"]}


def page(card: dict[str, Any]) -> str:
    lines = [f"# {card['name']}", "", f"**Trained on** {card['data']}. **Started from** {card['start']}.", ""]
    lines += ["## Words missed against films touched", ""]
    lines += [
        "A word is missed where no proposed line with a score above the threshold covers most of its ink: what the "
        "detector did not propose counts. A film is touched where a line in which no two letters can be read is above "
        "it. Neither is what the removal does, which asks for more than the score. Words of 12 to 48 points on films "
        "enlarged to 1,024 pixels; intervals by patient.",
        "",
    ]
    for source, scores in card["scores"].items():
        films = ", ".join(f"{count} of {name}" for name, count in scores["films"].items())
        lines += [f"### {source}: {films}", "", *curve_table(scores["curve"]), ""]
    lines += ["## Whether the score is a probability", "", RELIABILITY, ""]
    for source, scores in card["scores"].items():
        lines += [f"### {source}", "", *reliability_table(scores["reliability"]), ""]
    training = card["training"]
    found = training["AUROC on lines of patients kept out"]
    lines += [
        f"**Training** {training['seconds']} seconds on {training['device']}: "
        f"{training['steps of the first network']:,} steps for the first network, after which "
        f"{training['lines left out']} lines were left out as the films' own type, and "
        f"{training['steps of the second network']:,} for the second. AUROC on lines of patients kept out: "
        f"{found['value']} (n {found['n']:,}, {found['type']} of them type).",
        "",
    ]
    return "\n".join([*lines, *closing(card)])


def curve_table(curve: list[dict[str, Any]]) -> list[str]:
    lines = [
        "| threshold | words missed | 95 % interval | films touched | 95 % interval | |",
        "|---|---|---|---|---|---|",
    ]
    for point in curve:
        use = THRESHOLDS.get(point["threshold"], "")
        lines.append(f"| {point['threshold']:.2f} | {_cell(point['missed'])} | {_cell(point['touched'])} | {use} |")
    return lines


def reliability_table(reliability: dict[str, Any]) -> list[str]:
    lines = ["| score | lines | score on average | type |", "|---|---|---|---|"]
    for one in reliability["bins"]:
        share = f"{one['type']} of {one['n']} ({100 * one['type'] / one['n']:.1f} %)"
        lines.append(f"| {one['low']:.2f} to {one['high']:.2f} | {one['n']} | {one['score']:.3f} | {share} |")
    off, temperature = reliability["off"], reliability["temperature"]
    return [*lines, "", f"Off by {100 * off:.1f} % on average; the temperature that fits best is {temperature:.2f}."]


def _cell(share: dict[str, Any]) -> str:
    hits = round(share["value"] * share["n"])
    value, low, high = (100 * share[name] for name in ("value", "low", "high"))
    return f"{hits} of {share['n']} ({value:.2f} %) | {low:.2f} to {high:.2f} %"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
