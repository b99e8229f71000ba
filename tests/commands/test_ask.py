"""`medveil ask`: what is printed, and how it ends."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from medveil.cli import app

Serving = Callable[[bytes | Callable[[socket.socket], None]], Any]


@pytest.fixture
def film(tmp_path: Path) -> Path:
    Image.fromarray(np.tile(np.linspace(30, 160, 300).astype(np.uint8), (300, 1))).save(tmp_path / "film.png")
    return tmp_path / "film.png"


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["ask", *map(str, words)])


def test_the_bundled_model_answers_and_says_what_was_cleaned(film: Path, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Dr. Hartwell saw the patient on 03/04/2021.")
    result = run(film, "Is the heart of Ms. Joan Quillfeather enlarged?", "--note", tmp_path / "note.txt")
    assert result.exit_code == 0, result.output
    assert result.output.startswith("Answer: ") and "Quillfeather" not in result.output
    assert "Cleaned in the note: " in result.output and "Hartwell" not in result.output


def test_an_endpoint_answers_as_json(film: Path, loopback: Serving, chat_reply: Any) -> None:
    server = loopback(chat_reply("no\x1b[2J"))
    result = run(film, "Is it normal?", "--endpoint", server.url, "--model", "small", "--json")
    told = json.loads(result.output)
    assert told["format"] == "medveil.ask/1" and told["answer"] == "no [2J"
    assert list(told) == ["format", "answer", "model", "question", "note", "removed", "painted_percent"]


def test_quiet_is_the_answer_alone(film: Path, loopback: Serving, chat_reply: Any) -> None:
    server = loopback(chat_reply("a small\neffusion"))
    result = run(film, "Is it normal?", "--endpoint", server.url, "--model", "small", "--quiet")
    assert result.output == "a small\\neffusion\n"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--endpoint", "http://localhost:1/v1"), "which of its models"),
        (("--model", "nobody"), "no answer model called nobody"),
        (("--note", "gone.txt"), "cannot be read as text"),
        (("--consent", "far.example"), "--consent is for an endpoint"),
    ],
)
def test_what_cannot_be_used(film: Path, more: tuple[str, ...], said: str) -> None:
    result = run(film, "Is it normal?", *more)
    assert result.exception is not None and said in str(result.exception)
    assert getattr(result.exception, "exit_code", 1) == 2
