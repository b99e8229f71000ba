from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from medveil.cli import app
from medveil.cohort.phantom.hospital import build_hospital
from medveil.errors import InputError, SettingsError


def membership(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["attack", "membership", *map(str, arguments)])


@pytest.mark.exhaustive
def test_the_bundled_encoder_does_not_tell_phantoms_it_never_saw(tmp_path: Path) -> None:
    build_hospital(tmp_path / "hospital", patients=120, size=64, seed=3)
    done = membership("medveil-small", tmp_path / "hospital", "-o", tmp_path / "out", "--epsilon", 3, "--json")
    assert done.exit_code in (0, 1), done.output
    told = json.loads(done.stdout)
    assert told["model"] == "medveil-small" and "were told from others" in told["answer"]
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    text = json.dumps(report)
    assert "the most that" in text and "RMIA were not tried" in text


def test_a_model_is_not_its_own_reference(tmp_path: Path) -> None:
    done = membership("medveil-small", tmp_path, "-o", tmp_path / "out", "--reference", "medveil-small")
    assert isinstance(done.exception, SettingsError) and "another than the attacked one" in str(done.exception)


def test_a_data_set_that_does_not_say_who_is_a_member_is_refused(hospital_folder: Path, tmp_path: Path) -> None:
    done = membership("medveil-small", hospital_folder, hospital_folder, "-o", tmp_path / "out")
    assert isinstance(done.exception, InputError) and "both members and non-members" in str(done.exception)
