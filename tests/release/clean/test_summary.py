"""The sum of a run: what the pixels' defense noted reaches the record, and what did not happen is not in it."""

from __future__ import annotations

from typing import Any

from medveil.defenses.pixels.defense import PLAIN, REMOVED, WITHOUT_GENERATOR
from medveil.release.clean.reviewed import Reviewed
from medveil.release.clean.summary import Summary


def pixels_of(notes: dict[str, int]) -> dict[str, Any]:
    summary = Summary(withdrawn={}, reviewed=Reviewed())
    summary.add({"source": "", "files": [{"id": "a", "path": "a.png", "done": {"pixels": notes}, "masked": [0.1]}]})
    pixels: dict[str, Any] = summary.counts(left_out=0, doubtful_ids=0)["pixels"]
    return pixels


def test_large_holes_and_a_generator_that_did_not_paint_are_told() -> None:
    told = pixels_of({REMOVED: 3, PLAIN: 2, WITHOUT_GENERATOR: 1})
    assert told["boxes"] == 3 and told["left_plain"] == 2 and told["without_generator"] == 1
    assert not {"left_plain", "without_generator"} & set(pixels_of({REMOVED: 3}))
