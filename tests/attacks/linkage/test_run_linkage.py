"""The audit as a whole: against brute force, on planted and on collapsed encoders, and with nothing leaking."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from medveil.attacks.linkage.attack import Linkage
from medveil.attacks.linkage.run import run_linkage as attack_pairs
from medveil.attacks.linkage.run import write_tables
from medveil.attacks.linkage.settings import LinkageSettings
from medveil.cohort import Cohort
from medveil.cohort.schema import LABELS
from medveil.encoders.vectors.embedding_folder import Embeddings
from medveil.errors import InputError, NotMeasurable, SettingsError
from medveil.finding import Threshold, Verdict
from medveil.parts import registered
from medveil.stats.pools import chance
from medveil.stats.shares import exact_interval
from medveil.testing import check_attack

FEW = LinkageSettings(redraws=100)
run_linkage = partial(attack_pairs, fit=False)  # attackers fitted to the pairs have tests of their own


def numbers(result: Any, **chosen: str) -> pd.DataFrame:
    table = result.tables["linkage"]
    for column, value in chosen.items():
        table = table[table[column] == value]
    return table.set_index("metric")


def brute_force(images: np.ndarray, reports: np.ndarray, codes: np.ndarray) -> dict[str, float]:
    """Ranks among all candidates by sorting plain double-precision scores, ties in random order on average."""
    scores = images.astype(np.float64) @ reports.astype(np.float64).T
    found: dict[str, list[float]] = {"Recall@1": [], "Recall@5": [], "Recall@10": [], "MRR": []}
    for row in range(len(scores)):
        rivals = scores[row, codes != codes[row]]
        above, equal = (rivals > scores[row, row] + 1e-7).sum(), (np.abs(rivals - scores[row, row]) <= 1e-7).sum()
        places = np.arange(above + 1, above + equal + 2)
        for k in (1, 5, 10):
            found[f"Recall@{k}"].append(float((places <= k).mean()))
        found["MRR"].append(float((1 / places).mean()))
    return {name: float(np.mean(values)) for name, values in found.items()}


@pytest.mark.parametrize("match", ["pair", "study", "patient", "text"])
def test_every_way_to_match_equals_brute_force(table_of: Any, embeddings_of: Any, match: Any) -> None:
    n = 160
    table, vectors = table_of(n), embeddings_of(n, 0.7)
    vectors.reports[:] = vectors.reports[np.arange(n) // 2 * 2]  # one report a study
    vectors.reports[40:70] = vectors.reports[40]
    table["report"] = [
        f"finding {int(row)}" for row in np.where((np.arange(n) >= 40) & (np.arange(n) < 70), 40, np.arange(n) // 2 * 2)
    ]
    table.loc[1::2, "report"] = table.loc[1::2, "report"].str.replace(" ", " \n ")
    result = run_linkage(table, {"model": vectors}, seed=1, settings=replace(FEW, match=match))
    codes = {
        "pair": np.arange(n),
        "study": np.arange(n) // 2,
        "patient": np.arange(n) // 4,
        "text": pd.factorize(table["report"].str.split().str.join(" "))[0],
    }[match]
    for direction, (queries, gallery) in {
        "image to report": (vectors.images, vectors.reports),
        "report to image": (vectors.reports, vectors.images),
    }.items():
        found = numbers(result, direction=direction, protocol="random", pool="all", unit="patient")["value"]
        for metric, value in brute_force(queries, gallery, codes).items():
            assert found[metric] == pytest.approx(value, abs=1e-9), (direction, metric)


def test_studies_match_unless_they_are_unknown(table_of: Any, embeddings_of: Any) -> None:
    table, vectors = table_of(60), embeddings_of(60, 0.5)
    assert "same study" in run_linkage(table, {"m": vectors}, seed=1, settings=FEW).finding.method
    without = run_linkage(table.drop(columns="study_id"), {"m": vectors}, seed=1, settings=FEW)
    assert "Every other report competes" in without.finding.method


def test_planted_signal_is_recovered_and_ordered(table_of: Any, embeddings_of: Any) -> None:
    table = table_of(400)
    encoders = {"none": embeddings_of(400, 0.0), "weak": embeddings_of(400, 0.7), "strong": embeddings_of(400, 3.0)}
    result = run_linkage(table, encoders, seed=1, settings=replace(FEW, match="pair"))
    recall = result.tables["linkage"]
    first = recall[(recall["metric"] == "Recall@1") & (recall["pool"] == "all") & (recall["unit"] == "patient")]
    found = first[(first["direction"] == "image to report") & (first["protocol"] == "random")].set_index("encoder")
    assert found["value"]["strong"] > 0.95 > 0.5 > found["value"]["weak"] > 0.02 > found["value"]["none"]
    assert found["low"]["none"] <= 1 / 400 <= found["high"]["none"]
    assert result.strongest == "strong"
    assert result.finding.estimate.value == found["value"]["strong"]
    assert result.finding.verdict == "FAIL"
    assert {"Recall@1 by none", "Recall@1 by weak", "Recall@1 by strong"} < set(result.finding.estimates)


def test_collapsed_encoders_score_chance(table_of: Any, embeddings_of: Any) -> None:
    vectors = embeddings_of(120, 1.0)
    constant = replace(
        vectors, images=np.repeat(vectors.images[:1], 120, axis=0), reports=np.repeat(vectors.reports[:1], 120, axis=0)
    )
    half = replace(vectors, reports=np.repeat(vectors.reports[:1], 120, axis=0))
    for collapsed in (constant, half):
        result = run_linkage(table_of(120), {"collapsed": collapsed}, seed=1, settings=FEW)
        table = result.tables["linkage"]
        told = table[(table["direction"] == "image to report") & (table["metric"] != "median rank")]
        assert told["value"].to_numpy() == pytest.approx(told["chance"].to_numpy(), rel=1e-9)
        assert told["sd"].max() < 1e-15
        assert result.finding.estimate.high > result.finding.estimate.value


def test_labels_alone_are_the_control(table_of: Any, embeddings_of: Any) -> None:
    """By simulation: rank by Hamming distance of the profiles, ties at random."""
    n = 200
    table, vectors = table_of(n), embeddings_of(n, 0.5)
    table[list(LABELS[5:])] = 0.0
    found = numbers(
        run_linkage(table, {"m": vectors}, seed=1, settings=replace(FEW, match="pair", pools=(20, "all"))),
        direction="image to report",
        protocol="random",
        pool="20",
        unit="query",
    )
    profiles = (table[list(LABELS)] == 1).to_numpy()
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(60):
        for row in range(n):
            pool = np.r_[row, rng.choice(np.delete(np.arange(n), row), 19, replace=False)]
            distance = (profiles[pool] != profiles[row]).sum(axis=1) + rng.random(20) * 0.5
            hits.append(distance.argmin() == 0)
    assert found["control"]["Recall@1"] == pytest.approx(np.mean(hits), abs=4 * np.std(hits) / np.sqrt(len(hits)))


def test_drawn_pools_have_the_curves_of_the_paper_too(table_of: Any, embeddings_of: Any) -> None:
    table, vectors = table_of(240), embeddings_of(240, 0.5)
    settings = LinkageSettings(redraws=60, pools=(10, 100, "all"), match="pair", sampled=True)
    found = run_linkage(table, {"m": vectors}, seed=1, settings=settings)
    curves = {figure.title: figure for figure in found.finding.figures}
    for title in ("Recall@1 over chance, by number of candidates", "Recall@1 and MRR, by number of candidates"):
        assert curves[title].series[0].x == (10, 100, 240)
    recall = curves["Recall@1 and MRR, by number of candidates"].series[0]
    assert recall.y[0] > recall.y[1] > recall.y[2]


def test_the_encoders_alone_are_compared_when_asked_and_never_reassure(table_of: Any, embeddings_of: Any) -> None:
    table, vectors = table_of(240), {"m": embeddings_of(240, 0.5)}
    alone = attack_pairs(table, vectors, seed=1, settings=replace(FEW, fitted=False))
    assert set(alone.tables["linkage"]["encoder"]) == {"m"}
    assert set(attack_pairs(table, vectors, seed=1, settings=FEW).tables["linkage"]["encoder"]) > {"m"}
    power = alone.finding.power
    assert power is not None and not power.enough and "as was asked for" in power.sentence
    assert replace(FEW, fitted=False, redraws=1000).weakened() == ("fitted",)


def test_what_pathology_matching_takes_away_is_an_estimate(table_of: Any, embeddings_of: Any) -> None:
    found = run_linkage(table_of(240), {"m": embeddings_of(240, 0.5)}, seed=1, settings=FEW).finding.estimates
    lost = found["share of Recall@1 lost to pathology matching in pools of 100"]
    both = [found[f"Recall@1 in {kind}pools of 100"].value for kind in ("", "pathology-matched ")]
    assert lost.value == pytest.approx(1 - both[1] / both[0])
    assert lost.low <= lost.value <= lost.high


def test_the_published_table_has_intervals(table_of: Any, embeddings_of: Any) -> None:
    result = run_linkage(table_of(240), {"m": embeddings_of(240, 0.5)}, seed=1, settings=FEW)
    row = next(row for row in result.finding.tables[0].rows if row[:2] == ("100", "m"))
    told = numbers(result, pool="100", protocol="random", direction="image to report", unit="patient").loc["Recall@5"]
    value, sd, low, high = (f"{100 * told[name]:.3f}" for name in ("value", "sd", "low", "high"))
    assert row[3] == f"{value}\u00a0±\u00a0{sd} [{low}, {high}]"


def test_sampled_pools_agree_with_exact_ones(table_of: Any, embeddings_of: Any) -> None:
    table, vectors = table_of(200), embeddings_of(200, 0.8)
    settings = replace(FEW, pools=(50, "all"))
    exact = run_linkage(table, {"m": vectors}, seed=1, settings=settings).tables["linkage"]
    drawn = run_linkage(table, {"m": vectors}, seed=1, settings=replace(settings, sampled=True)).tables["linkage"]
    keys = ["direction", "protocol", "pool", "metric", "unit"]
    both = exact.merge(drawn, on=keys, suffixes=("", "_drawn"))
    assert len(both) == len(drawn)
    shares = both[both["metric"] != "median rank"]
    assert (shares["value"] - shares["value_drawn"]).abs().max() < 0.015
    assert (
        "drawn 20 times"
        in run_linkage(table, {"m": vectors}, seed=1, settings=replace(settings, sampled=True)).finding.method
    )


def test_queries_are_more_certain_than_patients(table_of: Any, embeddings_of: Any) -> None:
    """All pairs of a patient succeed or fail together."""
    n = 400
    good, bad = embeddings_of(n, 5.0), embeddings_of(n, 0.0)
    linked = (np.arange(n) // 4 % 2 == 0)[:, None]
    vectors = replace(
        good, images=np.where(linked, good.images, bad.images), reports=np.where(linked, good.reports, bad.reports)
    )
    result = run_linkage(table_of(n), {"m": vectors}, seed=1)
    by_patient, by_query = (
        numbers(result, direction="image to report", protocol="random", pool="all", unit=unit).loc["Recall@1"]
        for unit in ("patient", "query")
    )
    assert by_patient["value"] == by_query["value"]
    assert by_patient["sd"] == pytest.approx(0.05, rel=0.1)  # sqrt(0.25 / 100 patients)
    assert by_query["sd"] == pytest.approx(0.025, rel=0.1)
    assert by_patient["units"] == 100 and by_query["units"] == n
    assert result.finding.estimate.unit == "patient"
    asked = run_linkage(table_of(n), {"m": vectors}, seed=1, settings=LinkageSettings(unit="query"))
    assert asked.finding.estimate.unit == "query" and asked.finding.estimate.sd == by_query["sd"]


def test_before_and_after_are_paired_by_patient(table_of: Any, embeddings_of: Any) -> None:
    table, vectors = table_of(240), embeddings_of(240, 0.8)
    fewer = Embeddings(vectors.images[8:], vectors.reports[8:], vectors.rows[8:], {"unreadable": 8})
    before = run_linkage(table, {"m": vectors}, seed=3).finding
    renamed = table.assign(patient_id="x" + table["patient_id"].str[::-1])
    after = run_linkage(renamed, {"m": vectors}, seed=3).finding
    same = after.estimate.minus(before.estimate)
    assert same.value == same.sd == 0
    assert same.high == -same.low == pytest.approx(1 - 0.025 ** (1 / 60))  # of 60 patients, none changed
    less = run_linkage(table, {"m": fewer}, seed=3).finding
    change = less.estimate.minus(before.estimate)
    assert change.sd < 0.5 * before.estimate.sd
    assert "Images set aside and not attacked: 8" in " ".join(less.limits)


def test_none_linked_is_not_certainty(table_of: Any, embeddings_of: Any) -> None:
    vectors = embeddings_of(200, 1.0)
    opposed = replace(vectors, reports=-vectors.images)
    finding = run_linkage(table_of(200), {"m": opposed}, seed=1, settings=FEW).finding
    assert finding.estimate.value == 0
    assert finding.estimate.high == pytest.approx(1 - 0.025 ** (1 / 50), rel=1e-6)  # of 50 patients


def test_the_wider_of_both_intervals_counts_however_many_are_linked(table_of: Any, embeddings_of: Any) -> None:
    """Of 40 patients a percentile bootstrap is too sure, and knows no more than it has seen."""
    table, vectors = table_of(160), embeddings_of(160, 1.5)
    finding = run_linkage(table, {"m": vectors}, seed=1, settings=FEW).finding
    for name in ("Recall@1", "Recall@5", "MRR"):  # a patient's four images succeed by degrees
        found = finding.estimates[name]
        assert found.value * found.units > 10
        low, high = exact_interval(found.value, found.units, spread=found.sd * found.units**0.5)
        assert found.bounds and found.low <= low + 0.005 and found.high >= high - 0.005, name
    alone = table.assign(patient_id=table["image_id"], study_id=table["image_id"])
    found = run_linkage(alone, {"m": vectors}, seed=1, settings=FEW).finding.estimate
    low, high = exact_interval(found.value, 160)  # one image each: hits and misses
    assert found.low <= low + 1e-6 and found.high >= high - 1e-6


@pytest.mark.parametrize(("size", "verdict"), [(10, "FAIL"), (None, "PASS")])
def test_the_verdict_is_about_the_stated_database(
    table_of: Any, embeddings_of: Any, size: int | None, verdict: str
) -> None:
    table, vectors = table_of(600), embeddings_of(600, 0.5)
    settings = replace(FEW, database_size=size, threshold=0.09)
    finding = run_linkage(table, {"m": vectors}, seed=1, settings=settings).finding
    assert finding.threshold is not None and finding.threshold.judge(finding.estimate) == verdict
    assert finding.estimate.chance == pytest.approx(1 / (size or 599))
    assert f"first of {size or 599} reports" in finding.answer


def test_a_larger_database_is_extrapolated(table_of: Any, embeddings_of: Any) -> None:
    table, vectors = table_of(1000), embeddings_of(1000, 1.0)
    finding = run_linkage(table, {"m": vectors}, seed=1, settings=replace(FEW, database_size=10**6)).finding
    whole = run_linkage(table, {"m": vectors}, seed=1, settings=FEW).finding
    assert 1e-6 < finding.estimate.value < whole.estimate.value
    assert finding.estimate.chance == 1e-6 and 1e-6 < finding.estimate.control < whole.estimate.control
    assert "would be the right one" in finding.answer and "fitted curve" in finding.method
    assert finding.estimate.scenario and finding.estimate.high == whole.estimate.high
    assert "Nothing was measured in a database of that size" in finding.doubts[0]
    assert replace(finding, threshold=Threshold.chosen(0.99)).verdict is Verdict.REVIEW
    with pytest.raises(NotMeasurable, match="too small, or links too little, to tell"):
        run_linkage(table_of(100), {"m": embeddings_of(100, 1.0)}, seed=1, settings=replace(FEW, database_size=10**6))
    with pytest.raises(SettingsError, match="exact pools"):
        run_linkage(table, {"m": vectors}, seed=1, settings=replace(FEW, database_size=10**6, sampled=True))


def test_groups_are_told_apart(table_of: Any, embeddings_of: Any) -> None:
    n = 400
    table = table_of(n)
    good, bad = embeddings_of(n, 5.0), embeddings_of(n, 0.0)
    old = (table["age"] >= 75).to_numpy()[:, None]
    vectors = replace(
        good, images=np.where(old, good.images, bad.images), reports=np.where(old, good.reports, bad.reports)
    )
    table.loc[0:7, "sex"] = "O"  # two patients: not shown
    groups = run_linkage(table, {"m": vectors}, seed=1, settings=FEW).tables["groups"].set_index("group")
    assert groups["low"]["age 75 and over"] > 0.9 > 0.1 > groups["high"]["age 40 to 59"]
    assert "sex O" not in groups.index and {"site 1", "site 2", "view PA", LABELS[3]} < set(groups.index)
    assert any(name.startswith("report ") for name in groups.index)
    assert not groups.index.str.contains("Clinic").any()


def test_cases_are_listed_by_row_for_the_owner_alone(table_of: Any, embeddings_of: Any, tmp_path: Path) -> None:
    n = 200
    weak, strong = embeddings_of(n, 0.0), embeddings_of(n, 6.0)
    planted = np.zeros((n, 1), dtype=bool)
    planted[[7, 90]] = True
    vectors = replace(
        weak,
        images=np.where(planted, strong.images, weak.images),
        reports=np.where(planted, strong.images, weak.reports),
    )
    rows = np.arange(n) + 5
    result = run_linkage(table_of(n + 5), {"m": replace(vectors, rows=rows)}, seed=1, settings=FEW)
    paths = {path.name: path for path in write_tables(result, tmp_path / "out")}
    cases = pd.read_csv(paths["linkable-cases.csv"])
    assert {13, 96} <= set(cases["row"][cases["recall_at_1"] == 1])
    assert stat.S_IMODE(paths["linkable-cases.csv"].stat().st_mode) == 0o600
    everything = "".join(path.read_text() for path in paths.values()) + json.dumps(result.finding.to_json())
    for value in ("patient-", "study-", "image-", "North", "South", " seen"):
        assert value not in everything


def test_the_published_tables_have_every_line(table_of: Any, embeddings_of: Any) -> None:
    encoders = {"one": embeddings_of(320, 0.5), "two": embeddings_of(320, 1.0)}
    finding = run_linkage(table_of(320), encoders, seed=1, settings=FEW).finding
    random, matched = finding.tables[:2]
    assert [row[:2] for row in random.rows] == [
        (size, who) for size in ("100", "all (319)") for who in ("one", "two", "labels only", "chance")
    ]
    assert [row[:2] for row in matched.rows] == [("100", who) for who in ("one", "two", "labels only", "chance")]
    assert random.rows[3][2:6] == ("1.000", "5.000", "10.000", f"{100 * chance(np.array([100]))[0, 3]:.3f}")
    assert "±" in random.rows[0][2]
    titles = [figure.title for figure in finding.figures]
    assert len(titles) == len(set(titles)) == 8
    assert json.dumps(finding.to_json(), allow_nan=False)


def test_without_labels_pools_are_random_only(table_of: Any, embeddings_of: Any) -> None:
    table, vectors = table_of(60), embeddings_of(60, 0.5)
    for bare in (table.drop(columns=list(LABELS)), table.assign(**dict.fromkeys(LABELS, np.nan))):
        result = run_linkage(bare, {"m": vectors}, seed=1, settings=FEW)
        assert set(result.tables["linkage"]["protocol"]) == {"random"}
        assert result.finding.estimate.control == pytest.approx(result.finding.estimate.chance)
        assert any("Findings are not labelled" in limit for limit in result.finding.limits)
        with pytest.raises(InputError, match="need the label columns"):
            run_linkage(bare, {"m": vectors}, seed=1, settings=replace(FEW, matched=True))


def test_without_patients_intervals_are_by_query(table_of: Any, embeddings_of: Any) -> None:
    result = run_linkage(table_of(60)[["image_id"]], {"m": embeddings_of(60, 0.5)}, seed=1, settings=FEW)
    assert result.finding.estimate.unit == "query"
    assert any("Patients are not known" in limit for limit in result.finding.limits)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda t, e: (t.drop(columns="Fracture"), e), "label column Fracture is missing"),
        (lambda t, e: (t.assign(Edema="yes"), e), "not a number"),
        (lambda t, e: (t.assign(patient_id=None), e), "patient_id is empty"),
        (lambda t, e: (t, replace(e, images=np.full_like(e.images, np.nan))), "not finite"),
        (lambda t, e: (t, replace(e, reports=np.zeros_like(e.reports))), "all zeros"),
        (lambda t, e: (t, replace(e, reports=e.reports[:, :8])), "same size"),
        (lambda t, e: (t, replace(e, reports=e.reports[:-1])), "as many image embeddings as report embeddings"),
        (lambda t, e: (t, replace(e, rows=e.rows + 1)), "of other cases than the table"),
        (lambda t, e: (t, replace(e, rows=e.rows[::-1])), "of other cases than the table"),
    ],
)
def test_bad_input_is_one_plain_sentence(table_of: Any, embeddings_of: Any, spoil: Any, sentence: str) -> None:
    table, vectors = spoil(table_of(40), embeddings_of(40, 0.5))
    with pytest.raises(InputError, match=sentence) as refusal:
        run_linkage(table, {"m": vectors}, seed=1, settings=FEW)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"pools": (41,)}, "larger than what there is"),
        ({"pools": (1,)}, "at least two candidates"),
        ({"pools": ()}, "at least one pool"),
        ({"database_size": 1}, "at least two candidates"),
        ({"redraws": 1}, "two resamples"),
        ({"match": "hospital"}, "match is one of pair, study, patient, text"),
        ({"ties": "first"}, "ties is one of"),
        ({"unit": "site"}, "unit is one of"),
    ],
)
def test_bad_settings_are_one_plain_sentence(table_of: Any, embeddings_of: Any, settings: Any, sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        run_linkage(table_of(40), {"m": embeddings_of(40, 0.5)}, seed=1, settings=LinkageSettings(**settings))


def test_what_cannot_be_matched_is_refused(table_of: Any, embeddings_of: Any) -> None:
    with pytest.raises(InputError, match="needs a column report"):
        run_linkage(
            table_of(40).drop(columns="report"),
            {"m": embeddings_of(40, 0.5)},
            seed=1,
            settings=LinkageSettings(match="text"),
        )


def test_too_little_is_not_measurable(table_of: Any, embeddings_of: Any) -> None:
    with pytest.raises(NotMeasurable, match="at least 20 frontal images with a report, and there are 12"):
        run_linkage(table_of(12), {"m": embeddings_of(12, 0.5)}, seed=1)
    with pytest.raises(NotMeasurable, match="two patients"):
        run_linkage(table_of(40).assign(patient_id="one"), {"m": embeddings_of(40, 0.5)}, seed=1)


def test_pools_without_all_are_enough(table_of: Any, embeddings_of: Any) -> None:
    result = run_linkage(table_of(40), {"m": embeddings_of(40, 0.5)}, seed=1, settings=replace(FEW, pools=(10,)))
    assert [row[0] for row in result.finding.tables[0].rows] == ["10"] * 3
    assert result.finding.estimate.chance == pytest.approx(1 / 39)


def test_nobody_to_compete_with_is_not_measurable(table_of: Any, embeddings_of: Any) -> None:
    alike, vectors = table_of(40).assign(report="Normal."), embeddings_of(40, 0.5)
    with pytest.raises(NotMeasurable, match="without any other report that could compete"):
        run_linkage(alike, {"m": vectors}, seed=1, settings=replace(FEW, match="text"))
    alike.loc[:9, "report"] = "Effusion."
    found = run_linkage(alike, {"m": vectors}, seed=1, settings=replace(FEW, match="text")).finding
    assert found.estimate.chance == pytest.approx((30 / 11 + 10 / 31) / 40)
    assert "first of about 11 reports" in found.answer


def test_encoders_are_compared_on_the_pairs_all_have(table_of: Any, embeddings_of: Any) -> None:
    whole, part = embeddings_of(60, 0.5), embeddings_of(60, 2.0)
    part = Embeddings(part.images[::2], part.reports[::2], part.rows[::2], {"unreadable": 30})
    result = run_linkage(table_of(60), {"whole": whole, "part": part}, seed=1, settings=FEW)
    assert set(result.tables["linkage"]["n"]) == {30}
    alone = run_linkage(table_of(60), {"part": part}, seed=1, settings=FEW)
    assert alone.finding.estimate.value == result.finding.estimate.value


def test_the_attack_conforms(hospital: Cohort) -> None:
    assert registered("attacks")["linkage"] is Linkage
    finding = check_attack(Linkage(), hospital)
    assert finding.estimate.chance is not None and finding.estimate.value > finding.estimate.chance
    for estimate in finding.estimates.values():
        assert estimate.unit == "patient"


def test_a_remnant_does_not_speak_for_the_whole(hospital: Cohort, tmp_path: Path) -> None:
    paths = np.where(np.arange(len(hospital)) < 30, hospital.table["path"], "missing.dcm")
    broken = replace(hospital, table=hospital.table.assign(path=paths))
    with pytest.raises(NotMeasurable, match="most X-rays with a report cannot be read"):
        Linkage().run(broken, broken, seed=1)


def test_without_reports_there_is_nothing_to_link(hospital: Cohort) -> None:
    silent = replace(
        hospital,
        table=hospital.table.assign(report=pd.array([None] * len(hospital), dtype=hospital.table["report"].dtype)),
    )
    with pytest.raises(NotMeasurable, match="hold no reports"):
        Linkage().run(silent, silent, seed=1)
