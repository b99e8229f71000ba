from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.defenses.pixels import removal as removing
from medveil.defenses.pixels.choices import Choices
from medveil.defenses.pixels.decide.decision import Decision
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.objects.clips import shared_mask, shown_by_all, stretches
from medveil.defenses.pixels.removal import TextRemover
from medveil.errors import Quarantined

from .conftest import SECONDARY_CAPTURE, ULTRASOUND_CLIP, scan


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


def written(clip: np.ndarray, place: tuple[int, int] = (50, 80)) -> tuple[np.ndarray, np.ndarray]:
    """The clip with a name in the same place of every frame, and where its ink is."""
    sheet = Image.new("L", clip.shape[:0:-1])
    ImageDraw.Draw(sheet).text(place, "DOE, JANE", fill=255, font=ImageFont.load_default(18))
    ink = np.asarray(sheet) > 80
    return np.where(ink, clip.dtype.type(4000 if clip.dtype == np.uint16 else 255), clip), ink


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


@pytest.mark.parametrize(("frames", "starts"), [(8, [0]), (16, [0]), (17, [0, 1]), (40, [0, 8, 16, 24])])
def test_every_frame_is_in_a_stretch(frames, starts) -> None:
    found = list(stretches(frames))
    assert [one.start for one in found] == starts
    assert {number for one in found for number in one} == set(range(frames))


def told_clip(frames: int = 20) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A sector of speckle with a name in it, in all frames but the first two, where the ink is, and the sector."""
    clip, sector = scan(frames, 400, 500)
    marked, ink = written(clip, (200, 200))
    marked[:2] = clip[:2]
    return marked, ink, sector


def test_text_inside_of_a_scan_goes_where_it_stands_and_the_scan_stays(dataset_of, monkeypatch) -> None:
    clip, ink, sector = told_clip()
    rows, columns = np.nonzero(ink)
    line = Line.of_box((columns.min() - 2, rows.min() - 2, columns.max() + 3, rows.max() + 3), 0.9)

    def seen(self, views, known):
        return Decision(removed=[line] if (views[0][ink] > 250).all() else [])

    monkeypatch.setattr(TextRemover, "_sorted", seen)
    monkeypatch.setattr(removing, "residual_text", lambda *given: [])
    dataset = dataset_of(clip, frames=20, Modality="US", SOPClassUID=ULTRASOUND_CLIP)
    removals = TextRemover(fill="classical").clean_dataset(dataset, None)
    cleaned = dataset.pixel_array
    assert (cleaned[4:, ink] != clip[4:, ink]).mean() > 0.97
    assert (cleaned != clip)[:, sector].mean() < 0.08
    assert all(removal.blanked_pct > 20 and removal.mask_pct < 5 for removal in removals)


def test_what_a_single_frame_resembles_counts_for_nothing_in_a_scan_that_is_told(dataset_of, monkeypatch) -> None:
    line, looked = Line.of_box((200, 200, 260, 220), 0.9), []

    def decided(self, views, known):
        looked.append(len(views))
        return Decision(doubtful=[line])

    monkeypatch.setattr(TextRemover, "_sorted", decided)
    clip, _ = scan(20, 400, 500)
    dataset = dataset_of(clip, frames=20, Modality="US", SOPClassUID=ULTRASOUND_CLIP)
    with pytest.raises(Quarantined, match="a person must look"):
        TextRemover(fill="classical").clean_dataset(dataset, None)
    assert len(looked) == 1  # in what the first sixteen frames show, and in no frame alone
    accepted = dict.fromkeys(
        range(20), Choices(accept=True, remove=((200, 200, 260, 220),), keep=((200, 200, 220, 220),))
    )
    removals = TextRemover(fill="classical").clean_dataset(dataset, None, accepted)
    cleaned = dataset.pixel_array
    assert all(removal.doubtful for removal in removals)
    assert (cleaned[:, 200:220, 222:258] != clip[:, 200:220, 222:258]).mean() > 0.9
    assert (cleaned[:, 200:220, 200:218] == clip[:, 200:220, 200:218]).all()


def test_a_moving_scan_fades_in_what_all_frames_show_and_print_stays(dataset_of) -> None:
    clip, ink = written(speckle(10))
    stored = StoredPixels.of(dataset_of(clip, frames=10, BitsStored=12, HighBit=11))
    assert stored is not None
    shared = shown_by_all(stored, range(10)) >> 4
    assert (shared[ink] > 3900).all()
    assert shared[~ink].mean() < 1000
