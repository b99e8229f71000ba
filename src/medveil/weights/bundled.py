"""The bundled networks by name: where their weights lie, and the card beside a file of weights.

A card says what a network was made from, how, and what it scores.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from medveil.errors import InputError
from medveil.runtime.storage import sha256_of

RETRIEVERS = ("reidentification-1", "reidentification-2")  # they look together and share the card 'reidentification'
OTHER_RETRIEVER = "reidentification-resnet"  # of another architecture, which no defense has seen
SMALL = "medveil-small.safetensors"
FACES = ("blazeface-full-range", "blazeface-short-range")  # as their makers publish them; they share the card 'faces'
_FOLDERS = {
    **dict.fromkeys(("reidentification", *RETRIEVERS, OTHER_RETRIEVER, "verification"), "identity"),
    **dict.fromkeys(("autoencoder", "coded", "dcm-deid"), "anatomy"),
    "answers": "answers",
    "findings": "findings",
    **dict.fromkeys(("faces", *FACES), "faces"),
    "generator": "inpainting",
    "lungs": "lungs",
    "organs": "organs",
    "medveil-small": "linkage",
    "text-detector": "pixels",
    "text-evidence": "pixels",
    "reader": "reader",
    "rewriter": "rewriter",
    "scorer": "scorer",
    "tagger": "tagger",
}


def bundled(name: str) -> Path:
    """The weights of a bundled network; its card lies beside them as .json and .md."""
    return Path(__file__).parent / _FOLDERS[name] / f"{name}.{'tflite' if name in FACES else 'safetensors'}"


def read_card(weights: Path) -> dict[str, Any]:
    """Data, recipe, scores, licence; empty where weights of one's own have no card."""
    path = weights.with_suffix(".json")
    if not path.is_file():
        return {}
    try:
        card = dict(json.loads(path.read_text("utf-8")))
        files = [(path.with_name(name), digest) for name, digest in card.get("weights", {}).items()]
    except (OSError, ValueError, AttributeError):
        raise InputError(f"{path} is not a readable card; remove it or restore it") from None
    if any(file.is_file() and sha256_of(file) != digest for file, digest in files):
        raise InputError(f"{path} is the card of other weights than those beside it; remove it or write it again")
    return card
