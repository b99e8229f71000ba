"""The ViT recogniser of DCM-DeID, from packed films.

    python -m recipes.anatomy.dcm_deid_recogniser --data PACKED --out FILE --device cuda --seconds 200

Needs PyTorch, MONAI, NumPy, Pillow and safetensors.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from medveil.defenses.anatomy.dcm_deid.recogniser import PUBLISHED, small_plan
from medveil.defenses.anatomy.dcm_deid.recogniser_training import train_recogniser
from recipes.anatomy.baselines_films import training_films


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--published", action="store_true", help="as wide and deep as in the paper")
    parser.add_argument("--most", type=int, help="films of each data set, for a trial")
    chosen = parser.parse_args()
    films = training_films(chosen.data, device=chosen.device, seed=chosen.seed, most=chosen.most)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    plan = PUBLISHED if chosen.published else small_plan()
    how = {"plan": plan, "device": chosen.device, "seconds": chosen.seconds}
    print("recogniser", train_recogniser(films, chosen.out, **how, progress=lambda told: print(told, flush=True)))


if __name__ == "__main__":
    main()
