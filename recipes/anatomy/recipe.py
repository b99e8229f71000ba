"""The generator and the codebook of `coded`, from packed films to weights and card.

    python -m recipes.anatomy.pack --data DATA --out PACKED
    python -m recipes.anatomy.autoencoder train --packed PACKED --out RUN --device cuda --seconds 200
    python -m recipes.anatomy.judges --packed PACKED --out RUN/helper.safetensors --start reidentification-1 --seed 1 \
--device cuda --seconds 150
    python -m recipes.anatomy.judges --packed PACKED --out RUN/judge.safetensors --start reidentification-2 --seed 2 \
--device cuda --seconds 150
    python -m recipes.anatomy.described --packed PACKED --out RUN/described.npz
    python -m recipes.anatomy.recipe fit --packed PACKED --out RUN
    python -m recipes.anatomy.recipe train --packed PACKED --out RUN --device cuda --flow-seconds 200 \
--tune-seconds 175 --steps 5
    python -m recipes.anatomy.recipe assemble --packed PACKED --out RUN
    python -m recipes.anatomy.measured draw --packed PACKED --out RUN --device cuda
    python -m recipes.anatomy.measured score --packed PACKED --out RUN
    python -m recipes.anatomy.frontier measure --packed PACKED --films nih --out RUN/frontier --weights RUN/weights \
--device cuda --steps 300
    python -m recipes.anatomy.recipe export --packed PACKED --out RUN

`train` goes on where it was stopped and needs only PyTorch, MONAI, NumPy, Pillow and safetensors.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for name in ("fit", "train", "assemble", "export"):
        verb = verbs.add_parser(name)
        verb.add_argument("--packed", type=Path, required=True)
        verb.add_argument("--out", type=Path, required=True)
        verb.add_argument("--seed", type=int, default=0)
        verb.add_argument("--most", type=int)
        if name == "train":
            verb.add_argument("--device", default="cpu")
            verb.add_argument("--flow-seconds", type=float, default=230)
            verb.add_argument("--tune-seconds", type=float, default=170)
            verb.add_argument("--start", type=Path, help="the sampler of a first stage, which is then left out")
            verb.add_argument("--steps", type=int, default=8, help="from noise to a film")
    chosen = parser.parse_args()
    if chosen.verb == "fit":
        from recipes.anatomy.coded_semantics import fit

        fit(chosen.packed, chosen.out / "described.npz", chosen.out, seed=chosen.seed, most=chosen.most)
    elif chosen.verb == "train":
        from medveil.defenses.anatomy.coded.generator import Shape
        from recipes.anatomy.coded_training import train

        train(
            chosen.packed,
            chosen.out,
            chosen.out,
            chosen.out,
            device=chosen.device,
            flow_seconds=chosen.flow_seconds,
            tune_seconds=chosen.tune_seconds,
            seed=chosen.seed,
            most=chosen.most,
            shape=Shape(steps=chosen.steps),
            start=chosen.start,
        )
    elif chosen.verb == "assemble":
        from recipes.anatomy.card import assemble

        assemble(chosen.packed, chosen.out, most=chosen.most)
    else:
        from recipes.anatomy.card import export

        export(chosen.packed, chosen.out, seed=chosen.seed)


if __name__ == "__main__":
    main()
