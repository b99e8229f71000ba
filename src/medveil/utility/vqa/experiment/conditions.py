"""What an image is shown as: raw, cleaned by one of several methods, or as a control not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from medveil.errors import SettingsError
from medveil.utility.vqa.question import Image

RAW, MASKED, INPAINTED, OURS = "raw", "text masked", "ClinX-type", "medveil"
METHODS = (MASKED, INPAINTED, OURS)
ALONE, BLANK, OTHER = "question alone", "blank image", "another patient's image"
CONTROLS = (ALONE, BLANK, OTHER)
ONE_TEXT, OTHER_TEXT = "one text", "another text"
SEVERITIES = (0.0, 0.05, 0.15, 0.30)  # of the image: where the published bins end; 0 is what was found, and no more

TEXTS = (
    ("HARTWELL, EVELYN", "ID 4471902", "03/14/2019 08:21", "ST MARY HOSPITAL"),
    ("OKONKWO, DANIEL", "ID 9036658", "11/27/2011 22:46", "RIVERSIDE CLINIC"),
)


@dataclass(frozen=True)
class Cleaned:
    """An image after cleaning, and the share of it that was hidden."""

    image: Image = field(repr=False)
    hidden: float


# of an image by its id, at each of the severities; raises Quarantined
Cleaner = Callable[[str, Image, Sequence[float]], list[Cleaned]]


@dataclass(frozen=True, order=True)
class Condition:
    """`severity` is the share of the image that is hidden at least; 0 where only what was found is."""

    method: str
    severity: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.method}, {self.severity:.0%} hidden" if self.severity else self.method

    @property
    def key(self) -> str:
        """In records."""
        return f"{self.method}@{self.severity:g}"


def conditions(cleaners: Mapping[str, Cleaner], severities: Sequence[float]) -> tuple[Condition, ...]:
    """Raw, the controls, every method at every severity, and two texts on the same image."""
    if any(not 0 <= severity <= 0.9 for severity in severities) or 0 not in severities:
        raise SettingsError("mask severities are shares of the image from 0 to 0.9, and 0 (as found) is one of them")
    methods = [Condition(method, severity) for method in cleaners for severity in sorted(set(severities))]
    plain = [Condition(method) for method in (RAW, *CONTROLS, ONE_TEXT, OTHER_TEXT)]
    return (*plain, *methods)


def blank(image: Image) -> Image:
    """Of the same size, and as bright as the image is on average."""
    return np.full_like(image, round(float(image.mean())))


def written_on(image: Image, lines: Sequence[str]) -> Image:
    """White letters on a black plate in the upper left corner; the plate is the same whatever is written."""
    written = image.copy()
    height = max(12, round(min(image.shape[:2]) / 24))
    size, width = height / 32, round(height * 11)
    written[: height * len(lines) + height // 2, :width] = 0
    for number, line in enumerate(lines, 1):
        place = (height // 3, round(height * number))
        colour = (255,) * (3 if image.ndim == 3 else 1)
        cv2.putText(written, line, place, cv2.FONT_HERSHEY_SIMPLEX, size, colour, max(1, height // 14), cv2.LINE_AA)
    return written
