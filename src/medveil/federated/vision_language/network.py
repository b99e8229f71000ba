"""The network: an image encoder and a text encoder that meet in one space, and a head of findings on each.

Nothing in it learns from the batch it is in: normalisation is by groups of channels or by layer, never by batch, for
the statistics of a batch mix patients, and those of a site do not fit the next.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.published.libraries import library
from medveil.federated.recipe import STRIDE, Recipe
from medveil.federated.vision_language.hashed_words import NOTHING

GROUPS = 8  # of channels that are normalised together
HEADS = ("image_head", "text_head", "image_projection", "text_projection")


class ImageNetwork(nn.Module):
    """Films of 0..1 (n × 1 × side × side) to places (n × width × rows × columns), of any brightness and contrast."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        transformers = library("transformers", extra="federated")
        self.places = recipe.side // STRIDE
        self.kind = recipe.image
        if recipe.image == "resnet":
            sizes = [recipe.channels * factor for factor in (1, 2, 4, 8)]
            shape = transformers.ResNetConfig(
                num_channels=1, embedding_size=sizes[0], hidden_sizes=sizes, depths=[1, 1, 1, 1], layer_type="basic"
            )
            self.encoder = transformers.ResNetModel(shape)
            self.encoder.embedder.pooler = nn.Identity()  # films are small here
            _without_batch_statistics(self.encoder)
            self.width = sizes[-1]
        else:
            self.width = 6 * recipe.channels
            shape = transformers.ViTConfig(
                num_channels=1,
                image_size=recipe.side,
                patch_size=STRIDE,
                hidden_size=self.width,
                num_hidden_layers=6,
                num_attention_heads=self.width // 32,
                intermediate_size=2 * self.width,
                hidden_dropout_prob=0.0,
                attention_probs_dropout_prob=0.0,
                attn_implementation="eager",  # the others have no gradient a patient
            )
            self.encoder = transformers.ViTModel(shape, add_pooling_layer=False)

    def forward(self, films: Tensor) -> Tensor:
        centred = films - films.mean((1, 2, 3), keepdim=True)
        even = centred / (centred.square().mean((1, 2, 3), keepdim=True) + 1e-4).sqrt()
        found: Tensor = self.encoder(even).last_hidden_state
        if self.kind == "resnet":
            return found
        return found[:, 1:].transpose(1, 2).reshape(len(found), self.width, self.places, self.places)


class TextNetwork(nn.Module):
    """Hashed words (n × places) to a vector a word (n × places × width)."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        transformers = library("transformers", extra="federated")
        self.width = recipe.text_width
        shape = transformers.BertConfig(
            vocab_size=recipe.buckets,
            hidden_size=self.width,
            num_hidden_layers=recipe.text_layers,
            num_attention_heads=4,
            intermediate_size=2 * self.width,
            max_position_embeddings=recipe.words,
            type_vocab_size=1,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            attn_implementation="eager",
        )
        self.encoder = transformers.BertModel(shape, add_pooling_layer=False)

    def forward(self, words: Tensor) -> Tensor:
        found: Tensor = self.encoder(input_ids=words, attention_mask=unseen(words)).last_hidden_state
        return found


def unseen(words: Tensor) -> Tensor:
    """The mask of padding. One in four dimensions is taken as it is, without a look at its values, which would be in
    the way of a gradient a patient."""
    return torch.where(words[:, None, None, :] == NOTHING, -1e9, 0.0)


class VisionLanguageNetwork(nn.Module):
    """Both encoders, a head of findings on each, and the projections into the space they share."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        self.findings = recipe.findings
        self.image = ImageNetwork(recipe)
        self.image_head = nn.Linear(self.image.width, len(recipe.findings))
        self.text: TextNetwork | None = None
        if recipe.text != "none":
            self.image_projection = nn.Linear(self.image.width, recipe.embedding)
            self.text = TextNetwork(recipe)
            self.text_head = nn.Linear(self.text.width, len(recipe.findings))
            self.text_projection = nn.Linear(self.text.width, recipe.embedding)

    def forward(self, films: Tensor, words: Tensor) -> tuple[Tensor, Tensor | None, Tensor | None, Tensor | None]:
        """Log odds by film and by report, and the vectors of both; without a text encoder the odds by film alone."""
        pooled = self.image(films).mean((2, 3))
        odds = self.image_head(pooled)
        if self.text is None:
            return odds, None, None, None
        read = self.text(words)[:, 0]
        vectors = functional.normalize(self.image_projection(pooled), dim=1)
        return odds, self.text_head(read), vectors, functional.normalize(self.text_projection(read), dim=1)

    def odds(self, films: Tensor) -> Tensor:
        found: Tensor = self.image_head(self.image(films).mean((2, 3)))
        return found

    def film_vectors(self, films: Tensor) -> Tensor:
        return functional.normalize(self.image_projection(self.image(films).mean((2, 3))), dim=1)

    def report_vectors(self, words: Tensor) -> Tensor:
        assert self.text is not None, "this recipe has no text encoder"
        return functional.normalize(self.text_projection(self.text(words)[:, 0]), dim=1)


def trained_parameters(network: nn.Module) -> dict[str, nn.Parameter]:
    """What a round changes and a site sends, in the order every site has."""
    return {name: parameter for name, parameter in network.named_parameters() if parameter.requires_grad}


def _without_batch_statistics(network: nn.Module) -> None:
    for name, child in list(network.named_children()):
        if isinstance(child, nn.BatchNorm2d):
            replacement: Any = nn.GroupNorm(GROUPS, child.num_features)
            setattr(network, name, replacement)
        else:
            _without_batch_statistics(child)
