from __future__ import annotations

import cv2
import numpy as np

from medveil.defenses.pixels.choices import Choices
from medveil.release.review.film_pictures import SHOWN, FrameOfFilm

PAINTED = (100, 100, 220, 140)
FILM = np.tile(np.arange(0, 4096, dtype=np.uint16)[: 2 * SHOWN], (2 * SHOWN, 1))


def opened(jpeg: bytes) -> np.ndarray:
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_UNCHANGED))


def test_a_large_film_is_shown_small_and_its_regions_at_full_size() -> None:
    after = FILM.copy()
    after[100:140, 100:220] = 0
    shot = FrameOfFilm(0, FILM, after, painted=[PAINTED]).shot({})
    assert shot.size == (2 * SHOWN, 2 * SHOWN) and opened(shot.before).shape == (SHOWN, SHOWN)
    (region,) = shot.regions
    assert region.around == (76, 76, 244, 164)
    assert opened(region.before).shape == opened(region.after).shape == (88, 168)
    assert abs(int(opened(shot.before)[-1, -1]) - int(opened(shot.after)[-1, -1])) < 3  # in one scale


def test_what_a_person_drew_is_shown_as_drawn_and_not_as_found() -> None:
    rim = tuple(edge + by for edge, by in zip(PAINTED, (-5, -5, 5, 5), strict=True))
    other = (300, 300, 340, 320)
    shot = FrameOfFilm(0, FILM, FILM, painted=[rim, other]).shot({0: Choices(remove=(PAINTED,))})
    assert [region.box for region in shot.regions] == [other]
    assert shot.drawn == (PAINTED,)


def test_what_an_earlier_review_said_of_a_doubtful_region_holds() -> None:
    doubtful = [PAINTED, (300, 300, 340, 320), (400, 300, 440, 320)]
    choices = {0: Choices(keep=(doubtful[0],), remove=(doubtful[1],), accept=True)}
    shot = FrameOfFilm(0, FILM, FILM, doubtful=doubtful).shot(choices)
    assert [(region.box, region.kind) for region in shot.regions] == [(doubtful[2], "doubtful"), (doubtful[0], "kept")]
    assert shot.drawn == (doubtful[1],) and shot.asks


def test_what_the_check_still_reads_is_to_be_decided_about() -> None:
    left = [PAINTED, (300, 300, 340, 320)]
    shot = FrameOfFilm(0, FILM, FILM, left=left).shot({0: Choices(keep=(PAINTED,))})
    assert [(region.box, region.kind) for region in shot.regions] == [(left[1], "left"), (PAINTED, "kept")]


def test_colours_stay_colours() -> None:
    red = np.zeros((40, 40, 3), np.uint8)
    red[..., 0] = 255
    shown = opened(FrameOfFilm(0, red, red).shot({}).before)
    assert shown[20, 20, 2] > 200 > 60 > shown[20, 20, 0]  # OpenCV reads blue first


def test_a_region_beyond_the_film_is_no_trouble() -> None:
    (region,) = FrameOfFilm(0, FILM, FILM).shot({0: Choices(keep=((9000, 9000, 9010, 9010),))}).regions
    assert region.around is None
