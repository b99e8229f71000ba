from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import jsonschema

from medveil.attacks.singling_out.attack import SinglingOut
from medveil.cohort import Cohort, Problem
from medveil.cohort.phantom.gold import load_gold
from medveil.finding import Verdict
from medveil.release.attack_report import Input, report_attack


def test_one_attack_is_reported_on_the_data_as_they_are(
    hospital: Cohort, hospital_folder: Path, tmp_path: Path
) -> None:
    hospital = replace(hospital, problems=(Problem("secret.png", "empty file"),))
    finding = SinglingOut().run(hospital, hospital, seed=1)
    within, page = report_attack(
        finding, Input.of_cohort(hospital), tmp_path, command="medveil attack x A", seed=1, settings={}
    )
    document = json.loads((tmp_path / "report.json").read_text())
    jsonschema.validate(document, json.loads((files("medveil.report") / "report-1.schema.json").read_text()))
    assert not within and finding.verdict is Verdict.FAIL
    assert document["comparisons"][0]["before"] is None
    assert document["subject"]["quarantined"] == {"empty file": 1}
    assert document["subject"]["images"] == len(hospital) + 1
    text = page.read_text()
    assert "could not be read and were not attacked" in text
    assert "secret.png" not in text
    assert "The data as they are" in text
    assert "After the defenses" not in text
    assert document["about"] == "an attack" and document["verdict"] is None and document["reasons"] == []
    assert document["comparisons"][0]["verdict"] is document["comparisons"][0]["after"]["verdict"] is None
    assert "Even the lower end," in text
    shown = text[text.index("<main") : text.index('id="glossary"')]
    assert not any(word in shown for word in ("PASS", "REVIEW", "FAIL", "Not judged")), "one attack is no verdict"
    assert not load_gold(hospital_folder).leaks(text)
