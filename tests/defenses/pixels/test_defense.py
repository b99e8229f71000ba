"""The entrance: what can be set, and what is noted about the filling."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medveil.defenses.pixels.defense import PLAIN, WITHOUT_GENERATOR, RemovedText
from medveil.defenses.pixels.removal import Removal, TextRemover
from medveil.errors import InputError, SettingsError
from medveil.parts import Subject, choose
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.weights.bundled import bundled

KEYS = Keys.for_demonstration(3)


def test_a_generator_of_ones_own_paints() -> None:
    (chosen,) = (
        one for one in choose("defenses", [f"pixels:generator={bundled('generator')}"]) if one.name == "pixels"
    )
    remover = chosen.build(keys=KEYS)._remover
    assert remover.filling.how == "generator" and remover.filling.generator == bundled("generator")
    assert remover.filling.key and KEYS.secret.hex().encode() not in remover.filling.key


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="generator or classical or black, not 'box'"):
        choose("defenses", ["pixels:fill=box"])
    with pytest.raises(SettingsError, match="black"):
        RemovedText.Settings(fill="black", generator=tmp_path)
    with pytest.raises(InputError, match="not a generator"):
        RemovedText(KEYS, RemovedText.Settings(generator=tmp_path / "none.safetensors"))


def test_large_holes_and_a_missing_generator_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    removal = Removal(
        boxes=((1, 1, 9, 9),), kept=(), mask_pct=1.0, rounds=1, fill="generator", plain=2, without_generator=True
    )

    def clean(remover: TextRemover, image: Any, *_: Any) -> tuple[Any, Removal]:
        return image, removal

    monkeypatch.setattr(TextRemover, "clean_image", clean)
    defense = RemovedText(KEYS)
    subject = Subject(Person(KEYS, "1"), picture=np.zeros((9, 9), np.uint8))
    subject.begin(defense)
    notes = defense.apply(subject).done[defense.name]
    assert notes[PLAIN] == 2 and notes[WITHOUT_GENERATOR] == 1
