from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw, ImageFont

from medveil.defenses.pixels.detection import text_detector
from medveil.defenses.pixels.detection.text_detector import SURE, find_lines, lines_in
from medveil.defenses.pixels.detection.text_network import CELL, TextNetwork, fused
from medveil.defenses.pixels.lines import Line
from medveil.errors import InputError


def page(words: dict[tuple[int, int], str], size: int = 400) -> np.ndarray:
    noise = np.random.default_rng(0).normal(70, 4, (size, size))
    sheet = Image.fromarray(np.clip(noise, 0, 255).astype(np.uint8))
    for place, word in words.items():
        ImageDraw.Draw(sheet).text(place, word, fill=240, font=ImageFont.load_default(16))
    return np.asarray(sheet)


def test_every_line_is_found_where_it_is():
    found = [line for line in find_lines(page({(40, 50): "DOE, JANE", (200, 300): "12/03/1950"})) if line.score >= SURE]
    for x, y in ((75, 58), (240, 308)):
        near = [line for line in found if abs(line.x - x) < 12 and abs(line.y - y) < 8]
        assert near
        assert all(8 <= line.height <= 30 and line.length > 50 for line in near)


def test_tiles_and_windows_see_what_the_whole_shows(monkeypatch):
    view = page({(60, 120): "DOE, JANE", (230, 290): "884312"})
    assert finds(find_lines(view, (192, 256, 400, 400)), 255, 297)
    monkeypatch.setattr(text_detector, "TILE", 256)
    monkeypatch.setattr(text_detector, "SMALL", 0)
    tiled = find_lines(view)
    assert finds(tiled, 95, 128)
    assert finds(tiled, 255, 297)


def finds(lines: list[Line], x: float, y: float) -> bool:
    return any(line.score >= SURE and abs(line.x - x) < 15 and abs(line.y - y) < 8 for line in lines)


def test_starts_cover_everything_and_stay_inside():
    for length in (10, 1536, 1537, 2500, 3001, 9000):
        starts = text_detector._starts(length)
        ends = [start + text_detector.TILE for start in starts]
        assert starts[0] == 0
        assert ends[-1] >= length
        assert all(later <= end - text_detector.OVERLAP for end, later in zip(ends, starts[1:], strict=False))


def test_lines_that_ran_into_one_another_are_told_apart():
    middle = np.zeros((60, 60), np.float32)
    middle[10:12, 5:50] = 0.9
    middle[10:50, 48:50] = 0.9
    lines = lines_in(np.zeros_like(middle), middle)
    assert len(lines) >= 2
    assert sum(line.area for line in lines) < 0.4 * (45 * 40 * CELL**2)


def test_folding_the_normalisation_in_changes_nothing():
    torch.manual_seed(0)
    network = TextNetwork((8, 8, 8, 8, 8), training=True)
    image = torch.rand(2, 1, 64, 96)
    network(image)  # gives the normalisation something to remember
    network.eval()
    with torch.no_grad():
        assert torch.allclose(fused(network)(image), network(image), atol=1e-4)
        assert network(image).shape == (2, 2, 64 // CELL, 96 // CELL)


def test_a_file_that_is_no_detector_is_told(tmp_path):
    (tmp_path / "x.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not a text detector"):
        find_lines(page({}), weights=tmp_path / "x.safetensors")
