from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from medveil.defenses.alignment.accounting import Spending, epsilon
from medveil.defenses.alignment.guarantee import at_most
from medveil.defenses.alignment.heads import Heads
from medveil.defenses.alignment.ledger import Budget, BudgetSpent, Ledger
from medveil.errors import InputError, SettingsError
from medveil.release.protect import worst_case_audit
from medveil.release.protect.candidates import Candidate, candidates
from medveil.release.protect.findings import Goal, MetricKeys, frontier_finding
from medveil.release.protect.frontier import FrontierResult, protect_alignment
from medveil.release.protect.measurement import MeasurementSettings
from medveil.release.protect.paired_features import PairedFeatures, ProtectionData
from medveil.report.figures import draw
from medveil.utility.linear_probe import MEASURES

QUICK = {"batch": 16, "epochs": 1, "negatives": 32, "seed": 1}
SWEEP = candidates(
    ("dp", "dp-nominal", "plain", "noise", "erase"), epsilons=(0.3,), noises=(1.0,), directions=(0, 10), **QUICK
)


def _run(data: ProtectionData, start: Heads, quick: MeasurementSettings, out: Path) -> FrontierResult:
    return protect_alignment(data, start, out=out, sweep=SWEEP, measuring=quick, canaries=100)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("frontier")


@pytest.fixture(scope="module")
def result(data: ProtectionData, start: Heads, quick: MeasurementSettings, out: Path) -> FrontierResult:
    return _run(data, start, quick, out)


def test_every_setting_is_measured_in_the_same_way(result: FrontierResult) -> None:
    names = [point.name for point in result.points]
    assert names == ["as it is", *(candidate.name for candidate in SWEEP)]
    keys = {tuple(point.estimates) for point in result.points}
    assert len(keys) == 1
    found = result.points[0].estimates
    for name in (
        "random 100 Recall@1",
        "random all MRR",
        "matched 100 Recall@10",
        "macro AUROC",
        "refit 200 pool 100",
        "another hospital: random 100 Recall@1",
        "another hospital: macro AUROC",
    ):
        assert name in found
    assert found["random 100 Recall@1"].chance == pytest.approx(0.01)


def test_what_the_defenses_do_shows(result: FrontierResult) -> None:
    points = {point.name: point.estimates for point in result.points}
    before, erased, nothing = points["as it is"], points["erase, directions 10"], points["erase, directions 0"]
    assert before["random all Recall@1"].value > 0.9
    assert erased["random all Recall@1"].value < 0.5 * before["random all Recall@1"].value
    assert erased["macro AUROC"].value < before["macro AUROC"].value
    assert nothing["random all Recall@1"].value == pytest.approx(before["random all Recall@1"].value)
    noisy = points["noise, length 1"]
    assert noisy["random all Recall@1"].value < before["random all Recall@1"].value
    assert noisy["refit 200 pool 100"].value < before["refit 200 pool 100"].value


def test_the_frozen_features_link_whatever_the_heads_do(result: FrontierResult) -> None:
    assert result.features[-1].own == 200
    assert result.features[-1].recall["100"].low > 0.8
    assert "whatever the heads do" in result.finding.answer


def test_claims_and_audits_stand_side_by_side(result: FrontierResult) -> None:
    points = {point.variant: point for point in result.points}
    assert points["dp"].guarantee.kind == "formal"
    assert points["dp-nominal"].guarantee.kind == "none"
    assert points["dp"].epsilon == pytest.approx(0.3, rel=0.01)
    assert points["dp-nominal"].epsilon == pytest.approx(0.3, rel=0.01)
    assert points["noise"].epsilon is None and points["noise"].audit is None
    for variant in ("dp", "dp-nominal", "plain"):
        assert points[variant].audit is not None and points[variant].audit.canaries == 100
    assert not points["dp"].audit.refutes(0.3)
    table = next(table for table in result.finding.tables if table.title.startswith("Audit"))
    assert [row[0] for row in table.rows] == ["dp, ε 0.3", "dp-nominal, ε 0.3", "plain"]
    assert "no guarantee" in table.rows[1][1]


