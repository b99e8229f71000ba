"""Everything that decides what a training run does."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from medveil.encoders.identity.networks.model_file import Architecture, Kind
from medveil.encoders.identity.preparing import Preparation
from medveil.encoders.identity.training.augment import Augmentation
from medveil.errors import SettingsError
from medveil.training.loop import as_record

UPPER, LOWER = 0.1584, 0.0063  # bounds of the rate in the paper's 1cycle
# The paper names the bounds, not the way between them: the rate begins and ends at the lower one. The share of the rise
# and the momentum, which falls as the rate rises, are those of the policy's common implementations.
PUBLISHED_CYCLE: dict[str, Any] = {
    "rise": 0.3,
    "first": LOWER / UPPER,
    "last": LOWER / UPPER,
    "momentum": 0.95,
    "least_momentum": 0.85,
}


@dataclass(frozen=True)
class TrainingSettings:
    """The defaults suit a small cohort and a small network; `published` gives the paper's."""

    backbone: str = "efficientnet-lite0"
    head: str = "gem"
    dim: int = 128
    size: int = 256
    start: Path | None = None  # an ImageNet classifier of the backbone
    continue_from: Path | None = None  # an identity model with the same backbone and head
    teachers: tuple[Path, ...] = ()  # reidentification models to learn similarities from
    teacher_weight: float = 50.0
    stretched: bool = True  # gray levels, to the full range; or as they are stored
    mining: Literal["online", "redrawn", "fixed"] = "online"
    pairs: int | None = None  # in the training set of offline mining, half of them of one patient; None takes all
    losses: dict[str, float] = field(default_factory=lambda: {"supervised-contrastive": 1.0})  # name to weight
    memory: int = 0  # images of earlier batches to compare with
    patients: int = 64  # in a batch
    images: int = 4  # of each patient in a batch
    singles: bool = True  # patients with one image take part
    mirror: bool = True  # mirrored patients take part as further patients
    augmentation: Augmentation | None = field(default_factory=Augmentation)
    frozen_epochs: int = 2
    epochs: int = 110
    optimizer: Literal["adamw", "adam", "sgd"] = "adamw"
    rate: float | None = 1e-3  # the peak; None searches for it
    schedule: Literal["one-cycle", "constant"] = "one-cycle"
    rise: float = 0.1  # share of a cycle in which the rate rises
    first: float = 1 / 25  # rate at the beginning of a cycle, of the peak
    last: float = 1e-3  # and at its end
    momentum: float = 0.9  # of sgd
    least_momentum: float | None = None  # it falls to this as the rate rises, and comes back; None keeps it
    clip: float | None = 5.0  # length of the gradient
    backbone_share: float = 0.5  # of the rate
    weight_decay: float = 0.02
    average: float = 0.99  # how slowly the averaged weights, which are kept, follow; 0 keeps the last step's
    validate_every: int = 10  # epochs
    patience: int | None = 5  # validations without a better one; None trains to the end and keeps the last
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.patients, self.images, self.epochs, self.validate_every, self.dim) < 1 or self.size < 64:
            raise SettingsError("counts must be at least 1 and the image size at least 64; correct the settings")
        if self.images < 2 and self.mining == "online":
            raise SettingsError("online mining needs at least two images per patient in a batch; raise `images`")
        if self.pairs is not None and (self.pairs < 2 or self.mining == "online"):
            raise SettingsError("a number of pairs, at least 2, is for mining redrawn or fixed; correct the settings")
        if self.rate is not None and not 0 < self.rate < math.inf:
            raise SettingsError("the learning rate must be a number above 0; correct the settings")

    @property
    def all_epochs(self) -> int:
        return self.frozen_epochs + self.epochs

    def architecture(self, kind: Kind) -> Architecture:
        return Architecture(kind, self.backbone, self.head, self.dim, self.size, self.stretched)

    @property
    def preparation(self) -> Preparation:
        return Preparation.of(self.size, stretched=self.stretched)

    def as_dict(self) -> dict[str, Any]:
        return as_record(self)


def published(kind: Kind, start: Path | None = None) -> TrainingSettings:
    """The paper's: ResNet-50, films as they are stored and unchanged; see `PUBLISHED_CYCLE` for what it leaves open."""
    shared = TrainingSettings(
        backbone="resnet50", start=start, stretched=False, singles=False, mirror=False, augmentation=None, average=0.0,
        backbone_share=1.0, validate_every=1, clip=None,
    )  # fmt: skip
    if kind == "verification":
        return replace(
            shared, head="global", size=256, mining="redrawn", patients=16, images=2, frozen_epochs=0, epochs=100,
            optimizer="adam", rate=1e-4, schedule="constant", weight_decay=0.0, patience=5,
        )  # fmt: skip
    return replace(
        shared, head="grid", size=1024, losses={"contrastive": 1.0}, memory=128, patients=8, images=4, frozen_epochs=30,
        epochs=50, optimizer="sgd", rate=UPPER, weight_decay=1e-5, patience=None, **PUBLISHED_CYCLE,
    )  # fmt: skip
