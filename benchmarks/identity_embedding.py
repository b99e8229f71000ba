"""How many radiographs a second the bundled identity model embeds, beside ResNet-50 at the same resolution.

    python benchmarks/identity_embedding.py --images 64 --threads 2

ResNet-50 runs twice: by torch, normalisation folded, pixel by pixel in memory, and compiled in the same way as the
bundled model. All take turns over the same images, and the best round of each counts, by the clock and by processor
time, which means something on a busy machine too if there is one thread. The bundled model, two networks in one, should
be at least three times as fast.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.encoders.identity.embedder import IdentityEmbedder, load_embedder
from medveil.encoders.identity.inference import inputs, run
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork
from medveil.training.device import placed

Images = list[NDArray[np.uint8]]


def contenders(size: int) -> dict[str, Callable[[Images], NDArray[np.float32]]]:
    network = RetrievalNetwork("resnet50", "global", 128)
    compiled = IdentityEmbedder([network], size, name="resnet50", device="cpu", card={})
    by_torch = placed(fold_normalisation(network.eval()), "cpu")
    return {
        "ResNet-50 by torch": lambda images: run(by_torch, inputs(images, size, "cpu"), 128),
        "ResNet-50 compiled": compiled.embed,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    bundled = load_embedder()
    ways = {bundled.name: bundled.embed, **contenders(bundled.size)}
    rng = np.random.default_rng(0)
    images = list(rng.integers(0, 256, (options.images, 256, 256), dtype=np.uint8))
    for embed in ways.values():
        embed(images[:1])  # compiled here, once
    best = dict.fromkeys(ways, (np.inf, np.inf))
    for _ in range(options.rounds):
        for name, embed in ways.items():
            clock, processor = time.perf_counter(), time.process_time()
            embed(images)
            took = time.perf_counter() - clock, time.process_time() - processor
            best[name] = min(best[name][0], took[0]), min(best[name][1], took[1])
    own = best.pop(bundled.name)
    print(f"{bundled.name}: {options.images / own[0]:.1f} images/s at {bundled.size} px, {options.threads} threads")
    for name, took in best.items():
        print(
            f"{name}: {options.images / took[0]:.1f} images/s, the bundled model {took[0] / own[0]:.2f} times that "
            f"by the clock, {took[1] / own[1]:.2f} times by processor time"
        )


if __name__ == "__main__":
    main()
