from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from medveil.attacks.inversion.findings import HEADLINE
from medveil.cli import app
from medveil.cohort.phantom.hospital import build_hospital
from medveil.errors import InputError, NotMeasurable


def inversion(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["attack", "inversion", *map(str, arguments)])


@pytest.mark.slow
def test_films_out_of_bare_updates_find_their_patients_and_private_ones_by_chance_alone(tmp_path: Path) -> None:
    build_hospital(tmp_path / "hospital", patients=45, size=128, seed=5)
    recipe = tmp_path / "plan.toml"
    recipe.write_text('[recipe]\nimage = "vit"\nside = 64\nchannels = 16\n[recipe.privacy]\nnoise = 1.0\n')
    few = ("--updates", 8, "--steps", 1, "--secure-sums", "--json")
    done = inversion(tmp_path / "hospital", "-o", tmp_path / "out", "--recipe", recipe, *few)
    assert done.exit_code in (0, 1), done.output
    told = json.loads(done.stdout)
    assert told["image encoder"] == "vit" and "With secure sums and privacy" in told["answer"]
    found = _estimates(json.loads((tmp_path / "out" / "report.json").read_text()))
    bare, private, both = (found[f"{name}, closed form: found"] for name in ("none", "privacy", "both"))
    assert bare["interval"][0] > bare["chance"] and found["none, closed form: SSIM"]["value"] > 0.95
    for one in (private, both):
        assert one["interval"][0] <= one["chance"] <= one["interval"][1] and one["value"] < bare["value"]


def _estimates(report: Any) -> dict[str, Any]:
    """Wherever in the report they stand."""
    if isinstance(report, dict):
        if "estimates" in report and HEADLINE in report["estimates"]:
            return dict(report["estimates"])
        report = list(report.values())
    return next(filter(None, map(_estimates, report)), {}) if isinstance(report, list) else {}


def test_a_recipe_that_cannot_be_read_and_too_few_patients_are_refused(hospital_folder: Path, tmp_path: Path) -> None:
    wrong = inversion(hospital_folder, "-o", tmp_path / "out", "--recipe", tmp_path / "none.toml")
    assert isinstance(wrong.exception, InputError) and "readable TOML" in str(wrong.exception)
    few = inversion(hospital_folder, "-o", tmp_path / "out", "--films", 100)
    assert isinstance(few.exception, NotMeasurable) and "two studies" in str(few.exception)
