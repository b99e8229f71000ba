"""The default encoder by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medveil.parts import register_encoder

if TYPE_CHECKING:
    from medveil.encoders.encoder import Encoder


@register_encoder
class Bundled:
    """The bundled encoder, trained on phantom patients."""

    name = "medveil-small"
    license = "Apache-2.0"

    @classmethod
    def load(cls, device: str = "cpu") -> Encoder:
        from medveil.encoders.medveil_small.small_encoder import MedveilSmall

        return MedveilSmall.load(device)
