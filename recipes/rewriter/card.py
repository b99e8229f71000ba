"""The bundled rewriter's card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from medveil.defenses.reports.rewriter.model_file import load_model
from recipes.model_card import Card, closing, write_card

_MEASURING = (
    "PYTHONPATH=FAKER python benchmarks/reports_rewriting.py --data DATA --rewriter RUN/rewriter.safetensors "
    "--out MEASURED.json"
)
RECIPE = (
    "python -m recipes.rewriter.recipe train --out RUN",
    f"{_MEASURING} --sets 'Indiana refilled' --last 1860",
    f"{_MEASURING} --sets phantoms --every 2",
    f"{_MEASURING} --sets 'retired notes' --every 4",
    "python -m recipes.rewriter.recipe card --weights RUN/rewriter.safetensors --measured MEASURED.json",
)
_FIGURES = ("rewritten", "numbers kept", "clinical words kept", "other words kept", "identifiers left")
_SURROGATES = "identifiers left with surrogates"


def write(weights: Path, measured: dict[str, Any], read: list[str]) -> None:
    """`read` is what a person says who has read some of the texts."""
    write_card(weights, _card(weights, measured, read), _page, weights=[weights])


def _card(weights: Path, measured: dict[str, Any], read: list[str]) -> Card:
    model = load_model(weights)
    parameters = sum(value.numel() for value in model.network.parameters())
    return {
        "name": "medveil-rewriter",
        "kind": "encoder-decoder that edits: it keeps, leaves out or writes, word by word",
        "parameters": parameters,
        "data": (
            "pairs of invented texts, with placeholders and without, written by recipes/rewriter; the clinical "
            "sentences around are those of recipes/tagger/corpus; no report of any patient"
        ),
        "start": "no weights; 21 minutes on one core",
        "words": {
            "may be left out beside a placeholder": len(model.plain.leaves),
            "titles and degrees that may be left out beside a name": len(model.plain.titles),
            "may be written": list(model.plain.written),
        },
        "recipe": list(RECIPE),
        "seeds": {"pairs and weights": 0},
        "licence": "Apache-2.0",
        "for": "reports with placeholders, in English, that should read without them (`--reports rewritten`)",
        "not_for": [
            "other languages, which get surrogates",
            "texts in which it matters who did what: names of several people may become the same few words",
            "clinical use of any kind",
        ],
        "limits": [
            "It takes out what was found, and nothing else: an identifier that the search missed is still there.",
            "Its words are few: a label of an unknown kind stays with nothing behind it, and so may a preposition.",
            "Who a name belongs to is read from the words around it; somebody else may be called the patient.",
            "Trained on invented pairs alone; real notes are less tidy.",
            "Some rules on what may be left out were made stricter after training; trained anew, it differs a little.",
        ],
        "measured_on": (
            "Indiana refilled: reports 1,700 to 1,859 of the archive with invented people put back in by sentences "
            "that no pair was made from, though four of their labels (Clinician, Reader, When, beeper) are in the "
            "pairs; the first 40 of them were scored twice with these weights and the others once, and some of "
            "reports 0 to 399 were read while the rewriter was made. Phantoms: every second report of five hospitals "
            "in four styles, whose sentences were known to whoever wrote the pairs. Retired notes: every fourth of "
            "the notes by hand in benchmarks, from "
            "which the tagger has learnt and the rewriter has not, though some were read while it was made; those in "
            "other languages get surrogates, and count as not rewritten. Of the phantoms' words the letter p is lost "
            "where it stood right before the number of a pager. What is left was missed by the search, and is left "
            "with surrogates too."
        ),
        "scores": measured,
        "read": read,
    }


def _page(card: Card) -> str:
    lines = [
        f"# {card['name']}",
        "",
        f"An {card['kind']}. {card['parameters']:,} parameters in eight bits. A convolutional encoder reads the "
        "text as a whole; a recurrent decoder goes through each sentence with a placeholder.",
        "",
        f"**Data** {card['data'].capitalize()}.",
        "",
        "**Words** it may write: " + ", ".join(card["words"]["may be written"]) + ".",
        "",
        "**Scores** with 95 % intervals by report. *Rewritten*: of the texts in which something was found, those that "
        "passed every check; the others have surrogates. *Kept* and *left* are counted in rewritten texts, from the "
        "original and the result alone; *left* are identifiers that stand in the result as they stood in the original, "
        "dates, times and ages aside, and in brackets the same with surrogates. Below each, for comparison, "
        "placeholders simply deleted.",
        "",
        "| texts | texts with identifiers | " + " | ".join(_FIGURES) + " |",
        "|---" * (2 + len(_FIGURES)) + "|",
    ]
    for name, rows in card["scores"].items():
        for who in ("bundled", "placeholders deleted"):
            row = rows[who]
            figures = [_said(row[figure]) for figure in _FIGURES]
            figures[-1] += f" ({row[_SURROGATES]['value']:.4f})"
            title = name if who == "bundled" else f"{name}, {who}"
            lines.append(f"| {title} | {row['texts with an identifier']} | " + " | ".join(figures) + " |")
    lines += ["", f"{card['measured_on']}", "", "**Speed** on one core, others at work beside it:", ""]
    lines += [
        f"- {name}: {rows['texts a second, rewriting alone']} texts a second for rewriting alone, "
        f"{rows['bundled']['texts a second']} through everything"
        for name, rows in card["scores"].items()
    ]
    lines += ["", "**Read by eye**", "", *(f"- {line}" for line in card["read"]), ""]
    return "\n".join([*lines, *closing(card)])


def _said(row: dict[str, float]) -> str:
    return f"{row['value']:.4f} ({row['low']:.4f} to {row['high']:.4f}; n {row['n']})"
