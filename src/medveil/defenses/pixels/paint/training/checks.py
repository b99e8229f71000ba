"""What painted images are judged by during training, beside their error: how far they are from real ones as a whole,
and whether text can still be read.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from torch import Tensor

FEATURES = "mean over all places of the last maps of the network that the perceptual loss uses"
LETTERS = 6  # of a word
READ = 0.5  # of a word's letters, in their order, that make it read
Bytes = NDArray[np.uint8]


def frechet_distance(real: Tensor, painted: Tensor) -> float:
    """Between two clouds of features (n x dimensions) taken for Gaussian ones, as FID is between those of Inception.

    Inception's weights come with no package; the value says nothing beside a published FID, and grows with few images.
    """
    means, clouds = [], []
    for features in (real.double(), painted.double()):
        means.append(features.mean(0))
        clouds.append((features - means[-1]) / max(len(features) - 1, 1) ** 0.5)
    # the trace of the root of the covariances' product, without either of them
    shared = torch.linalg.svdvals(clouds[0] @ clouds[1].T).sum()
    spread = sum((cloud**2).sum() for cloud in clouds)
    return float(((means[0] - means[1]) ** 2).sum() + spread - 2 * shared)


@dataclass(frozen=True)
class ReadWords:
    """How many words were written, and how many of them were read before their place was filled, and after."""

    words: int
    before: int
    after: int


def read_words(
    images: Bytes, masks: str, paint: Callable[[Bytes, Bytes], Bytes], rng: np.random.Generator
) -> ReadWords:
    """A word is written on each image (n x side x side) and masked as in training: where it stands, or where the
    detector finds it. `paint` fills one image by its mask.
    """
    from medveil.defenses.pixels.find.detector import find_lines
    from medveil.defenses.pixels.lines import Line
    from medveil.defenses.pixels.paint.mask import soft_mask
    from medveil.defenses.pixels.read.reader import HEIGHT, read_many

    words, strips = [], []
    for image in images:
        word = "".join(rng.choice(list(string.ascii_uppercase + string.digits), LETTERS))
        written, box = _written(image, word, rng)
        line = Line.of_box(box)
        lines = [line] if masks == "drawn" else find_lines(written)
        mask = np.rint(255 * soft_mask(lines, written.shape)).astype(np.uint8)
        filled = paint(written, mask) if lines else written
        words.append(word)
        strips += [line.grown(2, 2).cut_out(view, HEIGHT) for view in (written, filled)]
    read = [_is_read(words[number // 2], reading.text) for number, reading in enumerate(read_many(strips))]
    return ReadWords(len(words), sum(read[::2]), sum(read[1::2]))


def _written(image: Bytes, word: str, rng: np.random.Generator) -> tuple[Bytes, tuple[int, int, int, int]]:
    """Light on what is dark and dark on what is light, at least 10 pixels high, somewhere."""
    font = ImageFont.load_default(max(10, image.shape[0] // 9))
    left, top, right, bottom = (round(edge) for edge in font.getbbox(word))
    width, height = right - left, bottom - top
    x = int(rng.integers(0, max(1, image.shape[1] - width)))
    y = int(rng.integers(0, max(1, image.shape[0] - height)))
    box = (x, y, min(x + width, image.shape[1]), min(y + height, image.shape[0]))
    picture = Image.fromarray(image)
    tone = 255 if image[box[1] : box[3], box[0] : box[2]].mean() < 128 else 0
    ImageDraw.Draw(picture).text((x - left, y - top), word, fill=tone, font=font)
    return np.array(picture), box


def _is_read(word: str, text: str) -> bool:
    blocks = SequenceMatcher(None, word, text.upper(), autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) >= READ * len(word)
