from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pydicom
import pytest
from PIL import Image, ImageDraw, ImageFont

from medveil.cohort import Cohort
from medveil.cohort.phantom.gold import load_gold
from medveil.defenses.pixels import removal as removing
from medveil.defenses.pixels.choices import Choices
from medveil.defenses.pixels.decide.decision import Decision
from medveil.defenses.pixels.defense import RemovedText
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.paint.mask import soft_mask
from medveil.defenses.pixels.removal import TextRemover
from medveil.errors import Quarantined, SettingsError
from medveil.parts import Subject
from medveil.person.keys import Keys
from medveil.person.person import Person

KEYS = Keys(b"k")
REMOVER = TextRemover(fill="classical")


def film(size: int = 512, seed: int = 0) -> np.ndarray:
    """A smooth, noisy background like a radiograph's, without any text, 12 bits."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:size, 0:size] / size
    smooth = 1900 + 900 * np.sin(3 * x + seed) * np.cos(2 * y) + rng.normal(0, 30, (size, size))
    return np.clip(smooth, 0, 4095).astype(np.uint16)


def write(
    image: np.ndarray, text: str, place: tuple[int, int], size: int, tone: int, turn: float = 0
) -> tuple[np.ndarray, np.ndarray]:
    """The image with the text on it, and where its ink is."""
    font = ImageFont.load_default(size)
    left, top, right, bottom = (round(edge) for edge in font.getbbox(text))
    sheet = Image.new("L", (right - left + 4, bottom - top + 4))
    ImageDraw.Draw(sheet).text((2 - left, 2 - top), text, fill=255, font=font)
    share = np.asarray(sheet.rotate(turn, expand=True, resample=Image.Resampling.BICUBIC)) / 255
    written, ink = image.copy(), np.zeros(image.shape, bool)
    rows, columns = share.shape
    x, y = place
    part = written[y : y + rows, x : x + columns]
    part[:] = np.rint(part + (tone - part.astype(float)) * share[: part.shape[0], : part.shape[1]])
    ink[y : y + rows, x : x + columns] = share[: part.shape[0], : part.shape[1]] > 0.3
    return written, ink


@pytest.mark.parametrize("turn", [0, 90, 180, 270, 33])
@pytest.mark.parametrize("tone", [4095, 0])
def test_text_goes_whatever_its_tone_and_direction_and_nothing_else_changes(tone, turn):
    image = film(seed=2)
    written, ink = write(image, "DOE, JANE 1950", (150, 200), 14, tone, turn)
    cleaned, removal = REMOVER.clean_image(written, None)
    changed = cleaned != written
    assert changed[ink].mean() > 0.97
    assert np.abs(cleaned.astype(int) - image)[ink].mean() < 250
    outside = np.ones(image.shape, bool)
    for left, top, right, bottom in removal.boxes:
        outside[top:bottom, left:right] = False
    assert not (changed & outside).any()
    assert 0 < removal.mask_pct < 6
    assert cleaned.dtype == written.dtype


@pytest.mark.parametrize("place", [(0, 3), (405, 2), (1, 495), (400, 497)])
def test_text_at_the_border_goes(place):
    written, ink = write(film(seed=1), "MRN 884312", place, 13, 4095)
    cleaned, _ = REMOVER.clean_image(written, None)
    assert (cleaned != written)[ink].mean() > 0.97


@pytest.mark.parametrize("size", [256, 1024])
def test_text_goes_at_any_size_of_image(size):
    written, ink = write(film(size, seed=3), "Dr. Ashworth", (size // 4, size // 3), 12, 4095)
    cleaned, _ = REMOVER.clean_image(written, None)
    assert (cleaned != written)[ink].mean() > 0.97


def test_markers_stay_to_the_bit_and_are_told():
    written, ink_l = write(film(seed=4), "L", (440, 30), 40, 4000)
    written, ink_e = write(written, "ERECT", (40, 30), 22, 4000)
    written, ink_name = write(written, "DOE, JANE", (60, 430), 16, 4000)
    cleaned, removal = REMOVER.clean_image(written, None)
    assert not (cleaned != written)[ink_l | ink_e].any()
    assert (cleaned != written)[ink_name].mean() > 0.97
    assert "ERECT" in [text for text, _ in removal.kept]
    every, _ = TextRemover(fill="classical", keep_markers=False).clean_image(written, None)
    assert (every != written)[ink_e].mean() > 0.97


def test_the_room_around_a_line_ends_where_a_marker_stands():
    image = film(1024, seed=3)
    written, ink = write(image, "DOE, JANE 1950", (300, 300), 30, 4095)
    written, marker = write(written, "PORTABLE", (300, 338), 13, 4095)
    cleaned, removal = REMOVER.clean_image(written, None)
    assert [text for text, _ in removal.kept] == ["PORTABLE"]
    assert (cleaned != written)[ink].mean() > 0.97
    assert not (cleaned != written)[marker].any()


def test_a_film_without_text_is_the_same_array():
    for seed in range(4):
        image = film(seed=seed)
        cleaned, removal = REMOVER.clean_image(image, None)
        assert cleaned is image
        assert (removal.boxes, removal.mask_pct, removal.rounds) == ((), 0.0, 0)


def test_an_image_full_of_text_is_quarantined():
    page = film()
    for line in range(5, 480, 22):
        page, _ = write(page, "NAME BORN 1950 LIVES AT NO 5 MAIN STREET TOWN", (2, line), 16, 4095)
    with pytest.raises(Quarantined, match="too much of the image looks like text"):
        REMOVER.clean_image(page, None)


@pytest.mark.parametrize(
    ("modality", "reason"),
    [
        ("DX", "too much of the image looks like text"),
        (None, "too much of the image looks like text"),
        ("CT", "not a radiograph, and something in it looks like text"),
    ],
)
def test_the_reason_is_true_of_other_kinds_of_image_too(
    modality: str | None, reason: str, hospital: Cohort, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = pydicom.dcmread(hospital.root / hospital.table["path"].iat[0])
    dataset.Modality = modality
    everywhere = [Line.of_box((20, top, 480, top + 60), 0.9) for top in range(20, 420, 70)]
    monkeypatch.setattr(removing, "decide", lambda lines, view, known, *, keep_markers: Decision(list(everywhere)))
    monkeypatch.setattr(removing, "stroke_mask", lambda lines, views, **_: soft_mask(lines, views[0].shape))
    with pytest.raises(Quarantined) as withheld:
        REMOVER.clean_dataset(dataset, None)
    assert withheld.value.reason == reason


def ink_in(part: np.ndarray) -> np.ndarray:
    away = np.abs(part.astype(float) - np.median(part))
    return np.asarray(away > 0.5 * away.max())


def test_a_dataset_loses_its_text_and_overlays_and_keeps_all_other_bits(hospital: Cohort, hospital_folder: Path):
    gold = load_gold(hospital_folder)
    row = next(row for row in range(len(hospital)) if gold.images[hospital.table["image_id"][row]].in_pixels)
    key = gold.images[hospital.table["image_id"][row]]
    dataset = pydicom.dcmread(hospital_folder / key.path)
    dataset.add_new((0x6000, 0x3000), "OW", b"\0\0")
    before = dataset.pixel_array.copy()
    (removal,) = REMOVER.clean_dataset(dataset, None)
    after = dataset.pixel_array
    assert (0x6000, 0x3000) not in dataset
    changed = after != before
    for left, top, right, bottom in {one.box for one in key.in_pixels}:
        assert changed[top:bottom, left:right][ink_in(before[top:bottom, left:right])].mean() > 0.95
    inside = np.zeros(before.shape, bool)
    for left, top, right, bottom in removal.boxes:
        inside[top:bottom, left:right] = True
    assert not (changed & ~inside).any()


def test_the_phantoms_burned_in_lines_are_removed(hospital: Cohort, hospital_folder: Path):
    """At 256 pixels the letters are 7 to 10 pixels high, smaller than what is promised, and still go."""
    gold = load_gold(hospital_folder)
    lines, gone = 0, 0
    for row in range(len(hospital)):
        boxes = {one.box for one in gold.images[hospital.table["image_id"][row]].in_pixels}
        if not boxes or lines > 14:
            continue
        image = hospital.image(row)
        try:
            cleaned, _ = REMOVER.clean_image(image, None)
        except Quarantined:
            continue
        for left, top, right, bottom in boxes:
            place = np.s_[top:bottom, left:right]
            lines += 1
            gone += bool((cleaned != image)[place][ink_in(image[place])].mean() > 0.95)
    assert lines > 14
    assert gone / lines > 0.97


def test_the_defense_counts_what_it_did():
    written, ink = write(film(seed=5), "DOE, JANE", (200, 200), 18, 4095)
    subject = RemovedText(KEYS).apply(Subject(Person(KEYS, "1"), picture=written))
    assert (subject.picture != written)[ink].mean() > 0.97
    assert subject.done[""]["regions of text removed"] >= 1
    assert RemovedText(KEYS).apply(Subject(Person(KEYS, "1"), picture=film(seed=6))).done == {}


def test_threads_clean_as_one_after_the_other():
    films = []
    for number in range(8):
        image, _ = write(film(384 + 64 * (number % 3), number), f"DOE, JANE {1950 + number}", (60, 90), 18, 4095)
        films.append(write(image, "PORTABLE", (40, 300), 24, 4000)[0])
    remover = TextRemover()
    alone = [remover.clean_image(one, None) for one in films]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda one: remover.clean_image(one, None), films * 2))
    for (pixels, record), (others, other) in zip(alone * 2, together, strict=True):
        assert np.array_equal(pixels, others)
        assert record == other


def test_a_person_can_keep_what_would_go_and_remove_what_would_stay():
    image = film(seed=4)
    written, ink = write(image, "DOE, JANE 1950", (150, 200), 14, 4095)
    y, x = np.nonzero(ink)
    box = (int(x.min()) - 12, int(y.min()) - 12, int(x.max()) + 12, int(y.max()) + 12)
    kept, _ = REMOVER.clean_image(written, None, Choices(keep=(box,)))
    assert np.array_equal(kept, written)
    gone, removal = REMOVER.clean_image(image, None, Choices(remove=((40, 60, 120, 90),)))
    changed = gone != image
    assert changed[60:90, 40:120].mean() > 0.97
    changed[58:92, 38:122] = False
    assert not changed.any()  # what a person drew, and no more
    assert len(removal.boxes) == 1


def test_masks_hug_the_letters():
    written, ink = write(film(1024, seed=8), "DOE, JANE 1950", (100, 40), 60, 4095)
    cleaned, _ = REMOVER.clean_image(written, None)
    changed = cleaned != written
    assert changed[ink].mean() > 0.97
    y, x = np.nonzero(ink)
    box = changed[y.min() : y.max() + 1, x.min() : x.max() + 1]
    assert box.mean() < 0.8
    assert changed.sum() < 5 * ink.sum()


def test_what_is_doubtful_is_withheld_and_a_person_can_let_it_pass(monkeypatch):
    image, line = film(seed=9), Line.of_box((40, 60, 120, 90), 0.9)
    monkeypatch.setattr(removing, "decide", lambda *_, **__: Decision(doubtful=[line]))
    with pytest.raises(Quarantined) as withheld:
        REMOVER.clean_image(image, None)
    assert withheld.value.reason == removing.DOUBTFUL
    cleaned, removal = REMOVER.clean_image(image, None, Choices(accept=True))
    assert cleaned is image
    assert removal.doubtful == ((40, 60, 120, 90),)


def test_all_text_takes_the_markers_too():
    written, ink = write(film(1024, seed=3), "PORTABLE", (60, 60), 30, 4095)
    for markers, gone in (("keep", False), ("remove", True)):
        defense = RemovedText(KEYS, RemovedText.Settings(markers=markers))
        subject = defense.apply(Subject(Person(KEYS, "1"), picture=written))
        assert ((subject.picture != written)[ink].mean() > 0.97) == gone
    with pytest.raises(SettingsError, match="keep, remove"):
        RemovedText.Settings(markers="some")


@pytest.mark.parametrize("top", [0, -5])
def test_text_that_the_edge_cuts_off_goes(top):
    image = film(1024, seed=6)
    ink = Image.new("L", (1024, 40))
    ImageDraw.Draw(ink).text((200, top), "FEATHERSTONE, QUILL", fill=255, font=ImageFont.load_default(24))
    share = np.asarray(ink) / 255
    image[:40] = image[:40] + (4095 - image[:40].astype(float)) * share
    cleaned, _ = REMOVER.clean_image(image, None)
    assert (cleaned != image)[:40][share > 0.4].mean() > 0.97
