"""A sheet of samples as it looks during training: each row an image, what the generator is given, and what it paints.

Samples show the images that are trained on: keep them like these.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from medveil.defenses.pixels.paint.generator import composite
from medveil.runtime.storage import write_bytes

SHOWN = 4


def write_samples(path: Path, image: Tensor, mask: Tensor, painted: Tensor) -> None:
    """The first few of a batch, in -1..1, as a PNG file."""
    given = torch.where(mask > 0, torch.ones_like(image), image)
    columns = [image, given, composite(painted, image, mask)]
    rows = torch.cat([one[:SHOWN].float() for one in columns], 3)
    sheet = ((rows + 1) * 127.5).round().clamp(0, 255).permute(0, 2, 3, 1).to("cpu", torch.uint8).numpy()
    picture = np.concatenate(list(sheet))
    file = io.BytesIO()
    Image.fromarray(picture[..., 0] if picture.shape[2] == 1 else picture).save(file, "PNG")
    write_bytes(path, file.getvalue())
