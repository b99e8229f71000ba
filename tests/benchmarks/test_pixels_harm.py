"""The list of films with devices is sound, and harm is counted where it was done."""

from __future__ import annotations

import csv
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image

FOLDER = Path(__file__).parents[2] / "benchmarks"
ASKED_FOR = {"generator", "port", "cables", "electrodes", "rods"}


@pytest.fixture
def harm(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    before = set(sys.modules)
    monkeypatch.syspath_prepend(FOLDER)
    yield importlib.import_module("pixels_harm")
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == FOLDER:
            del sys.modules[name]


@pytest.fixture(scope="module")
def listed() -> list[dict[str, str]]:
    return rows("pixels_devices.csv")


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_letters_are_listed_with_the_side_first() -> None:
    letters = rows("pixels_letters.csv")
    assert {row["kind"] for row in letters} == {"marker", "initials"}
    assert sum(row["kind"] == "marker" for row in letters) >= 60
    for row in letters:
        left, top, right, bottom = (float(row[side]) for side in ("left", "top", "right", "bottom"))
        assert 0 <= left < right <= 1 and 0 <= top < bottom <= 1, row


def test_enough_films_with_devices_are_listed_each_box_inside_its_film(listed: list[dict[str, str]]) -> None:
    assert len({row["file"] for row in listed}) >= 100
    assert len({row["file"] for row in listed if row["kind"] in ASKED_FOR}) >= 60
    for row in listed:
        left, top, right, bottom = (float(row[side]) for side in ("left", "top", "right", "bottom"))
        assert 0 <= left < right <= 1 and 0 <= top < bottom <= 1, row
    assert len({tuple(row.values()) for row in listed}) == len(listed)


@pytest.mark.real_data
def test_listed_films_are_there_and_none_of_nih_is_a_val_patients(
    listed: list[dict[str, str]], real_data: Path
) -> None:
    with (real_data / "nih14" / "split.csv").open(newline="") as file:
        val = {row["patient"] for row in csv.DictReader(file) if row["split"] == "val"}
    for row in listed + rows("pixels_letters.csv"):
        assert (real_data / row["set"] / "images" / row["file"]).is_file(), row
        assert row["set"] == "covid19" or f"nih{row['file'].split('_')[0][-5:]}" not in val, row


def test_changed_pixels_are_told_by_place(harm: ModuleType, tmp_path: Path) -> None:
    film = np.full((100, 200), 90, np.uint8)
    painted = film.copy()
    painted[5:10, 20:40] = 0  # at the rim, in the first device's box
    files = tmp_path / "set" / "images" / "film.png", tmp_path / "medveil_film" / "a set film.png.png"
    for file in files:
        file.parent.mkdir(parents=True)
    Image.fromarray(film).save(files[0])
    Image.fromarray(painted).save(files[1])
    devices = (("port", (0.1, 0.0, 0.3, 0.2)), ("rods", (0.5, 0.5, 1.0, 1.0)))
    bench = harm.Bench(tmp_path, None, 1, {})
    found = harm.harm_of(bench, "medveil_film", harm.Film("a", files[0], "p", devices), {"clinical markers kept": 2})
    assert found.area == pytest.approx(100 / 20_000)
    assert found.inner == 0
    assert found.lungs == 0
    assert found.painted == ("port",)
    assert found.kept == 2
    painted[50, 100] = 0
    Image.fromarray(painted).save(files[1])
    again = harm.harm_of(bench, "medveil_film", found.film, {})
    assert again.inner == pytest.approx(1 / (70 * 140))
    assert again.lungs > 0  # no lungs are found here, and the middle stands for them


def test_withheld_films_are_counted_apart(harm: ModuleType) -> None:
    def one(patient: str, **rest: Any) -> Any:
        return harm.Harm(harm.Film("a", Path(patient), patient), rest.pop("withheld", ""), **rest)

    harms = [one("1"), one("2", area=0.02, inner=0.001), one("3", withheld="doubtful"), one("4", area=0.004)]
    found = harm.figures("a", harms, {"a": {"a second": 4.0}})
    assert found["films"] == 4
    assert found["area changed"]["value"] == pytest.approx(0.008)
    assert found["films over 1 %"]["value"] == pytest.approx(1 / 3)
    assert found["inner box touched"]["value"] == pytest.approx(1 / 3)
    assert found["withheld"]["value"] == 0.25
    assert found["reasons"] == {"doubtful": 1}
    assert found["seconds"] == 0.25
    assert [told.film.patient for told in harm.worst(harms)] == ["2", "4", "3"]


def test_a_sample_is_spread_over_the_set(harm: ModuleType) -> None:
    films = [harm.Film("a", Path(str(number)), "p") for number in range(10)]
    assert [film.path.name for film in harm.spread(films, 3)] == ["0", "3", "6"]
    assert harm.spread(films, None) == harm.spread(films, 20) == films


def test_a_side_is_kept_and_initials_are_gone_by_their_ink(harm: ModuleType) -> None:
    film = np.full((100, 100), 40, np.uint8)
    film[10:40, 10:16] = film[34:40, 10:30] = 220  # an L
    film[20:28, 20:28] = 230  # initials in its corner
    boxes = (("marker", (0.1, 0.1, 0.3, 0.4)), ("initials", (0.19, 0.19, 0.29, 0.29)))
    one = harm.Film("letters", Path("x"), "p", letters=boxes)
    changed = np.zeros(film.shape, bool)
    assert harm.letters(film, changed, one) == (("marker", True), ("initials", False))
    changed[19:29, 19:29] = True
    assert harm.letters(film, changed, one) == (("marker", True), ("initials", True))
    changed[10:20, 10:16] = True
    assert harm.letters(film, changed, one) == (("marker", False), ("initials", True))
