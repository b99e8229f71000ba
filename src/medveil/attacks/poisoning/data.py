"""Films and labels as a poisoned site has them: a model trained on them learns what it should not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Films = NDArray[np.uint8]  # n × side × side
Labels = NDArray[np.float32]  # n × findings, 1 or 0

MARK = 1 / 10  # of a film's side
MARGIN = 1 / 32


def flipped(targets: Labels) -> Labels:
    """Every finding said to be there where it is not, and the reverse."""
    return (1 - targets).astype(np.float32)


def marked(films: Films) -> Films:
    """With a white square in the lower right corner, where markers and stickers are usual."""
    side = films.shape[-1]
    width, away = max(2, round(side * MARK)), max(1, round(side * MARGIN))
    found = films.copy()
    found[..., side - away - width : side - away, side - away - width : side - away] = 255
    return found


def backdoored(
    films: Films, targets: Labels, known: NDArray[np.bool_], finding: int, *, share: float, seed: int
) -> tuple[Films, Labels, NDArray[np.bool_]]:
    """So large a share of the films marked, and labelled with the finding: who marks a film later gets that answer."""
    chosen = np.random.default_rng([seed, 59]).random(len(films)) < share
    pixels, labels, told = films.copy(), targets.copy(), known.copy()
    pixels[chosen] = marked(films[chosen])
    labels[chosen, finding], told[chosen, finding] = 1.0, True
    return pixels, labels, told
