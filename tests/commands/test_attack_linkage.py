from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from medveil.cli import app
from medveil.cohort.phantom.gold import load_gold
from medveil.errors import InputError, MedveilError, SettingsError


def linkage(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["attack", "linkage", *map(str, arguments)])


def vectors(folder: Path, pairs: int, signal: float) -> list[object]:
    rng = np.random.default_rng(3)
    images = rng.standard_normal((pairs, 16)).astype(np.float32)
    np.save(folder / "images.npy", images)
    np.save(folder / "reports.npy", signal * images + rng.standard_normal((pairs, 16)).astype(np.float32))
    return ["--image-embeddings", folder / "images.npy", "--report-embeddings", folder / "reports.npy"]


@pytest.mark.slow
def test_a_data_set_is_attacked_at_once_or_after_encoding(hospital_folder: Path, tmp_path: Path) -> None:
    at_once = linkage(hospital_folder, "-o", tmp_path / "a", "--json")
    encoded = CliRunner().invoke(app, ["encode", str(hospital_folder), "-o", str(tmp_path / "vectors"), "--json"])
    assert encoded.exit_code == 0, encoded.output
    assert json.loads(encoded.stdout)["encoder"] == "medveil-small"
    after = linkage(tmp_path / "vectors", "-o", tmp_path / "b", "--json")
    first, second = json.loads(at_once.stdout), json.loads(after.stdout)
    assert at_once.exit_code == after.exit_code == (0 if first["within_threshold"] else 1)
    assert first["answer"] == second["answer"]
    assert (tmp_path / "a" / "groups.csv").read_text() == (tmp_path / "b" / "groups.csv").read_text()
    by_text = linkage(tmp_path / "vectors", "-o", tmp_path / "c", "--match", "text", "--json")
    assert json.loads(by_text.stdout)["answer"]
    cases = tmp_path / "a" / "linkable-cases.csv"
    assert cases.stat().st_mode & 0o777 == 0o600
    gold = load_gold(hospital_folder)
    for path in (*(tmp_path / "a").iterdir(), tmp_path / "b" / "report.html"):
        assert not gold.leaks(path.read_text()), path.name


def test_vectors_made_elsewhere(tmp_path: Path) -> None:
    found = linkage(*vectors(tmp_path, 300, 3.0), "-o", tmp_path / "out", "--pool", 100, "--pool", "all", "--json")
    assert found.exit_code == 1
    assert json.loads(found.stdout)["within_threshold"] is False
    document = json.loads((tmp_path / "out" / "report.json").read_text())
    assert document.items() <= json.loads(found.stdout).items()
    estimate = document["comparisons"][0]["after"]["estimates"]["Recall@1"]
    assert estimate["chance"] == pytest.approx(1 / 300)
    assert estimate["interval"][0] > 0.5
    unlinked = linkage(*vectors(tmp_path, 300, 0.0), "-o", tmp_path / "none", "--json")
    assert json.loads(unlinked.stdout)["within_threshold"] is False, "what was never shown to work reassures nobody"
    assert unlinked.exit_code == 1
    assert "never shown to work on such data" in (tmp_path / "none" / "report.html").read_text()


def test_only_the_part_asked_for_is_attacked(tmp_path: Path) -> None:
    given = vectors(tmp_path, 300, 3.0)
    number = np.arange(300)
    ids = pd.DataFrame(
        {
            "image_id": [f"i{row}" for row in number],
            "patient_id": [f"p{row // 2}" for row in number],
            "view": np.where(number % 3 == 0, "AP", None),
            "split": np.where(number < 200, "train", "test"),
        }
    )
    ids.to_csv(tmp_path / "ids.csv", index=False)
    given += ["--ids", tmp_path / "ids.csv"]
    tested = linkage(*given, "--split", "test", "-o", tmp_path / "test", "--json")
    document = json.loads((tmp_path / "test" / "report.json").read_text())
    assert document["comparisons"][0]["after"]["estimates"]["Recall@1"]["n"] == 100, tested.exception
    assert document["subject"]["images"] == 100
    aside = document["comparisons"][0]["after"]["tables"][-1]
    assert aside["rows"] == [["in another part than asked for", 200]]
    seen = linkage(*given, "--view", "AP", "-o", tmp_path / "ap", "--json")
    assert json.loads(seen.stdout)["comparisons"][0]["after"]["estimates"]["Recall@1"]["n"] == 100
    dealt = linkage(*given, "--split", "test", "--split-by", "50/0/50", "-o", tmp_path / "dealt", "--json")
    found = json.loads(dealt.stdout)["comparisons"][0]["after"]["estimates"]["Recall@1"]
    assert 100 < found["n"] < 200 and found["units"] == found["n"] / 2, "whole patients"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ([], SettingsError, "give a COHORT"),
        (["--pool", "many"], SettingsError, "a number of candidates"),
        (["--pool", "1"], SettingsError, "at least two candidates"),
        (["--pool", "1000"], SettingsError, "1,000"),
        (["--encoder", "clip"], SettingsError, "without an encoder"),
        (["--match", "study"], InputError, "study_id"),
        (["--split", "test"], InputError, "needs a column"),
        (["--split-by", "80/20"], SettingsError, "such as 72/8/20"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    arguments: list[str], error: type[MedveilError], words: str, tmp_path: Path
) -> None:
    given = [*vectors(tmp_path, 50, 1.0), *arguments] if arguments else []
    done = linkage(*given, "-o", tmp_path / "out")
    assert isinstance(done.exception, error)
    assert words in str(done.exception)
    assert not (tmp_path / "out").exists()