def test_the_finding_can_be_reported(result: FrontierResult, out: Path) -> None:
    content = json.loads((out / "frontier.json").read_text())
    assert content == json.loads(json.dumps(result.finding.to_json()))
    for figure in content["figures"]:
        draw(figure, content["scale"])
    titles = [table.title for table in result.finding.tables]
    assert len(set(titles)) == len(titles)
    with (out / "frontier.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(len(point.estimates) for point in result.points)
    assert {row["cohort"] for row in rows} == {"", "another hospital"}
    assert all(np.isfinite(float(row["value"])) for row in rows)


def test_the_paper_s_figures_and_tables_are_there(result: FrontierResult) -> None:
    titles = [figure.title for figure in result.finding.figures]
    for cohort in ("", ", another hospital"):
        assert f"Recall@1 by pool size{cohort}" in titles
        assert f"MRR by pool size{cohort}" in titles
        assert f"Change of Recall@1 against the heads as they are{cohort}" in titles
        assert f"Recall@1 in pools of 100, times chance{cohort}" in titles
    matched = next(figure for figure in result.finding.figures if "pathology-matched" in figure.title)
    assert [series.name for series in matched.series] == ["here", "another hospital"]
    before, after = result.points[0].estimates, {point.name: point.estimates for point in result.points}
    name = matched.series[0].x[-1]
    ratio = after[name]["matched 100 Recall@1"].value / before["matched 100 Recall@1"].value
    assert matched.series[0].y[-1] == pytest.approx(100 * (ratio - 1))
    tables = {table.title.partition(" (")[0]: table for table in result.finding.tables}
    linked = next(table for title, table in tables.items() if title == "Linkage after each defense")
    found = before["random 100 MRR"]
    assert linked.rows[0][-1].startswith(f"{100 * found.value:.3f}\u00a0±\u00a0{100 * found.sd:.3f} [")


def test_findings_keep_the_diagnosis_and_lose_much_of_the_link(
    data: ProtectionData, start: Heads, light: MeasurementSettings, tmp_path: Path
) -> None:
    """Six of the twelve numbers that image and report share decide on findings."""
    result = protect_alignment(data, start, out=tmp_path, sweep=candidates(("findings",)), measuring=light)
    before, after = (point.estimates for point in result.points)
    assert after["random all Recall@1"].value < 0.7 * before["random all Recall@1"].value
    assert after["macro AUROC"].value > before["macro AUROC"].value - 0.01
    assert result.points[1].guarantee.kind == "none"
    again = protect_alignment(data, start, out=tmp_path, sweep=candidates(("findings",)), measuring=light)
    assert again.finding.to_json() == result.finding.to_json()


def test_a_model_as_released_stands_beside_the_start_of_training(
    data: ProtectionData, start: Heads, light: MeasurementSettings, tmp_path: Path
) -> None:
    """Where the heads that are trained do not begin with the vectors that the model puts out."""

    def given_away(part: PairedFeatures) -> PairedFeatures:
        images, reports = start.embed_images(part.images), start.embed_reports(part.reports)
        noisy = images + 0.4 * np.random.default_rng(len(part)).standard_normal(images.shape).astype(np.float32)
        return replace(part, images=noisy / np.linalg.norm(noisy, axis=1, keepdims=True), reports=reports)

    released = ProtectionData(
        *(given_away(part) for part in (data.train, data.validation, data.test)),
        own=given_away(data.own),
        elsewhere={name: given_away(part) for name, part in data.elsewhere.items()},
    )
    tried = candidates(("noise",), noises=(0.5,), **QUICK)
    both = replace(data, released=released)
    assert both.digest() != data.digest()
    found = protect_alignment(both, start, out=tmp_path / "a", sweep=tried, measuring=light)
    usual = protect_alignment(data, start, out=tmp_path / "b", sweep=tried, measuring=light)
    assert found.start is not None and usual.start is None
    assert [point.name for point in found.points] == ["as it is", "noise, length 0.5"]
    recall = "random all Recall@1"
    assert found.start.estimates[recall].value == usual.points[0].estimates[recall].value
    assert found.points[0].estimates[recall].value < found.start.estimates[recall].value, "the noisy ones are released"
    table = found.finding.tables[0]
    assert [row[0] for row in table.rows] == ["as it is", "as training starts", "noise, length 0.5"]
    assert any("owed to no defense" in limit for limit in found.finding.limits)
    assert not any("owed to no defense" in limit for limit in usual.finding.limits)
    rows = (tmp_path / "a" / "frontier.csv").read_text()
    assert "as training starts" in rows
    assert found.effects[0].removed.value != usual.effects[0].removed.value, "against what is released"


def test_a_model_that_links_no_more_than_chance_has_nothing_to_remove(
    result: FrontierResult,
) -> None:
    point = result.points[0]
    linked = point.estimates["random 100 Recall@1"]
    lucky = replace(linked, value=0.01, replicates=np.full(len(linked.replicates), 0.01))
    before = replace(
        point, measured=replace(point.measured, linkage={**point.measured.linkage, "random 100 Recall@1": lucky})
    )
    finding = frontier_finding([before, *result.points[1:]], (), goal=Goal(), method="")
    assert "no more than chance (1.0 %): there is no link to remove" in finding.answer
    assert finding.tables, "utility is told all the same"


def test_what_strengthens_the_link_is_not_called_the_best(
    data: ProtectionData, start: Heads, light: MeasurementSettings, tmp_path: Path
) -> None:
    erase = candidates(("erase",), directions=(10,), **QUICK)
    before, costly = protect_alignment(data, start, out=tmp_path, sweep=erase, measuring=light).points
    linked = before.estimates["random 100 Recall@1"]
    more = replace(linked, value=linked.value + 0.1, replicates=linked.replicates + 0.1)
    amplified = replace(before.measured, linkage={**before.measured.linkage, "random 100 Recall@1": more})
    stronger = replace(before, name="entropy", variant="entropy", measured=amplified)
    finding = frontier_finding([before, costly, stronger], (), goal=Goal(), method="")
    assert finding.answer.startswith("None of 2 settings weakens the link at a cost of at most 0.5 points")
    told = next(table for table in finding.tables if table.title.startswith("Image-side utility,"))
    assert told.columns[2] == costly.name, "the published table 4 is that of what removes the link"
    folds = next(figure for figure in finding.figures if figure.title.endswith("times chance"))
    assert folds.series[-1].name == "chance" and set(folds.series[-1].y) == {1.0}


def test_utility_is_told_by_finding_whatever_it_costs(
    data: ProtectionData, start: Heads, light: MeasurementSettings, tmp_path: Path
) -> None:
    erase = candidates(("erase",), directions=(10,), **QUICK)
    result = protect_alignment(data, start, out=tmp_path, sweep=erase, measuring=light)
    assert result.best is None and result.effects[0].change.value < -0.005, "it costs too much to be chosen"
    heat = next(figure for figure in result.finding.figures if figure.kind == "heatmap")
    assert [series.name for series in heat.series] == ["AUROC", "accuracy", "sensitivity", "specificity"]
    sizes = [abs(change) for change in heat.series[0].y]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) == 6
    table = next(table for table in result.finding.tables if table.title.startswith("Image-side utility by finding"))
    assert [row[:2] for row in table.rows[-4:]] == [("macro", measure) for measure in MEASURES]
    assert len(table.rows) == 7 * 4
    before, after = (point.measured.utility for point in result.points)
    for row in table.rows:
        name = f"{row[0]} {row[1]}"
        assert row[4] == f"{100 * (after[name].value - before[name].value):+.2f}"
        assert 0 < float(row[6]) <= 1
    told = result.finding.estimates
    lost = told["change of Recall@1 in pools of 100, erase, directions 10"]
    recall = [point.estimates["random 100 Recall@1"].value for point in result.points]
    assert lost.value == pytest.approx(recall[1] / recall[0] - 1) and lost.low <= lost.value <= lost.high


