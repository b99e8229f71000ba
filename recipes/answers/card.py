"""Scores of the answer model, and the card that holds them. Used by `recipe evaluate`.

On images of VQA-RAD that nobody trained on and on unseen phantoms: with the image, with the question alone (the same
model without an image), on a blank image and on another one. Scores are relaxed, as
`medveil measure vqa` has them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.utility.vqa.models.answers.answering import BundledAnswers, load_answer_network
from medveil.utility.vqa.question import Image, QuestionTable
from medveil.utility.vqa.questions.loading import read_questions
from medveil.utility.vqa.questions.phantom import phantom_questions
from medveil.utility.vqa.scores import relaxed
from medveil.weights.bundled import bundled
from recipes.answers.choosing import ALONE, CHOSEN, WITH
from recipes.answers.material import PHANTOM_SEED
from recipes.answers.scoring import SEED, scores
from recipes.model_card import closing, write_card

PHANTOMS, UNSEEN_SEED = 400, PHANTOM_SEED + 1
Shown = Callable[[QuestionTable, str], Image | None]
WAYS: dict[str, Shown] = {
    WITH: lambda table, image: table.image(image),
    ALONE: lambda table, image: None,
    "a blank image": lambda table, image: np.zeros((256, 256), np.uint8),
    "another image": lambda table, image: table.image(_next(table, image)),
}
ABOUT: dict[str, Any] = {
    "name": "medveil-answers",
    "kind": "answers",
    "data": "VQA-RAD, 2,249 questions on the 199 images of its training part (dealt out by image); 4,000 phantom films "
    "with questions out of their plan; 2,839 training films of NIH ChestX-ray14 with questions out of their labels",
    "start": "the maps of medveil-findings, which stay as they are",
    "licence": "Apache-2.0; VQA-RAD is CC0, the films of NIH ChestX-ray14 are free to use with citation",
    "citation": "J. J. Lau, S. Gayen, A. Ben Abacha, D. Demner-Fushman. A dataset of clinically generated visual "
    "questions and answers about radiology images. Scientific Data 2018. X. Wang et al. ChestX-ray8. CVPR 2017. Images "
    "provided by the NIH Clinical Center.",
    "for": "noticing, without any download, that answers on cleaned images differ from those on the originals, and "
    "trying out what works with answers",
    "not_for": [
        "answering a physician's question: it is far from a radiologist, and from any large model",
        "telling how well answers of a large model survive the cleaning: measure that model",
        "languages other than English",
    ],
    "limits": [
        "Of images other than films like its training films it knows which part of the body they show and, of a head, "
        "how it was taken (in two of three cases the right one of CT and five sequences), and little more: with 199 "
        "images, nothing else could be learned that held on images set aside, on a large processor neither. So it "
        "gains on questions of modality, plane and organ, and not on what a physician would look for.",
        "On real images the gain from looking is small: an image changes an answer only where the question is about "
        "the image itself or about a chest film, and where the image speaks firmly.",
        "It answers with one of the answers it was trained on, and does not read notes.",
        "VQA-RAD's answers are those of a few physicians, in their words; an answer that means the same in other words "
        "counts as wrong. Scores are relaxed: more than half of all content words are shared.",
        "Comparisons with a prior study are not answered better than by chance, for it sees one film; they are left "
        "out of its scores on phantoms.",
        "The question alone is answered by the best means found in cross-validation over training images (likeness to "
        "known questions, squared), not by the model with its image taken away. Another answerer of questions may "
        "differ from it by two points and more on 38 images, either way.",
        "Everything was chosen in cross-validation over training images, whose wordings were read: their scores lean "
        "to the good side. How heads were taken was read off the training images by us. The val images were looked at "
        "four times, with the finished model each time: earlier ones gained -0.5 points (-4.4 to 3.0), 1.7 (0.7 to "
        "3.1; over a weaker answer to the question alone) and 1.0 (-1.2 to 2.8).",
    ],
}


def evaluate(data: Path, out: Path, *, export: bool) -> None:
    model = load_answer_network(out / "answers.safetensors")
    rad = read_questions(data / "vqa_rad").part("val")
    phantoms = phantom_questions(PHANTOMS, seed=UNSEEN_SEED).where(lambda question: question.kind != "comparison")
    card: dict[str, Any] = {**ABOUT}
    card["seeds"] = {"training": 0, "unseen phantoms": UNSEEN_SEED, "intervals": SEED}
    card["recipe"] = [
        f"python -m recipes.answers.recipe {verb} --data DATA --out RUN{more}"
        for verb, more in (("prepare", ""), ("choose", ""), ("train", ""), ("evaluate", " --export"))
    ]
    card["scores"] = {
        f"VQA-RAD val, {len(rad)} questions on {len(rad.image_ids)} images": _measured(model, rad),
        **json.loads((out / CHOSEN).read_text()),
        f"unseen phantoms, {len(phantoms)} questions on {len(phantoms.image_ids)} films": _measured(model, phantoms),
    }
    print(json.dumps(card["scores"], indent=1), flush=True)
    folder = out / "weights"
    folder.mkdir(exist_ok=True)
    shutil.copyfile(out / "answers.safetensors", folder / "answers.safetensors")
    write_card(folder / "answers", card, _page, weights=[folder / "answers.safetensors"])
    if export:
        for file in folder.glob("answers.*"):
            bundled("answers").parent.mkdir(exist_ok=True)
            shutil.copyfile(file, bundled("answers").with_suffix(file.suffix))


def _next(table: QuestionTable, image: str) -> str:
    images = table.image_ids
    return images[(images.index(image) + 1) % len(images)]


def _measured(model: BundledAnswers, table: QuestionTable) -> dict[str, Any]:
    return scores(table, {way: _right(model, table, shown) for way, shown in WAYS.items()})


def _right(model: BundledAnswers, table: QuestionTable, shown: Shown) -> NDArray[np.float64]:
    hits = {}
    for image, group in table.by_image().items():
        given = shown(table, image)
        hits |= {one.question_id: relaxed(model.answer(given, one.text), one.answer) for one in group}
    return np.array([hits[one.question_id] for one in table.questions], np.float64)


def _page(card: dict[str, Any]) -> str:
    lines = [f"# {card['name']}", "", f"**Trained on** {card['data']}. **Started from** {card['start']}.", ""]
    for name, found in card["scores"].items():
        lines += [f"Share of right answers, {name}:", "", "| questions | given | value | 95 % interval by image |"]
        lines += ["|---|---|---|---|"]
        lines += [
            f"| {part} | {way} | {one['value']:.3f} | {one['low']:.3f} to {one['high']:.3f} |"
            for part, rows in found.items()
            for way, one in rows.items()
        ]
        lines.append("")
    return "\n".join([*lines, *closing(card)])
