"""Pairs to look at: some that a verification network got right, and its worst errors of both kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.attention import PLACES, map_alone
from medveil.attacks.identity.judged_pairs import JudgedPairs
from medveil.cohort.preprocess import resize, to_8_bit
from medveil.finding import Picture

HITS = 4
SIDE, GAP = 112, 6
THRESHOLD = 0.5
LAYERS = ("first", "middle", "last")

Image = NDArray[Any]
Bytes = NDArray[np.uint8]


class Attentive(Protocol):
    """What is asked of a verification network; `medveil.encoders.identity.verifier` has one."""

    def attention(self, a: Image, b: Image, place: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...


@dataclass(frozen=True)
class Example:
    """A pair of rows, what it is an example of, and what the network said."""

    kind: str
    left: int
    right: int
    probability: float


def chosen_examples(pairs: JudgedPairs) -> list[Example]:
    """Four true positives of four persons, and the surest false positive and false negative, where there are any."""
    called = pairs.scores >= THRESHOLD
    hits = _of_different_people(np.flatnonzero(pairs.same & called), pairs)
    spread = hits[np.linspace(0, len(hits) - 1, min(HITS, len(hits))).astype(int)] if len(hits) else hits
    false = np.flatnonzero(~pairs.same & called)
    missed = np.flatnonzero(pairs.same & ~called)
    chosen = [("true positive", row) for row in spread]
    if len(false):
        chosen.append(("false positive", false[pairs.scores[false].argmax()]))
    if len(missed):
        chosen.append(("false negative", missed[pairs.scores[missed].argmin()]))
    return [
        Example(kind, int(pairs.left[row]), int(pairs.right[row]), float(pairs.scores[row])) for kind, row in chosen
    ]


def _of_different_people(rows: NDArray[np.intp], pairs: JudgedPairs) -> NDArray[np.intp]:
    """The surest pair of each person, the surest first."""
    order = rows[np.argsort(-pairs.scores[rows], kind="stable")]
    _, first = np.unique(pairs.patients[0][order], return_index=True)
    return order[np.sort(first)]


def example_pictures(
    network: Attentive, examples: Sequence[Example], films: Sequence[Sequence[Image]], *, show_images: bool
) -> tuple[Picture, ...]:
    """The pairs in columns, as in the paper: the films where they may be shown, then attention at three depths."""
    told = "; ".join(f"({chr(97 + n)}) {each.kind}" for n, each in enumerate(examples))
    pictures = []
    if not examples:
        return ()
    if show_images:
        gray = [[cv2.cvtColor(_small(film), cv2.COLOR_GRAY2BGR) for film in pair] for pair in films]
        pictures.append(_sheet("Pairs that were judged", gray, f"The films of each pair, one above the other. {told}."))
    for place in LAYERS:
        shown = [
            [_warm(heat, film if show_images else None) for heat, film in zip(maps, pair, strict=True)]
            for pair in films
            for maps in (network.attention(pair[0], pair[1], place),)
        ]
        over = (
            "over the films"
            if show_images
            else f"without the films and in {PLACES} by {PLACES} places, so that it shows nobody; top is the head"
        )
        note = f"Bright is what speaks for one person, {over}. {told}."
        pictures.append(_sheet(f"Attention at the {place} layer", shown, note))
    return tuple(pictures)


def _sheet(title: str, pairs: Sequence[Sequence[Bytes]], note: str) -> Picture:
    columns = [np.vstack([pair[0], np.zeros((GAP, *pair[0].shape[1:]), np.uint8), pair[1]]) for pair in pairs]
    gap = np.zeros((columns[0].shape[0], GAP, *columns[0].shape[2:]), np.uint8)
    joined = [part for column in columns for part in (column, gap)][:-1]
    written, png = cv2.imencode(".png", np.hstack(joined), [cv2.IMWRITE_PNG_COMPRESSION, 9])
    assert written
    alt = f"{len(pairs)} pairs side by side, the two of each one above the other"
    return Picture(title=title, png=png.tobytes(), alt=alt, note=note)


def _small(film: Image) -> Bytes:
    return to_8_bit(resize(film, SIDE))


def _warm(heat: NDArray[np.float32], film: Image | None) -> Bytes:
    if film is None:
        return cv2.cvtColor(map_alone(heat, SIDE), cv2.COLOR_GRAY2BGR).astype(np.uint8)
    gray = (np.clip(resize(heat, SIDE), 0, 1) * 255).astype(np.uint8)
    colour = cv2.applyColorMap(gray, cv2.COLORMAP_INFERNO).astype(np.float32)
    under = cv2.cvtColor(_small(film), cv2.COLOR_GRAY2BGR).astype(np.float32)
    return np.asarray(np.clip(0.6 * under + 0.4 * colour, 0, 255), dtype=np.uint8)
