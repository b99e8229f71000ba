from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer.testing import CliRunner

from medveil.release.provenance import command_given, package_versions


def test_every_package_that_has_a_hand_in_it_is_told() -> None:
    told = package_versions()
    assert {"openvino", "onnxruntime", "numba", "torch", "numpy", "pydicom", "rapidocr"} <= told.keys()
    assert "pytest" not in told
    assert all(version[0].isdigit() for version in told.values())


def test_the_command_is_told_with_its_flags_and_without_paths(tmp_path: Path) -> None:
    app = typer.Typer()

    @app.callback()
    def group() -> None:
        """Several commands."""

    @app.command()
    def examine(
        source: Annotated[Path, typer.Argument(metavar="[IN]")],
        out: Annotated[Path, typer.Option("-o", "--out")],
        encoder: Annotated[str, typer.Option("--encoder")] = "small",
        attack: Annotated[list[str] | None, typer.Option("--attack")] = None,
        subset: Annotated[str, typer.Option("--subset", metavar="NAME=FILE")] = "",
        refit: Annotated[bool, typer.Option("--refit/--no-refit")] = True,
        seed: Annotated[int, typer.Option("--seed")] = 7,
        quiet: Annotated[bool, typer.Option("--quiet")] = False,
    ) -> None:
        typer.echo(command_given("nothing"))

    paths = [str(tmp_path), "-o", str(tmp_path / "JANE"), "--encoder", str(tmp_path)]
    paths += ["--subset", f"films={tmp_path},more={tmp_path},bits=1"]
    given = ["examine", *paths, "--attack", "a:bits=1", "--attack", "b", "--no-refit", "--quiet"]
    told = CliRunner().invoke(app, given).stdout.strip()
    assert told == (
        "medveil examine IN --out OUT --encoder ENCODER --attack a:bits=1 --attack b "
        "--subset films=FILE,more=FILE,bits=1 --no-refit"
    )


def test_from_python_it_is_the_command_that_does_the_same() -> None:
    assert command_given("medveil release IN -o OUT") == "medveil release IN -o OUT"
