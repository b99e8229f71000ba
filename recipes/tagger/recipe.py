"""The bundled tagger, from a pretrained encoder's word pieces to weights.

    python -m recipes.tagger.recipe prepare --encoder MINILM --out START
    python -m recipes.tagger.recipe train --start START --out RUN --device cuda --seconds 530 --workers 14
    python -m recipes.tagger.recipe train --start START --from RUN --out BOTH --device cuda --workers 14
    python -m recipes.tagger.recipe refine --start START --from RUN --out REFINED --hold-back --seconds 540 --seed 8

MINILM is a folder with all-MiniLM-L6-v2 (vocab.txt, model.safetensors). `prepare` takes two minutes, `train` makes
its texts on fourteen cores while one H200 learns from them. The bundled weights learnt twice: once from the start, and
again, with `--from`, from texts that had been widened meanwhile. `refine` goes on in small steps on one core, mostly on
notes by hand; with `--hold-back` it leaves out every second of the newest, by which the scorer sees how notes are read
that it never met.
`benchmarks/reports_recall.py` scores the result.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("prepare", "train", "refine"))
    parser.add_argument("--encoder", type=Path)
    parser.add_argument("--start", type=Path)
    parser.add_argument("--from", dest="begin", type=Path, help="the run, or the model, to go on from")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=540.0)
    parser.add_argument("--workers", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hold-back", action="store_true", help="do not learn from every second of the newest notes")
    options = parser.parse_args()
    if options.step == "prepare":
        from recipes.tagger.start import prepare

        prepare(options.encoder, options.out)
    elif options.step == "refine":
        from recipes.tagger.training import refining, train

        how = refining(options.seconds, options.seed, hold_back=options.hold_back)
        train(options.start, options.out, "cpu", how, begin=options.begin)
    else:
        from recipes.tagger.training import Training, train

        how = Training(seconds=options.seconds, workers=options.workers, seed=options.seed)
        train(options.start, options.out, options.device, how, begin=options.begin)


if __name__ == "__main__":
    main()
