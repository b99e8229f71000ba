from __future__ import annotations

from pathlib import Path

import pytest

from medveil.errors import InputError, SettingsError
from medveil.person.keys import Keys
from medveil.release import Settings, release


def names(settings: Settings, kind: str) -> list[str]:
    return [each.name for each in settings.chosen(kind)]  # type: ignore[arg-type]


def test_protected_films_meet_attackers_who_learn_and_are_asked_for_a_diagnosis() -> None:
    plain, hidden = Settings(), Settings(protect="anatomy")
    assert "identity-adversaries" not in names(plain, "attacks")
    assert "identity-adversaries" in names(hidden, "attacks")
    assert "pixel-damage" in names(plain, "measures") and "diagnosis" not in names(plain, "measures")
    assert "pixel-damage" not in names(hidden, "measures") and "diagnosis" in names(hidden, "measures")


def test_what_makes_no_sense_is_refused() -> None:
    for settings in (
        Settings(protect="everything"),  # type: ignore[arg-type]
        Settings(protect="all", risk=0.0),
        Settings(risk=0.1),
        Settings(protect="table", writer="dicom"),
    ):
        with pytest.raises(SettingsError):
            settings.resolved()


def test_a_ledger_lies_outside_of_what_is_released(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    inside = Settings(defenses=("default", f"anatomy:bits=4,ledger={out / 'data' / 'bits.jsonl'}"))
    with pytest.raises(InputError, match="must not be in the output folder"):
        release(source, out, keys=Keys.for_demonstration(1), settings=inside)
    assert not out.exists()


def test_named_twice_is_there_once() -> None:
    hidden = Settings(protect="all", attacks=("default", "identity-adversaries"), measures=("diagnosis",))
    assert names(hidden, "attacks").count("identity-adversaries") == 1
    assert names(hidden, "measures") == ["diagnosis"]
