"""Every bundled network has a card that says what it is, and together they stay small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import medveil.weights
from medveil.errors import InputError
from medveil.runtime.storage import sha256_of
from medveil.weights.bundled import read_card

FOLDER = Path(medveil.weights.__file__).parent
CARDS = sorted(FOLDER.rglob("*.json"))
FIELDS = ("name", "data", "start", "recipe", "seeds", "licence", "for", "not_for", "limits", "scores")
MOST_BYTES = 70_000_000
SUFFIXES = (".safetensors", ".tflite")


def networks() -> list[Path]:
    return [path for path in FOLDER.rglob("*") if path.suffix in SUFFIXES]


def test_every_network_has_a_card() -> None:
    assert {path.parent for path in networks()} == {path.parent for path in CARDS}


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_a_card_says_what_the_network_is(path: Path) -> None:
    card = read_card(path.with_suffix(".safetensors"))
    assert [name for name in FIELDS if not card.get(name)] == []
    page = path.with_suffix(".md").read_text("utf-8")
    assert page.startswith(f"# {card['name']}")
    assert [step for step in card["recipe"] if step not in page] == []


def test_every_card_is_of_the_weights_beside_it() -> None:
    named = {
        path.parent / name: digest for path in CARDS for name, digest in json.loads(path.read_text())["weights"].items()
    }
    assert named == {path: sha256_of(path) for path in networks()}


def test_a_card_of_other_weights_is_told(tmp_path: Path) -> None:
    weights = tmp_path / "own.safetensors"
    weights.write_bytes(b"first")
    weights.with_suffix(".json").write_text(json.dumps({"weights": {weights.name: sha256_of(weights)}}))
    assert read_card(weights)
    weights.write_bytes(b"second")
    with pytest.raises(InputError, match="other weights"):
        read_card(weights)


def test_together_they_are_small() -> None:
    assert sum(path.stat().st_size for path in networks()) < MOST_BYTES


def test_a_broken_card_is_told(tmp_path: Path) -> None:
    (tmp_path / "own.json").write_text("{")
    with pytest.raises(InputError, match="not a readable card"):
        read_card(tmp_path / "own.safetensors")
    assert read_card(tmp_path / "without.safetensors") == {}
