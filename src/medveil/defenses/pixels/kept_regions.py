"""Regions that a person lets stay are read once more: nothing that is known of the patient may be legible there."""

from __future__ import annotations

from collections.abc import Iterable

import cv2

from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.cohort.preprocess import colour_planes
from medveil.defenses.pixels.find.detector import find_lines
from medveil.defenses.pixels.find.views import View, colour_views, views_of
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.read.reader import HEIGHT, read_many
from medveil.defenses.pixels.read.second_reader import HEIGHT as SECOND_HEIGHT
from medveil.defenses.pixels.read.second_reader import second_opinion
from medveil.errors import Quarantined
from medveil.parts import Box, Subject
from medveil.person.search.known import KnownSearch, known_in, search_for

IDENTIFIES = "a region kept in review says something that is known of the patient"
_AROUND = 16  # pixels around a region in which lines are looked for
_MARGINS = (0.0, 0.15)  # of a line's height, around what is read
_TURNS = (0, 1, 2, 3)  # quarter turns: nobody knows which way up it stands
_LONGEST = 40  # heights of a line; of a longer one the beginning is read
_LEAST = 4  # pixels; nothing is legible in less


def refuse_what_identifies(subject: Subject) -> None:
    """Raises `Quarantined` where something known is read in a region of a cleaned subject that a person let stay."""
    if not subject.person.known:
        return
    known = search_for(subject.person.known)
    for frame, doubtful in enumerate(subject.doubtful):
        chosen = subject.choices.get(frame)
        stays = () if chosen is None else (*chosen.keep, *(box for box in doubtful if box not in chosen.remove))
        if stays and says_what_is_known(_views(subject, frame), stays, known):
            raise Quarantined(IDENTIFIES)


def says_what_is_known(views: Iterable[View], boxes: Iterable[Box], known: KnownSearch) -> bool:
    """Whether one of two readers finds something known in one of these regions, whichever way up it stands."""
    boxes = tuple(boxes)
    return any(known_in(text, known) for view in views for box in boxes for text in _texts(view, box))


def _views(subject: Subject, frame: int) -> list[View]:
    """One frame of what comes out, as the cleaner looks at it."""
    if subject.picture is not None:
        if subject.picture.ndim == 2:
            return views_of(subject.picture)
        gray = cv2.cvtColor(subject.picture, cv2.COLOR_RGB2GRAY)
        return views_of(gray) + colour_views(colour_planes(subject.picture), gray)
    stored = StoredPixels.of(subject.dataset) if subject.dataset is not None else None
    if stored is None:
        return []
    plane = stored.frames[frame]
    shown = stored.displayed(frame)
    as_stored = plane if plane.ndim == 2 and stored.kind != "PALETTE COLOR" else None
    return views_of(shown, as_stored) + colour_views(stored.colours(frame), shown)


def _texts(view: View, box: Box) -> list[str]:
    lines = [line for line in _lines(view, box) if min(line.length, line.height) >= _LEAST]
    looks = [
        (line.grown(margin * line.height, margin * line.height), turns)
        for line in lines
        for margin in _MARGINS
        for turns in _TURNS
    ]
    strips = [line.cut_out(view, HEIGHT, quarter_turns=turns)[:, : _LONGEST * HEIGHT] for line, turns in looks]
    texts = [reading.text for reading in read_many(strips)]
    for line, turns in looks:
        texts.append(second_opinion(line.cut_out(view, SECOND_HEIGHT, quarter_turns=turns)[:, : _LONGEST * HEIGHT])[0])
    return [text for text in texts if text.strip()]


def _lines(view: View, box: Box) -> list[Line]:
    """What the detector so much as suspects there, and the region as if it were one line."""
    left, top, right, bottom = box
    rows, columns = view.shape
    window = max(0, left - _AROUND), max(0, top - _AROUND), min(columns, right + _AROUND), min(rows, bottom + _AROUND)
    if window[0] >= window[2] or window[1] >= window[3]:
        return []
    region = Line.of_box(box)
    return [region, *(line for line in find_lines(view, window) if line.distance(region) == 0)]
