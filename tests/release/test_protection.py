from __future__ import annotations

import pytest

from medveil.errors import SettingsError
from medveil.release.settings import Settings


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


def test_named_twice_is_there_once() -> None:
    hidden = Settings(protect="all", attacks=("default", "identity-adversaries"), measures=("diagnosis",))
    assert names(hidden, "attacks").count("identity-adversaries") == 1
    assert names(hidden, "measures") == ["diagnosis"]