def test_the_operating_point_is_ten_thousand_where_there_are_so_many(result: FrontierResult) -> None:
    assert MetricKeys.of(result.points).operating == "100"
    point = result.points[0]
    more = {f"random {size} Recall@1": point.estimates["random 100 Recall@1"] for size in (1000, 10_000)}
    large = replace(point, measured=replace(point.measured, linkage={**point.measured.linkage, **more}))
    keys = MetricKeys.of([large])
    assert (keys.pool, keys.operating) == ("100", "10000"), "judged where linking is easiest"


def test_an_earlier_run_is_not_repeated_and_a_lost_point_is(data, start, quick, result, out) -> None:
    files = sorted(out.rglob("point.json"))
    assert len(files) == len(SWEEP) + 2
    assert all(file.stat().st_mode & 0o077 == 0 for file in files)
    before = {file: file.stat().st_mtime_ns for file in files}
    lost, broken = out / "plain" / "point.json", next(out.glob("given-*")) / "replicates.npy"
    lost.unlink()
    broken.write_bytes(broken.read_bytes()[:1000])
    again = _run(data, start, quick, out)
    changed = [file.parent.name for file in files if file.stat().st_mtime_ns != before[file]]
    assert changed == [broken.parent.name, "plain"]
    assert again.finding.to_json() == result.finding.to_json()


