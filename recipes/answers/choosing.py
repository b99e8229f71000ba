"""Cross-validation over training images of VQA-RAD: what the fitted heads gain from the image. OUT/choose.json."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.runtime.storage import write_json
from medveil.utility.vqa.models.answers.network import pooled
from medveil.utility.vqa.models.answers.words import numbered, rarity
from medveil.utility.vqa.question import QuestionTable
from recipes.answers.fitting import Lessons, fit_heads, fit_organ, plain, vocabulary_of
from recipes.answers.material import VERSIONS, organs, training_questions
from recipes.answers.scoring import scores

FOLDS, SEEDS = 8, (5, 6)
CHOSEN = "choose.json"
Hits = dict[str, float]  # by question


def choose(data: Path, out: Path) -> None:
    table, organ = training_questions(data), organs(data)
    films = np.load(out / "material.npz")["rad"]
    seen = dict(zip(table.image_ids, films.reshape(len(table.image_ids), VERSIONS, *films.shape[1:]), strict=True))
    hits = {way: np.zeros(len(table)) for way in (True, False)}
    for train, test in _folds(table):
        for way, found in _right(train, test, seen, organ).items():
            for row, question in enumerate(table.questions):
                hits[way][row] += found.get(question.question_id, 0.0) / len(SEEDS)
    found = scores(table, {"with its image": hits[True], "question alone": hits[False]})
    name = f"VQA-RAD train, {len(table)} questions on {len(table.image_ids)} images, each set aside in turn"
    write_json(out / CHOSEN, {name: found})
    print(name, found, flush=True)


def _folds(table: QuestionTable) -> Iterator[tuple[QuestionTable, QuestionTable]]:
    for seed in SEEDS:
        dealt = np.random.default_rng(seed).permutation(len(table.image_ids)) % FOLDS
        for number in range(FOLDS):
            aside = {image for image, fold in zip(table.image_ids, dealt, strict=True) if fold == number}
            yield (
                table.where(lambda question, aside=aside: question.image_id not in aside),
                table.where(lambda question, aside=aside: question.image_id in aside),
            )


def _right(
    train: QuestionTable, test: QuestionTable, seen: dict[str, NDArray[np.float16]], organ: dict[str, int]
) -> dict[bool, Hits]:
    """Of the questions set aside, with the image and without."""
    layer = fit_organ(
        np.concatenate([seen[image] for image in train.image_ids]),
        np.repeat([organ[image] for image in train.image_ids], VERSIONS),
    )
    weights, words = rarity([question.text for question in train.questions]), vocabulary_of(train)
    asked = torch.from_numpy(numbered([question.text for question in test.questions], weights))
    first = np.stack([seen[question.image_id][0] for question in test.questions]).astype(np.float32)
    found: dict[bool, Hits] = {}
    with torch.no_grad():
        shown = layer(pooled(torch.from_numpy(first))).softmax(1)
        for way in (True, False):
            heads = fit_heads(Lessons.of(train, organ, weights, with_image=way), words)
            yes, scores = heads(asked, shown if way else shown[:, :0])
            said = [
                ("yes" if one > 0 else "no") if question.closed else words[int(many.argmax())]
                for question, one, many in zip(test.questions, yes, scores, strict=True)
            ]
            pairs = zip(test.questions, said, strict=True)
            found[way] = {question.question_id: float(one == plain(question.answer)) for question, one in pairs}
    return found
