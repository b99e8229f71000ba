"""The bundled scorer's card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recipes.model_card import closing, write_card

RECIPE = ("python -m recipes.scorer.recipe --data DATA --apart LAST/apart/tagger.safetensors --before TAGGER",)


def write(weights: Path, apart: dict[str, dict[str, int]]) -> None:
    write_card(weights, _card(apart), _page, weights=[weights])


def _card(apart: dict[str, dict[str, int]]) -> dict[str, Any]:
    return {
        "name": "medveil-scorer",
        "kind": "scorer",
        "data": (
            "invented clinical texts (recipes/tagger/corpus) and phantom reports that the tagger has not seen, "
            "Indiana's first 1,700 reports as published and VQA-RAD's training questions (nothing to be found "
            "there), and notes by hand (recipes/tagger, benchmarks), most of all the newest, read by "
            "networks that never met them"
        ),
        "start": "no weights",
        "recipe": list(RECIPE),
        "seeds": {"folds": 0},
        "licence": "Apache-2.0",
        "for": "deciding which of the proposals of rules and tagger are identifiers",
        "not_for": ["texts read by another tagger than the one it was fitted with", "clinical use of any kind"],
        "limits": [
            "The notes are few and were written by hand; the tagger's and the rules' authors have seen them.",
            "Fitted with the evidence of one version: it is fitted again whenever tagger, rules or evidence change.",
        ],
        "scores": {source: _score(row) for source, row in apart.items()},
    }


def _score(row: dict[str, int]) -> dict[str, Any]:
    """What was found with weights in whose fit a text had no part."""
    named, others = row["hits"] + row["missed"], row["kept"] + row["lost"]
    recall = {"recall": round(row["hits"] / named, 4), "identifiers": named} if named else {}
    return recall | {"other words kept": round(row["kept"] / others, 5), "words": others}


def _page(about: dict[str, Any]) -> str:
    lines = [
        f"# {about['name']}",
        "",
        "One logistic regression a group of identifiers: how likely is what a finder proposes? It weighs what the "
        "tagger says of the words, which rule proposes them, what they are by the lexicon, and what stands "
        "around them.",
        "",
        f"**Data** {about['data'].capitalize()}.",
        "",
        "**Scores** of each text with weights fitted without it (five folds)",
        "",
        "| texts | recall | identifiers | other words kept | words |",
        "|---|---|---|---|---|",
    ]
    for source, row in about["scores"].items():
        recall = f"{row['recall']:.4f} | {row['identifiers']}" if "recall" in row else "– | 0"
        lines.append(f"| {source} | {recall} | {row['other words kept']:.5f} | {row['words']} |")
    return "\n".join([*lines, "", *closing(about)])
