from __future__ import annotations

import cv2
import numpy as np
import pytest

from medveil.defenses.pixels.read.alphabet import OTHER
from medveil.defenses.pixels.read.reader import HEIGHT, read, read_many


def strip_of(text: str, *, tone: int = 230, under: int = 60) -> np.ndarray:
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.75, 2)
    noise = np.random.default_rng(len(text)).normal(under, 4, (HEIGHT, width + 14)).clip(0, 255)
    return cv2.putText(noise.astype(np.uint8), text, (7, 16 + height // 2), cv2.FONT_HERSHEY_SIMPLEX, 0.75, tone, 2)


@pytest.mark.parametrize("text", ["ERECT", "PA", "R", "110 KV", "MILLER", "12/03/1950", "884312"])
@pytest.mark.parametrize("tones", [(230, 60), (20, 150)])
def test_text_is_read_light_or_dark(text, tones):
    found = read(strip_of(text, tone=tones[0], under=tones[1]))
    assert found.text == text
    assert found.certainty > 0.8
    assert found.letters == sum(map(str.isalnum, text))


@pytest.mark.parametrize("text", ["ERECT", "PORTABLE", "LAT"])
def test_nothing_is_read_upside_down(text):
    found = read(np.ascontiguousarray(strip_of(text)[::-1, ::-1]))
    assert found.text != text
    assert found.letters <= 1


def test_a_mirrored_word_is_no_marker_but_still_writing():
    found = read(np.ascontiguousarray(strip_of("ERECT")[:, ::-1]))
    assert OTHER in found.text
    assert found.letters >= 3


def test_noise_says_nothing():
    noise = np.random.default_rng(0).normal(90, 20, (HEIGHT, 120)).clip(0, 255).astype(np.uint8)
    assert read(noise).letters == 0


def test_what_stands_beside_on_the_sheet_does_not_matter():
    strips = [strip_of(text) for text in ("L", "SUPINE", "MILLER", "R")]
    together = read_many(strips)
    assert [one.text for one in together] == ["L", "SUPINE", "MILLER", "R"]
    for one, alone in zip(together, map(read, strips), strict=True):
        assert one.certainty == pytest.approx(alone.certainty, abs=0.15)


def test_no_strips_no_readings():
    assert read_many([]) == []
