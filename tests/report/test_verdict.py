"""A verdict may err on the side of caution only."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.finding import Finding, Threshold, Verdict
from medveil.report.content import Comparison, Gap, OutputCheck, Provenance, ReportContent, ReportSubject
from medveil.stats.estimate import Estimate

NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
SHARES = st.floats(0, 1)
PROVENANCE = Provenance("0", "", "", 0, "", "", {}, {})


def finding(estimate: Estimate, threshold: float | None = 0.09, kind: str = "attack") -> Finding:
    limit = None if threshold is None else Threshold("limit", threshold, "someone")
    return Finding("part", kind, "Can it?", "It can.", "rate", {"rate": estimate}, "method", threshold=limit)  # type: ignore[arg-type]


def estimate(low: float, value: float, high: float, *, n: int = 50, units: int = 20) -> Estimate:
    return Estimate(value, 0.01, low, high, n, units)


def report(*findings: Finding, gaps: tuple[Gap, ...] = ()) -> ReportContent:
    comparisons = tuple(Comparison(each, each) for each in findings)
    return ReportContent(ReportSubject("s", 1, 1, 1, 1), (), comparisons, gaps, PROVENANCE)


SAFE = finding(estimate(0.01, 0.02, 0.03))


@given(SHARES, SHARES, SHARES, SHARES)
def test_pass_needs_the_whole_interval_at_or_below_the_threshold(
    a: float, b: float, c: float, threshold: float
) -> None:
    low, value, high = sorted((a, b, c))
    expected = Verdict.PASS if high <= threshold else Verdict.FAIL if low > threshold else Verdict.REVIEW
    assert report(finding(estimate(low, value, high), threshold)).verdict == expected


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.integers(0, 3), st.integers(0, 3))
def test_pass_is_never_given_to_what_is_no_measurement(
    low: float, value: float, high: float, threshold: float, n: int, units: int
) -> None:
    content = report(finding(estimate(low, value, high, n=n, units=units), threshold))
    if content.verdict == Verdict.PASS:
        assert all(math.isfinite(number) for number in (low, value, high, threshold))
        assert low <= value <= high <= threshold
        assert n >= 1 and units >= 2
    else:
        assert content.reasons


@pytest.mark.parametrize("place", range(4))
def test_nan_anywhere_is_review_in_the_json_too(place: int) -> None:
    numbers = [0.01, 0.02, 0.03, 0.09]
    numbers[place] = math.nan
    document = report(finding(estimate(*numbers[:3]), numbers[3])).to_json()
    assert document["verdict"] == "REVIEW"
    assert document["comparisons"][0]["verdict"] == "REVIEW"
    assert document["comparisons"][0]["after"]["verdict"] == "REVIEW"
    assert "could not be measured" in document["reasons"][0]


@given(st.lists(st.tuples(SHARES, SHARES, SHARES).map(sorted), max_size=4))
def test_a_blocking_gap_never_passes(intervals: list[list[float]]) -> None:
    gap = Gap("Pixels", "nobody looked", blocking=True)
    content = report(*(finding(estimate(*ends), 1.0) for ends in intervals), gaps=(gap,))
    assert content.verdict == Verdict.REVIEW
    assert "Pixels: nobody looked" in content.reasons


def test_nothing_judged_is_review_with_a_reason() -> None:
    for content in (
        report(),
        report(finding(estimate(0, 0, 0), None)),
        report(finding(estimate(0, 0, 0), kind="measure")),
    ):
        assert content.verdict == Verdict.REVIEW
        assert content.reasons


def test_the_worst_part_counts_and_a_gap_does_not_soften_it() -> None:
    bad = finding(estimate(0.5, 0.6, 0.7))
    assert report(SAFE, bad, SAFE).verdict == Verdict.FAIL
    assert report(bad, gaps=(Gap("a", "b", blocking=True),)).verdict == Verdict.FAIL
    assert report(SAFE, gaps=(Gap("a", "b", blocking=False),)).verdict == Verdict.PASS
    assert report(SAFE).reasons == []


@pytest.mark.parametrize("field, value", [("part", "other"), ("headline", "second"), ("scale", "score")])
def test_unlike_findings_are_not_compared(field: str, value: str) -> None:
    both = replace(SAFE, estimates={"rate": SAFE.estimate, "second": SAFE.estimate})
    with pytest.raises(ValueError, match=field):
        Comparison(both, replace(both, **{field: value}))


def test_what_the_check_found_fails_a_release_and_is_named() -> None:
    found = replace(
        report(SAFE), check=OutputCheck({"images read": 9}, {"images in which text can be read": 2}, ("b", "a"))
    )
    assert found.verdict == Verdict.FAIL
    assert found.reasons == [
        "The check of the output found what may identify people: images in which text can be read (2)."
    ]
    assert found.to_json()["check"]["images"] == ["a", "b"]
    assert replace(report(SAFE), check=OutputCheck({"images read": 9})).verdict == Verdict.PASS
