from __future__ import annotations

import numpy as np

from medveil.defenses.pixels.decide.decision import Decision
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.objects.clips import shared_mask
from medveil.defenses.pixels.removal import TextRemover

from .conftest import SECONDARY_CAPTURE


def test_what_stands_still_is_painted_everywhere_and_what_moves_is_not() -> None:
    rng = np.random.default_rng(0)
    before = [rng.integers(0, 4000, (60, 80)).astype(np.uint16) for _ in range(40)]
    for frame in before:
        frame[10:20, 10:40] = 4000
    after = list(before)
    after[7] = before[7].copy()
    after[7][10:20, 10:40] = 0  # text that stands still, seen once
    after[9] = before[9].copy()
    after[9][40:50, 10:40] = 5000  # a piece of anatomy, mistaken once
    shared = shared_mask(before, after)
    assert shared[10:20, 10:40].all()
    assert not shared[38:52].any()
    for number in (11, 13):
        after[number] = before[number].copy()
        after[number][40:50, 10:40] = 5000  # mistaken again and again: a counter
    assert shared_mask(before, after)[40:50, 10:40].all()
    assert not shared_mask(before, before).any()


def test_text_seen_in_one_frame_goes_in_all(dataset_of, monkeypatch) -> None:
    rng = np.random.default_rng(0)
    clip = rng.integers(900, 1100, (4, 200, 200)).astype(np.uint16)
    clip[:, 80:100, 50:150:7] = 4000
    seen = []

    def once(self, views, known):
        seen.append(views)
        return Decision(removed=[Line.of_box((48, 78, 152, 102), 0.9)] if len(seen) == 1 else [])

    monkeypatch.setattr(TextRemover, "_sorted", once)
    dataset = dataset_of(clip, frames=4, SOPClassUID=SECONDARY_CAPTURE, Modality="OT", BitsStored=12, HighBit=11)
    removals = TextRemover(fill="classical").clean_dataset(dataset, None)
    cleaned = dataset.pixel_array
    assert (cleaned[:, 80:100, 50:150:7] < 2000).all()
    assert all(removal.boxes and removal.mask_pct > 1 for removal in removals)
    assert (cleaned[:, 120:] == clip[:, 120:]).all()
