from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from medveil.cli import app
from medveil.cohort.phantom.hospital import build_hospital
from medveil.errors import InputError, NotMeasurable


def inversion(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["attack", "inversion", *map(str, arguments)])


@pytest.mark.slow
def test_what_an_update_shows_is_reported_under_every_protection(tmp_path: Path) -> None:
    build_hospital(tmp_path / "hospital", patients=45, size=64, seed=3)
    recipe = tmp_path / "plan.toml"
    recipe.write_text('[recipe]\nimage = "vit"\nside = 32\nchannels = 16\n[recipe.privacy]\nnoise = 1.0\n')
    few = ("--updates", 3, "--steps", 1, "--secure-sums", "--json")
    done = inversion(tmp_path / "hospital", "-o", tmp_path / "out", "--recipe", recipe, *few)
    assert done.exit_code in (0, 1), done.output
    told = json.loads(done.stdout)
    assert told["image encoder"] == "vit" and "With secure sums and privacy" in told["answer"]
    text = (tmp_path / "out" / "report.json").read_text()
    assert all(f"{name}, closed form: found" in text for name in ("none", "secure sums", "privacy", "both"))


def test_a_recipe_that_cannot_be_read_and_too_few_patients_are_refused(hospital_folder: Path, tmp_path: Path) -> None:
    wrong = inversion(hospital_folder, "-o", tmp_path / "out", "--recipe", tmp_path / "none.toml")
    assert isinstance(wrong.exception, InputError) and "readable TOML" in str(wrong.exception)
    few = inversion(hospital_folder, "-o", tmp_path / "out", "--films", 100)
    assert isinstance(few.exception, NotMeasurable) and "two studies" in str(few.exception)
