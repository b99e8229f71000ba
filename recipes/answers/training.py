"""The film network, trained on phantom films and on films of NIH ChestX-ray14, and the whole model put together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from medveil.training.average import averaged, follow
from medveil.training.schedule import warm_cosine
from medveil.utility.vqa.models.answers.answering import save_answers
from medveil.utility.vqa.models.answers.network import FilmNetwork
from medveil.utility.vqa.models.answers.words import numbered, rarity
from medveil.utility.vqa.question import CLOSED
from recipes.answers.film_questions import film_questions, views_of
from recipes.answers.fitting import (
    FACTS,
    fit_closed,
    fit_look,
    fit_texts,
    general_network,
    looks_on,
    plain,
    vocabulary_of,
)
from recipes.answers.material import VERSIONS, organs, phantom_table, training_questions
from recipes.findings.labels import labelled

BATCH, RATE = 96, 1.5e-3
OF_REAL_FILMS = 8000  # questions
BLANK = 0.25  # of the questions lose their film
FORGOTTEN = 0.1  # of a question's buckets


class FilmLessons:
    """Questions on phantom and on real films, and the loss of the network on some of them."""

    def __init__(self, data: Path, out: Path, seed: int) -> None:
        material = np.load(out / "material.npz")
        self.generator = torch.Generator().manual_seed(seed)
        phantoms, told = phantom_table(), labelled(data / "nih14", "train")
        place = {image: number for number, image in enumerate(phantoms.image_ids)}
        asked = [(place[one.image_id], one.text, plain(one.answer)) for one in phantoms.questions]
        real = film_questions(told, views_of(data / "nih14", told.files), OF_REAL_FILMS, np.random.default_rng(seed))
        asked += [(len(place) + film, text, plain(answer)) for film, text, answer in real]
        films, self.texts, answers = zip(*asked, strict=True)
        self.seen = torch.from_numpy(np.concatenate([material["phantom"], material["nih"]]))
        self.films = torch.tensor(films)
        self.vocabulary = sorted(set(answers) - set(CLOSED))
        self.closed = torch.tensor([answer in CLOSED for answer in answers])
        self.yes = torch.tensor([answer == "yes" for answer in answers])
        places = {answer: number for number, answer in enumerate(self.vocabulary)}
        self.open = torch.tensor([places.get(answer, -1) for answer in answers])

    def number(self, weights: np.ndarray) -> None:
        """Each wording once: there are few of them."""
        wordings = sorted(set(self.texts))
        where = {text: row for row, text in enumerate(wordings)}
        self.wordings = torch.from_numpy(numbered(wordings, weights))
        self.worded = torch.tensor([where[text] for text in self.texts])

    def loss(self, network: FilmNetwork) -> torch.Tensor:
        rows = torch.randint(len(self.texts), (BATCH,), generator=self.generator)
        asked = self.wordings[self.worded[rows]]
        asked = asked * (torch.rand(asked.shape, generator=self.generator) > FORGOTTEN)
        there = torch.rand(BATCH, generator=self.generator) > BLANK
        yes, answers = network(asked, self.seen[self.films[rows]].float(), there)
        closed, is_open = self.closed[rows], ~self.closed[rows]
        loss = functional.binary_cross_entropy_with_logits(yes[closed], self.yes[rows][closed].float() * 0.96 + 0.02)
        if is_open.any():
            loss = loss + functional.cross_entropy(answers[is_open], self.open[rows][is_open], label_smoothing=0.02)
        return loss


def train(data: Path, out: Path, *, steps: int, seed: int) -> None:
    """OUT/answers.safetensors."""
    torch.manual_seed(seed)
    table, organ, lessons = training_questions(data), organs(data), FilmLessons(data, out, seed)
    texts = [question.text for question in table.questions]
    weights = rarity([*texts, *(text for text, _, _ in FACTS), *sorted(set(lessons.texts))])
    lessons.number(weights)
    words = vocabulary_of(table, lessons.vocabulary)
    network = general_network(table, organ, weights, words, [words.index(answer) for answer in lessons.vocabulary])
    material = np.load(out / "material.npz")
    with torch.no_grad():
        network.narrow.weight.copy_(torch.from_numpy(material["weight"]))
        network.narrow.bias.copy_(torch.from_numpy(material["bias"]))
    shown = np.repeat(looks_on(table.image_ids, organ), VERSIONS)
    films = np.concatenate([material["nih"][::6], material["phantom"][::8]])
    network.look = fit_look(np.concatenate([material["rad"], films]), np.r_[shown, np.zeros(len(films), int)])
    network.is_for_film = fit_texts(sorted(set(lessons.texts)), texts, weights)
    network.is_closed = fit_closed(
        table, sorted(set(zip(lessons.texts, lessons.closed.tolist(), strict=True))), weights
    )
    network.film = _trained(network.film.requires_grad_(True), lessons, steps)
    save_answers(out / "answers.safetensors", network, words)


def _trained(network: FilmNetwork, lessons: FilmLessons, steps: int) -> FilmNetwork:
    """The average of the weights."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.02)
    kept = averaged(network)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = warm_cosine(step, step / steps, RATE, warm=200)
        network.train()
        loss = lessons.loss(network)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimizer.step()
        follow(kept, network, 0.998)
        if step % 500 == 0:
            print(step, round(float(loss.detach()), 3), flush=True)
    return kept
