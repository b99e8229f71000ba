from __future__ import annotations

from pathlib import Path

import pytest
import torch

from medveil.defenses.anatomy.dcm_deid.codes import Codes, CodesPlan
from medveil.defenses.anatomy.dcm_deid.foundation import Foundation
from medveil.defenses.anatomy.dcm_deid.model_file import Networks, save_networks
from medveil.defenses.anatomy.dcm_deid.recogniser import Recogniser, RecogniserPlan
from medveil.defenses.anatomy.dcm_deid.synthesis import Synthesis, SynthesisPlan
from medveil.defenses.anatomy.latents import Architecture, build_autoencoder, save_autoencoder


def small_networks() -> Networks:
    """Networks that were taught nothing, but pass on what they are given."""
    torch.manual_seed(0)
    foundation = Foundation()
    recogniser = Recogniser(RecogniserPlan(width=16, layers=1, heads=2, inner=16))
    codes = Codes(CodesPlan(foundation.channels, 16, width=64))
    synthesis = Synthesis(SynthesisPlan(foundation.channels, widths=(16, 16, 32), groups=8, head=16, fused=32))
    torch.nn.init.normal_(synthesis.unet.out[2].conv.weight, std=0.1)  # it begins with nothing but zeros
    return Networks(recogniser, codes, synthesis, foundation.digest)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `networks.safetensors` and `autoencoder.safetensors`, both small."""
    folder = tmp_path_factory.mktemp("dcm-deid")
    save_networks(folder / "networks.safetensors", small_networks())
    shape = Architecture(channels=(8, 8, 8, 8), groups=4)
    save_autoencoder(folder / "autoencoder.safetensors", build_autoencoder(shape), shape)
    return folder
