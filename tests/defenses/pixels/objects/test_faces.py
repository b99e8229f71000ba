from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from medveil.defenses.pixels.objects.faces import shows_face


def gray(picture: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(picture).convert("L"))


@pytest.mark.parametrize("turn", range(4))
def test_a_face_is_found_whichever_way_up(face, turn):
    assert shows_face(np.rot90(face, turn))
    assert shows_face(np.rot90(gray(face), turn))


def test_a_face_is_found_mirrored_near_and_far(face):
    assert shows_face(face[:, ::-1])
    assert shows_face(face[20:210, 40:215])
    page = np.full((1400, 1000, 3), 245, np.uint8)
    page[100:356, 700:956] = face
    assert shows_face(page)


def test_other_pictures_show_none():
    rng = np.random.default_rng(3)
    y, x = np.mgrid[0:300, 0:300] / 300
    film = np.clip(120 + 80 * np.sin(3 * x) * np.cos(2 * y) + rng.normal(0, 5, (300, 300)), 0, 255).astype(np.uint8)
    assert not shows_face(film)
    fundus = np.zeros((300, 300, 3), np.uint8)
    fundus[np.hypot(x - 0.5, y - 0.5) < 0.45] = (180, 70, 30)
    fundus[np.hypot(x - 0.7, y - 0.5) < 0.06] = (250, 200, 120)
    assert not shows_face(fundus)
    assert not shows_face(np.zeros((3, 3, 3), np.uint8))


@pytest.mark.real_data
@pytest.mark.parametrize("images", ["vqa_rad", "odir", "nih14_512"])
def test_slices_fundus_pictures_and_films_are_taken_for_no_face(images, real_data):
    paths = sorted(path for path in (real_data / images).rglob("*") if path.suffix in (".jpg", ".png"))
    for path in paths[:: len(paths) // 12]:
        assert not shows_face(np.asarray(Image.open(path).convert("RGB" if images == "odir" else "L"))), path.name
