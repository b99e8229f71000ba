"""The page of the papers: every command of its linkage half parses, and runs on phantoms with stand-ins for models."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
import pytest
import typer
from numpy.typing import NDArray
from typer.testing import CliRunner

from medveil.cli import app
from medveil.cohort.phantom.hospital import build_hospital
from medveil.encoders.encoder import unit_length
from medveil.parts import registered
from medveil.release.protect import preparation

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "papers.md"
HALF = PAGE.read_text().partition("\n## Cross-modal linkage\n")[2].partition("\n## ")[0]
COMMANDS = [line for body in re.findall(r"^```bash\n(.*?)^```$", HALF, re.M | re.S) for line in body.splitlines()]
DIM = 16


class StandIn:
    """A model of pairs that sees eight by eight pixels and counts words."""

    dim, license = DIM, "none"

    def __init__(self, name: str) -> None:
        self.name = self.fingerprint = name

    def encode_images(self, images: Iterable[NDArray[Any]]) -> NDArray[np.float32]:
        small = [cv2.resize(image.astype(np.float32), (8, 8), interpolation=cv2.INTER_AREA).ravel() for image in images]
        return self._mixed(np.array([row - row.mean() for row in small]), 1)

    def encode_reports(self, texts: Iterable[str]) -> NDArray[np.float32]:
        counts = np.zeros((0, 64))
        for text in texts:
            words = [zlib.crc32(word.encode()) % 64 for word in text.lower().split()]
            counts = np.vstack([counts, np.bincount(words, minlength=64)])
        return self._mixed(counts, 2)

    def _mixed(self, rows: NDArray[Any], seed: int) -> NDArray[np.float32]:
        mixing = np.random.default_rng([seed, zlib.crc32(self.name.encode())]).normal(size=(64, DIM))
        return unit_length(rows.reshape(-1, 64) @ mixing)


def words_of(line: str) -> list[str]:
    program, *words = shlex.split(line)
    assert program == "medveil"
    return words


def test_the_page_has_the_commands() -> None:
    assert [" ".join(words_of(line)[:2]) for line in COMMANDS] == [
        *["cohort describe"] * 2,
        *["attack linkage"] * 2,
        "protect alignment",
    ]
    encoders = set(re.findall(r"--encoder (\S+)", HALF))
    assert encoders == set(registered("encoders")) - {"medveil-small"}, "the four published models"


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_parses(line: str) -> None:
    command: click.Command = typer.main.get_command(app)
    words = words_of(line)
    while isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    command.make_context("medveil", words)


def test_every_table_and_figure_of_the_paper_is_there() -> None:
    rows = "\n".join(re.findall(r"^\| (.*?) \|", HALF, re.M))
    for number in range(1, 6):
        assert f"Figure {number}" in rows and f"Table {number}" in rows
    for name in (
        "Supplementary Tables 1 and 2",
        "Supplementary Table 3",
        "Supplementary Table 4",
        "Supplementary Table 5",
    ):
        assert name in rows


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hospitals under the names of the page; nobody is in both, for the second has ids of its own."""
    folder = tmp_path_factory.mktemp("data")
    build_hospital(folder / "mimic-cxr", patients=200, size=64, seed=7)
    shutil.copytree(folder / "mimic-cxr", folder / "chexpert-plus")
    return folder


@pytest.mark.exhaustive
def test_every_command_runs(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the page; reports have the tables and figures that the page says they have."""
    monkeypatch.setattr("medveil.encoders.loading.load_encoder", lambda name, device="cpu": StandIn(name))
    monkeypatch.setattr("medveil.release.protect.run.load_encoder", lambda name, device="cpu": StandIn(name))
    monkeypatch.setattr(preparation, "PHANTOMS", 16)
    told: dict[str, Any] = {}
    for line in COMMANDS:
        words = [word.replace("/data/", f"{data}/") for word in words_of(line)]
        done = CliRunner().invoke(app, [*words, "--json"])
        assert done.exception is None or isinstance(done.exception, SystemExit), (line, done.exception)
        told[line] = json.loads(done.stdout)
    described, _, linked, _, protected = told.values()
    assert set(described["by split"]) == {"train", "val", "test"}
    assert set(described["views"]) <= {"AP", "PA"}
    assert_shown(linked, "attack linkage")
    assert_shown(protected, "protect alignment")
    assert list(protected["settings"]) == ["dp-nominal, σ 1.4", "entropy"]
    pairs = protected["provenance"]["settings"]["pairs"]
    assert pairs["test"] < pairs["train"] and len(pairs) >= 5, "and another data set"


def assert_shown(report: dict[str, Any], command: str) -> None:
    """What the page puts in italics beside this command is a title of the report, whatever the size of a pool."""
    found = report["comparisons"][-1]["after"]
    titles = "\n".join(_plain(each["title"]) for each in [*found["figures"], *found["tables"]])
    rows = [cells.split(" | ")[2] for cells in re.findall(rf"^\| (.*? \| `{command}` \| .*?) \|$", HALF, re.M)]
    wanted = {_plain(name) for row in rows for name in re.findall(r"\*(.*?)\*", row)}
    assert wanted and all(name in titles for name in wanted), sorted(name for name in wanted if name not in titles)


def _plain(title: str) -> str:
    """Without sizes: a phantom hospital has no 10,000 reports."""
    return re.sub(r"\b(?:[\d,]+|all(?: \([\d,]+\))?)\b", "N", title)
