from __future__ import annotations

import json
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
    data: ProtectionData, start: Heads, quick: MeasurementSettings, out: Path, *variants: Variant
) -> FrontierResult:
    sweep = candidates(variants, epsilons=(8.0,), directions=(4,), epochs=1, seed=1)
    return protect_alignment(data, start, out=out, sweep=sweep, measuring=quick, canaries=0)


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
    assert lenient is Verdict.PASS
    assert not any(gap["blocking"] for gap in report["gaps"])


def test_without_a_guarantee_it_cannot_pass_and_the_stronger_adversary_counts(
    data: ProtectionData, start: Heads, quick: MeasurementSettings, tmp_path: Path
) -> None:
    verdict, report = written(run(data, start, quick, tmp_path / "runs", "erase"), tmp_path, 1.0)
    assert verdict is Verdict.REVIEW
    assert [gap["what"] for gap in report["gaps"] if gap["blocking"]] == ["Membership"]
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
