"""A detector and a reader of one's own, named as `package.module:function` and imported only because they are named.

A detector is given a gray image of eight bits, rows x columns, and answers with (four corner points, score) for each
line of text: points are (x, y) in pixels, the score is between 0 and 1. A reader is given a list of such images, each
an upright line cut out, 48 pixels high, and answers with (text, confidence) for each. The detector stands in for the
bundled one, the reader for the second of the two, which confirms what the first says. What they do with an image is
theirs to answer for; medveil sends it nowhere.
"""

from __future__ import annotations

import importlib
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.lines import Box, Line
from medveil.errors import SettingsError
from medveil.runtime.once import once

View = NDArray[np.uint8]
Detector = Callable[[View, Box | None], list[Line]]
Reader = Callable[[Sequence[View]], list[tuple[str, float]]]
BLANK, STRIP = (256, 256), (48, 192)  # rows and columns of what they are tried on

_DETECTOR: ContextVar[Detector | None] = ContextVar("detector", default=None)
_READER: ContextVar[Reader | None] = ContextVar("reader", default=None)


@contextmanager
def own_engines(detector: str | None, reader: str | None) -> Iterator[None]:
    """While it lasts, these find and read what is looked at in this thread, where they are named."""
    found = _DETECTOR.set(detector_of(detector) if detector else None)
    read = _READER.set(reader_of(reader) if reader else None)
    try:
        yield
    finally:
        _DETECTOR.reset(found)
        _READER.reset(read)


def own_detector() -> Detector | None:
    return _DETECTOR.get()


def own_reader() -> Reader | None:
    return _READER.get()


@once
def detector_of(name: str) -> Detector:
    """Finds lines in a view, or in a window of it, as the bundled one does; tried on a blank image."""
    ask = _named("detector", name)

    def find(view: View, window: Box | None = None) -> list[Line]:
        left, top, right, bottom = window or (0, 0, view.shape[1], view.shape[0])
        answer = ask(np.ascontiguousarray(view[top:bottom, left:right]))
        try:
            return [_line(corners, score).moved(left, top) for corners, score in answer]
        except (TypeError, ValueError):
            raise SettingsError(
                f"the detector {name} must answer with a list of (four corner points, score from 0 to 1); correct it"
            ) from None

    find(np.zeros(BLANK, np.uint8))
    return find


@once
def reader_of(name: str) -> Reader:
    """Reads upright strips, one text and its confidence for each; tried on a blank one."""
    ask = _named("reader", name)

    def read(strips: Sequence[View]) -> list[tuple[str, float]]:
        answer = ask([np.ascontiguousarray(strip) for strip in strips])
        try:
            return [(_text(text), _share(confidence)) for _, (text, confidence) in zip(strips, answer, strict=True)]
        except (TypeError, ValueError):
            raise SettingsError(
                f"the reader {name} must answer with (text, confidence from 0 to 1) for each image; correct it"
            ) from None

    read([np.zeros(STRIP, np.uint8)])
    return read


def _named(what: str, name: str) -> Callable[[Any], Any]:
    """The function of this name, which one thread calls at a time and which may not fail on what it is tried on."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise SettingsError(f"a {what} is named as package.module:function, which {name!r} is not")
    try:
        function: Any = importlib.import_module(module)
        for part in attribute.split("."):
            function = getattr(function, part)
    except Exception as failed:  # whatever a module does when it is imported
        raise SettingsError(
            f"the {what} {name} cannot be imported ({type(failed).__name__}); install its package, or correct the name"
        ) from None
    if not callable(function):
        raise SettingsError(f"the {what} {name} is not a function; name one that can be called")
    turn = threading.Lock()
    tried: list[bool] = []

    def ask(given: Any) -> Any:
        with turn:
            try:
                return function(given)
            except Exception as failed:
                if tried:
                    raise  # the file is withheld, and the run goes on
                raise SettingsError(f"the {what} {name} fails on a blank image ({type(failed).__name__})") from None
            finally:
                tried.append(True)

    return ask


def _line(corners: Any, score: Any) -> Line:
    points = np.asarray(corners, np.float32)
    if points.shape != (4, 2) or not np.isfinite(points).all():
        raise ValueError("not four points")
    return Line.around(points, _share(score))


def _text(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError("not a text")
    return text


def _share(value: Any) -> float:
    share = float(value)
    if not (math.isfinite(share) and 0 <= share <= 1):
        raise ValueError("not between 0 and 1")
    return share
