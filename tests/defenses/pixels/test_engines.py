"""A user's own detector and reader: taken as they answer, or refused in one sentence before anything is done."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from medveil.defenses.pixels.defense import RemovedText
from medveil.defenses.pixels.engines import detector_of, own_engines, reader_of
from medveil.defenses.pixels.find.detector import find_lines
from medveil.defenses.pixels.read.second_reader import second_opinion
from medveil.errors import SettingsError
from medveil.parts import Subject
from medveil.person.keys import Keys
from medveil.person.person import Person

CORNERS = [(10, 20), (60, 20), (60, 32), (10, 32)]


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> ModuleType:
    """A module of the user's, under a name of its own: what is loaded once stays loaded."""
    module = ModuleType(f"own_{abs(hash(request.node.name))}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def test_a_detector_answers_in_corners_and_lines_come_out(own: ModuleType) -> None:
    shapes = []

    def find(image: np.ndarray) -> list[Any]:
        shapes.append((image.shape, image.dtype))
        return [(CORNERS, 0.8)] if image.any() else []

    own.find = find  # type: ignore[attr-defined]
    detector = detector_of(f"{own.__name__}:find")
    (line,) = detector(np.full((100, 200), 7, np.uint8), (50, 30, 150, 90))
    assert shapes == [((256, 256), np.uint8), ((60, 100), np.uint8)]
    assert (line.x, line.y, line.length, line.height) == (35 + 50, 26 + 30, 50, 12)
    assert line.score == pytest.approx(0.8)


def test_a_reader_answers_for_every_strip(own: ModuleType) -> None:
    own.read = lambda strips: [("AP" if strip.any() else "", 0.9) for strip in strips]  # type: ignore[attr-defined]
    reader = reader_of(f"{own.__name__}:read")
    assert reader([np.ones((48, 90), np.uint8), np.zeros((48, 20), np.uint8)]) == [("AP", 0.9), ("", 0.9)]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([(CORNERS[:3], 0.8)], "must answer with"),
        ([(CORNERS, 80)], "must answer with"),
        ([CORNERS], "must answer with"),
        (None, "must answer with"),
        (ZeroDivisionError("secret"), "fails on a blank image"),
    ],
)
def test_a_detector_that_answers_otherwise_is_refused_at_once(own: ModuleType, answer: Any, said: str) -> None:
    def find(image: np.ndarray) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    own.find = find  # type: ignore[attr-defined]
    with pytest.raises(SettingsError, match=said) as refused:
        detector_of(f"{own.__name__}:find")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("answer", [[("AP", 2.0)], [(b"AP", 0.5)], [], ["AP"], [("A", 0.1), ("B", 0.1)]])
def test_a_reader_that_answers_otherwise_is_refused_at_once(own: ModuleType, answer: Any) -> None:
    own.read = lambda strips: answer  # type: ignore[attr-defined]
    with pytest.raises(SettingsError, match="must answer with"):
        reader_of(f"{own.__name__}:read")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere_to_be_found:find", "cannot be imported"),
        ("math:find", "cannot be imported"),
        ("math:pi", "not a function"),
        ("math", "named as package.module:function"),
    ],
)
def test_what_is_not_there_is_told_in_one_sentence(name: str, said: str) -> None:
    for load in (detector_of, reader_of):
        with pytest.raises(SettingsError, match=said):
            load(name)


def test_a_failure_at_work_is_the_images_and_stops_nothing(own: ModuleType) -> None:
    def find(image: np.ndarray) -> list[Any]:
        if image.any():
            raise RuntimeError("out of order")
        return []

    own.find = find  # type: ignore[attr-defined]
    detector = detector_of(f"{own.__name__}:find")
    with pytest.raises(RuntimeError):
        detector(np.ones((10, 10), np.uint8), None)


def test_they_stand_in_for_the_bundled_ones_while_a_defense_works(own: ModuleType) -> None:
    own.find = lambda image: [(CORNERS, 0.8)]  # type: ignore[attr-defined]
    own.read = lambda strips: [("AP", 0.9)] * len(strips)  # type: ignore[attr-defined]
    view, strip = np.zeros((100, 200), np.uint8), np.zeros((48, 100), np.uint8)
    with own_engines(f"{own.__name__}:find", f"{own.__name__}:read"):
        assert len(find_lines(view)) == 1
        assert second_opinion(strip) == ("AP", 0.9)
    assert find_lines(view) == []
    assert second_opinion(strip)[0] == ""


def test_a_defense_uses_those_of_its_settings(own: ModuleType) -> None:
    asked = []

    def find(image: np.ndarray) -> list[Any]:
        asked.append(image.shape)
        return []

    own.find = find  # type: ignore[attr-defined]
    keys = Keys(b"k")
    defense = RemovedText(keys, RemovedText.Settings(fill="black", detector=f"{own.__name__}:find"))
    defense.check_models()
    film = np.random.default_rng(0).integers(90, 110, (120, 140)).astype(np.uint8)
    defense.apply(Subject(Person(keys, "MR-1", ()), picture=film))
    assert asked == [(256, 256), (120, 140)]


def test_a_defense_refuses_a_reader_that_is_not_there_before_the_work() -> None:
    defense = RemovedText(Keys(b"k"), RemovedText.Settings(reader="nowhere_to_be_found:read"))
    with pytest.raises(SettingsError, match="cannot be imported"):
        defense.check_models()
