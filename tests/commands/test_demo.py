from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from medveil import console
from medveil.cli import app


def test_fewer_patients_cannot_show_a_small_risk(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path), "--patients", "40"])
    assert done.exit_code == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("why", [None, "with 134 patients and ε = 0.34, the noise is too long."])
def test_the_closing_words_tell_what_became_of_the_model(
    why: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    (tmp_path / "report.json").write_text('{"comparisons": []}')
    released = SimpleNamespace(verdict="FAIL", released=3, withheld=0, report=page)
    answer = "Among 100 reports, 71.8 % of images lead to their own, 73.3 % before."
    model = SimpleNamespace(verdict="FAIL", report=page, answer=answer, no_effect=why)
    console.show_demo(released, released, model, json=False, quiet=False)  # type: ignore[arg-type]
    said = capsys.readouterr().out
    assert f"FAIL: a model with privately trained heads. {answer}\n" in said
    assert (f"The effect: {why}\n" in said) if why else ("The effect" not in said)
