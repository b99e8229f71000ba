"""Text in the released pixels, read by networks that had no part in removing it, where such are installed.

RapidOCR's network that finds lines is a stranger to the cleaner; the one that reads them is the cleaner's second
reader. Where the package rapidocr_onnxruntime is installed, the one of PP-OCRv4 that lies in it reads instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.runtime.compiled import compiled_onnx

Box = tuple[int, int, int, int]

SURE = 0.6  # of 1: what is read with less certainty is a rib or a wire
SHORT, SURE_OF_SHORT = 5, 0.9  # characters: vertebrae read as 0000, and a small ERECT as EREOT, but never so surely
SMALLEST_SIDE = 736  # pixels; smaller images are enlarged, for small print
LARGEST_SIDE = 2000
_DETECTION, _RECOGNITION = "*det*.onnx", "*rec*.onnx"
_RINGS = frozenset("0O")  # sternal wires in a row, read with certainty; no name or number is made of these alone
_TWISTED = _RINGS | {"8"}  # with the twist of a wire in it, read with less
TURNS = (None, cv2.ROTATE_90_CLOCKWISE)
_SAME_LINE = 0.85  # of two boxes that they share, if the same was read in both
# What may stay on a radiograph: sides, views, positions and exposure, as the standard's own words and common prints.
_WORDS = """
L R LT RT LEFT RIGHT AP PA LAT LATERAL ERECT UPRIGHT SUPINE PRONE DECUB DECUBITUS PORTABLE PORT MOBILE CHEST
SEMI SEMIERECT SEMI-ERECT SITTING STANDING EXP INSP EXPIRATION INSPIRATION KV KVP MAS CM TOP
"""
MARKERS = frozenset(_WORDS.split())
_EXPOSURE = re.compile(r"\d{1,3}(\.\d)?(KVP?|MAS|CM|MINS?|SECS?|HRS?)")  # and times of a series
_LETTERS = re.compile(r"[A-Z0-9]")
# The reader drops spaces: AP SUPINE comes as APSUPINE. Single letters would let too much pass.
_RUN_TOGETHER = re.compile("(?:" + "|".join(sorted(word for word in MARKERS if len(word) > 1)) + ")+")


@dataclass(frozen=True)
class Read:
    text: str
    box: Box
    score: float


class Reader:
    """Loaded once a process; reads upright and turned text."""

    @cached_property
    def _engine(self) -> Any:
        from rapidocr import RapidOCR

        engine = RapidOCR(
            params=_strangers()
            | {
                "Global.log_level": "critical",
                "Global.use_cls": True,
                "Global.text_score": SURE,
                "Global.max_side_len": LARGEST_SIDE,
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "Det.box_thresh": 0.3,
                "Det.thresh": 0.2,
                "Det.limit_side_len": SMALLEST_SIDE,
            }
        )
        _compile_detection(engine)
        return engine

    def read(self, image: NDArray[Any]) -> list[Read]:
        """Everything that reads as text, with its box in the upright image."""
        gray = _to_8_bit(image)
        found: list[Read] = []
        for turn in TURNS:
            turned = gray if turn is None else cv2.rotate(gray, turn)
            result = self._engine(cv2.cvtColor(turned, cv2.COLOR_GRAY2BGR))
            if result.txts is None:
                continue
            for corners, text, score in zip(result.boxes, result.txts, result.scores, strict=True):
                box = _box(np.asarray(corners), turn, gray.shape)
                found.append(Read(text, box, float(score)))
        return found


def read_by() -> str:
    """Who read the images, and whether the cleaner knows them."""
    if stranger() is not None:
        return "Lines were found by PP-OCRv6 and read by PP-OCRv4; these networks have no part in removing text."
    return (
        "Images were read by PP-OCRv6: its network that finds lines has no part in removing text, but the one that "
        "reads them is the cleaner's second reader, so that both misread the same. With the package "
        "rapidocr-onnxruntime another one reads."
    )


@cache
def stranger() -> Path | None:
    """The recognising network that the cleaner does not use, where it is installed; its package is not imported."""
    spec = find_spec("rapidocr_onnxruntime")
    for folder in spec.submodule_search_locations or [] if spec else []:
        for model in sorted((Path(folder) / "models").glob(_RECOGNITION)):
            return model
    return None


def _strangers() -> dict[str, Any]:
    from rapidocr import OCRVersion

    model = stranger()
    return {} if model is None else {"Rec.model_path": str(model), "Rec.ocr_version": OCRVersion.PPOCRV4}


def stray_text(reads: list[Read]) -> list[Read]:
    """What is neither a clinical marker, nor one misread, nor a misread speck."""
    markers = [read for read in reads if len(read.text) > SHORT and is_marker(read)]
    strays = [read for read in reads if not _may_stay(read.text) and not _is_speck(read)]
    return [read for read in strays if not any(_misread(read, marker) for marker in markers)]


def is_marker(read: Read) -> bool:
    """Whether it reads surely as a clinical marker, a single letter only as a side."""
    words = [word for word in re.split(r"[^A-Z0-9.\-]+", read.text.upper()) if word]
    known = bool(words) and all(word in MARKERS for word in words)
    return (known or _RUN_TOGETHER.fullmatch("".join(words)) is not None) and not _is_speck(read)


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def is_of(box: Box, region: Box) -> bool:
    """Whether what was read is what stands in a region: most of the box lies in it, or else the box holds most of it
    and reaches no farther than a line's height beyond, for the reader draws some boxes far too high."""
    if _shared(box, region) > 0.5 * _area(box):
        return True
    left, top, right, bottom = region
    room = min(right - left, bottom - top)
    grown = left - room, top - room, right + room, bottom + room
    return _shared(box, region) > 0.5 * _area(region) and _shared(box, grown) == _area(box)


