from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from medveil.attacks.identity.evaluation import Evaluation, evaluate
from medveil.attacks.identity.pairs import PairSet
from medveil.attacks.identity.subgroups import pair_slices, query_slices
from medveil.cohort import Cohort
from medveil.cohort.features import image_features, thumbnail
from medveil.cohort.input import read_cohort
from medveil.cohort.schema import LABELS
from medveil.errors import NotMeasurable
from medveil.finding import Finding
from medveil.stats.estimate import Estimate


def table_of(patients: int, visits: int, **columns: Any) -> pd.DataFrame:
    """Visits a year apart; every other visit is AP, sexes alternate."""
    n = patients * visits
    visit = np.tile(np.arange(visits), patients)
    table = {
        "image_id": [f"image-{i}" for i in range(n)],
        "patient_id": np.repeat([f"person-{p}" for p in range(patients)], visits),
        "study_id": [f"study-{i}" for i in range(n)],
        "path": [f"{i}.png" for i in range(n)],
        "view": np.where(visit % 2, "AP", "PA"),
        "sex": np.repeat(np.where(np.arange(patients) % 2, "M", "F"), visits),
        "age": 40.0 + visit,
        **columns,
    }
    return Cohort.of(pd.DataFrame(table), Path()).table


def vectors_of(patients: int, visits: int, signal: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    people = np.repeat(rng.standard_normal((patients, 16)), visits, axis=0)
    vectors = signal * people + rng.standard_normal((patients * visits, 16))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def everything(found: Evaluation) -> list[Estimate]:
    slices = [e for by in (found.slices, found.query_slices) for answers in by.values() for e in answers.values()]
    return [*found.estimates.values(), *slices]


def test_a_planted_identity_is_found() -> None:
    found = evaluate(vectors_of(40, 3, signal=5), table_of(40, 3), seed=1, redraws=50)
    for name in ("precision@1", "R-precision", "mAP@R", "pair AUC", "true-match rate at 0.01"):
        assert found.estimates[name].value > 0.97, name
        assert found.estimates[name].low > (found.estimates[name].control or 0), name
    assert found.estimates["precision@1"].chance == pytest.approx(2 / 119)
    assert found.estimates["recall at false matches 0.01"].value > 0.95


def test_without_a_signal_intervals_hold_chance() -> None:
    found = evaluate(vectors_of(40, 3, signal=0), table_of(40, 3), seed=1, redraws=200)
    for name in ("precision@1", "R-precision", "mAP@R", "pair AUC", "equal error rate"):
        estimate = found.estimates[name]
        assert estimate.low <= (estimate.chance or 0) <= estimate.high, name


def test_a_collapsed_encoder_scores_chance() -> None:
    flat = np.full((120, 16), 0.25, np.float32)
    found = evaluate(flat, table_of(40, 3), seed=1, redraws=50).estimates
    for name in ("precision@1", "R-precision", "mAP@R", "pair AUC", "equal error rate"):
        assert found[name].value == pytest.approx(found[name].chance), name
    assert found["true-match rate at 0.01"].value == 0


def test_every_estimate_is_sound_and_fit_for_a_report() -> None:
    found = evaluate(vectors_of(30, 3, signal=1.5), table_of(30, 3), seed=1, redraws=50, pair_redraws=50)
    for estimate in everything(found):
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.units <= estimate.n
    assert found.estimates["pair AUC, redrawn by pair"].unit == "pair"
    assert found.estimates["pair AUC, redrawn by pair"].value == found.estimates["pair AUC"].value
    finding = Finding(
        "x", "attack", "?", ".", "pair AUC", found.estimates, "m", figures=found.figures, tables=found.tables
    )
    published = json.dumps(finding.to_json(), allow_nan=False)
    assert "person-" not in published and "study-" not in published
    again = evaluate(vectors_of(30, 3, signal=1.5), table_of(30, 3), seed=1, redraws=50, pair_redraws=50)
    assert again.estimates == found.estimates and again.tables == found.tables


def test_harder_slices_show() -> None:
    """Vectors that only recognise people within one view: pairs across views must score worse."""
    table = table_of(60, 4)
    within, across = vectors_of(60, 4, signal=4), vectors_of(60, 4, signal=4, seed=9)
    ap = (table["view"] == "AP").to_numpy()
    found = evaluate(np.where(ap[:, None], within, across), table, seed=0, redraws=50)
    views = found.slices["view"]
    assert views["PA and AP"].high < 0.3
    assert views["PA and PA"].low > 0.7 and views["AP and AP"].low > 0.7
    assert views["PA and AP"].n == 60 * 4
    assert views["PA and PA"].chance == 0.01


def test_slices_by_hand() -> None:
    labels: dict[str, Any] = dict.fromkeys(LABELS, 0.0)
    labels["Edema"] = [0.0, 1.0, 1.0, np.nan]
    labels["Support Devices"] = [1.0, 1.0, 0.0, 0.0]
    dates = pd.to_datetime(["2020-01-01", "2020-06-01", "2031-01-01", None])
    table = table_of(1, 4, age=[50.0, 50.0, 61.0, 53.0], date=dates, **labels)
    pairs = PairSet(np.array([0, 0, 1, 0]), np.array([1, 2, 2, 3]))
    found = pair_slices(table, pairs)
    assert found["time between"]["up to 1 year"].tolist() == [True, False, False, False]
    assert found["time between"]["over 10 years"].tolist() == [False, True, True, False]
    assert found["time between"]["1 to 5 years"].tolist() == [False, False, False, True]  # by age: no date
    assert found["findings"]["changed"].tolist() == [True, True, True, False]
    assert found["new finding"]["Edema"].tolist() == [True, True, False, False]
    assert found["support devices"]["in one"].tolist() == [False, True, True, True]
    assert found["support devices"]["in both"].tolist() == [True, False, False, False]
    assert found["view"]["PA and AP"].tolist() == [True, False, True, True]
    assert found["age"]["40 to 59"].tolist() == [True] * 4
    assert query_slices(table)["age"]["60 to 74"].tolist() == [False, False, True, False]


def test_small_slices_are_left_out() -> None:
    table = table_of(30, 2, sex=["O"] * 20 + ["F"] * 40)
    found = evaluate(vectors_of(30, 2, signal=2), table, seed=0, redraws=20)
    assert set(found.slices["sex"]) == {"F"}  # ten patients are O
    assert set(found.query_slices["sex"]) == {"F"}


def test_a_verification_model_is_judged_at_one_half() -> None:
    vectors = vectors_of(30, 3, signal=4)

    def verify(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-12 * ((left * right).sum(axis=1) - 0.6)))

    found = evaluate(vectors, table_of(30, 3), seed=0, redraws=30, verify=verify).estimates
    plain = evaluate(vectors, table_of(30, 3), seed=0, redraws=30).estimates
    assert found["accuracy at 0.5"].value > 0.9
    assert found["pair AUC"].value == pytest.approx(plain["pair AUC"].value)  # the same order
    assert "accuracy at 0.5" not in plain  # a similarity is no probability


def test_too_little_to_measure() -> None:
    with pytest.raises(NotMeasurable):
        evaluate(vectors_of(9, 1, signal=1), table_of(9, 1), seed=0)  # one image a patient
    with pytest.raises(NotMeasurable):
        evaluate(vectors_of(1, 9, signal=1), table_of(1, 9), seed=0)  # one patient
    one_study = table_of(5, 2)
    one_study["study_id"] = one_study["patient_id"]
    with pytest.raises(NotMeasurable):
        evaluate(vectors_of(5, 2, signal=1), one_study, seed=0)


@pytest.mark.real_data
def test_real_patients_by_pixels(real_data: Path) -> None:
    cohort = read_cohort(real_data / "nih14")
    cohort = cohort.where(cohort.table["split"] == "val")
    found = evaluate(image_features(cohort, thumbnail), cohort.table, seed=0, redraws=100)
    assert 0.3 < found.estimates["precision@1"].value < 0.7
    assert found.estimates["pair AUC"].low > 0.5
    assert {"time between", "view", "findings"} <= set(found.slices)
