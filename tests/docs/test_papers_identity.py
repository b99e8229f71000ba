"""Every command of the page of papers that belongs to patient re-identification parses, and runs on phantoms."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
import torch
import typer
from typer.testing import CliRunner

from medveil import cli
from medveil.cohort import Cohort
from medveil.encoders.identity.networks.model_file import Architecture, save_network
from medveil.encoders.identity.networks.resnet import ResNet50
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork
from medveil.encoders.identity.verifier import VerificationNetwork

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "papers.md"
REDUCED = {"--device": "cpu", "--pair-redraws": "20", "--pairs": "8", "--epochs": "1"}


def commands() -> list[list[str]]:
    text = PAGE.read_text()
    section = text[text.index("## Patient re-identification") : text.index("## Cross-modal linkage")]
    inline = re.findall(r"`(medveil [^`]+)`", section)
    fenced = [line for body in re.findall(r"```bash\n(.*?)```", section, re.DOTALL) for line in body.splitlines()]
    return [shlex.split(line)[1:] for line in [*fenced, *inline]]


def resolved(words: list[str]) -> tuple[click.Command, list[str]]:
    command: click.Command = typer.main.get_command(cli.app)
    while isinstance(command, click.Group):
        command, words = command.commands[words[0]], words[1:]
    return command, words


def test_the_page_names_every_table_and_figure() -> None:
    text = PAGE.read_text()
    for number in range(1, 6):
        assert f"Table {number}" in text
    for number in range(1, 9):
        assert re.search(rf"[Ff]igures? (?:\d, |\d and )*{number}\b", text), number
    assert len(commands()) >= 12


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_parses(words: list[str]) -> None:
    command, rest = resolved(words)
    with command.make_context(command.name, list(rest)) as context:
        assert context.params


def reduced(words: list[str], folder: Path, hospital: Path) -> list[str]:
    """The same command on a phantom hospital, in a minute instead of days."""
    told = " ".join(shlex.quote(word) for word in words)
    for name in ("NIH", "CHEXPERT", "COVID"):
        told = told.replace(f" {name} ", f" {hospital} ")
    for name in ("OUT", "VERIFIER", "RETRIEVER", "RESNET50", "WITH.txt", "WITHOUT.txt"):
        told = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", str(folder / name), told)
    small, given = [], iter(shlex.split(told))
    seen: set[str] = set()
    for word in given:
        if word in REDUCED or word == "--rate":
            value = next(given)
            if word not in seen:
                small += [word, REDUCED.get(word, value)]
            seen.add(word)
        else:
            small.append(word)
    trains = words[0] == "train" or words[:2] == ["study", "training"]
    small += ["--epochs", "1", "--size", "64"] if trains else []
    small += ["--frozen-epochs", "1"] if words[0] == "train" else []
    small += ["--pairs", "8"] if words[:2] == ["train", "verification"] else []
    small += ["--size", "96", "--size", "64"] if words[:2] == ["study", "resolution"] else []
    if "--split" in words or words[:2] == ["study", "training"]:
        small += ["--split-by", "20/10/70"]  # a test part in which eleven patients came twice
    return [*small, "--quiet"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, hospital: Cohort) -> Path:
    """Networks that were never trained, and lists of films, under the names of the page."""
    place = tmp_path_factory.mktemp("papers")
    network = {"backbone": "resnet-small", "head": "global", "dim": 16, "size": 64, "stretched": False}
    save_network(
        place / "VERIFIER" / "model.safetensors",
        VerificationNetwork("resnet-small", "global", 16),
        Architecture("verification", **network),  # type: ignore[arg-type]
    )
    save_network(
        place / "RETRIEVER" / "model.safetensors",
        RetrievalNetwork("resnet-small", "global", 16),
        Architecture("reidentification", **network),  # type: ignore[arg-type]
    )
    torch.save(ResNet50().state_dict(), place / "RESNET50")
    for name in ("WITH.txt", "WITHOUT.txt"):
        (place / name).write_text("\n".join(hospital.table["image_id"]))
    return place


@pytest.mark.exhaustive
@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_runs_on_phantoms(words: list[str], folder: Path, hospital_folder: Path) -> None:
    done = CliRunner().invoke(cli.app, reduced(words, folder, hospital_folder), catch_exceptions=False)
    assert done.exit_code in (0, 1)  # 1: the attack succeeded
    made = folder / words[words.index("-o") + 1]
    assert any((made / name).is_file() for name in ("report.html", "model.safetensors"))
