"""Numbers as a reader meets them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.report import wording


def found(value: float | None, low: float | None, high: float | None, level: float = 0.95) -> dict[str, Any]:
    return {"value": value, "interval": [low, high], "level": level, "n": 10, "units": 4, "unit": "patient"}


def plain(text: str | None) -> str:
    return (text or "").replace("\u00a0", " ")


@pytest.mark.parametrize(
    "estimate, scale, words",
    [
        (found(0.123, 0.098, 0.151), "share", "12.3 % (95 % interval 9.8–15.1 %)"),
        (found(0.7421, 0.7, 0.78, 0.999), "score", "0.742 (99.9 % interval 0.700–0.780)"),
        (found(0.0, 0.0, 0.0), "share", "0.0 % (95 % interval 0.0–0.0 %)"),
        (found(0.0004, 0.0, 0.002), "share", "0.04 % (95 % interval 0.00–0.20 %)"),
        (found(0.123, 1e-9, 0.2), "share", "12.300 % (95 % interval 0.000–20.000 %)"),
        (found(-0.01, -0.02, 0.03), "score", "−0.010 (95 % interval −0.020 to 0.030)"),
        (found(None, None, None), "share", "could not be measured"),
        (found(0.5, None, 0.6), "share", "50.0 % (its interval could not be measured)"),
        ({**found(0.123, 0.098, 0.151), "bounds": True}, "share", "12.3 % (95 % bounds 9.8–15.1 %)"),
    ],
)
def test_estimates(estimate: dict[str, Any], scale: str, words: str) -> None:
    assert plain(wording.estimate(estimate, scale)) == words


def test_changes_carry_their_sign_and_points() -> None:
    assert plain(wording.change(found(-0.4, -0.5, -0.3), "share")) == (
        "−40.0 percentage points (95 % interval −50.0 to −30.0)"
    )
    assert plain(wording.change(found(0.012, 0.01, 0.014), "score")) == "+0.012 (95 % interval 0.010–0.014)"


def test_ends_are_called_what_they_are() -> None:
    """An interval misses the truth about as often as it says; bounds no more often, and mostly less."""
    interval, bounds = found(0.1, 0.0, 0.2), {**found(0.1, 0.0, 0.2), "bounds": True}
    assert wording.called(interval) == "interval" and wording.called(bounds, bounds) == "bounds"
    assert wording.called(bounds, interval) == "bounds or interval"
    assert "interval" not in wording.resampled(bounds) and "exact" in wording.resampled(bounds)
    finding = {
        "estimates": {"x": bounds},
        "headline": "x",
        "scale": "share",
        "verdict": "REVIEW",
        "threshold": {"name": "T", "value": 0.09},
    }
    assert plain(wording.judgement(finding)).startswith("The bounds, 0.0 % to 20.0 %, reach above")


@given(st.floats(0, 1), st.floats(0, 1))
def test_rounding_never_hides_which_side_of_the_threshold_a_value_lies(value: float, limit: float) -> None:
    if abs(value - limit) > 1e-7:
        shown = wording.apart(value, limit, "share")
        decimals = len(plain(shown).split(" ")[0].partition(".")[2])
        assert shown != f"{limit * 100:.{decimals}f}\u00a0%"


@pytest.mark.parametrize(
    "verdict, low, high, words",
    [
        ("PASS", 0.05, 0.08999, "The upper end of the interval, 8.999 %, is not above the threshold of 9 %, “T”."),
        ("FAIL", 0.0901, 0.2, "Even the lower end of the interval, 9.01 %, is above the threshold of 9 %, “T”."),
        ("REVIEW", 0.05, 0.2, "The interval, 5.0 % to 20.0 %, reaches above the threshold of 9 %, “T”: uncertain."),
        ("REVIEW", None, None, "This could not be measured well enough to be compared with the threshold of 9 %, “T”."),
        ("REVIEW", 0.01, 0.02, "This could not be measured well enough to be compared with the threshold of 9 %, “T”."),
    ],
)  # fmt: skip
def test_judgements(verdict: str, low: float | None, high: float | None, words: str) -> None:
    finding = {
        "threshold": {"name": "T", "value": 0.09, "source": ""},
        "scale": "share",
        "headline": "h",
        "estimates": {"h": found(0.1, low, high)},
        "verdict": verdict,
    }
    assert plain(wording.judgement(finding)) == words


def test_a_doubt_is_told_beside_an_interval_that_would_pass() -> None:
    finding = {
        "threshold": {"name": "T", "value": 0.09, "source": ""},
        "scale": "share",
        "headline": "h",
        "estimates": {"h": found(0.01, 0.0, 0.02)},
        "verdict": "REVIEW",
        "concerns": ["Look here."],
        "power": {"shown_on": "Shown on nothing.", "control": "", "enough": False},
    }
    told = plain(wording.judgement(finding))
    assert told == (
        "The upper end of the interval, 2.0 %, is not above the threshold of 9 %, “T”. Look here. Shown on nothing. "
        "That it found little says nothing of the risk: a person must judge it."
    )


@pytest.mark.parametrize(
    "value, concerns, words",
    [
        (0.0, [], "The share itself, 0.0 %, is not above the threshold of 9 %, “T”."),
        (0.2, [], "The share itself, 20.0 %, is above the threshold of 9 %, “T”."),
        (0.0, ["Look here."], "The share itself, 0.0 %, is not above the threshold of 9 %, “T”. Look here."),
        (None, [], "This could not be measured well enough to be compared with the threshold of 9 %, “T”."),
    ],
)
def test_judgements_of_what_was_counted(value: float | None, concerns: list[str], words: str) -> None:
    finding = {
        "threshold": {"name": "T", "value": 0.09, "source": "", "counted": True},
        "scale": "share",
        "headline": "h",
        "estimates": {"h": found(value, 0.0, 0.5)},
        "verdict": "REVIEW",
        "concerns": concerns,
    }
    assert plain(wording.judgement(finding)) == words


def test_folds_counts_and_cells() -> None:
    assert plain(wording.fold(0.47, 0.01)) == "47 times"
    assert plain(wording.fold(0.03, 0.02)) == "1.5 times"
    assert wording.fold(0.5, 0.0) is wording.fold(None, 0.1) is wording.fold(0.5, None) is None
    assert plain(wording.counted(1, "study")) == "1 study"
    assert plain(wording.counted(1200, "study")) == "1,200 studies"
    assert plain(wording.sample(found(0, 0, 0))) == "10 images of 4 patients"
    assert [wording.cell(c) for c in (None, 1200, -0.5, "a")] == ["–", "1,200", "−0.500", "a"]
