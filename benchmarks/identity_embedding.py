"""How many radiographs a second the bundled identity model embeds, beside ResNet-50 at the same resolution.

    python benchmarks/identity_embedding.py --images 64 --threads 2

Both networks run in turns over the same prepared images, normalisation folded into both, so that a busy machine slows
both alike; the best round of each counts. The bundled model must be at least three times as fast.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

from medveil.encoders.identity.embedder import IdentityEmbedder, load_embedder
from medveil.encoders.identity.retrieval import RetrievalNetwork


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    small = load_embedder()
    network = RetrievalNetwork("resnet50", "global", 128)
    large = IdentityEmbedder(network, small.size, 128, name="resnet50", device="cpu", card={})
    rng = np.random.default_rng(0)
    images = list(rng.integers(0, 256, (options.images, 256, 256), dtype=np.uint8))
    best = {small.name: np.inf, large.name: np.inf}
    for _ in range(options.rounds):
        for embedder in (small, large):
            start = time.perf_counter()
            embedder.embed(images)
            best[embedder.name] = min(best[embedder.name], time.perf_counter() - start)
    for name, seconds in best.items():
        print(f"{name}: {options.images / seconds:.1f} images/s at {small.size} px on {options.threads} threads")
    print(f"ratio {best[large.name] / best[small.name]:.2f} (at least 3)")


if __name__ == "__main__":
    main()
