from __future__ import annotations

import numpy as np
import pytest

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import Drawing, draw
from medveil.utility.pixel_damage.film import FilmDamage, changed_pixels, compare, inner_lungs


@pytest.fixture(scope="module")
def drawing() -> Drawing:
    patient = plan_patient(31, 4, 3)
    return draw(patient, patient.visits[0], sites_seed=31, size=512)


def in_the_lungs(drawing: Drawing) -> tuple[int, int]:
    """A place deep inside a lung, by the answer key."""
    rows, columns = np.nonzero(drawing.lungs)
    for row, column in zip(rows[::37], columns[::37], strict=True):
        if drawing.lungs[row - 25 : row + 25, column - 25 : column + 25].all():
            return int(row), int(column)
    raise AssertionError("no place in the lungs")


def test_an_untouched_film_is_unharmed(drawing: Drawing) -> None:
    assert compare(drawing.pixels, drawing.pixels.copy()) == FilmDamage()


def test_a_change_in_the_lungs_is_found_there(drawing: Drawing) -> None:
    row, column = in_the_lungs(drawing)
    released = drawing.pixels.copy()
    released[row - 8 : row + 8, column - 8 : column + 8] = 0
    found = compare(drawing.pixels, released)
    lungs = drawing.lungs.sum()
    assert found.lungs_found
    assert found.changed == pytest.approx(256 / 512**2)
    assert found.outside == 0
    assert found.inside == pytest.approx(256 / lungs, rel=0.5)  # the network's lungs reach behind the heart
    assert len(found.before) == len(found.after) > 10
    assert found.before != found.after


def test_a_change_of_one_gray_level_counts(drawing: Drawing) -> None:
    row, column = in_the_lungs(drawing)
    released = drawing.pixels.copy()
    released[row, column] += 1
    assert compare(drawing.pixels, released).inside > 0


def test_text_taken_from_a_corner_leaves_the_lungs_alone(drawing: Drawing) -> None:
    released = drawing.pixels.copy()
    released[5:20, 5:80] = 7
    found = compare(drawing.pixels, released)
    assert found.inside == 0
    assert found.outside > 0


def test_a_film_of_another_size_or_depth_is_changed_everywhere(drawing: Drawing) -> None:
    assert changed_pixels(drawing.pixels, drawing.pixels[:-1]).all()
    assert changed_pixels(np.zeros((4, 4), np.uint16), np.zeros((4, 4), np.uint8)).all()
    assert compare(drawing.pixels, drawing.pixels[:-1]).inside == 1


def test_where_no_lungs_are_found_the_middle_stands_for_them() -> None:
    plain = np.full((300, 200), 40, np.uint8)
    middle, corner = plain.copy(), plain.copy()
    middle[150, 100], corner[3, 3] = 200, 200
    assert compare(plain, middle).inside > 0
    assert not compare(plain, middle).lungs_found
    assert compare(plain, corner).inside == 0
    assert compare(plain, corner).outside > 0


def test_the_rim_of_the_lungs_does_not_count() -> None:
    lungs = np.zeros((200, 200), bool)
    lungs[50:150, 50:150] = True
    inner = inner_lungs(lungs)
    assert inner[100, 100] and not inner[50, 100] and not inner[52, 100] and inner[55, 100]


def test_lungs_at_the_edge_of_a_film_have_a_rim_there_too() -> None:
    lungs = np.ones((200, 200), bool)
    assert not inner_lungs(lungs)[0].any()


def test_it_can_be_written_down() -> None:
    film = FilmDamage(0.1, 0.2, 0.05, False, (0.5, 0.25), (0.5, 0.75))
    assert FilmDamage.of(film.to_json()) == film
