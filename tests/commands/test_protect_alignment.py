from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner, Result

from medveil.cli import app
from medveil.cohort import Cohort
from medveil.cohort.input import read_cohort
from medveil.cohort.phantom.gold import load_gold
from medveil.cohort.splits import assign_splits
from medveil.defenses.alignment.guarantee import at_most
from medveil.defenses.alignment.heads import Heads
from medveil.defenses.alignment.ledger import BudgetSpent
from medveil.errors import InputError, MedveilError, SettingsError
from medveil.release.attack_report import Input
from medveil.release.protect import preparation


def protect(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["protect", "alignment", *map(str, arguments)])


@pytest.fixture(scope="module")
def pairs(hospital: Cohort, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The phantom hospital with most patients to measure on, and a finding that every second patient has."""
    folder = tmp_path_factory.mktemp("pairs")
    shutil.copytree(hospital.root / "files", folder / "files")
    table = hospital.table.copy()
    number = table.groupby("patient_id", sort=False).ngroup()
    table["split"] = np.select([number < 20, number < 23], ["test", "val"], "train")
    table["Edema"] = (number % 2).astype(float)
    Cohort.of(table, folder, name="Phantom hospital").save(folder)
    return folder


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    cache = tmp_path_factory.mktemp("cache")
    return ["--cache", cache, "--epochs", 1, "--batch", 8, "--canaries", 0, "--trials", 0, "--json"]


@pytest.fixture(autouse=True)
def few_phantoms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "PHANTOMS", 12)


def test_heads_and_their_guarantee_are_handed_over(
    pairs: Path, quick: list[object], hospital_folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = [pairs, "-o", out, *quick, "--canaries", 20, "--trials", 30]
    done = protect(*command)
    assert done.exit_code == 1, done.exception
    told = json.loads(done.stdout)
    promised = told["settings"]["dp, ε 0.34"]
    assert promised["kind"] == "formal"
    assert promised["stated_epsilon"] > promised["epsilon"]
    assert set(promised["audits"]) == {"Audit with canaries", "Audit on the worst data"}
    guarantee = json.loads((out / "guarantee.json").read_text())
    assert guarantee["encoder"] == "medveil-small"
    assert 0.3 < guarantee["epsilon"]["pld"] <= 0.34
    assert "one patient that is there or not" in guarantee["guarantee"]["statement"]
    assert guarantee["audit"]["canaries"] == 20 and guarantee["audit_on_worst_data"]["canaries"] == 30
    assert 0 < guarantee["audit"]["most"] < 3
    assert guarantee["stated_epsilon"] > 0.34, "the audit costs too"
    assert f"are together differentially private with ε = {at_most(guarantee['stated_epsilon'])}" in json.dumps(
        guarantee["guarantee"], ensure_ascii=False
    )
    assert "12 phantoms, who are nobody" in guarantee["guarantee"]["statement"]
    assert Heads.load(out / "heads.safetensors").parameter_count == guarantee["parameters"] == 2 * 128 * 257
    assert (out / "runs").stat().st_mode & 0o777 == 0o700
    report = json.loads((out / "report.json").read_text())
    assert report.items() <= told.items(), "the whole result"
    assert report["removals"][0]["guarantee"] == guarantee["guarantee"]
    assert [compared["part"] for compared in report["comparisons"]] == ["linkage", "alignment"]
    assert any(gap["what"] == "Refit" and gap["blocking"] for gap in report["gaps"])  # too few pairs for one
    digest = Input.of_cohort(read_cohort(pairs)).sha256
    assert not any(digest in path.read_text() for path in out.glob("*.[hjc]*")), "it would tell who took part"
    assert report["subject"]["kind"] == "model"
    gold = load_gold(hospital_folder)
    for name in ("report.html", "report.json", "guarantee.json", "frontier.csv"):
        assert not gold.leaks((out / name).read_text()), name
    heads = (out / "heads.safetensors").read_bytes()
    words = protect(*[word for word in command if word != "--json"]).stdout
    assert words.count("the most it could have proved is") == 2 and "Audit on the worst data" in words
    again = protect(*command)
    later = json.loads(again.stdout)
    assert (later["settings"], later["comparisons"]) == (told["settings"], told["comparisons"])
    assert (out / "heads.safetensors").read_bytes() == heads


def test_a_seed_fixes_the_heads_and_a_budget_ends(pairs: Path, quick: list[object], tmp_path: Path) -> None:
    ledger = ["--budget", 0.4, "--ledger", tmp_path / "ledger.json"]
    first = protect(pairs, "-o", tmp_path / "a", *quick, "--seed", 5, *ledger)
    assert first.exit_code == 1, first.exception
    statement = json.loads(first.stdout)["settings"]["dp, ε 0.34"]["statement"]
    assert "together: ε = 0.34 of 0.4" in statement
    assert "only while that seed stays secret" in statement
    assert (tmp_path / "ledger.json").stat().st_mode & 0o777 == 0o600
    second = protect(pairs, "-o", tmp_path / "b", *quick, "--seed", 5)
    assert second.exit_code == 1, second.exception
    made = [Heads.load(tmp_path / name / "heads.safetensors") for name in "ab"]
    assert all(torch.equal(one, other) for one, other in zip(*(heads.parameters() for heads in made), strict=True))
    for path in (tmp_path / "a").glob("*.*"):
        assert b'"seed": 5' not in path.read_bytes() and b"--seed 5" not in path.read_bytes()
    assert "--seed SEED" in json.loads((tmp_path / "a" / "report.json").read_text())["provenance"]["command"]
    spent = protect(pairs, "-o", tmp_path / "c", *quick, *ledger)
    assert isinstance(spent.exception, BudgetSpent)
    assert "over its budget of 0.4" in str(spent.exception)
    assert not (tmp_path / "c" / "heads.safetensors").exists()


def test_a_data_set_with_other_files_of_the_same_people_has_no_new_budget(
    pairs: Path, quick: list[object], tmp_path: Path
) -> None:
    ledger = ["--budget", 0.4, "--ledger", tmp_path / "ledger.json"]
    first = protect(pairs, "-o", tmp_path / "a", *quick, *ledger)
    assert first.exit_code == 1, first.exception
    whole = read_cohort(pairs)
    fewer = whole.where(~((whole.table["split"] == "train") & whole.table["patient_id"].duplicated()).to_numpy())
    assert len(fewer) < len(whole)
    other = tmp_path / "other"
    shutil.copytree(pairs / "files", other / "files")
    Cohort.of(fewer.table, other, name="Fewer images").save(other)
    again = protect(other, "-o", tmp_path / "b", *quick, *ledger)
    assert isinstance(again.exception, BudgetSpent), again.exception


def test_a_sweep_compares_and_chooses_nothing(pairs: Path, quick: list[object], tmp_path: Path) -> None:
    out = tmp_path / "out"
    chosen = ["--sweep", "--variant", "erase", "--variant", "noise", "--noise", 0.5, "--noise", 3, "--directions", 8]
    done = protect(pairs, "-o", out, *quick, *chosen)
    assert done.exit_code == 1, done.exception
    told = json.loads(done.stdout)
    assert list(told["settings"]) == ["noise, length 0.5", "noise, length 3", "erase, directions 8"]
    assert told["verdict"] == "REVIEW"
    assert not (out / "heads.safetensors").exists()
    rows = (out / "frontier.csv").read_text().splitlines()
    assert rows[0].startswith("setting,variant,epsilon")
    assert {"noise", "erase"} <= {row.split('",')[-1].split(",")[0] for row in rows[1:]}


def test_patients_are_dealt_and_another_data_set_is_measured_in_part(
    pairs: Path, quick: list[object], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(pairs / "files", other / "files")
    whole = read_cohort(pairs)
    Cohort.of(whole.table, other, name="Elsewhere").save(other)
    chosen = ["--split-by", "15/10/75", "--view", "PA", "--view", "AP", "--variant", "noise"]
    done = protect(pairs, "-o", tmp_path / "out", *quick, *chosen, "--transfer", other, "--transfer-split", "test")
    assert isinstance(done.exception, SystemExit), done.exception
    told = json.loads(done.stdout)["provenance"]["settings"]
    frontal = whole.table["view"].isin(("AP", "PA"))
    dealt = assign_splits(whole.table["patient_id"], shares=(15, 10, 75))
    counts = {name: int((frontal & (dealt == part)).sum()) for name, part in (("train", "train"), ("test", "test"))}
    assert {name: told["pairs"][name] for name in counts} == counts
    assert told["pairs"]["Elsewhere"] == int((frontal & (whole.table["split"] == "test")).sum())
    aside = int((~frontal).sum())
    assert told["images set aside"].get("of another view than asked for, or of none that is told", 0) == aside


def test_the_published_run_says_what_it_is_worth(pairs: Path, quick: list[object], tmp_path: Path) -> None:
    plain = [word for word in quick if word not in ("--epochs", "--batch", 1, 8)]
    done = protect(pairs, "-o", tmp_path / "out", *plain, "--preset", "published", "--trials", 30)
    assert done.exit_code == 1, done.exception
    told = json.loads(done.stdout)
    promised = told["settings"]["dp-nominal, σ 1.4"]
    assert promised["kind"] == "none"
    assert "a pair's loss depends on the others in its batch" in promised["statement"]
    assert "Even if it did, ε would be that of a pair: the patient with the most" in promised["statement"]
    record = json.loads((tmp_path / "out" / "guarantee.json").read_text())
    assert record["noise_multiplier"] == 1.4 and record["settings"]["accountant"] == "rdp"
    assert promised["epsilon"] == record["epsilon"]["rdp"] > record["epsilon"]["pld"]
    linked = told["comparisons"][0]["after"]["estimates"]["Recall@1 in pools of all"]
    assert linked["unit"] == "image", "as published"


def test_rates_and_the_accountant_come_by_flag_or_by_file(pairs: Path, quick: list[object], tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    config.write_text(
        '[protect.alignment]\naccountant = "rdp"\ntemperature = 0.2\nlambda = 0.3\nlearning-rate = 0.001\n'
        "weight-decay = 0.0\nnoise-multiplier = 3.0\n"
    )
    done = protect(pairs, "-o", tmp_path / "out", *quick, "--config", config, "--temperature", 0.4)
    assert done.exit_code == 1, done.exception
    record = json.loads((tmp_path / "out" / "guarantee.json").read_text())
    told = record["settings"]
    assert (told["accountant"], told["temperature"], told["entropy_weight"]) == ("rdp", 0.4, 0.3)
    assert (told["learning_rate"], told["weight_decay"], record["noise_multiplier"]) == (0.001, 0.0, 3.0)
    assert "by Rényi differential privacy (RDP)" in record["guarantee"]["statement"]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (["--variant", "noise", "--variant", "dp"], SettingsError, "add --sweep"),
        (["--epsilon", "0"], SettingsError, "epsilon must be a positive number"),
        (["--ledger", "ledger.json"], SettingsError, "a ledger needs a budget"),
        (["--variant", "plain", "--budget", "1"], SettingsError, "only dp and dp-groups can keep to a budget"),
        (["--encoder", "no-such-model"], SettingsError, "no encoder called"),
        (["--transfer", "PAIRS"], SettingsError, "name a data set to transfer to"),
        (["--public", "PAIRS"], InputError, "among the pairs to protect"),
        (["--preset", "published", "--clip", "1"], SettingsError, "the published run is"),
        (["--temperature", "0"], SettingsError, "temperature must be a positive number"),
        (["--delta", "2"], SettingsError, "delta must be between"),
        (["--delta", "0.3"], SettingsError, "the number of patients"),
        (["--canaries", "1000", "--delta", "0.001"], SettingsError, "prove nothing"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    arguments: list[str], error: type[MedveilError], words: str, pairs: Path, quick: list[object], tmp_path: Path
) -> None:
    given = [str(pairs) if argument == "PAIRS" else argument for argument in arguments]
    done = protect(pairs, "-o", tmp_path / "out", *quick, *given)
    assert isinstance(done.exception, error), done.exception
    assert words in str(done.exception)
    assert not (tmp_path / "out" / "report.html").exists()
