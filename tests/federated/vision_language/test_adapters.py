from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from medveil.errors import InputError
from medveil.federated.local_training import LocalTraining, assemble, initial, names
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.adapters import merged
from medveil.federated.vision_language.building import build
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.model_file import recipe_of, save_weights
from medveil.federated.vision_language.steps import predicted


@pytest.fixture
def start(small_recipe: Recipe, tmp_path: Path) -> Path:
    save_weights(tmp_path / "start.safetensors", build(replace(small_recipe, seed=4)), small_recipe)
    return tmp_path / "start.safetensors"


def size(recipe: Recipe) -> int:
    return sum(part.nbytes for part in initial(recipe))


def test_adapters_begin_where_the_weights_left_and_send_a_small_part(
    small_recipe: Recipe, make_films: Callable[..., Films], start: Path
) -> None:
    whole = replace(small_recipe, start=start)
    adapters = replace(whole, trained="adapters", rank=1)
    heads = replace(whole, trained="heads")
    films = make_films()
    before = predicted(build(whole), films.pixels, device="cpu")
    assert np.allclose(predicted(build(adapters), films.pixels, device="cpu"), before, atol=1e-5)
    assert size(heads) < size(adapters) < 0.35 * size(whole)
    update = LocalTraining(adapters, films, None).update(initial(adapters), 1)
    told = names(adapters)
    assert len(update) == len(told) and any("lora_A" in name for name in told)
    assert not any("base_layer" in name for name in told)
    trained = assemble(adapters, [a + b for a, b in zip(initial(adapters), update, strict=True)])
    after = predicted(trained, films.pixels, device="cpu")
    assert not np.allclose(after, before, atol=1e-4)
    plain = merged(trained)
    assert not any("lora" in name for name, _ in plain.named_parameters())
    assert np.allclose(predicted(plain, films.pixels, device="cpu"), after, atol=1e-4)


def test_weights_of_another_make_are_refused_and_other_findings_begin_anew(
    small_recipe: Recipe, start: Path, tmp_path: Path
) -> None:
    assert recipe_of(start)["findings"] == list(small_recipe.findings)
    with pytest.raises(InputError, match="another make"):
        build(replace(small_recipe, channels=16, start=start))
    (tmp_path / "no").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not a model"):
        build(replace(small_recipe, start=tmp_path / "no"))
    others = replace(small_recipe, findings=("Fracture", "Edema", "Pneumonia"), start=start)
    kept, fresh = build(replace(small_recipe, start=start)), build(others)
    assert torch.equal(kept.image_projection.weight, fresh.image_projection.weight)
    assert not torch.equal(kept.image_head.weight, fresh.image_head.weight)
