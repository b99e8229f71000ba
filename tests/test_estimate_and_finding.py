from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.finding import Finding, Power, Threshold, Verdict
from medveil.stats.estimate import Estimate

finite = st.floats(-10, 10)


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, sd=0.1, low=low, high=high, n=10, units=5)


@given(st.lists(finite, min_size=2, max_size=50), finite)
def test_the_interval_always_holds_the_value(draws: list[float], value: float) -> None:
    found = Estimate.from_replicates(value, np.array(draws), n=5, units=3)
    assert found.low <= found.value <= found.high


def test_percentile_interval_of_known_draws() -> None:
    found = Estimate.from_replicates(50, np.arange(101.0), n=5, units=10**6)
    assert (found.low, found.high) == pytest.approx((2.5, 97.5), rel=1e-4)
    assert found.sd == pytest.approx(np.std(np.arange(101.0), ddof=1))


def test_a_paired_difference_is_narrower_than_its_parts() -> None:
    rng = np.random.default_rng(0)
    shared = rng.normal(size=1000)
    before = Estimate.from_replicates(0, shared, n=9, units=9)
    after = Estimate.from_replicates(1, shared + 1, n=9, units=9)
    change = after.minus(before)
    assert change.value == 1
    assert change.high - change.low < 1e-9


def test_a_difference_without_replicates_is_refused() -> None:
    with pytest.raises(ValueError, match="same draws"):
        estimate(1, 0, 2).minus(estimate(1, 0, 2))


@given(finite, st.floats(0, 5), st.floats(0, 5), finite)
def test_pass_needs_the_whole_interval_below_the_threshold(value: float, down: float, up: float, limit: float) -> None:
    found = estimate(value, value - down, value + up)
    verdict = Threshold("t", limit, "s").judge(found)
    assert (verdict is Verdict.PASS) == (found.high <= limit)
    assert (verdict is Verdict.FAIL) == (found.low > limit)


def test_an_estimate_that_could_not_be_made_is_never_a_pass() -> None:
    for low, value, high, limit in itertools.product((0.1, math.nan), repeat=4):
        verdict = Threshold("t", limit, "s").judge(estimate(value, low, high))
        assert (verdict is Verdict.REVIEW) == math.isnan(low + value + high + limit)


def test_what_was_counted_is_judged_as_it_is_and_never_fails() -> None:
    counted = Threshold("t", 0.005, "s", counted=True)
    assert counted.judge(estimate(0.0, 0.0, 0.3)) is Verdict.PASS
    assert counted.judge(estimate(0.006, 0.0, 0.3)) is Verdict.REVIEW
    assert counted.judge(estimate(0.9, 0.8, 1.0)) is Verdict.REVIEW
    assert counted.judge(estimate(math.nan, math.nan, math.nan)) is Verdict.REVIEW


def test_a_concern_means_review_whatever_the_threshold_says() -> None:
    def found(*concerns: str, limit: float = 0.5) -> Finding:
        threshold = Threshold("t", limit, "s")
        one = {"e": estimate(0.1, 0.05, 0.2)}
        return Finding("p", "measure", "Q?", "A.", "e", one, "m", threshold=threshold, concerns=concerns)

    assert found().verdict is Verdict.PASS
    assert found("Look here.").verdict is Verdict.REVIEW
    assert found("Look here.", limit=0.01).verdict is Verdict.FAIL
    assert found("Look here.").to_json()["concerns"] == ["Look here."]


def test_an_attack_without_power_cannot_pass_and_says_so() -> None:
    def found(*, enough: bool, limit: float = 0.5) -> Finding:
        power = Power("It was never shown to work on such data.", "Findings alone link more.", enough)
        one = {"e": estimate(0.1, 0.05, 0.2)}
        return Finding("p", "attack", "Q?", "A.", "e", one, "m", threshold=Threshold("t", limit, "s"), power=power)

    assert found(enough=True).verdict is Verdict.PASS
    weak = found(enough=False)
    assert weak.verdict is Verdict.REVIEW and found(enough=False, limit=0.01).verdict is Verdict.FAIL
    assert weak.doubts == (
        "It was never shown to work on such data. Findings alone link more. That it found little says nothing of the "
        "risk: a person must judge it.",
    )
    assert weak.to_json()["power"]["enough"] is False


def test_the_worst_verdict_counts_and_none_is_review() -> None:
    assert Verdict.worst([Verdict.PASS, Verdict.FAIL, Verdict.REVIEW]) is Verdict.FAIL
    assert Verdict.worst([]) is Verdict.REVIEW
