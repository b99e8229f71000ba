from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from medveil.errors import InputError
from medveil.training.checkpoint import load_state, read_header, read_tensors, save_state, write_model


def test_a_model_is_half_precision_and_says_how_to_build_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "model.safetensors"
    write_model(path, {"a": torch.ones(3), "n": torch.arange(2)}, form="test/1", architecture={"width": 4})
    assert {name: value.dtype for name, value in load_file(path).items()} == {"a": torch.float16, "n": torch.int64}
    assert read_header(path, form="test/1") == {"width": 4}
    with pytest.raises(ValueError):
        read_header(path, form="test/2")
    with pytest.raises(ValueError):
        read_header(tmp_path / "missing", form="test/1")


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (tmp_path / "touched",))  # type: ignore[return-value]

    for name, read in (("weights.pth", read_tensors), ("state.pt", lambda path: load_state(path, "cpu"))):
        torch.save({"weights": Evil()}, tmp_path / name)
        with pytest.raises(InputError):
            read(tmp_path / name)
    assert not (tmp_path / "touched").exists()


def test_weights_are_named_tensors_and_nothing_else(tmp_path: Path) -> None:
    torch.save({"a": torch.ones(2)}, tmp_path / "plain.pth")
    assert read_tensors(tmp_path / "plain.pth")["a"].tolist() == [1, 1]
    torch.save({"a": torch.ones(2), "epoch": 3}, tmp_path / "more.pth")
    with pytest.raises(InputError, match="state dictionary alone"):
        read_tensors(tmp_path / "more.pth")


def test_a_state_comes_back_as_it_was_and_is_empty_where_there_is_none(tmp_path: Path) -> None:
    state = {"epoch": 3, "memory": None, "parts": {"weight": torch.ones(2)}, "history": [{"loss": 0.5}]}
    assert load_state(tmp_path / "state.pt", "cpu") == {}
    save_state(tmp_path / "state.pt", state)
    back = load_state(tmp_path / "state.pt", "cpu")
    assert torch.equal(back["parts"].pop("weight"), torch.ones(2))
    assert back == {**state, "parts": {}}
