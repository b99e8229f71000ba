"""A generator's weights as safetensors; the header says how to build the network."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save

from medveil.defenses.pixels.inpainting.networks import Architecture, Generator
from medveil.errors import InputError, SettingsError
from medveil.runtime.storage import write_bytes

FORMAT = "medveil.inpainting/1"


def save_generator(path: Path, generator: Generator) -> None:
    """In half precision: a painted pixel changes by less than a gray level."""
    tensors = {
        name: value.half().contiguous().cpu()
        for name, value in generator.state_dict().items()
        if value.is_floating_point()
    }
    write_bytes(path, save(tensors, {"format": FORMAT, "architecture": json.dumps(asdict(generator.architecture))}))


def load_generator(path: Path) -> Generator:
    """Ready to paint, in single precision."""
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
        if metadata.get("format") != FORMAT:
            raise ValueError
        values = json.loads(metadata["architecture"])
        generator = Generator(Architecture(**{**values, "dilations": tuple(values["dilations"])}))
        tensors = {name: value.float() for name, value in load_file(path).items()}
        wanted = {name for name, value in generator.state_dict().items() if value.is_floating_point()}
        if wanted != set(tensors):
            raise ValueError
        generator.load_state_dict(tensors, strict=False)
    except (OSError, SafetensorError, ValueError, TypeError, KeyError, RuntimeError, SettingsError):
        raise InputError(
            f"{path} is not a generator of this version; train one with `medveil train inpainting`"
        ) from None
    return generator.eval().requires_grad_(False)
