"""BioViL-T by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medveil.parts import register_encoder

if TYPE_CHECKING:
    from medveil.encoders.encoder import Encoder


@register_encoder
class BioViLT:
    """BioViL-T, the chest X-ray model of Microsoft, from the hub."""

    name = "biovil-t"
    dim = 128
    license = "MIT"
    hub = "microsoft/BiomedVLP-BioViL-T"

    @classmethod
    def load(cls, device: str) -> Encoder:
        from medveil.encoders.biovil_t.model import open_model
        from medveil.encoders.published.hub import fetch

        return open_model(fetch(cls.hub), name=cls.name, device=device)
