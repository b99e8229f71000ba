from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medveil.defenses.alignment.heads import Heads
from medveil.defenses.alignment.settings import Variant
from medveil.finding import Threshold, Verdict
from medveil.parts import Guarantee
from medveil.release.attack_report import Input
from medveil.release.protect.candidates import candidates
from medveil.release.protect.frontier import FrontierResult, protect_alignment
from medveil.release.protect.measurement import Measurements, MeasurementSettings
from medveil.release.protect.model_report import STRONGEST, nothing_learned, report_model, summary
from medveil.release.protect.operating_point import OperatingPoint
from medveil.release.protect.paired_features import ProtectionData
from medveil.report.content import ReportSubject
from medveil.stats.privacy_audit import audit_one_run

INPUT = Input(ReportSubject("made", 200, 400, 400, 0), "0" * 64)


def run(
    data: ProtectionData,
    start: Heads,
    quick: MeasurementSettings,
    out: Path,
    *variants: Variant,
) -> FrontierResult:
    sweep = candidates(variants, epsilons=(0.3,), directions=(4,), epochs=1, seed=1)
    return protect_alignment(data, start, out=out, sweep=sweep, measuring=quick, canaries=60)


def blocking(result: FrontierResult, out: Path) -> tuple[Verdict, str]:
    verdict, report = written(result, out, 0.09)
    return verdict, " ".join(f"{gap['what']}: {gap['why']}" for gap in report["gaps"] if gap["blocking"])


def written(result: FrontierResult, out: Path, threshold: float) -> tuple[Verdict, dict]:
    limit = Threshold("a limit", threshold, "the test")
    verdict, _ = report_model(
        result, INPUT, out, encoder="a model", command="test", seed=3, settings={}, threshold=limit
    )
    return verdict, json.loads((out / "report.json").read_text())


def test_one_setting_is_judged(data: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path: Path) -> None:
    result = run(data, start, quick, tmp_path / "runs", "dp")
    verdict, report = written(result, tmp_path, 0.05)
    assert verdict is Verdict.FAIL
    linkage, refit, frontier = report["comparisons"]
    assert [linkage["part"], refit["part"], frontier["part"]] == ["linkage", "refit", "alignment"]
    assert report["removals"][0]["guarantee"]["kind"] == "formal"
    before, after = (
        round(100 * c["estimates"][c["headline"]]["value"], 1) for c in (linkage["before"], linkage["after"])
    )
    assert f"{after} % of images" in summary(result)
    assert f"{before} % before; macro AUROC changes by" in summary(result)
    assert "refits with 200 pairs" in summary(result)
    lenient, report = written(result, tmp_path, 1.0)
    assert lenient is Verdict.REVIEW
    assert [gap["what"] for gap in report["gaps"] if gap["blocking"]] == ["The seed", "Threshold"]


def test_without_a_guarantee_it_cannot_pass_and_the_stronger_adversary_counts(
    data: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path: Path
) -> None:
    verdict, report = written(run(data, start, quick, tmp_path / "runs", "erase"), tmp_path, 1.0)
    assert verdict is Verdict.REVIEW
    assert [gap["what"] for gap in report["gaps"] if gap["blocking"]] == ["Membership", "Threshold"]
    refit = report["comparisons"][1]["after"]
    weaker, stronger = (refit["estimates"][f"from {seen}"] for seen in ("embeddings", "frozen features"))
    assert weaker["interval"][1] < stronger["interval"][1] == refit["estimates"][STRONGEST]["interval"][1]
    assert "from frozen features" in refit["answer"]


def test_a_sweep_is_not_judged(data: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path: Path) -> None:
    result = run(data, start, quick, tmp_path / "runs", "erase", "noise")
    verdict, report = written(result, tmp_path, 1.0)
    assert verdict is Verdict.REVIEW
    assert report["removals"] == []
    assert summary(result) == result.finding.answer
    assert any("run one of them alone" in reason for reason in report["reasons"])


@pytest.fixture(scope="module")
def passing(
    unlinked: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path_factory: pytest.TempPathFactory
) -> FrontierResult:
    """As if its seed had been drawn: with one that was, the audit is wrong once in a while."""
    result = run(unlinked, start, quick, tmp_path_factory.mktemp("runs"), "dp")
    record = result.points[1].record
    assert record is not None and record["settings"]["seed"] == "given"
    return changed(result, {"settings": {**record["settings"], "seed": "drawn and forgotten"}})


def changed(result: FrontierResult, record: dict[str, Any] | None = None, **changes: Any) -> FrontierResult:
    before, after = result.points
    return replace(
        result, points=(before, replace(after, record={**(after.record or {}), **(record or {})}, **changes))
    )


def test_what_does_not_link_and_keeps_its_promise_passes(passing: FrontierResult, tmp_path: Path) -> None:
    assert blocking(passing, tmp_path) == (Verdict.PASS, "")


