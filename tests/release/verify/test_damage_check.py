from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from medveil.cohort.input import Kind, SourceFile
from medveil.release.verify.damage_check import CHECK, MARKER_GONE, FilmCheck, check_film
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.pixel_check import Read, is_marker

BOX = (10, 10, 60, 30)


def film(marker: bool) -> NDArray[np.uint8]:
    plain = np.random.default_rng(1).integers(20, 90, (200, 200)).astype(np.uint8)
    if marker:
        plain[10:30, 10:60:4] = 255
    return plain


def reader(text: str, score: float = 0.97) -> Any:
    """Reads the text wherever there is print in the box."""

    def read(image: NDArray[Any]) -> list[Read]:
        return [Read(text, BOX, score)] if (image[10:30, 10:60] == 255).any() else []

    return read


def checked(folder: Path, before: NDArray[Any], after: NDArray[Any], read: Any) -> FilmCheck:
    for where, image in (("in", before), ("out", after)):
        (folder / where).mkdir(exist_ok=True)
        cv2.imwrite(str(folder / where / "film.png"), image)
    one = SourceFile("film.png", Kind.IMAGE, "patient", "study")
    found = check_film(one, "film.png", folder / "in", folder / "out", read=read)
    assert found is not None
    return found


def test_a_marker_that_is_gone_is_a_loss(tmp_path: Path) -> None:
    found = checked(tmp_path, film(True), film(False), reader("ERECT"))
    (loss,) = found.losses
    assert loss == Discrepancy("film.png", CHECK, str(BOX), "K", "kept", MARKER_GONE)
    assert not loss.leak


def test_a_marker_that_can_still_be_read_is_not(tmp_path: Path) -> None:
    after = film(True)
    after[25:30, 10:60] = 50  # initials below it
    assert checked(tmp_path, film(True), after, reader("ERECT")).losses == ()


def test_a_name_that_is_gone_is_not(tmp_path: Path) -> None:
    assert checked(tmp_path, film(True), film(False), reader("MILLER JANE")).losses == ()


def test_a_film_that_was_left_alone_is_not_read(tmp_path: Path) -> None:
    def read(image: NDArray[Any]) -> list[Read]:
        raise AssertionError("nothing was changed")

    assert checked(tmp_path, film(True), film(True), read).losses == ()


def test_a_picture_is_compared_as_a_viewer_turns_it(tmp_path: Path) -> None:
    upright = film(True)[:, :150]
    exif = Image.Exif()
    exif[0x0112] = 8  # to be turned counter-clockwise
    for folder in ("in", "out"):
        (tmp_path / folder).mkdir()
    Image.fromarray(np.ascontiguousarray(np.rot90(upright, 3))).save(tmp_path / "in" / "film.png", exif=exif)
    cv2.imwrite(str(tmp_path / "out" / "film.png"), upright)
    one = SourceFile("film.png", Kind.IMAGE, "patient", "study")
    found = check_film(one, "film.png", tmp_path / "in", tmp_path / "out", read=None)
    assert found is not None and found.film.changed == 0


@pytest.mark.parametrize(
    ("text", "score", "marker"),
    [("R", 0.95, True), ("R", 0.7, False), ("AP SUPINE", 0.8, True), ("APSUPINE", 0.95, True), ("R JS", 0.99, False)],
)
def test_what_reads_as_a_marker(text: str, score: float, marker: bool) -> None:
    assert is_marker(Read(text, BOX, score)) is marker


def test_what_cannot_be_compared_was_changed() -> None:
    found = FilmCheck.impossible("film.png")
    assert found.film.inside == 1 and len(found.losses) == 1
