"""CLIP and PubMedCLIP by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medveil.parts import register_encoder

if TYPE_CHECKING:
    from medveil.encoders.encoder import Encoder


@register_encoder
class Clip:
    """The general CLIP (ViT-B/32), from the hub."""

    name = "clip"
    dim = 512
    license = "MIT"
    hub = "openai/clip-vit-base-patch32"

    @classmethod
    def load(cls, device: str) -> Encoder:
        from medveil.encoders.clip.model import open_model
        from medveil.encoders.published.hub import fetch

        return open_model(fetch(cls.hub), name=cls.name, device=device, terms=cls.license)


@register_encoder
class PubMedClip(Clip):
    """CLIP tuned on figures of medical articles, from the hub."""

    name = "pubmedclip"
    hub = "flaviagiammarino/pubmed-clip-vit-base-patch32"
