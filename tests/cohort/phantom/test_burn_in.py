import numpy as np
import pytest

from medveil.cohort.phantom.burn_in import burn, burn_marker

LINES = ["DOE, JANE", "MRN 0012345", "gyp 12/03/2019"]
CORNERS = ["top-left", "top-right", "bottom-left", "bottom-right"]


def changed_box(before, after):
    rows, columns = np.nonzero(before != after)
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def around(boxes):
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


@pytest.mark.parametrize("size", [256, 512, 1024])
@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("style_key", range(6))
def test_line_boxes_are_tight_around_what_is_bright(size, corner, style_key):
    pixels = np.zeros((size, size), np.uint16)
    boxes = burn(pixels, LINES, corner, style_key=style_key)
    assert len(boxes) == len(LINES)
    for left, top, right, bottom in boxes:
        assert 9 * size / 512 <= bottom - top <= 26 * size / 512
        patch = pixels[top:bottom, left:right] > 0
        assert patch[0].any() and patch[-1].any() and patch[:, 0].any() and patch[:, -1].any()
        pixels[top:bottom, left:right] = 0
    assert not pixels.any(), "ink outside the boxes"


@pytest.mark.parametrize("corner", CORNERS)
def test_text_lies_in_its_corner(corner):
    pixels = np.zeros((512, 512), np.uint16)
    left, top, right, bottom = around(burn(pixels, LINES, corner, style_key=3))
    assert (right < 300) if corner.endswith("left") else (left > 212)
    assert (bottom < 150) if corner.startswith("top") else (top > 362)


@pytest.mark.parametrize("style_key", range(12))
def test_on_a_bright_background_only_a_plain_plate_reaches_beyond_the_box(style_key):
    before = np.full((512, 512), 3900, np.uint16)
    after = before.copy()
    boxes = burn(after, LINES, "bottom-right", style_key=style_key)
    for left, top, right, bottom in boxes:
        assert np.ptp(after[top:bottom, left:right].astype(int)) > 600, "unreadable"
    outside = after.copy()
    for left, top, right, bottom in boxes:
        outside[top:bottom, left:right] = 3900
    assert set(np.unique(outside)) <= {0, 3900}


def test_same_style_same_bytes_and_styles_differ():
    images = []
    for style_key in (5, 5, 6):
        pixels = np.full((512, 512), 900, np.uint16)
        burn(pixels, LINES, "top-left", style_key=style_key)
        images.append(pixels.tobytes())
    assert images[0] == images[1] != images[2]


def test_a_blank_line_has_an_empty_box_and_leaves_its_room():
    pixels = np.zeros((512, 512), np.uint16)
    first, blank, last = burn(pixels, ["ONE", "  ", "TWO"], "top-left", style_key=1)
    assert blank[0] == blank[2] and blank[1] == blank[3]
    assert last[1] - first[3] > first[3] - first[1]


def test_a_line_too_long_for_the_image_is_written_smaller():
    pixels = np.zeros((256, 256), np.uint16)
    (box,) = burn(pixels, ["A VERY LONG NAME, WITH MANY PARTS  MRN 123456789  01/02/2020"], "top-right", style_key=2)
    assert box[0] >= 0 and box[2] <= 256 and box == changed_box(np.zeros_like(pixels), pixels)


@pytest.mark.parametrize("text", ["L", "R", "AP ERECT", "PORTABLE"])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("style_key", range(4))
def test_marker_box_covers_exactly_what_changed_on_the_patients_side(text, side, style_key):
    before = np.full((512, 512), 1200, np.uint16)
    after = before.copy()
    box = burn_marker(after, text, style_key=style_key, side=side)
    assert box == changed_box(before, after)
    assert (box[0] > 256) if side == "left" else (box[2] < 256)
    assert after.max() <= 4095
