"""The bundled file from two trained networks: their weights, and the ranges of what goes into each convolution.

    python -m recipes.pixels.calibration --data DATA --fonts FONTS --fine FINE.safetensors \
        --coarse COARSE.safetensors --out FILE.safetensors

Ranges are taken on radiographs of the split 'train', clean and written on, and on phantom radiographs. The first and
the last convolution have none: they go on computing in full precision. The weights of the others are kept in whole
numbers.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from medveil.defenses.pixels.find.detector import half_size, sharpened
from medveil.defenses.pixels.find.networks import CoarseNetwork, TextNetwork
from medveil.runtime.compiled import steps_of
from recipes.pixels.backgrounds import drawn, film, train_files
from recipes.pixels.rendering import find_fonts
from recipes.pixels.writing import SEED, SIZE, SIZES, write

FILMS = 12
PHANTOMS = 4
LARGE = (64, 80, 100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "fonts", "fine", "coarse", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    views = list(examples(args.data, args.fonts))
    kept: dict[str, Tensor] = {}
    for name, network, look in (("fine", TextNetwork(), sharpened), ("coarse", CoarseNetwork(), half_size)):
        weights = {key: value.float() for key, value in load_file(getattr(args, name)).items()}
        network.load_state_dict(weights)
        kept |= {f"{name}.{key}": value.half() for key, value in weights.items()}
        for layer, (low, high) in ranges_of(network.eval(), [look(view) for view in views]).items():
            steps = torch.from_numpy(steps_of(weights[f"{layer}.weight"].numpy()))
            kept[f"{name}.{layer}.weight"] = torch.round(weights[f"{layer}.weight"] / steps).to(torch.int8)
            kept[f"{name}.{layer}.step"] = steps
            kept[f"{name}.{layer}.range"] = torch.tensor([low, high])
    save_file({key: value.contiguous() for key, value in kept.items()}, args.out)


def examples(data: Path, fonts: Path) -> list[NDArray[np.uint8]]:
    views = []
    for number, file in enumerate(train_files(data / "nih14_512")[::18][:FILMS]):
        rng = np.random.default_rng([SEED, 9_000, number])
        gray = cv2.resize(film(file), (SIZE, SIZE), interpolation=cv2.INTER_CUBIC)
        image = gray.astype(np.uint16) << 8
        list(write(image, rng, find_fonts(fonts), (), LARGE if number % 3 == 0 else SIZES))
        views += [gray, (image >> 8).astype(np.uint8)]
    return views + [cv2.resize(drawn(number), (SIZE, SIZE)) for number in range(PHANTOMS)]


@torch.no_grad()
def ranges_of(network: nn.Module, views: list[NDArray[np.uint8]]) -> dict[str, tuple[float, float]]:
    """The least and greatest value that enters each convolution but the first and the last."""
    layers = [name for name, module in network.named_modules() if isinstance(module, nn.Conv2d)]
    inner = [name for name in layers[1:] if name != "maps"]
    found = dict.fromkeys(inner, (0.0, 0.0))

    def note(name: str, x: Tensor) -> None:
        low, high = found[name]
        found[name] = min(low, float(x.min())), max(high, float(x.max()))

    for name in inner:
        network.get_submodule(name).register_forward_pre_hook(lambda _, inputs, name=name: note(name, inputs[0]))
    for view in views:
        network(torch.from_numpy(view).float()[None, None] / 255)
    return found


if __name__ == "__main__":
    main()
