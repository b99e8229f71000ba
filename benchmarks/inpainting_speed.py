"""How long one core fills an image of 1024 pixels with four lines of text.

    python benchmarks/inpainting_speed.py --repeats 20

Prints the fastest and the middle repeat in milliseconds of processor time, for each way of filling; on a busy machine
the fastest is the one to compare. The limit for the generator is 60 ms.
"""

from __future__ import annotations

import argparse
import time

import cv2
import numpy as np
import torch

from medveil.defenses.pixels.paint.fill import LIMITS, fill
from medveil.defenses.pixels.paint.windows import find_windows

LINES = ((30, 30, 34, 300), (80, 30, 34, 220), (900, 640, 40, 330), (960, 700, 34, 280))  # top, left, height, width


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=20)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(0)
    coarse = cv2.resize(rng.random((8, 8), np.float32), (1024, 1024), interpolation=cv2.INTER_CUBIC)
    image = np.clip(coarse + 0.01 * rng.standard_normal((1024, 1024), np.float32), 0, 1)
    mask = np.zeros_like(image)
    for top, left, height, width in LINES:
        mask[top : top + height, left : left + width] = 1
    mask = cv2.GaussianBlur(mask, (7, 7), 0)
    by, windows = find_windows(mask > 0, **LIMITS["generator"])
    print(f"{len(windows)} windows, shrunk {by} times")
    for how in ("classical", "generator", "black"):
        fill(image, mask, how=how)
        took = []
        for _ in range(options.repeats):
            start = time.process_time()
            fill(image, mask, how=how)
            took.append(1000 * (time.process_time() - start))
        print(f"{how:10} {min(took):6.1f} ms, median {np.median(took):6.1f} ms")


if __name__ == "__main__":
    main()
