"""The bundled tagger, from a pretrained encoder's word pieces to weights.

    python -m recipes.tagger.recipe prepare --source MINILM --out START
    python -m recipes.tagger.recipe train --start START --out RUN --device cuda --seconds 530 --workers 14
    python -m recipes.tagger.recipe train --start START --from RUN/tagger.safetensors --out LAST --device cuda --parts

MINILM is a folder with all-MiniLM-L6-v2 (vocab.txt, model.safetensors), or a tagger that began with its word pieces.
`prepare` takes two minutes; `train` makes its texts on many cores while a GPU learns from them. With `--from` two
networks learn side by side, one that goes on from what another run has learnt and a narrow one anew, and are averaged.
With `--parts` three pairs more learn from the same texts but for a third of the newest notes each: by them the scorer
is fitted to how notes are read that were never met.
`benchmarks/reports_recall.py` scores the result.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("prepare", "train"))
    parser.add_argument("--source", type=Path)
    parser.add_argument("--hospitals", type=int, default=400, help="phantom ones to prepare reports of")
    parser.add_argument("--start", type=Path)
    parser.add_argument("--from", dest="begin", type=Path, help="the model to go on from")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=540.0)
    parser.add_argument("--workers", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", action="store_true", help="a network more for each part of the newest notes")
    options = parser.parse_args()
    if options.step == "prepare":
        from recipes.tagger.start import prepare

        prepare(options.source, options.out, hospitals=options.hospitals)
    else:
        from recipes.tagger.retired_notes import PARTS
        from recipes.tagger.training import MODEL, Training, join, side_by_side, train

        how = Training(seconds=options.seconds, workers=options.workers, seed=options.seed)
        if options.begin is None:
            train(options.start, options.out.parent, options.device, {options.out.name: how})
            return
        apart = {f"without-{part}": part for part in range(PARTS if options.parts else 0)}
        pairs = {
            name: side_by_side(replace(how, without=part), options.begin)
            for name, part in {"all": None, **apart}.items()
        }
        runs = {f"{name}/{one}": own for name, pair in pairs.items() for one, own in pair.items()}
        train(options.start, options.out, options.device, runs)
        for name, pair in pairs.items():
            join(options.out / name / MODEL, [options.out / name / one / MODEL for one in pair])


if __name__ == "__main__":
    main()
