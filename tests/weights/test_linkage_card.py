from __future__ import annotations

from medveil.weights.linkage import bundled, read_card

MOST_BYTES = 5_000_000


def test_the_bundled_encoder_is_small() -> None:
    folder = bundled().parent
    assert sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) < MOST_BYTES


def test_its_card_says_what_it_is() -> None:
    card = read_card()
    for name in ("name", "data", "start", "recipe", "seeds", "licence", "for", "not_for", "limits", "scores"):
        assert card[name], name
    page = bundled().with_suffix(".md").read_text("utf-8")
    assert page.startswith(f"# {card['name']}")


def test_its_scores_have_intervals_above_chance() -> None:
    for cohort, scores in read_card()["scores"].items():
        for protocol in ("random pools of 100",):
            for measure in ("Recall@1", "MRR"):
                score = scores[protocol][measure]
                assert score["chance"] < score["low"] <= score["value"] <= score["high"], (cohort, measure)
                assert score["unit"] == "patient"
