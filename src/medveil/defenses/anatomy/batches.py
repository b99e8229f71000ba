"""Films as a network sees them, and back; in batches whose size does not depend on how many films there are.

What a film becomes must not depend on its company, and a network's last digits do depend on the size of its batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from medveil.defenses.anatomy.method import Film, Pixels
from medveil.encoders.identity.preparing import SIDE
from medveil.errors import Quarantined, SettingsError

MANY = 32  # films a batch on an accelerator; the processor takes one after another
Chance = Sequence[np.random.Generator]
Work = Callable[[Tensor, Chance], Tensor]


def images_of(films: Sequence[Film]) -> Tensor:
    """n × 1 or 3 × rows × columns, 0..1; all films are gray, or all in colour."""
    stacked = torch.from_numpy(np.stack([film.pixels for film in films])).float() / 255
    return stacked.unsqueeze(1) if stacked.ndim == 3 else stacked.permute(0, 3, 1, 2)


def pixels_of(images: Tensor) -> list[Pixels]:
    """The way back: 8 bits, gray films without an axis for colour."""
    whole = (images.detach().float().clamp(0, 1) * 255).round().to(torch.uint8).permute(0, 2, 3, 1).cpu().numpy()
    return [film[..., 0] if film.shape[-1] == 1 else film for film in np.ascontiguousarray(whole)]


def check(films: Sequence[Film], chance: Chance, *, colour: bool) -> None:
    """Refuse what is not a prepared film, and colour where a method knows only gray."""
    if len(chance) != len(films):
        raise SettingsError("every film needs a random generator of its own")
    for pixels in (film.pixels for film in films):
        if pixels.shape[:2] != (SIDE, SIDE) or pixels.ndim > 3 or pixels.dtype != np.uint8:
            raise SettingsError(f"a film must be prepared first: {SIDE} × {SIDE} pixels of 8 bits")
        if pixels.ndim == 3 and not colour:
            raise Quarantined("in colour, and this way of hiding anatomy knows gray films only")


def in_batches(
    films: Sequence[Film], chance: Chance, work: Work, *, device: str = "cpu", colour: bool = False
) -> list[Pixels]:
    """What `work` makes of the films: it gets images on the device and the generator of each."""
    check(films, chance, colour=colour)
    size, made = 1 if torch.device(device).type == "cpu" else MANY, []
    with torch.inference_mode():
        for start in range(0, len(films), size):
            group, luck = list(films[start : start + size]), list(chance[start : start + size])
            wanting = size - len(group)  # the last batch is filled up with films that are thrown away
            images = images_of(group + group[-1:] * wanting).to(device)
            luck += [np.random.default_rng(0) for _ in range(wanting)]
            made += pixels_of(work(images, luck)[: len(group)])
    return made


def normal(chance: Chance, shape: tuple[int, ...], device: str | torch.device) -> Tensor:
    """Gaussian noise, each film's from its own generator: n × shape."""
    return torch.from_numpy(np.stack([one.standard_normal(shape, np.float32) for one in chance])).to(device)


def uniform(chance: Chance, shape: tuple[int, ...], device: str | torch.device) -> Tensor:
    """The same, evenly between 0 and 1."""
    return torch.from_numpy(np.stack([one.random(shape, np.float32) for one in chance])).to(device)
