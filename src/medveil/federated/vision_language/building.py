"""A recipe's network with its first weights; what the recipe does not train is frozen."""

from __future__ import annotations

import torch

from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.adapters import adapted
from medveil.federated.vision_language.model_file import load_weights
from medveil.federated.vision_language.network import HEADS, VisionLanguageNetwork


def build(recipe: Recipe) -> VisionLanguageNetwork:
    """Weights come from the seed, or from the recipe's file."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        network = VisionLanguageNetwork(recipe)
    if recipe.start is not None:
        load_weights(network, recipe.start)
    if recipe.trained == "adapters":
        return adapted(network, recipe)
    if recipe.trained == "heads":
        for name, parameter in network.named_parameters():
            parameter.requires_grad_(name.split(".")[0] in HEADS)
    return network
