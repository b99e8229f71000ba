"""A dataset as the bytes of a file, however deep its sequences are nested."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from pydicom import filewriter
from pydicom.dataset import Dataset

_ALONE = threading.Lock()  # what follows changes the whole process
_FRAMES = 20_000  # the writer calls itself several times for each level


def encoded(dataset: Dataset) -> bytes:
    out = BytesIO()
    with _ALONE, _deep(), _short_errors():
        filewriter.dcmwrite(out, dataset, enforce_file_format=True)
    return out.getvalue()


@contextmanager
def _deep() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def _short_errors() -> Iterator[None]:
    """At every level the writer tells an error's whole story again, which doubles it: a hundred levels never end."""
    before = filewriter.tag_in_exception
    filewriter.tag_in_exception = _silent
    try:
        yield
    finally:
        filewriter.tag_in_exception = before


@contextmanager
def _silent(tag: Any) -> Iterator[None]:
    yield
