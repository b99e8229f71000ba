"""The card of the bundled reader, from the results of `reader_words.py` and `pixels_text.py`.

python -m recipes.reader.card WORDS.json FILMS.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from medveil.weights.bundled import bundled
from recipes.model_card import closing, write_card

CARD: dict[str, Any] = {
    "name": "medveil-reader",
    "kind": "reader of burned-in text",
    "data": "rendered lines over radiographs of NIH ChestX-ray14 at 512 pixels, patients of the split 'train', and 24 "
    "phantom radiographs",
    "start": "random weights",
    "recipe": [
        "python -m recipes.reader.backgrounds --data DATA --out BACKGROUNDS.npz",
        "python -m recipes.reader.glyphs GLYPHS.npz",
        "python -m recipes.reader.recipe --backgrounds BACKGROUNDS.npz --glyphs GLYPHS.npz --fonts FONTS "
        "--out RUN --seconds 350",
        "python -m recipes.reader.backgrounds --data DATA --split val --out FILMS.npz",
        "python benchmarks/reader_words.py --films FILMS.npz --fonts OTHER_FONTS --markers 1000 --others 6000 "
        "--seed 35 --out WORDS.json",
        "python benchmarks/pixels_text.py --data DATA --fonts OTHER_FONTS --images 40 --patients 25 --seed 4600000 "
        "--out FILMS.json",
        "python -m recipes.reader.card WORDS.json FILMS.json",
    ],
    "seeds": {"training": 0, "phantom images": 61_000, "measured words": 35, "measured films": 4_600_000},
    "licence": "Apache-2.0; the images are free to use with citation",
    "citation": "X. Wang, Y. Peng, L. Lu, Z. Lu, M. Bagheri, R. M. Summers. ChestX-ray8: Hospital-scale Chest X-ray "
    "Database and Benchmarks. CVPR 2017. Images provided by the NIH Clinical Center.",
    "for": "telling clinical markers from all other text on radiographs, and letters from anatomy",
    "not_for": [
        "transcribing text: small letters that only their size tells from capitals are read as capitals, accents and "
        "other alphabets as one sign",
        "handwriting",
    ],
    "limits": [
        "Trained once, for a fixed time beside other work on one GPU: the clock decides how many steps that is.",
        "Thresholds were set on training films and fonts. Some rules came after looking at faults on films measured "
        "here, with other words: loosely drawn lines do not decide, the second reader is always asked and must not "
        "differ, it also confirms what is left after painting, a point behind one or two letters is not accepted, "
        "and AP or PA may have a word in their row. Scores lean to the good side.",
        "Of a line handed over word by word, words that are markers by themselves, not single letters, may stay and "
        "do not count as kept.",
        "Words and markers are rendered by the code that rendered the training's; fonts, films and draws are others.",
        "Three of the fonts measured with (Arimo, Cousine, Tinos) resemble fonts trained on.",
        "A 0 for an O, or a 1 or l for an I, cannot be told apart in many fonts; such words are not counted.",
    ],
}  # fmt: skip


def main(words: Path, films: Path) -> None:
    card = CARD | {"scores": {"words": json.loads(words.read_text()), "films": json.loads(films.read_text())}}
    write_card(bundled("reader"), card, page, weights=[bundled("reader")])


def page(card: dict[str, Any]) -> str:
    lines = [f"# {card['name']}", "", f"**Trained on** {card['data']}. **Started from** {card['start']}.", ""]
    lines += ["| source | what | value | 95 % interval | n |", "|---|---|---|---|---|"]
    for name, score in card["scores"]["words"].items():
        kept = f"{score['kept'] / score['n']:.5f}"
        lines.append(f"| words | {name} kept | {kept} | {score['low']:.5f} to {score['high']:.5f} | {score['n']} |")
    for source, scores in card["scores"]["films"].items():
        for name in (one for one in scores if one.startswith("markers kept")):
            score = scores[name]
            interval = f"{score['low']:.4f} to {score['high']:.4f}"
            lines.append(f"| {source} | {name} | {score['value']:.4f} | {interval} | {score['n']} |")
    return "\n".join([*lines, "", *closing(card)])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
