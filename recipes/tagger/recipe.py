"""The bundled tagger, from a pretrained encoder's word pieces to weights.

    python -m recipes.tagger.recipe prepare --source MINILM --out START
    python -m recipes.tagger.recipe train --start START --out RUN --device cuda --seconds 530 --workers 14
    python -m recipes.tagger.recipe further --start START --from TAGGER --out LAST --seconds 1500

MINILM is a folder with all-MiniLM-L6-v2 (vocab.txt, model.safetensors), or a tagger that began with its word pieces.
`prepare` takes two minutes; `train` makes its texts on many cores while a GPU learns from them. With `further` the
networks of TAGGER go on learning, in small steps that a processor can take: first, into LAST/apart, without a third of
the newest notes, then two thirds as long, into LAST/all, with them. How LAST/apart reads that third, never met,
is what the scorer is fitted to. `benchmarks/reports_recall.py` scores the result.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("prepare", "train", "further"))
    parser.add_argument("--source", type=Path)
    parser.add_argument("--hospitals", type=int, default=400, help="phantom ones to prepare reports of")
    parser.add_argument("--start", type=Path)
    parser.add_argument("--from", dest="begin", type=Path, help="the model to go on from")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=540.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.step == "prepare":
        from recipes.tagger.start import prepare

        prepare(options.source, options.out, hospitals=options.hospitals)
        return
    from recipes.tagger.training import MODEL, Training, further, join, train

    how = Training(seconds=options.seconds, workers=options.workers, seed=options.seed)
    if options.step == "train":
        train(options.start, options.out.parent, options.device, {options.out.name: how})
        return
    small = replace(how, documents=200, rest=3.0, rows=16, peak=8e-4, average=0.99)
    steps = {
        "apart": replace(small, apart=False),
        "all": replace(small, new=0.7, seconds=how.seconds * 2 / 3, seed=how.seed + 10),
    }
    begin = options.begin
    for name, own in steps.items():
        runs = further(begin, own)
        train(options.start, options.out / name, options.device, runs)
        begin = options.out / name / MODEL
        join(begin, [options.out / name / one / MODEL for one in runs])


if __name__ == "__main__":
    main()
