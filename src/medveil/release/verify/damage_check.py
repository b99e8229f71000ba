"""Harm to the films of a release, without an answer key: what of the lungs was changed, and which markers are gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from medveil.cohort.dicom.opening import open_dicom
from medveil.cohort.dicom.read import frame_count, read_pixels
from medveil.cohort.images import load_image
from medveil.cohort.input import Kind
from medveil.release.clean.dicom_writer import upright
from medveil.release.clean.groups import ImageRow, Item
from medveil.release.verify.discrepancy import KEPT, Discrepancy
from medveil.release.verify.pixel_check import Read, is_marker, overlap
from medveil.utility.pixel_damage.film import FilmDamage, changed_pixels, compare

CHECK = "pixel damage"
IN_THE_LUNGS = "changed inside the lungs"
NOT_COMPARED = "cannot be compared with its original"
MARKER_GONE = "a marker is removed"
_TOUCHED = 0.05  # of a marker's box: print beside it may have taken less

Image = NDArray[Any]


@dataclass(frozen=True)
class FilmCheck:
    """What was done to one released file, the worst of its frames, and what of it is a loss."""

    film: FilmDamage
    losses: tuple[Discrepancy, ...]

    @classmethod
    def impossible(cls, path: str) -> FilmCheck:
        """Of a film that cannot be compared with its original."""
        everything = FilmDamage(changed=1.0, inside=1.0, outside=1.0, lungs_found=False)
        return cls(everything, (Discrepancy(path, CHECK, "", "K", KEPT, NOT_COMPARED),))


def check_film(
    one: Item, path: str, source: Path, data: Path, *, read: Callable[[Image], Sequence[Read]] | None
) -> FilmCheck | None:
    """None of what is no image. Where a film was changed, `read` looks for markers on the original."""
    found: list[FilmDamage] = []
    losses: set[Discrepancy] = set()
    for original, released in film_pairs(one, path, source, data):
        film = compare(original, released)
        found.append(film)
        if film.inside > 0:
            losses.add(Discrepancy(path, CHECK, "", "K", KEPT, IN_THE_LUNGS))
        if read is not None and film.changed > 0:
            losses.update(_markers_gone(path, original, released, read))
    if not found:
        return None
    return FilmCheck(max(found, key=lambda film: film.badness), tuple(sorted(losses)))


def film_pairs(one: Item, path: str, source: Path, data: Path) -> Iterator[tuple[Image, Image]]:
    """The original and what was released of it, frame by frame."""
    if isinstance(one, ImageRow):
        yield load_image(source, one.path, frame=int(one.row["frame"])), load_image(data, path)
    elif one.kind is Kind.IMAGE:
        yield upright(source, one.path, load_image(source, one.path)), load_image(data, path)
    elif one.kind is Kind.DICOM:
        header = open_dicom(data / path, pixels=False)
        for frame in range(frame_count(header)) if "Rows" in header else ():
            yield read_pixels(source / one.path, frame), read_pixels(data / path, frame)


def _markers_gone(
    path: str, original: Image, released: Image, read: Callable[[Image], Sequence[Read]]
) -> Iterator[Discrepancy]:
    """Markers that can be read on the original and, where they were touched, no longer on what was released."""
    changed = changed_pixels(original, released)
    touched = [one for one in read(original) if is_marker(one) and changed[_place(one)].mean() > _TOUCHED]
    if not touched:
        return
    still = [one for one in read(released) if is_marker(one)]
    for one in touched:
        if not any(each.text == one.text and overlap(each.box, one.box) for each in still):
            yield Discrepancy(path, CHECK, str(one.box), "K", KEPT, MARKER_GONE)


def _place(one: Read) -> tuple[slice, slice]:
    """Its box on the film, and never less than a pixel."""
    left, top, right, bottom = (max(0, edge) for edge in one.box)
    return slice(top, max(bottom, top + 1)), slice(left, max(right, left + 1))
