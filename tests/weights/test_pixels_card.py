from __future__ import annotations

from medveil.weights.pixels import bundled, read_card

MOST_BYTES = 2_000_000


def test_the_bundled_detector_is_small() -> None:
    assert sum(file.stat().st_size for file in bundled().parent.iterdir() if file.is_file()) < MOST_BYTES


def test_its_card_says_what_it_is() -> None:
    card = read_card()
    for name in ("name", "data", "start", "recipe", "seeds", "licence", "for", "not_for", "limits", "scores"):
        assert card[name], name
    assert bundled().with_suffix(".md").read_text("utf-8").startswith(f"# {card['name']}")


def test_its_scores_have_intervals() -> None:
    for source, scores in read_card()["scores"].items():
        for name in ("words removed", "markers kept"):
            assert scores[name]["low"] <= scores[name]["value"] <= scores[name]["high"], (source, name)
            assert scores[name]["n"] > 50, (source, name)
        assert scores["words removed"]["value"] >= 0.99, source
