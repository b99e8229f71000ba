from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from medveil.cohort.schema import LABELS
from medveil.errors import InputError, SettingsError
from medveil.federated.recipe import Privacy, Recipe


def test_a_recipe_read_from_toml_is_the_one_written_in_json(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(
        '[recipe]\nimage = "vit"\nfindings = ["Edema", "Fracture"]\nlocal-steps = 3\ncontrast = 1\n'
        "[recipe.privacy]\nepsilon = 4\nnoise = 1.5\n"
    )
    recipe = Recipe.read(file)
    assert recipe == Recipe(
        findings=("Edema", "Fracture"),
        image="vit",
        local_steps=3,
        contrast=1.0,
        privacy=Privacy(epsilon=4.0, noise=1.5),
    )
    assert Recipe.of(json.loads(recipe.canonical())) == recipe
    assert Recipe().findings == LABELS


def test_the_digest_changes_with_every_setting_and_not_with_the_place_of_a_file(tmp_path: Path) -> None:
    plain = Recipe()
    assert plain.digest == Recipe().digest
    assert len({one.digest for one in (plain, replace(plain, proximal=0.1), replace(plain, privacy=Privacy()))}) == 3
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"weights")
    here, there = (replace(plain, start=tmp_path / name) for name in ("a", "b"))
    assert here.digest == there.digest
    (tmp_path / "b").write_bytes(b"others")
    assert here.digest != there.digest
    with pytest.raises(InputError, match="cannot be read"):
        _ = replace(plain, start=tmp_path / "none").digest


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"image": "vgg"}, "image cannot be 'vgg'"),
        ({"colour": 1}, "no setting called colour"),
        ({"side": 100}, "multiple of 16"),
        ({"batch": 0}, "batch must be a positive number"),
        ({"batch": 2.5}, "batch cannot be 2.5"),
        ({"findings": []}, "at least one name"),
        ({"findings": ["Edema", "Edema"]}, "none of them twice"),
        ({"trained": "adapters"}, "needs weights to begin with"),
        ({"privacy": {"delta": 2}}, "between 0 and 1"),
        ({"privacy": {"noise": 0}}, "noise must be a positive number"),
        ({"privacy": 8}, "must be a table"),
        ({"proximal": float("nan")}, "zero or a positive number"),
        ({"adam": "nobody"}, "adam cannot be 'nobody'"),
        ({"adam": "coordinator", "momentum": 0.9}, "momentum of its own"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(table: dict[str, object], told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        Recipe.of(table)


def test_a_site_reads_what_it_approves() -> None:
    told = " ".join(replace(Recipe(), privacy=Privacy(epsilon=3, delta=1e-6, noise=1.25)).described())
    for fact in ("resnet", "128 pixels", "ε at most 3 at δ = 1e-06", "noise 1.25", "Cardiomegaly", "μ = 0.01"):
        assert fact in told
    assert "No differential privacy" in " ".join(Recipe(text="none").described())
    assert "the update is the gradient itself" in " ".join(Recipe(adam="coordinator").described())


def test_a_site_reads_which_weights_training_begins_with(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    path.write_bytes(b"weights")
    told = "\n".join(Recipe(trained="heads", start=path).described())
    assert f"begins with weights sha256:{hashlib.sha256(b'weights').hexdigest()}" in told
    assert "begins with" not in "\n".join(Recipe().described())