def test_other_redraws_are_measured_anew(data, start, quick, result, out, tmp_path) -> None:
    few = SWEEP[-1:]
    one = protect_alignment(data, start, out=tmp_path, sweep=few, measuring=quick, canaries=0)
    other = protect_alignment(data, start, out=tmp_path, sweep=few, measuring=replace(quick, seed=4), canaries=0)
    assert one.points[0].estimates["macro AUROC"].low != other.points[0].estimates["macro AUROC"].low
    assert one.points[-1].estimates["macro AUROC"] == result.points[-1].estimates["macro AUROC"]


def test_parts_that_do_not_fit_are_refused(data, start, quick, tmp_path) -> None:
    narrow = replace(data.test, images=data.test.images[:, :20])
    with pytest.raises(InputError, match="same encoders"):
        protect_alignment(replace(data, test=narrow), start, out=tmp_path, sweep=[], measuring=quick)
    with pytest.raises(SettingsError, match="once"):
        protect_alignment(data, start, out=tmp_path, sweep=[SWEEP[0], SWEEP[0]], measuring=quick)
    with pytest.raises(InputError, match="differ in number"):
        replace(data.test, patients=data.test.patients[:5])


def test_the_audit_is_booked_as_the_second_run_it_is(
    data: ProtectionData, start: Heads, light: MeasurementSettings, tmp_path: Path
) -> None:
    (private,) = (candidate for candidate in SWEEP if candidate.variant == "dp")
    unit, delta = private.settings.unit, private.settings.delta

    def run(budget: float, canaries: int) -> float:
        ledger = Ledger.of(tmp_path / f"{budget}.json", ["anna", "ben"], Budget(budget, delta, unit))
        out = tmp_path / f"out-{budget}"
        protect_alignment(data, start, out=out, sweep=[private], measuring=light, canaries=canaries, ledger=ledger)
        return ledger.spent()

    alone = run(0.31, 0)
    assert run(2.0, 50) > 1.1 * alone
    with pytest.raises(BudgetSpent, match="second private run"):
        run(0.31, 50)


def _private(**changes: object) -> Candidate:
    (private,) = candidates(("dp",), epsilons=(0.3,), **{**QUICK, **changes})
    return private


