"""The alignment of a vision-language model: its two projection heads, changed so that they link fewer people's pairs.

This defense changes a model, not the subjects of a release, and so is not among the parts a release may choose:
`medveil protect alignment` applies it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medveil.defenses.alignment.settings import Settings as AlignmentSettings
from medveil.defenses.alignment.settings import Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from medveil.defenses.alignment.guarantee import Origin
    from medveil.defenses.alignment.heads import Features, Heads
    from medveil.defenses.alignment.ledger import Ledger
    from medveil.defenses.alignment.training import Progress, TrainedHeads


class AlignmentDefense:
    """Trains, or otherwise changes, the heads in one of several ways; what it promises comes with the result."""

    name = "alignment"
    title = "Projection heads of a vision-language model"
    place = "alignment"
    default = False
    Settings = AlignmentSettings

    def __init__(self, settings: AlignmentSettings | None = None, *, variant: Variant = "dp") -> None:
        self.settings = settings
        self.variant: Variant = variant

    def apply(
        self,
        heads: Heads,
        image_features: Features,
        report_features: Features,
        *,
        patients: Sequence[Any] | NDArray[Any],
        out: Path,
        public: tuple[Features, Features] | None = None,
        public_are: Origin = "declared",
        findings: NDArray[Any] | None = None,
        ledger: Ledger | None = None,
        progress: Progress | None = None,
    ) -> TrainedHeads:
        """New heads beside the record of how they came about and their guarantee; see `train_heads`."""
        from medveil.defenses.alignment.training import train_heads

        return train_heads(
            image_features,
            report_features,
            patients=patients,
            start=heads,
            out=out,
            variant=self.variant,
            settings=self.settings,
            public=public,
            public_are=public_are,
            findings=findings,
            ledger=ledger,
            progress=progress,
        )
