"""CXR-BERT, BioViL-T's text network: a BERT with its masked-word head, and a head into the joint space.

Names and shapes of all parameters are those of the published checkpoint.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from medveil.encoders.published.libraries import library

EPSILON = 1e-12


class ProjectionHead(nn.Module):
    """From the first token's features into the joint space."""

    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        self.dense_to_hidden = nn.Linear(width, dim)
        self.LayerNorm = nn.LayerNorm(dim, eps=EPSILON)
        self.dense_to_output = nn.Linear(dim, dim)

    def forward(self, features: Tensor) -> Tensor:
        out: Tensor = self.layers(features)
        return out

    @property
    def layers(self) -> nn.Sequential:
        return nn.Sequential(self.dense_to_hidden, nn.GELU(), self.LayerNorm, self.dense_to_output)


class MaskedWordHead(nn.Module):
    """In the checkpoint, and unused here: it guesses hidden words. Its last layer is the table of words itself."""

    def __init__(self, table: nn.Parameter) -> None:
        super().__init__()
        words, width = table.shape
        transform = nn.Module()
        transform.dense = nn.Linear(width, width)
        transform.LayerNorm = nn.LayerNorm(width, eps=EPSILON)
        self.predictions = nn.Module()
        self.predictions.bias = nn.Parameter(Tensor(words))
        self.predictions.transform = transform
        self.predictions.decoder = nn.Linear(width, words)
        self.predictions.decoder.weight = table


class TextNetwork(nn.Module):
    """Token numbers and their mask in, n × projection size out; `settings` as in the checkpoint's config.json."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__()
        transformers = library("transformers")
        config = transformers.BertConfig(**settings)
        self.bert = transformers.BertModel(config, add_pooling_layer=False)
        self.cls = MaskedWordHead(self.bert.get_input_embeddings().weight)
        self.cls_projection_head = ProjectionHead(config.hidden_size, int(settings.get("projection_size", 128)))

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        projected: Tensor = self.cls_projection_head(self.features(tokens, mask))
        return projected

    def features(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """The first token's, before the head."""
        first: Tensor = self.bert(input_ids=tokens, attention_mask=mask).last_hidden_state[:, 0]
        return first