def test_the_audits_own_cost_is_part_of_the_stated_epsilon(
    data: ProtectionData, start: Heads, light: MeasurementSettings, tmp_path: Path
) -> None:
    private = _private()
    point = protect_alignment(data, start, out=tmp_path, sweep=[private], measuring=light, canaries=60).points[1]
    record = point.record
    assert record is not None
    runs = [Spending(record["noise_multiplier"], record["sampling"], record["steps"]), Spending(**record["audit_run"])]
    both = epsilon(runs, private.settings.delta)
    assert both > 1.2 * epsilon(runs[:1], private.settings.delta)
    assert record["stated_epsilon"] == pytest.approx(both)
    assert f"are together differentially private with ε = {at_most(both)}" in point.guarantee.statement
    assert record["guarantee"]["statement"] == point.guarantee.statement
    alone = protect_alignment(data, start, out=tmp_path / "alone", sweep=[private], measuring=light, canaries=0).points[
        1
    ]
    assert f"is differentially private with ε = {at_most(alone.epsilon)}" in alone.guarantee.statement


def test_an_audit_that_was_run_cannot_be_left_out_afterwards(
    data: ProtectionData, start: Heads, light: MeasurementSettings, tmp_path: Path
) -> None:
    protect_alignment(data, start, out=tmp_path, sweep=[_private()], measuring=light, canaries=20)
    with pytest.raises(SettingsError, match="whose cost cannot be left out"):
        protect_alignment(data, start, out=tmp_path, sweep=[_private()], measuring=light, canaries=0)


def test_by_pair_the_audits_cost_counts_for_the_patient_too(
    data: ProtectionData, start: Heads, light: MeasurementSettings, tmp_path: Path
) -> None:
    point = protect_alignment(
        data, start, out=tmp_path, sweep=[_private(unit="pair")], measuring=light, canaries=60
    ).points[1]
    assert point.record is not None
    assert point.record["stated_epsilon_of_patient"] > 1.1 * point.record["epsilon_of_patient"]["epsilon"]


def test_a_finished_sweep_is_booked_with_its_audit(
    data: ProtectionData, start: Heads, light: MeasurementSettings, tmp_path: Path
) -> None:
    private = _private()

    def run(ledger: Ledger | None) -> str:
        done = protect_alignment(
            data, start, out=tmp_path / "out", sweep=[private], measuring=light, canaries=50, ledger=ledger
        )
        return done.points[1].guarantee.statement

    assert "No ledger was kept" in run(None)
    ledger = Ledger.of(tmp_path / "ledger.json", ["anna"], Budget(2.0, private.settings.delta, "patient"))
    assert f"together: ε = {at_most(ledger.spent())} of 2" not in run(ledger)
    assert f"together: ε = {at_most(ledger.spent())} of 2" in run(ledger)
    assert len(json.loads((tmp_path / "ledger.json").read_text())["runs"]) == 2
    small = Ledger.of(tmp_path / "small.json", ["anna"], Budget(0.1, private.settings.delta, "patient"))
    with pytest.raises(BudgetSpent, match="must not be released"):
        run(small)


def test_a_refuted_claim_is_no_guarantee(
    data: ProtectionData, start: Heads, light: MeasurementSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worst_case_audit, "noise_for", lambda *given: 0.01)
    point = protect_alignment(
        data, start, out=tmp_path, sweep=[_private()], measuring=light, canaries=0, trials=100
    ).points[1]
    assert point.guarantee.kind == "none" and point.refuted is not None
    assert "an audit proved at least" in point.guarantee.statement
    assert point.record is not None and point.record["guarantee"]["kind"] == "none"


def test_audits_that_delta_could_explain_are_refused_before_training(
    data: ProtectionData, start: Heads, light: MeasurementSettings, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match="prove nothing"):
        protect_alignment(data, start, out=tmp_path, sweep=[_private(delta=1e-3)], measuring=light, canaries=600)
    assert not list(tmp_path.rglob("run.json"))
