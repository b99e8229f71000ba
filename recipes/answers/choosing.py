"""Cross-validation over training images of VQA-RAD: what the general part gains from the image. OUT/choose.json.

Images whose numbers follow one another closely may be of one patient: they are set aside together.

By this the settings of the general part were chosen, those of network.py too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.runtime.storage import write_json
from medveil.utility.vqa.models.answers.network import pooled
from medveil.utility.vqa.models.answers.words import numbered, rarity
from medveil.utility.vqa.question import QuestionTable
from medveil.utility.vqa.scores import relaxed
from recipes.answers.fitting import FACTS, fit_closed, fit_look, general_network, looks_on, vocabulary_of
from recipes.answers.material import VERSIONS, organs, training_questions
from recipes.answers.scoring import scores

FOLDS, SEEDS = 8, (5, 6, 7)
NEAR = 3  # in numbers of images
CHOSEN = "choose.json"
WITH, ALONE = "with its image", "question alone"
Hits = dict[str, float]  # by question


def choose(data: Path, out: Path) -> None:
    table, organ = training_questions(data), organs(data)
    material = np.load(out / "material.npz")
    rad = material["rad"].reshape(len(table.image_ids), VERSIONS, *material["rad"].shape[1:])
    seen = dict(zip(table.image_ids, rad, strict=True))
    films = np.concatenate([material["nih"][::6], material["phantom"][::8]])
    hits = {way: np.zeros(len(table)) for way in (WITH, ALONE)}
    for train, test in _folds(table):
        for way, found in _right(train, test, seen, films, organ).items():
            for row, question in enumerate(table.questions):
                hits[way][row] += found.get(question.question_id, 0.0) / len(SEEDS)
    found = scores(table, hits)
    name = f"VQA-RAD train, {len(table)} questions on {len(table.image_ids)} images, each set aside in turn"
    write_json(out / CHOSEN, {name: found})
    print(name, found, flush=True)


def _folds(table: QuestionTable) -> Iterator[tuple[QuestionTable, QuestionTable]]:
    group = _groups(table.image_ids)
    for seed in SEEDS:
        dealt = np.random.default_rng(seed).permutation(max(group.values()) + 1) % FOLDS
        for number in range(FOLDS):
            aside = {image for image in table.image_ids if dealt[group[image]] == number}
            yield (
                table.where(lambda question, aside=aside: question.image_id not in aside),
                table.where(lambda question, aside=aside: question.image_id in aside),
            )


def _groups(images: Sequence[str]) -> dict[str, int]:
    """Which belong together, by their numbers."""
    number = {image: int("".join(filter(str.isdigit, image))) for image in images}
    ordered = sorted(images, key=number.__getitem__)
    steps = np.array([number[other] - number[one] > NEAR for one, other in pairwise(ordered)])
    return dict(zip(ordered, [0, *np.cumsum(steps).tolist()], strict=True))


def _right(
    train: QuestionTable,
    test: QuestionTable,
    seen: dict[str, NDArray[np.float16]],
    films: NDArray[np.float16],
    organ: dict[str, int],
) -> dict[str, Hits]:
    """Of the questions set aside."""
    shown = np.repeat(looks_on(train.image_ids, organ), VERSIONS)
    look = fit_look(
        np.concatenate([*(seen[image] for image in train.image_ids), films]), np.r_[shown, np.zeros(len(films), int)]
    )
    weights = rarity([*(question.text for question in train.questions), *(text for text, _, _ in FACTS)])
    words = vocabulary_of(train)
    network = general_network(train, organ, weights, words)
    asked = torch.from_numpy(numbered([question.text for question in test.questions], weights))
    first = np.stack([seen[question.image_id][0] for question in test.questions]).astype(np.float32)
    with torch.no_grad():
        closed = (fit_closed(train, [], weights)(asked).squeeze(1) > 0).tolist()
        looks = look(pooled(torch.from_numpy(first))).softmax(1)
        said = {}
        for way, seen_as in ((WITH, looks), (ALONE, None)):
            yes, answers = network.generally(asked, seen_as)
            said[way] = [
                ("yes" if one > 0 else "no") if is_closed else words[int(many.argmax())]
                for is_closed, one, many in zip(closed, yes, answers, strict=True)
            ]
    return {
        way: {one.question_id: relaxed(answer, one.answer) for one, answer in zip(test.questions, each, strict=True)}
        for way, each in said.items()
    }
