"""Every bundled network has a card that says what it is, and together they stay small."""

from __future__ import annotations

from pathlib import Path

import pytest

import medveil.weights
from medveil.errors import InputError
from medveil.weights.card import read_card

FOLDER = Path(medveil.weights.__file__).parent
CARDS = sorted(FOLDER.rglob("*.json"))
FIELDS = ("name", "data", "start", "recipe", "seeds", "licence", "for", "not_for", "limits", "scores")
MOST_BYTES = 40_000_000


def test_every_network_has_a_card() -> None:
    assert {path.parent for path in FOLDER.rglob("*.safetensors")} == {path.parent for path in CARDS}


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_a_card_says_what_the_network_is(path: Path) -> None:
    card = read_card(path.with_suffix(".safetensors"))
    assert [name for name in FIELDS if not card.get(name)] == []
    page = path.with_suffix(".md").read_text("utf-8")
    assert page.startswith(f"# {card['name']}")
    assert [step for step in card["recipe"] if step not in page] == []


def test_together_they_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.safetensors")) < MOST_BYTES


def test_a_broken_card_is_told(tmp_path: Path) -> None:
    (tmp_path / "own.json").write_text("{")
    with pytest.raises(InputError, match="not a readable card"):
        read_card(tmp_path / "own.safetensors")
    assert read_card(tmp_path / "without.safetensors") == {}
