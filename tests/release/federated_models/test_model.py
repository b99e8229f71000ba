from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from typer.testing import CliRunner

from medveil.cli import app
from medveil.cohort import LABELS, Cohort
from medveil.errors import InputError, SettingsError
from medveil.federated.local_training import assemble, initial
from medveil.federated.recipe import Privacy, Recipe
from medveil.federated.record import Record, RoundRecord, save
from medveil.federated.vision_language.model_file import save_weights
from medveil.release.federated_models.model import federated_file, read_model


@pytest.fixture
def saved(small_recipe: Recipe, tmp_path: Path) -> Path:
    """A run of three rounds, one of which did not count."""
    arrays = [one + np.float32(0.01) for one in initial(small_recipe)]
    save_weights(tmp_path / "model.safetensors", assemble(small_recipe, arrays), small_recipe)
    history = [RoundRecord(number, ("a",), {}, {}, {}, 1.0, counted=number != 2) for number in (1, 2, 3)]
    save(tmp_path, Record("digest", "A run", 3, False, "mean", {}, history=history))
    return tmp_path


def test_a_model_is_known_by_its_file_or_its_folder(saved: Path, small_recipe: Recipe) -> None:
    path = federated_file(str(saved))
    assert path == federated_file(str(saved / "model.safetensors")) == saved / "model.safetensors"
    assert federated_file("medveil-small") is None and federated_file(str(saved.parent)) is None
    model = read_model(path)
    assert model.recipe == small_recipe and model.rounds == 2
    trained = [one.detach().numpy() for one in model.network.parameters()]
    for one, begun in zip(trained, initial(small_recipe), strict=True):
        assert np.allclose(one, begun + 0.01, atol=1e-6)


def test_without_a_record_the_rounds_are_asked_for(saved: Path) -> None:
    (saved / "federation.json").unlink()
    with pytest.raises(SettingsError, match="--rounds"):
        read_model(saved / "model.safetensors")
    assert read_model(saved / "model.safetensors", rounds=7).rounds == 7


def test_weights_to_begin_with_must_be_those_of_the_recipe(saved: Path, small_recipe: Recipe, tmp_path: Path) -> None:
    start = saved / "model.safetensors"
    later = replace(small_recipe, start=start, trained="heads")
    (tmp_path / "later").mkdir()
    save_weights(tmp_path / "later" / "model.safetensors", assemble(later, initial(later)), later)
    with pytest.raises(SettingsError, match="--start"):
        read_model(tmp_path / "later" / "model.safetensors", rounds=1)
    assert read_model(tmp_path / "later" / "model.safetensors", rounds=1, start=start).recipe == later


def test_a_file_that_was_changed_is_refused(saved: Path, small_recipe: Recipe) -> None:
    other = replace(small_recipe, channels=16)
    save_weights(saved / "model.safetensors", assemble(other, initial(other)), small_recipe)
    with pytest.raises(InputError, match="do not fit the recipe"):
        read_model(saved / "model.safetensors")


@pytest.mark.exhaustive
def test_the_command_attacks_a_federated_model_and_states_the_limit(small_recipe: Recipe, tmp_path: Path) -> None:
    recipe = replace(small_recipe, local_steps=1, privacy=Privacy(2.0, 1e-5, 1.0, 4.0))
    run = tmp_path / "run"
    run.mkdir()
    save_weights(run / "model.safetensors", assemble(recipe, initial(recipe)), recipe)
    cohort = _cohort(tmp_path / "films")
    cohort.save(tmp_path / "films")
    arguments = ["attack", "membership", run, tmp_path / "films", "-o", tmp_path / "out", "--rounds", 1, "--json"]
    done = CliRunner().invoke(app, [*map(str, arguments), "--shadows", "4", "--keep", str(tmp_path / "kept")])
    assert done.exit_code in (0, 1), done.output
    assert len(list((tmp_path / "kept").glob("*.npz"))) == 8  # four with noise, and four without, for the power
    told = json.dumps(json.loads((tmp_path / "out" / "report.json").read_text()), ensure_ascii=False)
    assert "ε = 2, δ = 1e-05" in told and "4 of the model's own recipe" in told
    assert not any(name in told for name in cohort.table["patient_id"])
    refused = CliRunner().invoke(app, [*map(str, arguments), "--reference", "medveil-small"])
    assert isinstance(refused.exception, SettingsError) and "its own recipe" in str(refused.exception)


def _cohort(folder: Path) -> Cohort:
    folder.mkdir()
    rng = np.random.default_rng(1)
    rows: list[dict[str, Any]] = []
    for number in range(100):
        Image.fromarray(rng.integers(0, 256, (32, 32), dtype=np.uint8)).save(folder / f"{number:03}.png")
        ids = {"image_id": f"image-{number:03}", "patient_id": f"patient-{number:03}", "study_id": f"study-{number:03}"}
        labels = {name: float(rng.integers(2)) for name in LABELS}
        rest = {
            "site": f"site-{number % 2}",
            "view": "PA",
            "split": ("train", "test", "train", "test", "val")[number % 5],
        }
        rows.append({**ids, **labels, **rest, "path": f"{number:03}.png", "report": "heart large left base"})
    return Cohort.of(pd.DataFrame(rows), folder)
