"""The bundled tagger's card: what it was made from, how, and what it scores.

    python -m recipes.tagger.card --weights RUN/tagger.safetensors --scores SCORES.json

SCORES.json is what `reports_recall.py --out` wrote. Copies the weights and writes the card into the package.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from medveil.weights.bundled import bundled
from recipes.model_card import closing, write_card

_TAGGER = "python -m recipes.tagger.recipe"
RECIPE = (
    f"{_TAGGER} prepare --source MINILM --out START",
    f"{_TAGGER} train --start START --out RUN --device cuda --seconds 530 --workers 14",
    f"{_TAGGER} prepare --source BEFORE --hospitals 60 --out START",
    f"{_TAGGER} further --start START --from BEFORE --out LAST --seconds 1500",
    "python -m recipes.scorer.recipe --data DATA --tagger LAST/all/tagger.safetensors "
    "--apart LAST/apart/tagger.safetensors --before BEFORE",
    (
        "PYTHONPATH=FAKER python benchmarks/reports_recall.py --data DATA --first-seed 98000 --refill-seed 55000 "
        "--out SCORES.json"
    ),
    "python -m recipes.tagger.card --weights LAST/all/tagger.safetensors --scores SCORES.json",
)
LIMITS = (
    (
        "English, and less well German, French and Spanish: of those it knows a few hundred words; see "
        "docs/explanation/tagger.md for what was measured on fresh notes."
    ),
    (
        "The texts it learnt from are invented. Reports of a real hospital have habits "
        "of their own: look at what is left before release."
    ),
    (
        "Houses, practices and employers that go by a bare name, wards that are only names, nicknames and dates in "
        "unusual words are found less often than the rest."
    ),
    (
        "Countries and whole states are taken for addresses, and years of past events "
        "for dates, though HIPAA would let them stand."
    ),
    (
        "The retired notes taught it, so it knows them by heart. What it reaches on notes that it never met is told by "
        "networks that learnt without them (the scorer's card) and, once a version, by benchmarks/reports_gate.py."
    ),
    (
        "Steps are counted in seconds: another machine takes more or fewer of them, and the weights differ. BEFORE is "
        "the tagger of the version before, whose networks had learnt seven times and once, most of it on a GPU, by the "
        "recipes of earlier versions. This time they went on for 1300 s with two thirds of the newest notes as far as "
        "they were written then, for 1500 s with two thirds of all, and for 1000 s with all: 1450 steps of 16 rows for "
        "the wide network and 2658 for the narrow one, on a "
        "processor that was busy with other work."
    ),
)


def card(scores: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": "medveil-tagger",
        "kind": "tagger",
        "data": (
            "invented clinical texts (recipes/tagger/corpus), phantom reports of three house styles, notes written to "
            "teach (recipes/tagger/written_notes*.txt) and retired ones (benchmarks/reports_notes*.txt but _f and _g); "
            "no text of any person"
        ),
        "start": "word pieces of all-MiniLM-L6-v2 (Apache-2.0), reduced to 160 dimensions and kept as they are",
        "recipe": list(RECIPE),
        "seeds": {
            "training": "0, later 7, 8, 11 and 12, the last time 100, 0 and 10",
            "phantom hospitals": "2000 to 2399, the last times 2000 to 2059",
            "intervals": 7,
        },
        "licence": "Apache-2.0",
        "for": "finding identifiers in radiology reports and clinical notes, beside rules",
        "not_for": ["proof that a text is free of identifiers", "clinical use of any kind"],
        "limits": list(LIMITS),
        "scores": scores,
    }


def _page(about: dict[str, Any]) -> str:
    lines = [
        "# medveil-tagger",
        "",
        (
            "A token classifier for 19 kinds of identifier in reports: word pieces, letters and shape of each word, "
            "then gated convolutions over 63 words to each side. Two such networks, 192 and 128 features wide, share "
            "their word pieces and are averaged. Weights in eight bits."
        ),
        "",
        f"**Data** {about['data'].capitalize()}.",
        "",
        f"**Start** {about['start'].capitalize()}.",
        "",
        "**Scores** (95 % intervals by report)",
        "",
        "| corpus | who | recall | precision |",
        "|---|---|---|---|",
    ]
    for corpus, rows in about["scores"].items():
        for who, row in rows.items():
            if "recall" in row:
                lines.append(f"| {corpus} | {who} | {_cell(row['recall'])} | {_cell(row['precision'])} |")
    lines += [
        "",
        "| without identifiers | who | texts with a finding | findings a thousand words |",
        "|---|---|---|---|",
    ]
    for corpus, rows in about["scores"].items():
        for who, row in rows.items():
            if "findings" in row:
                lines.append(
                    f"| {corpus} | {who} | {_cell(row['texts with a finding'])} | "
                    f"{1000 * row['findings'] / row['words']:.2f} |"
                )
    return "\n".join([*lines, "", *closing(about)])


def _cell(row: dict[str, Any]) -> str:
    return f"{row['value']:.4f} ({row['low']:.4f} to {row['high']:.4f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--scores", type=Path, required=True)
    options = parser.parse_args()
    about = card(json.loads(options.scores.read_text("utf-8")))
    if options.weights.resolve() != bundled("tagger").resolve():
        shutil.copyfile(options.weights, bundled("tagger"))
    write_card(bundled("tagger"), about, _page, weights=[bundled("tagger")])


if __name__ == "__main__":
    main()
