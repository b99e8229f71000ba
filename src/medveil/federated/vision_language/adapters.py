"""Adapters (LoRA, by peft): the encoders stay as they were, and small matrices beside their layers are trained.

What a site sends in a round is then the adapters and the heads, a small part of the network.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from medveil.encoders.published.libraries import library
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.network import HEADS, VisionLanguageNetwork

# of the encoders: convolutions of a ResNet, attention of a ViT and of BERT
ADAPTED = r"(image|text)\.encoder\..*(convolution|q_proj|v_proj|query|value)"


def adapted(network: VisionLanguageNetwork, recipe: Recipe) -> VisionLanguageNetwork:
    """The network with adapters that change nothing yet; they, the heads and the norms' scales are trained."""
    library("transformers", extra="federated")  # first: peft imports it, and it needs help with torchvision
    peft = library("peft", extra="federated")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed + 1)
        shape = peft.LoraConfig(r=recipe.rank, lora_alpha=2 * recipe.rank, target_modules=ADAPTED)
        peft.inject_adapter_in_model(shape, network)
    for name, parameter in network.named_parameters():
        parameter.requires_grad_("lora_" in name or name.split(".")[0] in HEADS or "norm" in name.lower())
    return network


def merged(network: nn.Module) -> nn.Module:
    """The same function without adapters: what they learned is added to the layers they stood beside."""
    for name, child in list(network.named_children()):
        layer: Any = child
        if hasattr(layer, "get_base_layer"):
            layer.merge()
            setattr(network, name, layer.get_base_layer())
        else:
            merged(child)
    return network
