"""Tiny models in each family's own layout: they load, look, answer, and come from their folder alone."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from medveil.errors import InputError, SettingsError
from medveil.utility.vqa.model import Query
from medveil.utility.vqa.models import loading
from medveil.utility.vqa.models.loading import load_answers
from medveil.utility.vqa.question import Question
from medveil.utility.vqa.scores import score_words

NAMES = (
    "llava",
    "llava of an older transformers",
    "blip",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("llava without a chat", "qwen", "gemma")),
)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("went online"))


@pytest.mark.parametrize("name", NAMES)
def test_a_family_loads_and_answers_the_same_every_time(family: Callable[[str], Path], name: str) -> None:
    model = load_answers(str(family(name)))
    image = np.random.default_rng(0).integers(0, 256, (40, 30), np.uint8)
    colour = np.stack([image, image[::-1], image], -1)
    queries = [Query(image, "is the heart large?"), Query(colour, "left or right?", "yes no"), Query(None, "is it?")]

    answers = model.answer_many(queries)

    assert all(isinstance(answer, str) and "is the heart" not in answer for answer in answers)
    assert [model.answer(query.image, query.question, query.note) for query in queries] == answers
    again = load_answers(str(family(name)))
    assert again.answer_many(queries) == answers and again.fingerprint == model.fingerprint
    assert model.name == family(name).name and model.license == "not stated"
    questions = [Question.of(str(n), "one", query.question, answers[n] or "no") for n, query in enumerate(queries)]
    scores = score_words(answers, questions)
    assert all(len(values) == len(queries) and values.min() >= 0 and values.max() <= 1 for values in scores.values())


@pytest.fixture
def copied(family: Callable[[str], Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(family("llava"), tmp_path / "copied"))


def test_the_picture_reaches_the_model(family: Callable[[str], Path]) -> None:
    """Random weights seldom change a word, but they change what is computed before it."""
    model = load_answers(str(family("llava")))
    dark, bright = np.zeros((30, 30), np.uint8), np.full((30, 30), 255, np.uint8)
    pixels = [model._inputs(image, "is it?")["pixel_values"] for image in (dark, bright)]  # type: ignore[attr-defined]
    assert pixels[0].mean() < pixels[1].mean()
    assert "pixel_values" not in model._inputs(None, "is it?")  # type: ignore[attr-defined]


def test_kept_answers_belong_to_the_precision_they_were_computed_in(family: Callable[[str], Path]) -> None:
    assert load_answers(str(family("llava"))).fingerprint.endswith("torch.float32")


def test_a_layout_that_transformers_does_not_know_is_named(copied: Path) -> None:
    """LLaVA-Med's first release is one: another copy of the same files would not help."""
    config = json.loads((copied / "config.json").read_text()) | {"model_type": "llava_mistral"}
    (copied / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match=r"llava_mistral.*-hf"):
        load_answers(str(copied))


def test_pickled_weights_are_refused(copied: Path) -> None:
    (copied / "model.safetensors").rename(copied / "pytorch_model.bin")
    with pytest.raises(InputError, match="no weights as safetensors"):
        load_answers(str(copied))


def test_weights_that_lack_a_tensor_are_refused(copied: Path) -> None:
    tensors = load_file(copied / "model.safetensors")
    tensors.pop(next(name for name in tensors if "layers.1" in name))
    save_file(tensors, copied / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match="not those of the model"):
        load_answers(str(copied))


@pytest.mark.parametrize("damage", ["no config", "another model", "own code", "no processor", "no prompt"])
def test_a_folder_that_is_not_whole_is_one_sentence(copied: Path, damage: str) -> None:
    config = json.loads((copied / "config.json").read_text())
    match damage:
        case "no config":
            (copied / "config.json").unlink()
        case "another model":
            (copied / "config.json").write_text(json.dumps({"model_type": "bert"}))
        case "own code":
            changed = config | {"model_type": "mine", "auto_map": {"AutoModelForImageTextToText": "mine.Model"}}
            (copied / "config.json").write_text(json.dumps(changed))
            (copied / "mine.py").write_text("raise SystemExit('code of the model was run')")
        case "no processor":
            for file in ("tokenizer.json", "tokenizer_config.json", "processor_config.json"):
                (copied / file).unlink(missing_ok=True)
        case "no prompt":
            (copied / "chat_template.jinja").unlink()
            (copied / "config.json").write_text(json.dumps(config | {"model_type": "vipllava"}))
    with pytest.raises(InputError, match="again"):
        load_answers(str(copied))


def test_a_name_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match="no answer model called nobody"):
        load_answers("nobody")
    with pytest.raises(SettingsError, match="--consent is for an endpoint"):
        load_answers(loading.BUNDLED, consent="far.example")
    with pytest.raises(SettingsError, match="which of its models"):
        load_answers(endpoint="http://localhost:1/v1")


def test_an_endpoints_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(loading.KEY, "k-1")
    model = load_answers("small", endpoint="http://localhost:1/v1")
    assert model._endpoint.key == "k-1" and model.name == "small at localhost:1"  # type: ignore[attr-defined]
