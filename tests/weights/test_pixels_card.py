from __future__ import annotations

from medveil.weights.bundled import bundled, read_card


def test_its_scores_have_intervals() -> None:
    for source, scores in read_card(bundled("text-detector"))["scores"].items():
        for name in ("words removed", "markers kept"):
            assert scores[name]["low"] <= scores[name]["value"] <= scores[name]["high"], (source, name)
            assert scores[name]["n"] > 50, (source, name)
        assert scores["words removed"]["value"] >= 0.99, source
