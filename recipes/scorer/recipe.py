"""The bundled scorer, and its card.

    python -m recipes.scorer.recipe --data DATA --apart LAST/apart/tagger.safetensors --before TAGGER

DATA holds iu_xray and vqa_rad, LAST what `recipes.tagger.recipe further --from TAGGER` wrote. Fits on invented texts,
phantom reports, texts as published without identifiers and notes by hand, in a minute or two; to be run again whenever
the tagger, the rules or the evidence change. The newest notes are read by networks that never met them, which tell most
of how the bundled tagger reads new ones: a third by LAST/apart, the others by TAGGER. Writes weights and card into the
package.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from medveil.defenses.reports.scoring.scorer import save_scorer
from medveil.defenses.reports.tagger.model_file import load_model
from medveil.defenses.reports.tagger.tagger import Tagger
from medveil.weights.bundled import bundled
from recipes.scorer.card import write
from recipes.scorer.fitting import cross_fitted, fit, gathered
from recipes.scorer.material import texts
from recipes.tagger.retired_notes import Part

LEAST = 0.25  # a missed identifier weighs about three times as much as a word lost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--apart", type=Path, required=True, help="the tagger before it met the last of the notes")
    parser.add_argument("--before", type=Path, required=True, help="the tagger of the version before")
    parser.add_argument("--tagger", type=Path, help="another tagger than the bundled one")
    parser.add_argument("--out", type=Path, default=bundled("scorer"))
    parser.add_argument("--invented", type=int, default=500, help="texts")
    parser.add_argument("--phantoms", type=int, default=3, help="hospitals of forty reports")
    parser.add_argument("--least", type=float, default=LEAST)
    options = parser.parse_args()
    tagger = Tagger(load_model(options.tagger)) if options.tagger else Tagger.bundled()
    material = list(texts(options.data, invented=options.invented, phantoms=options.phantoms))
    readers = {
        Part.OLD: tagger,
        Part.NEW: Tagger(load_model(options.before)),
        Part.APART: Tagger(load_model(options.apart)),
    }
    tagged = [readers[one.part].tag([one.text])[0] for one in material]
    proposals = gathered(material, tagged)
    scores = cross_fitted(material, tagged, proposals, options.least)
    for source, row in scores.items():
        print(source, row, flush=True)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    save_scorer(options.out, fit(proposals, np.ones(len(proposals.texts), bool), options.least))
    write(options.out, scores)


if __name__ == "__main__":
    main()
