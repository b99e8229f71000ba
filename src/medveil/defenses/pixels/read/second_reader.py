"""A second opinion on a strip: the general recognition network inside rapidocr, slower and more widely read."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.engines import own_reader
from medveil.errors import SettingsError
from medveil.runtime.once import once

HEIGHT = 48  # pixels of a strip
NARROWEST = 96  # pixels; it was not trained on narrower strips
_MODEL = "*rec*.onnx"


def second_opinion(strip: NDArray[np.uint8]) -> tuple[str, float]:
    """The text of an upright strip, 48 pixels high, and how sure the network is of its least sure character."""
    own = own_reader()
    if own is not None:
        return own([strip])[0]
    letters, share, _ = _spelled(strip)
    return "".join(letters), float(share.min()) if letters else 0.0


def places_of_letters(strip: NDArray[np.uint8]) -> list[tuple[str, float]]:
    """Each character of such a strip and where in it, as a share of its width; a reader of the user's does not say."""
    if own_reader() is not None:
        return []
    letters, _, columns = _spelled(strip)
    return [(letter, float(column)) for letter, column in zip(letters, columns, strict=True)]


def _spelled(strip: NDArray[np.uint8]) -> tuple[list[str], NDArray[np.float32], NDArray[np.float64]]:
    """Characters, how sure the network is of each, and where each is, as a share of the strip's width."""
    session, letters = _recogniser()
    sheet = np.zeros((1, 3, HEIGHT, max(NARROWEST, strip.shape[1])), np.float32)
    sheet[0, :, :, : strip.shape[1]] = _contrasted(strip)
    shares = session.run(None, {session.get_inputs()[0].name: sheet})[0][0]
    best, share = shares.argmax(axis=1), shares.max(axis=1)
    new = (best != 0) & (best != np.concatenate([[0], best[:-1]]))
    columns = (np.flatnonzero(new) + 0.5) / len(best) * sheet.shape[3] / strip.shape[1]
    return [letters[place] for place in best[new]], share[new], columns


def _contrasted(strip: NDArray[np.uint8]) -> NDArray[np.float32]:
    low, high = float(strip.min()), float(strip.max())
    return (strip.astype(np.float32) - low) * (2 / max(high - low, 1.0)) - 1


@once
def _recogniser() -> tuple[Any, tuple[str, ...]]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # the cores are shared out among processes
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(_model(), options, providers=["CPUExecutionProvider"])
    written = session.get_modelmeta().custom_metadata_map["character"].splitlines()
    return session, ("", *written, " ")


def _model() -> Path:
    spec = find_spec("rapidocr")
    for folder in spec.submodule_search_locations or [] if spec else []:
        for model in sorted((Path(folder) / "models").glob(_MODEL)):
            return model
    raise SettingsError("clinical markers can only be kept with the package rapidocr; install it or keep no markers")
