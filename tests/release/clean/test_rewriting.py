"""Texts on which the rewriting model loses content come out with surrogates, and the user is told how many."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from medveil.commands import deid  # noqa: F401
from medveil.commands.app import app
from medveil.defenses.reports.rewriting import Rewriter


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_this_process: None) -> Path:
    """One report that the model rewrites, one that it spoils, and a table with one row of each kind."""
    monkeypatch.setattr(Rewriter, "rewrite", lambda self, text: None if "effusion" in text else "The heart is normal.")
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "kept.txt").write_text("Dr. Hartwell says the heart is normal.")
    (folder / "spoilt.txt").write_text("Dr. Hartwell reports no left effusion.")
    (folder / "rows.csv").write_text("report\nDr. Hartwell reports no effusion.\nDr. Hartwell says normal.\nClear.\n")
    return folder


def run(source: Path, out: Path, *more: object, rewriter: tuple[str, ...] = ("--rewriter", "model")) -> str:
    key = source.parent / "key"
    key.write_text("5a" * 32)
    asked = (source, "-o", out, "--key-file", key, "--reports", "rewritten", *rewriter, "--workers", 1)
    return CliRunner().invoke(app, ["deid", *map(str, (*asked, *more))], catch_exceptions=False).stdout


def test_the_user_is_told_how_many_kept_surrogates(source: Path, tmp_path: Path) -> None:
    shown = run(source, tmp_path / "out")
    assert "2 texts have surrogates: they could not be rewritten without loss" in shown
    assert json.loads((tmp_path / "out/deid.json").read_text())["not_rewritten"] == 2


def test_the_number_travels_with_each_result(source: Path, tmp_path: Path) -> None:
    """A second run takes its counts from the journal, without cleaning anything."""
    run(source, tmp_path / "out")
    assert json.loads(run(source, tmp_path / "out", "--json"))["not_rewritten"] == 2


def test_nothing_is_said_where_all_were_rewritten(source: Path, tmp_path: Path) -> None:
    (source / "spoilt.txt").unlink()
    (source / "rows.csv").unlink()
    assert "surrogates" not in run(source, tmp_path / "out")
    assert json.loads((tmp_path / "out/deid.json").read_text())["not_rewritten"] == 0


def test_without_a_model_of_ones_own_the_bundled_one_rewrites(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out", rewriter=())
    texts = [path.read_text() for path in (tmp_path / "out/data").rglob("*.txt")]
    assert sorted(texts) == ["The clinician reports no left effusion.", "The clinician says the heart is normal."]
    assert json.loads((tmp_path / "out/deid.json").read_text())["not_rewritten"] == 0
