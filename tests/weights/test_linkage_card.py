from __future__ import annotations

from medveil.weights.bundled import bundled, read_card


def test_its_scores_have_intervals_above_chance() -> None:
    for cohort, scores in read_card(bundled("medveil-small"))["scores"].items():
        for measure in ("Recall@1", "MRR"):
            score = scores["random pools of 100"][measure]
            assert score["chance"] < score["low"] <= score["value"] <= score["high"], (cohort, measure)
            assert score["unit"] == "patient"
