from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from medveil.cli import app
from medveil.cohort import Cohort
from medveil.cohort.phantom.gold import load_gold
from medveil.errors import NotMeasurable, SettingsError, StorageError
from medveil.release.attack_identity import own_findings


def test_the_command_writes_a_report_and_private_links(hospital_folder: Path, hospital: Cohort, tmp_path: Path) -> None:
    command = ["attack", "identity", str(hospital_folder), "-o", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(app, command)
    found = json.loads(done.stdout)
    assert done.exit_code == (0 if found["within_threshold"] else 1) and found["verdict"] is None
    assert found["links"] > 0
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report.items() <= found.items()  # the whole result, every estimate with interval, chance and control
    assert {"interval", "chance", "control"} <= found["comparisons"][0]["after"]["estimates"]["precision@1"].keys()
    for name in ("links.csv", "set-aside.csv"):
        assert (tmp_path / "out" / name).stat().st_mode & 0o777 == 0o600
    gold = load_gold(hospital_folder)
    assert not gold.leaks((tmp_path / "out" / "report.html").read_text())
    assert not gold.leaks((tmp_path / "out" / "links.csv").read_text())


def test_what_cannot_succeed_is_refused_before_anybody_is_looked_at(
    hospital: Cohort, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medveil.release.attack_identity.load_recogniser", lambda *_, **__: pytest.fail("too late"))
    once = hospital.table.drop_duplicates("patient_id")
    replace(hospital, table=once.reset_index(drop=True)).save(tmp_path / "once")
    command = ["attack", "identity", str(tmp_path / "once"), "-o"]
    (tmp_path / "file").write_text("")
    refused = CliRunner().invoke(app, [*command, str(tmp_path / "file" / "out")])
    assert isinstance(refused.exception, StorageError)
    refused = CliRunner().invoke(app, [*command, str(tmp_path / "out"), "--device", "nonsense"])
    assert isinstance(refused.exception, SettingsError)
    refused = CliRunner().invoke(app, [*command, str(tmp_path / "out")])
    assert isinstance(refused.exception, NotMeasurable) and "only one frontal study" in str(refused.exception)


def test_verification_as_an_attack(hospital_folder: Path, hospital: Cohort, tmp_path: Path) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text("\n".join(hospital.table["image_id"]))
    command = ["attack", "identity", str(hospital_folder), "-o", str(tmp_path / "out"), "--weights"]
    done = CliRunner().invoke(
        app, [*command, "verification", "--json", "--pair-redraws", "20", "--subset", f"everybody={listed}"]
    )
    found = json.loads(done.stdout)
    told = found["comparisons"][0]["after"]
    assert {"accuracy at 0.5", "F1 at 0.5", "pair AUC", "pair AUC, redrawn by pair"} <= told["estimates"].keys()
    assert {"Confusion matrix at 0.5", "Verification by subset"} <= {table["title"] for table in told["tables"]}
    assert not load_gold(hospital_folder).leaks((tmp_path / "out" / "report.html").read_text())
    refused = CliRunner().invoke(app, [*command[:3], str(hospital_folder), *command[3:], "verification"])
    assert isinstance(refused.exception, SettingsError) and "one data set" in str(refused.exception)
    refused = CliRunner().invoke(app, [*command[:-1], "--pair-redraws", "20"])
    assert isinstance(refused.exception, SettingsError) and "--pair-redraws" in str(refused.exception)


def test_only_the_part_asked_for_is_attacked(hospital_folder: Path, hospital: Cohort, tmp_path: Path) -> None:
    command = ["attack", "identity", str(hospital_folder), "-o", str(tmp_path), "--split", "train", "--json"]
    found = json.loads(CliRunner().invoke(app, command).stdout)
    train = hospital.table[hospital.table["split"] == "train"]
    assert found["subject"]["patients"] == train["patient_id"].nunique() < hospital.table["patient_id"].nunique()


def test_of_nih_all_fourteen_findings_are_told(tmp_path: Path, hospital: Cohort) -> None:
    header = "Image Index,Finding Labels,Follow-up #,Patient ID,Patient Age,Patient Gender,View Position\n"
    (tmp_path / "Data_Entry_2017.csv").write_text(header + "00000001_000.png,Hernia|Nodule,0,1,58,M,PA\n")
    cohort = replace(hospital, root=tmp_path, name="nih14")
    found = own_findings(cohort)
    assert found is not None and len(found.columns) == 14
    assert found.loc["00000001_000", ["Hernia", "Nodule", "Mass"]].tolist() == [1, 1, 0]
    assert own_findings(hospital) is None