def test_an_unaudited_guarantee_blocks_pass(passing: FrontierResult, tmp_path: Path) -> None:
    verdict, why = blocking(changed(passing, audit=None), tmp_path)
    assert verdict is Verdict.REVIEW and "it was not audited" in why


def test_an_audit_that_could_not_have_refuted_anything_blocks_pass(passing: FrontierResult, tmp_path: Path) -> None:
    few = audit_one_run(np.arange(4.0), np.arange(4) % 2 == 0, delta=6e-6)
    verdict, why = blocking(changed(passing, audit=few), tmp_path)
    assert verdict is Verdict.REVIEW and "could not have refuted it" in why


@pytest.mark.parametrize(
    "record",
    [
        {"stated_epsilon_of_patient": 1.01},  # the audit's own cost included
        {"budget": [1.01, 5.0]},  # other runs in the ledger
    ],
)
def test_an_epsilon_above_the_limit_blocks_pass(
    passing: FrontierResult, tmp_path: Path, record: dict[str, Any]
) -> None:
    verdict, why = blocking(changed(passing, record), tmp_path)
    assert verdict is Verdict.REVIEW and "Epsilon: a patient's is 1.01" in why and "above 1" in why


def test_other_runs_by_pair_block_pass(passing: FrontierResult, tmp_path: Path) -> None:
    record = passing.points[1].record
    assert record is not None
    by_pair = {"settings": {**record["settings"], "unit": "pair"}}
    assert blocking(changed(passing, {**by_pair, "budget": [record["stated_epsilon"], 5.0]}), tmp_path)[1] == ""
    verdict, why = blocking(changed(passing, {**by_pair, "budget": [0.9, 5.0]}), tmp_path)
    assert verdict is Verdict.REVIEW and "train by patient" in why


def test_a_refuted_guarantee_blocks_pass(passing: FrontierResult, tmp_path: Path) -> None:
    audit = passing.points[1].audit
    assert audit is not None
    verdict, why = blocking(changed(passing, audit=replace(audit, lower=2.0)), tmp_path)
    assert verdict is Verdict.REVIEW and "an audit refuted it: ε = 0.3 was claimed, at least 2 was proved" in why


def test_an_image_under_two_patients_blocks_pass(passing: FrontierResult, tmp_path: Path) -> None:
    given = {"encoder": "a model", "command": "test", "seed": 3, "settings": {}}
    assert report_model(passing, INPUT, tmp_path, **given)[0] is Verdict.PASS
    assert report_model(passing, INPUT, tmp_path, **given, under_two_ids=2)[0] is Verdict.REVIEW


def private_point(variant: Variant, *, units: int, sampling: float, steps: int, noise: float, parameters: int) -> Any:
    groups = variant == "dp-groups"
    record = {
        "settings": {"batch": 128, "group_size": 8, "clip": 1.5, "unit": "patient"},
        "units": units,
        "sampling": sampling,
        "steps": steps,
        "noise_multiplier": noise,
        "sensitivity": 3.0 if groups else 1.5,
        "parameters": parameters,
    }
    return OperatingPoint(variant, variant, Measurements({}, {}), Guarantee("formal", ""), epsilon=0.34, record=record)


def test_noise_that_drowns_the_pairs_is_told() -> None:
    """The demonstration's model: 134 patients, 15 steps; √(15 · 65,792) · 13.01 over 15 · 0.316 · 134 is 20.3."""
    few = private_point("dp", units=134, sampling=0.316, steps=15, noise=13.01, parameters=65_792)
    why = nothing_learned(few)
    assert why is not None and "with 134 patients and ε = 0.34, the noise of 15 steps is 20.3 times as long" in why
    paper = private_point("dp", units=153_255, sampling=128 / 153_255, steps=5986, noise=1.4, parameters=197_504)
    assert nothing_learned(paper) is None
    grouped = private_point(
        "dp-groups", units=153_255, sampling=128 / 153_255, steps=5986, noise=1.4, parameters=197_504
    )
    assert nothing_learned(grouped) is None, "16 vectors a step, noise for twice the clipping norm: as long as they are"
    assert nothing_learned(replace(few, record={"steps": 15})) is None, "no noise was added"


def test_the_report_says_why_there_is_no_effect(
    data: ProtectionData, start: Heads, light: MeasurementSettings, tmp_path: Path
) -> None:
    sweep = candidates(("dp",), epsilons=(0.01,), epochs=1, batch=8, seed=1)
    result = protect_alignment(data, start, out=tmp_path / "runs", sweep=sweep, measuring=light, canaries=0)
    _, report = written(result, tmp_path, 0.09)
    (effect,) = (gap for gap in report["gaps"] if gap["what"] == "The effect")
    assert effect["why"] == nothing_learned(result.points[1]) and not effect["blocking"]
