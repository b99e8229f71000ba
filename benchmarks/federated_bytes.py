"""What a site sends in a round, in bytes: all weights, adapters of several ranks, or the heads alone.

    python benchmarks/federated_bytes.py

A number takes 4 bytes, as it is or under the masks of a secure sum.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from medveil.federated.local_training import initial
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.building import build
from medveil.federated.vision_language.model_file import save_weights


def main() -> None:
    print("| | numbers | MB |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for image in ("resnet", "vit"):
            recipe = Recipe(image=image)
            start = Path(folder) / f"{image}.safetensors"
            save_weights(start, build(recipe), recipe)
            ways: dict[str, dict[str, Any]] = {"all weights": {}, "image encoder alone, all weights": {"text": "none"}}
            ways |= {
                f"adapters of rank {rank}": {"trained": "adapters", "rank": rank, "start": start} for rank in (16, 8, 4)
            }
            ways["heads"] = {"trained": "heads", "start": start}
            for name, changes in ways.items():
                numbers = sum(part.size for part in initial(replace(recipe, **changes)))
                print(f"| {image}, {name} | {numbers:,} | {4e-6 * numbers:.2f} |")


if __name__ == "__main__":
    main()
