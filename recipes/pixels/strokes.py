"""Lines in OpenCV's stroke fonts for training the text detector, drawn beforehand.

python -m recipes.pixels.strokes STROKES.npz
"""

from __future__ import annotations

import math
import sys

import cv2
import numpy as np

from recipes.pixels.rendering import some_text

LINES = 700
SMALL_FACES, FACES = 5, 8
LONGEST, LOWEST = 600, 7  # pixels


def main(target: str) -> None:
    rng = np.random.default_rng(9)
    kept, shapes = {}, []
    while len(shapes) < LINES:
        text = some_text(rng).encode("ascii", "replace").decode()
        scale = math.exp(rng.uniform(math.log(0.3), math.log(2.2)))
        thick = max(1, round(scale * rng.uniform(0.8, 2.5)))
        face = int(rng.integers(SMALL_FACES if scale < 0.5 else FACES))
        (width, height), below = cv2.getTextSize(text, face, scale, thick)
        if width > LONGEST or len(text) < 2:
            continue
        sheet = np.zeros((height + below + 12, width + 12), np.uint8)
        cv2.putText(sheet, text, (6, height + 6), face, scale, 255, thick, cv2.LINE_8)
        x, y, across, down = cv2.boundingRect(sheet)
        if down >= LOWEST:
            kept[f"bits_{len(shapes)}"] = np.packbits(sheet[y : y + down, x : x + across] > 0)
            shapes.append((down, across))
    np.savez_compressed(target, shapes=np.array(shapes), **kept)


if __name__ == "__main__":
    main(sys.argv[1])
