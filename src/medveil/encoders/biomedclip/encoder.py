"""BiomedCLIP by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medveil.parts import register_encoder

if TYPE_CHECKING:
    from medveil.encoders.encoder import Encoder


@register_encoder
class BiomedClip:
    """BiomedCLIP (ViT-B/16 and PubMedBERT), from the hub."""

    name = "biomedclip"
    dim = 512
    license = "MIT"
    hub = "microsoft/BiomedCLIP-PubMedBERT_256-vit_base_patch16_224"

    @classmethod
    def load(cls, device: str) -> Encoder:
        from medveil.encoders.biomedclip.model import open_model
        from medveil.encoders.published.hub import fetch

        return open_model(fetch(cls.hub), name=cls.name, device=device, terms=cls.license)
