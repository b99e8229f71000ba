from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from medveil.cli import app
from medveil.encoders.identity.networks.model_file import read_architecture
from medveil.errors import SettingsError


def test_the_published_verification_with_pairs_and_rate_of_ones_own(hospital_folder: Path, tmp_path: Path) -> None:
    command = ["train", "verification", str(hospital_folder), "-o", str(tmp_path), "--recipe", "published"]
    told = CliRunner().invoke(
        app,
        [*command, "--size", "64", "--epochs", "1", "--mining", "fixed", "--pairs", "8", "--rate", "1e-3", "--json"],
    )
    found = json.loads(told.stdout)
    assert (told.exit_code, found["pairs"], found["epochs"]) == (0, 8, 1)
    assert "from chance" in found["note"], "the paper starts from ImageNet"
    record = json.loads((tmp_path / "training.json").read_text())
    assert (record["settings"]["mining"], record["settings"]["rate"], record["pairs"]) == ("fixed", 1e-3, 8)
    architecture = read_architecture(Path(found["model"]))
    assert (architecture.kind, architecture.backbone, architecture.stretched) == ("verification", "resnet50", False)


@pytest.mark.parametrize(
    ("network", "flags"),
    [
        ("reidentification", ["--pairs", "100"]),
        ("reidentification", ["--mining", "fixed"]),
        ("inpainting", ["--rate", "0.1"]),
        ("inpainting", ["--frozen-epochs", "0"]),
        ("verification", ["--pairs", "100"]),  # the small recipe takes the pairs of a batch
    ],
)
def test_flags_of_other_networks_are_refused(network: str, flags: list[str], tmp_path: Path) -> None:
    refused = CliRunner().invoke(app, ["train", network, str(tmp_path), "-o", str(tmp_path), *flags])
    assert isinstance(refused.exception, SettingsError)
