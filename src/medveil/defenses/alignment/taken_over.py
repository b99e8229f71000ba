"""The projection heads a model comes with, taken over into heads that can be trained by example."""

from __future__ import annotations

from torch import nn

from medveil.defenses.alignment.heads import Head, Heads, HeadShape, without_batch_norm


def take_over(image: nn.Module, report: nn.Module) -> Heads:
    """Heads that start as these layers do and share nothing with them.

    Known are one linear layer, as CLIP has, and the two heads of BioViL-T. Batch norm in the image head of the latter
    becomes group norm, so this head does not return quite what it did.
    """
    found = _head(image), _head(report)
    heads = Heads(*(head.shape for head in found))
    for own, head in zip((heads.image, heads.report), found, strict=True):
        own.load_state_dict(head.state_dict())
    return heads


def _head(layers: nn.Module) -> Head:
    layers = layers if isinstance(layers, nn.Sequential) else nn.Sequential(layers)
    match list(layers):
        case [nn.Linear() as only]:
            shape = HeadShape(only.in_features, only.out_features, bias=only.bias is not None)
        case [nn.Linear() as first, nn.GELU(approximate="none"), nn.LayerNorm() as norm, nn.Linear() as last]:
            shape = HeadShape(
                first.in_features,
                last.out_features,
                hidden=first.out_features,
                bias=first.bias is not None,
                eps=norm.eps,
                activation="gelu",
                order="activation first",
            )
        case _:
            return without_batch_norm(layers)
    head = Head(shape)
    head.load_state_dict(layers.state_dict())
    return head
