"""The trained baselines, from packed films to files that `load_method` takes.

    python -m recipes.anatomy.baselines_training METHOD --data PACKED --out FILE --device cuda --seconds 200

METHOD is id-adversarial, privacy-net or deformation. Needs PyTorch, NumPy, Pillow and safetensors.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from medveil.defenses.anatomy.baselines.training import TRAINED, train_unet
from recipes.anatomy.baselines_films import training_films


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=TRAINED)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, help="films of each data set, for a trial")
    chosen = parser.parse_args()
    films = training_films(chosen.data, device=chosen.device, seed=chosen.seed, most=chosen.most)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    how = {"device": chosen.device, "seconds": chosen.seconds}
    print(
        chosen.method,
        train_unet(
            chosen.method, films, chosen.out, **how, progress=lambda told: print(chosen.method, told, flush=True)
        ),
    )


if __name__ == "__main__":
    main()