def _misread(read: Read, marker: Read) -> bool:
    """Whether a line that was read twice, upright and turned, is more surely a marker: all of it, for a name may stand
    beside one. Initials are not a side for that: of a few letters either reading may be the true one."""
    shared, longest = _shared(read.box, marker.box), max(_area(read.box), _area(marker.box))
    return read.score < marker.score and shared > _SAME_LINE * longest and len(read.text) <= len(marker.text) + 1


def _shared(box: Box, other: Box) -> int:
    return _area((max(box[0], other[0]), max(box[1], other[1]), min(box[2], other[2]), min(box[3], other[3])))


def _area(box: Box) -> int:
    return max(0, box[2] - box[0]) * max(0, box[3] - box[1])


def _is_speck(read: Read) -> bool:
    letters = _LETTERS.findall(read.text.upper())
    uncertain = read.score < SURE_OF_SHORT
    return set(letters) <= _RINGS or (uncertain and (len(letters) <= SHORT or set(letters) <= _TWISTED))


def _may_stay(text: str) -> bool:
    words = re.split(r"[^A-Z0-9.\-]+", text.upper())
    words = [word.strip(".-") for word in words if _LETTERS.search(word)]
    if sum(len(word) for word in words) < 2:  # a single letter is a marker or a speck
        return True
    joined = "".join(words)
    known = all(word in MARKERS for word in words) or _RUN_TOGETHER.fullmatch(joined)
    return bool(known) or _EXPOSURE.fullmatch(joined) is not None


def _compile_detection(engine: Any) -> None:
    """Finding the lines takes most of the time, at one size for all images; lines are read in every width."""
    folder = Path(engine.cfg.Global.model_root_dir)
    for model in sorted(folder.glob(_DETECTION)):
        engine._load_det_model().session = compiled_onnx(str(model), threads=1)
        return


def _to_8_bit(image: NDArray[Any]) -> NDArray[np.uint8]:
    if image.dtype == np.uint8:
        return np.asarray(image)
    low, high = float(image.min()), float(image.max())
    return ((image.astype(np.float32) - low) * (255 / max(high - low, 1.0))).astype(np.uint8)


def _box(corners: NDArray[Any], turn: int | None, shape: tuple[int, ...]) -> Box:
    left, top = np.floor(corners.min(axis=0)).astype(int)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int)
    if turn is not None:  # back from the clockwise turn: x = y', y = height - x'
        height = shape[0]
        left, top, right, bottom = top, height - right, bottom, height - left
    return int(left), int(top), int(right), int(bottom)
