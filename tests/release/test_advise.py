"""`release --advise`: a bounded sample of whole patients, each trial noted once, and the mildest setting that keeps."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

from medveil import console
from medveil.cohort import Cohort
from medveil.parts import choose
from medveil.person.keys import Keys
from medveil.release import Settings, release
from medveil.release import advise as module
from medveil.release.advise import MOST_IMAGES, MOST_PATIENTS, advise, sample_of
from medveil.report import schema, wording
from medveil.report.advice import Trial, TriedAttack

KEYS = Keys.for_demonstration(1)
TABLE = Settings(defenses=("headers", "table"), attacks=("singling-out",), measures=("label-probe",), threshold=0.4)


def estimate(value: float | None, high: float | None) -> dict[str, Any]:
    return {"value": value, "sd": 0.0, "interval": [0.0, high], "level": 0.95, "chance": 0.01, "control": None,
            "n": 9, "units": 9, "unit": "patient", "scenario": False}  # fmt: skip


def trial(name: str, *, table: float | None = None, films: float | None = None) -> Trial:
    found = [TriedAttack("singling-out", "table", "REVIEW", estimate(table, table))] if table is not None else []
    found += [TriedAttack("identity", "films", "REVIEW", estimate(films, films))] if films is not None else []
    return Trial(name, name, f"medveil {name}", tuple(found))


def test_the_sample_is_of_whole_patients_and_bounded(hospital: Cohort) -> None:
    sample = sample_of(hospital, 3)
    kept = set(sample.table["patient_id"])
    assert len(sample) == hospital.table["patient_id"].isin(kept).sum() <= MOST_IMAGES
    many = pd.concat([hospital.table.assign(patient_id=hospital.table["patient_id"] + str(n)) for n in range(20)])
    large = sample_of(replace(hospital, table=many.reset_index(drop=True)), 3)
    assert 2 < large.table["patient_id"].nunique() <= MOST_PATIENTS and len(large) <= MOST_IMAGES
    again = sample_of(replace(hospital, table=many.iloc[::-1].reset_index(drop=True)), 3)
    assert set(again.table["patient_id"]) == set(large.table["patient_id"]), "whatever the order of the rows"


@pytest.mark.parametrize(
    "tried, flags",
    [
        ([trial("asked", table=0.01, films=0.02)], "asked"),
        ([trial("asked", table=0.9, films=0.02), trial("table-0.09", table=0.05)], "--protect table --risk 0.09"),
        (
            [trial("asked", table=0.9, films=0.9), trial("table-0.09", table=0.05), trial("anatomy-0.09", films=0.2),
             trial("anatomy-0.045", films=0.08)],
            "--protect all --risk 0.045",
        ),
        ([trial("asked", table=0.9, films=0.9), trial("table-0.09", table=0.05), trial("anatomy-0.09", films=0.2)], ""),
        ([trial("asked")], ""),
    ],
)  # fmt: skip
def test_the_mildest_setting_that_keeps_the_risk_is_named(tried: list[Trial], flags: str) -> None:
    best = module._best(tried, Settings())
    assert flags in best if best else not flags


def test_where_none_keeps_it_the_nearest_is_named() -> None:
    tried = [trial("asked", table=0.9, films=0.9), trial("table-0.09", table=0.05), trial("anatomy-0.18", films=0.2)]
    tried += [trial("anatomy-0.36", films=0.3)]
    nearest = module._nearest(tried, Settings())
    assert nearest and "--protect all --risk 0.09" in nearest
    assert module._nearest(tried[:1], Settings()) is None


def test_an_attack_that_the_sample_does_not_let_run_keeps_nothing(hospital: Cohort) -> None:
    """Nobody returns, so nobody can be recognised: that is not known, and no reassurance."""
    once = hospital.where((~hospital.table["patient_id"].duplicated()).tolist())
    trying = module._Trying(once, Path("nowhere"), KEYS, Settings(), 1, lambda stage, done, total: None)
    (identity,) = choose("attacks", ["identity"])
    assert trying._found(identity, once, once, trying.progress) == (None,)
    lost = Trial("asked", "", "", (module._attack(identity, None),))
    assert lost.exceeds("films", 0.99)


def test_what_was_not_measured_never_keeps() -> None:
    lost = Trial("x", "x", "", (TriedAttack("identity", "films", None, estimate(None, None)),))
    assert lost.exceeds("films", 0.5) and not lost.keeps("films", 0.5)
    assert not lost.exceeds("table", 0.5), "where nothing was tried nothing is said"
    assert "could not be measured" in wording.tried(lost.strongest("films"))


def test_risk_stands_beside_utility_with_interval_and_guessing() -> None:
    tried = replace(trial("x", films=0.08), utility=estimate(0.61, 0.65), before=estimate(0.7, 0.75))
    assert wording.tried(tried.strongest("films")).replace("\u00a0", " ") == (
        "8.0 % (0.0–8.0 %); guessing 1.0 %; identity"
    )
    assert wording.kept(tried) == "0.610 (0.000–0.650); originals 0.700"
    assert wording.tried(tried.strongest("table")) == "unchanged"


def test_a_killed_run_goes_on_and_the_report_gains_the_table(
    hospital_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    begun: list[str] = []
    tried = module._Trying._tried

    def counted(self: Any, way: Any) -> Trial:
        begun.append(way.name)
        if begun == ["asked", "table-0.4"]:
            raise KeyboardInterrupt
        return tried(self, way)

    monkeypatch.setattr(module._Trying, "_tried", counted)
    with pytest.raises(KeyboardInterrupt):
        advise(hospital_folder, out, keys=KEYS, settings=TABLE, workers=1)
    release(hospital_folder, out, keys=KEYS, settings=TABLE, workers=1)  # advice in the folder is no obstacle
    before = json.loads((out / "report.json").read_bytes())
    found = advise(hospital_folder, out, keys=KEYS, settings=TABLE, workers=1)
    assert begun[:3] == ["asked", "table-0.4", "table-0.4"] and begun.count("asked") == 1
    assert not (out / "trials").exists()
    assert {name: getattr(found, name) for name in ("patients", "of_patients")} == {"patients": 30, "of_patients": 30}
    asked, coarser = found.trials[:2]
    assert asked.exceeds("table", 0.4) and coarser.failed is None
    most, less = (each.strongest("table") for each in (asked, coarser))
    assert most and less and less.estimate["value"] < most.estimate["value"], "a coarser table gives less away"
    assert "--protect table --risk 0.4" in coarser.command
    report = json.loads((out / "report.json").read_bytes())
    jsonschema.validate(report, schema())
    assert before["advice"] is None and {**report, "advice": None} == before
    assert "Tried on a sample" in (out / "report.html").read_text()
    assert json.loads((out / "advice.json").read_bytes())["trials"] == report["advice"]["trials"]
    console.show_advice(found, out, {"IN": "a", "NEW": "b"}, json=False, quiet=False)
    assert "Tried on 30 of 30 patients" in capsys.readouterr().out


def test_each_trial_runs_the_attacks_that_can_tell_the_difference_and_learns_little() -> None:
    drawn = Settings(protect="anatomy")
    films = module._attacks(module._Way("a", "", "anatomy", 0.09, ("films",)), drawn.chosen("attacks"))
    assert {each.name for each in films} == {"identity", "identity-adversaries", "linkage", "pixel-similarity"}
    assert [each.text for each in films if each.name == "identity-adversaries"] == ["identity-adversaries:effort=12"]
    table = module._attacks(module._Way("t", "", "table", 0.09, ("table",)), Settings().chosen("attacks"))
    assert {each.name for each in table} == {"singling-out", "visit-intervals"}
    by_hand = Settings(defenses=("default", "anatomy:bits=8"))
    asked = module._attacks(module._Way("asked", "", "none", None, ("table", "films")), by_hand.chosen("attacks"))
    assert "identity-adversaries:effort=12" in [each.text for each in asked], "films are changed, however it was asked"
