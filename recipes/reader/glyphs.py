"""OpenCV's stroke letters one by one, drawn beforehand for training the reader where there is no OpenCV.

    python -m recipes.reader.glyphs GLYPHS.npz

Each is a bitmap on a common baseline; its width is the way to the next letter.
"""

from __future__ import annotations

import string
import sys

import cv2
import numpy as np

SCALE = 1.6
FACES = (0, 1, 2, 3, 4)
THICK = (1, 2, 4, 7)
MARGIN = 4


def main(target: str) -> None:
    kept = {}
    signs = "".join(chr(code) for code in range(33, 127))
    for face in FACES:
        (_, height), below = cv2.getTextSize(string.printable[:94], face, SCALE, 1)
        for thick in THICK:
            for sign in signs:
                (width, _), _ = cv2.getTextSize(sign, face, SCALE, 1)
                sheet = np.zeros((height + below + 2 * MARGIN + 8, width + 2 * MARGIN), np.uint8)
                cv2.putText(sheet, sign, (MARGIN, height + MARGIN), face, SCALE, 255, thick, cv2.LINE_AA)
                kept[f"{face}_{thick}_{ord(sign)}"] = sheet
    np.savez_compressed(target, **kept)


if __name__ == "__main__":
    main(sys.argv[1])
