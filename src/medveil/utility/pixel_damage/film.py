"""One film beside its original: how much of it was changed, inside the lungs and outside, and what that changes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[Any]
Mask = NDArray[np.bool_]

RIM = 0.015  # of the shorter side: nobody draws the edge of a lung more exactly, so no change counts there
MIDDLE = ((0.2, 0.9), (0.15, 0.85))  # down and across: stands for the lungs where none are found


@dataclass(frozen=True)
class FilmDamage:
    """Shares of the film, of its lungs and of the rest that were changed, and the findings' probabilities where
    anything was."""

    changed: float = 0.0
    inside: float = 0.0
    outside: float = 0.0
    lungs_found: bool = True
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()

    @property
    def badness(self) -> tuple[float, float]:
        """The lungs count first."""
        return self.inside, self.changed

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"before": list(self.before), "after": list(self.after)}

    @classmethod
    def of(cls, entry: dict[str, Any]) -> FilmDamage:
        return cls(**entry | {"before": tuple(entry["before"]), "after": tuple(entry["after"])})


def compare(original: Image, released: Image) -> FilmDamage:
    """Any difference of a pixel counts, wherever it is. The networks look only where there is one."""
    changed = changed_pixels(original, released)
    if not changed.any():
        return FilmDamage()
    # here and not above: they bring PyTorch, which a release without a change does not need
    from medveil.encoders.findings.classifier import load_classifier
    from medveil.utility.lungs.segmenter import load_segmenter

    lungs = load_segmenter().mask(original)
    inner = inner_lungs(lungs)
    classifier = load_classifier()
    before, after = (tuple(map(float, one)) for one in classifier.probabilities([original, released]).round(4))
    return FilmDamage(
        changed=float(changed.mean()),
        inside=float(changed[inner].mean()),
        outside=float(changed[~inner].mean()) if not inner.all() else 0.0,
        lungs_found=bool(lungs.any()),
        before=before,
        after=after,
    )


def changed_pixels(original: Image, released: Image) -> Mask:
    """All of them, where the two are not of one size or depth: then nothing can be said for any."""
    if original.shape != released.shape or original.dtype != released.dtype:
        return np.ones(original.shape, bool)
    return np.asarray(original != released)


def inner_lungs(lungs: Mask) -> Mask:
    """The lungs without their rim; the middle of the film where there are none, never nothing."""
    height, width = lungs.shape
    padded = cv2.copyMakeBorder(lungs.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    far = cv2.distanceTransform(padded, cv2.DIST_L2, 3)[1:-1, 1:-1]
    inner = np.asarray(far > max(1.0, RIM * min(height, width)))
    if not inner.any():
        (top, bottom), (left, right) = MIDDLE
        inner[int(top * height) : max(1, round(bottom * height)), int(left * width) : max(1, round(right * width))] = (
            True
        )
    return inner
