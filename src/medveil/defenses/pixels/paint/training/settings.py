"""Everything that decides what a training run does."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from medveil.defenses.pixels.paint.generator import Architecture
from medveil.defenses.pixels.paint.generator_file import STEP
from medveil.errors import SettingsError
from medveil.training.loop import as_record

Masks = Literal["drawn", "detector"]
SMALL = Architecture(width=16, channels=1, hidden=8, dilations=(1, 2, 4))


@dataclass(frozen=True)
class Weights:
    """Of the losses; the paper names the losses without their weights."""

    adversarial: float = 1.0
    masked: float = 10.0
    identity: float = 5.0
    variation: float = 0.05
    perceptual: float = 1.0


@dataclass(frozen=True)
class InpaintingSettings:
    """The defaults make the bundled generator; `published` gives the paper's."""

    architecture: Architecture = SMALL
    weights: Weights = field(default_factory=Weights)
    features: Path | None = None  # of the perceptual loss; none means the bundled identity network
    judge_width: int = 64
    size: int = 128  # pixels along a crop's side
    shrink: tuple[int, ...] = (1, 2, 4)  # how often smaller than stored the crops are, where images allow it
    batch: int = 64
    epochs: int = 300
    rate: float = 4e-4
    decay_from: float = 0.6  # of the epochs; then the rate falls to zero. 1 keeps it
    average: float = 0.999  # how slowly the averaged weights, which are kept, follow; 0 keeps the last step's
    validate_every: int = 10  # epochs
    whole: bool = False  # whole images brought to this size, instead of crops
    masks: Masks = "drawn"  # or where the text detector finds text in the images
    sample_every: int | None = None  # steps after which a sheet of samples is written; none means at every validation
    words: int = 0  # written on unseen images at every validation, to see how many can be read after filling
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.batch, self.epochs, self.validate_every, self.judge_width, *self.shrink) < 1:
            raise SettingsError("counts must be at least 1; correct the settings")
        if self.size < 32 or self.size % STEP:
            raise SettingsError(f"the crops' size must be a multiple of {STEP}, and at least 32; correct `size`")
        if self.masks not in get_args(Masks):
            raise SettingsError(f"masks come from one of {', '.join(get_args(Masks))}")
        if self.words < 0 or (self.sample_every is not None and self.sample_every < 1):
            raise SettingsError("samples are written every step at most, and words cannot be fewer than none")
        if self.rate <= 0 or not 0 <= self.decay_from <= 1 or not 0 <= self.average < 1:
            raise SettingsError("the rate must be above 0, its decay within 0 to 1, the average below 1")

    def as_dict(self) -> dict[str, Any]:
        return as_record(self)


def published(features: Path | None = None) -> InpaintingSettings:
    """The paper's: 64 channels wide, whole images of 256 pixels with the text found in them for masks, batches of 8, 50
    epochs, no averaging, samples every 25 steps.
    """
    return InpaintingSettings(
        architecture=Architecture(), features=features, size=256, shrink=(1,), batch=8, epochs=50, rate=2e-4,
        decay_from=1.0, average=0.0, validate_every=1, whole=True, masks="detector", sample_every=25,
    )  # fmt: skip
