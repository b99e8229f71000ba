from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.defenses.pixels import removal as removing
from medveil.defenses.pixels.choices import Choices
from medveil.defenses.pixels.decide.decision import Decision
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.objects.clips import shared_mask, shown_by_all
from medveil.defenses.pixels.removal import DOUBTFUL, STAYS, TextRemover
from medveil.errors import Quarantined

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
    assert not shared_mask(before, before).any()


def written(clip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The clip with a name in the same place of every frame, and where its ink is."""
    sheet = Image.new("L", clip.shape[:0:-1])
    ImageDraw.Draw(sheet).text((50, 80), "DOE, JANE", fill=255, font=ImageFont.load_default(18))
    ink = np.asarray(sheet) > 80
    return np.where(ink, np.uint16(4000), clip), ink


def speckle(frames: int) -> np.ndarray:
    return np.random.default_rng(0).integers(900, 1400, (frames, 200, 200)).astype(np.uint16)


def test_text_seen_in_one_frame_goes_in_all(dataset_of, monkeypatch) -> None:
    clip, ink = written(speckle(4))
    rows, columns = np.nonzero(ink)
    line = Line.of_box((columns.min() - 2, rows.min() - 2, columns.max() + 3, rows.max() + 3), 0.9)
    seen = []

    def once(self, views, known):
        seen.append(views)
        return Decision(removed=[line] if len(seen) == 1 else [])

    monkeypatch.setattr(TextRemover, "_sorted", once)
    monkeypatch.setattr(removing, "residual_text", lambda *given: [])
    dataset = dataset_of(clip, frames=4, SOPClassUID=SECONDARY_CAPTURE, Modality="OT", BitsStored=12, HighBit=11)
    removals = TextRemover(fill="classical").clean_dataset(dataset, None)
    cleaned = dataset.pixel_array
    assert (cleaned[:, ink] < 2500).mean() > 0.99
    assert all(removal.boxes and removal.mask_pct > 0.5 for removal in removals)
    assert (cleaned[:, 140:] == clip[:, 140:]).all()


@pytest.mark.parametrize(("place", "reason"), [("removed", STAYS), ("doubtful", DOUBTFUL), (None, None)])
def test_what_is_doubtful_in_a_frame_of_a_clip_must_be_so_in_what_all_frames_show(
    place, reason, dataset_of, monkeypatch
) -> None:
    line, looked = Line.of_box((60, 60, 120, 80), 0.9), []

    def decided(self, views, known):
        looked.append(views)
        if len(looked) % 11:
            return Decision(doubtful=[line])  # in every single frame
        return Decision(**{place: [line]}) if place else Decision()

    monkeypatch.setattr(TextRemover, "_sorted", decided)
    clip = speckle(10)
    dataset = dataset_of(clip, frames=10, SOPClassUID=SECONDARY_CAPTURE, Modality="OT", BitsStored=12, HighBit=11)
    if reason:
        with pytest.raises(Quarantined) as withheld:
            TextRemover(fill="classical").clean_dataset(dataset, None)
        assert withheld.value.reason == reason
        looked.clear()
        accepted = dict.fromkeys(range(10), Choices(accept=True))
        assert all(one.doubtful for one in TextRemover(fill="classical").clean_dataset(dataset, None, accepted))
    else:
        removals = TextRemover(fill="classical").clean_dataset(dataset, None)
        assert not any(one.doubtful for one in removals)
    assert (dataset.pixel_array == clip).all()


def test_a_moving_scan_fades_in_what_all_frames_show_and_print_stays(dataset_of) -> None:
    clip, ink = written(speckle(10))
    stored = StoredPixels.of(dataset_of(clip, frames=10, BitsStored=12, HighBit=11))
    assert stored is not None
    shared = shown_by_all(stored) >> 4
    assert (shared[ink] > 3900).all()
    assert shared[~ink].mean() < 1000
