from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from medveil.defenses.alignment.heads import Heads
from medveil.defenses.alignment.settings import Variant
from medveil.finding import Threshold, Verdict
from medveil.release.attack_report import Input
from medveil.release.protect.candidates import candidates
from medveil.release.protect.frontier import FrontierResult, protect_alignment
from medveil.release.protect.measurement import MeasurementSettings
from medveil.release.protect.model_report import STRONGEST, report_model, summary
from medveil.release.protect.paired_features import ProtectionData
from medveil.report.content import ReportSubject

INPUT = Input(ReportSubject("made", 200, 400, 400, 0), "0" * 64)


def run(
    data: ProtectionData,
    start: Heads,
    quick: MeasurementSettings,
    out: Path,
    *variants: Variant,
    epsilon: float = 0.3,
    canaries: int = 60,
    **changes: object,
) -> FrontierResult:
    sweep = candidates(variants, epsilons=(epsilon,), directions=(4,), epochs=1, seed=1, **changes)
    return protect_alignment(data, start, out=out, sweep=sweep, measuring=quick, canaries=canaries)


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
    assert [gap["what"] for gap in report["gaps"] if gap["blocking"]] == ["Threshold"]


def test_what_does_not_link_and_keeps_its_promise_passes(
    unlinked: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path: Path
) -> None:
    verdict, report = written(run(unlinked, start, quick, tmp_path / "runs", "dp"), tmp_path, 0.09)
    assert verdict is Verdict.PASS, report["reasons"]
    assert not any(gap["blocking"] for gap in report["gaps"])


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


def test_an_unaudited_guarantee_blocks_pass(
    unlinked: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path: Path
) -> None:
    verdict, why = blocking(run(unlinked, start, quick, tmp_path / "runs", "dp", canaries=0), tmp_path)
    assert verdict is Verdict.REVIEW and "it was not audited" in why


def test_an_audit_that_could_not_have_refuted_anything_blocks_pass(
    unlinked: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path: Path
) -> None:
    verdict, why = blocking(run(unlinked, start, quick, tmp_path / "runs", "dp", canaries=4), tmp_path)
    assert verdict is Verdict.REVIEW and "could not have refuted it" in why


def test_an_epsilon_above_the_limit_blocks_pass(
    unlinked: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path: Path
) -> None:
    verdict, why = blocking(run(unlinked, start, quick, tmp_path / "runs", "dp", epsilon=3.0, canaries=400), tmp_path)
    assert verdict is Verdict.REVIEW and "Epsilon" in why and "above 1" in why


def test_the_audits_own_cost_can_exceed_the_limit(
    unlinked: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path: Path
) -> None:
    result = run(unlinked, start, quick, tmp_path / "runs", "dp", epsilon=0.95, canaries=400)
    verdict, why = blocking(result, tmp_path)
    assert verdict is Verdict.REVIEW and "with the audit" in why
    alone = run(unlinked, start, quick, tmp_path / "alone", "dp", epsilon=0.95, canaries=0)
    assert "Epsilon" not in blocking(alone, tmp_path)[1]


def test_by_pair_the_patients_epsilon_is_held_to_the_limit(
    unlinked: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path: Path
) -> None:
    result = run(unlinked, start, quick, tmp_path / "runs", "dp", epsilon=0.6, unit="pair")
    assert result.points[1].epsilon < 1  # type: ignore[operator]
    verdict, why = blocking(result, tmp_path)
    assert verdict is Verdict.REVIEW and "Epsilon: a patient's is" in why


def test_a_refuted_guarantee_blocks_pass(
    unlinked: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path: Path
) -> None:
    result = run(unlinked, start, quick, tmp_path / "runs", "dp")
    before, after = result.points
    assert after.audit is not None
    broken = replace(after, audit=replace(after.audit, lower=2.0))
    verdict, why = blocking(replace(result, points=(before, broken)), tmp_path)
    assert verdict is Verdict.REVIEW and "an audit refuted it: ε = 0.3 was claimed, at least 2 was proved" in why


def test_an_image_under_two_patients_blocks_pass(
    unlinked: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path: Path
) -> None:
    result = run(unlinked, start, quick, tmp_path / "runs", "dp")
    given = {"encoder": "a model", "command": "test", "seed": 3, "settings": {}}
    verdict, _ = report_model(result, INPUT, tmp_path, **given)
    assert verdict is Verdict.PASS
    verdict, _ = report_model(result, INPUT, tmp_path, **given, under_two_ids=2)
    assert verdict is Verdict.REVIEW
