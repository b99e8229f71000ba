from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from safetensors.torch import load_file

from medveil.defenses.pixels.find import detector
from medveil.defenses.pixels.find.detector import DOUBTED, SURE, find_lines, lines_in
from medveil.defenses.pixels.find.networks import CELL, CoarseNetwork, TextNetwork
from medveil.defenses.pixels.lines import Line
from medveil.errors import InputError
from medveil.weights.bundled import bundled


def page(
    words: dict[tuple[int, int], str], size: int = 400, *, points: int = 16, ink: int = 240, paper: int = 70
) -> np.ndarray:
    noise = np.random.default_rng(0).normal(paper, 4, (size, size))
    sheet = Image.fromarray(np.clip(noise, 0, 255).astype(np.uint8))
    for place, word in words.items():
        ImageDraw.Draw(sheet).text(place, word, fill=ink, font=ImageFont.load_default(points))
    return np.asarray(sheet)


def test_every_line_is_found_where_it_is():
    found = [line for line in find_lines(page({(40, 50): "DOE, JANE", (200, 300): "12/03/1950"})) if line.score >= SURE]
    for x, y in ((75, 58), (240, 308)):
        near = [line for line in found if abs(line.x - x) < 12 and abs(line.y - y) < 8]
        assert near
        assert all(8 <= line.height <= 30 and line.length > 50 for line in near)


@pytest.mark.parametrize(("points", "size"), [(12, 1024), (40, 1024), (90, 1024)])
@pytest.mark.parametrize(("ink", "paper"), [(230, 90), (30, 170)])
@pytest.mark.parametrize("turns", [0, 1, 2])
def test_small_and_large_light_and_dark_upright_and_turned(points, size, ink, paper, turns):
    view = np.rot90(page({(200, 300): "DOE, JANE"}, size, points=points, ink=ink, paper=paper), turns)
    changed = np.abs(view.astype(int) - paper) > 40
    covered = np.zeros(view.shape, np.uint8)
    for line in find_lines(np.ascontiguousarray(view)):
        line.grown(0.5 * line.height, 0.2 * line.height).paint(covered, 1)
    assert covered[changed].mean() > 0.97


def test_a_spine_is_no_text():
    sheet = Image.fromarray(page({}, 1024))
    draw = ImageDraw.Draw(sheet)
    for row in range(12):
        draw.rounded_rectangle((470, 60 + 76 * row, 560, 118 + 76 * row), 14, fill=125, outline=140)
        draw.arc((150, 40 + 76 * row, 870, 260 + 76 * row), 190, 350, fill=110, width=14)
    view = np.asarray(sheet.filter(ImageFilter.GaussianBlur(3)))
    assert [line for line in find_lines(view) if line.score >= SURE] == []


def test_tiles_and_windows_see_what_the_whole_shows(monkeypatch):
    view = page({(60, 120): "DOE, JANE", (230, 290): "884312"})
    assert finds(find_lines(view, (192, 256, 400, 400)), 255, 297)
    monkeypatch.setattr(detector, "TILE", 256)
    monkeypatch.setattr(detector, "SMALL", 0)
    tiled = find_lines(view)
    assert finds(tiled, 95, 128)
    assert finds(tiled, 255, 297)


def finds(lines: list[Line], x: float, y: float) -> bool:
    return any(line.score >= SURE and abs(line.x - x) < 15 and abs(line.y - y) < 8 for line in lines)


@pytest.mark.parametrize(("name", "network"), [("fine", TextNetwork()), ("coarse", CoarseNetwork())])
def test_whole_numbers_say_nearly_what_the_network_says(name, network):
    tile = page({(40, 30): "DOE, JANE"}, 190, points=24)
    area, middle = detector._maps(getattr(detector._networks(bundled("text-detector")), name), tile)
    ours = {
        key.removeprefix(f"{name}."): value
        for key, value in load_file(bundled("text-detector")).items()
        if name in key[:6]
    }
    network.load_state_dict(detector._in_full({key: ours[key] for key in ours if not key.endswith(".range")}))
    padded = np.pad(tile, ((0, 2), (0, 2)), mode="edge")
    with torch.no_grad():
        maps = network.eval()(torch.from_numpy(padded).float()[None, None] / 255).sigmoid()[0].numpy()
    assert area.shape == middle.shape == (48, 48)
    assert np.abs(np.stack([area, middle]) - maps).mean() < 0.002
    assert area.max() > SURE


def blind(networks: detector.Networks) -> detector.Networks:
    """The fine network with a coarse one that sees nothing."""
    return networks._replace(coarse=lambda gray: np.zeros((1, 2, *(n // CELL for n in gray.shape[2:]))))


def test_large_text_is_doubted_unless_both_networks_see_it():
    view = page({(300, 400): "DOE, JANE"}, 1024, points=40)
    networks = detector._networks(bundled("text-detector"))
    for both, least in ((networks, SURE), (blind(networks), DOUBTED)):
        large = [line for line in detector._lines_of(view, both) if line.height >= detector.LARGE]
        assert max(line.score for line in large) >= least
        assert both is networks or all(line.score == DOUBTED for line in large)


@pytest.mark.parametrize(("score", "both", "tone", "agreed"), [(0.9, 0.5, 80, False), (0.9, 0.5, 200, True)])
@pytest.mark.parametrize("certain", [False, True])
def test_a_large_line_as_faint_as_a_vertebra_needs_certainty(score, both, tone, agreed, certain):
    tile = page({(300, 400): "DOE, JANE"}, 1024, points=40, ink=tone)
    line = Line(400, 425, 200, 40, 0.0, 0.99 if certain else score)
    coarse = (np.full((128, 128), both, np.float32),) * 2
    assert detector._is_agreed(line, coarse, tile) == (agreed or certain)
    assert not detector._is_agreed(line, tuple(half * 0 for half in coarse), tile)


def test_small_print_does_not_make_its_surroundings_large_print():
    large, small = Line(500, 500, 600, 80, 0.0), Line(500, 500, 400, 40, 0.0)
    assert detector._is_shared(large, [Line(300, 500, 80, 40, 0.0)])  # some of its letters
    assert not detector._is_shared(large, [small])
    assert not detector._is_shared(large, [Line(340, 500, 180, 40, 0.0), Line(640, 500, 200, 40, 0.0)])
    assert not detector._is_shared(large, [])


def test_starts_cover_everything_and_stay_inside():
    for length in (10, 1536, 1537, 2500, 3001, 9000):
        starts = detector._starts(length)
        ends = [start + detector.TILE for start in starts]
        assert starts[0] == 0
        assert ends[-1] >= length
        assert all(later <= end - detector.OVERLAP for end, later in zip(ends, starts[1:], strict=False))


def test_lines_that_ran_into_one_another_are_told_apart():
    middle = np.zeros((60, 60), np.float32)
    middle[10:12, 5:50] = 0.9
    middle[10:50, 48:50] = 0.9
    lines = lines_in(np.zeros_like(middle), middle)
    assert len(lines) >= 2
    assert sum(line.area for line in lines) < 0.4 * (45 * 40 * CELL**2)


def test_a_file_that_is_no_detector_is_told(tmp_path):
    (tmp_path / "x.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not a text detector"):
        find_lines(page({}), weights=tmp_path / "x.safetensors")
