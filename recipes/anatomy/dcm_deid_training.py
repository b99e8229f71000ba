"""The networks of DCM-DeID, from packed films, a recogniser and an autoencoder.

    python -m recipes.anatomy.dcm_deid_recogniser --data PACKED --out RECOGNISER --device cuda --seconds 200
    python -m recipes.anatomy.dcm_deid_training --data PACKED --recogniser RECOGNISER --autoencoder AUTOENCODER \\
        --out FILE --device cuda --seconds 330 --state RUN
    python -m recipes.anatomy.dcm_deid_card FILE --packed PACKED --out RUN --export

With --state a second call goes on where the first one stopped. --beta 0 and --continuous are the paper's ablations
without codelength and without code space. Needs PyTorch, MONAI, NumPy, Pillow and safetensors.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from medveil.defenses.anatomy.dcm_deid.foundation import Foundation
from medveil.defenses.anatomy.dcm_deid.recogniser import load_recogniser
from medveil.defenses.anatomy.dcm_deid.training import TrainingSettings, train_networks
from medveil.defenses.anatomy.latents import load_autoencoder
from recipes.anatomy.baselines_films import training_films


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--recogniser", type=Path, required=True)
    parser.add_argument("--autoencoder", type=Path, help="without it, the bundled one")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--state", type=Path, help="folder to go on from")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=420)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--beta", type=float, default=0.5)
    parser.add_argument("--continuous", action="store_true", help="codes are not rounded")
    parser.add_argument("--published", action="store_true", help="the UNet as wide as in the paper")
    parser.add_argument("--most", type=int, help="films of each data set, for a trial")
    chosen = parser.parse_args()
    films = training_films(chosen.data, device=chosen.device, seed=chosen.seed, most=chosen.most)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    if chosen.state is not None:
        chosen.state.mkdir(parents=True, exist_ok=True)
    told = train_networks(
        films,
        chosen.out,
        recogniser=load_recogniser(chosen.recogniser),
        foundation=Foundation(),
        autoencoder=load_autoencoder(chosen.autoencoder),
        settings=TrainingSettings(beta=chosen.beta, discrete=not chosen.continuous, published=chosen.published),
        device=chosen.device,
        seconds=chosen.seconds,
        state=chosen.state,
        progress=lambda told: print(told, flush=True),
    )
    print("dcm-deid", told, flush=True)


if __name__ == "__main__":
    main()
