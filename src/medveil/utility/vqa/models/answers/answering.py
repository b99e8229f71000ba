"""`BundledAnswers`: the small answer model that comes with the package; made to notice a change, not to diagnose."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from medveil.encoders.identity.networks.model_file import load_into
from medveil.errors import InputError
from medveil.runtime.once import once
from medveil.runtime.storage import sha256_of
from medveil.runtime.threads import one_torch_thread
from medveil.training.checkpoint import read_header, write_model
from medveil.utility.vqa.model import Query, one_by_one
from medveil.utility.vqa.models.answers.maps import maps_of
from medveil.utility.vqa.models.answers.network import AnswerNetwork
from medveil.utility.vqa.models.answers.preparing import as_seen
from medveil.utility.vqa.models.answers.words import numbered
from medveil.utility.vqa.question import Image
from medveil.weights.bundled import bundled

FORMAT = "medveil.answers/3"
KEPT = 4  # images: several questions on one follow each other


class BundledAnswers:
    """Reads no notes: it was trained without."""

    name = "medveil-answers"
    license = "Apache-2.0"

    def __init__(
        self, network: AnswerNetwork, answers: Sequence[str], *, fingerprint: str, device: str = "cpu"
    ) -> None:
        self.answers = tuple(answers)
        self.fingerprint = fingerprint
        self._network = network.eval().requires_grad_(False)
        self._rarity = network.rarity.numpy()
        self._device = device
        self._images: dict[bytes, tuple[Tensor, Tensor]] = {}

    def answer(self, image: Image | None, question: str, note: str | None = None) -> str:
        with torch.inference_mode(), one_torch_thread():
            seen = None if image is None else self._seen(image)
            closed, yes, answers = self._network(torch.from_numpy(numbered([question], self._rarity)), seen)
        if closed.item() > 0:
            return "yes" if yes.item() > 0.5 else "no"
        return self.answers[int(answers[0].argmax())]

    def answer_many(self, queries: Sequence[Query]) -> list[str]:
        return one_by_one(self, queries)

    def _seen(self, image: Image) -> tuple[Tensor, Tensor]:
        mark = hashlib.sha256(image.tobytes() + str(image.shape).encode()).digest()
        if mark not in self._images:
            self._images = dict(list(self._images.items())[1 - KEPT :])
            self._images[mark] = self._network.describe(maps_of([as_seen(image)], self._device))
        return self._images[mark]


def save_answers(path: Path, network: AnswerNetwork, answers: Sequence[str]) -> None:
    told = {
        "answers": list(answers),
        "film_answers": network.film_answers.tolist(),
        "image_answers": network.image_answers.tolist(),
        "known": list(network.known),
        "known_open": len(network.by_likeness.open),
        "lessons": [len(network.yes_of_image.says), len(network.open_of_image.says)],
    }
    write_model(path, network.state_dict(), form=FORMAT, architecture=told)


def load_answer_network(path: Path, *, device: str = "cpu") -> BundledAnswers:
    """A model saved by its recipe."""
    try:
        told = read_header(path, form=FORMAT)
        answers, known = ([str(one) for one in told[name]] for name in ("answers", "known"))
        film, image = ([int(one) for one in told[name]] for name in ("film_answers", "image_answers"))
        known_open, (closed, opened) = int(told["known_open"]), map(int, told["lessons"])
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path} is not an answer model of this version; restore the package's own") from None
    network = AnswerNetwork(len(answers), film, image, known, known_open, (closed, opened))
    load_into(network, path)
    network.remember()
    return BundledAnswers(network, answers, fingerprint=sha256_of(path), device=device)


@once
def load_bundled(device: str = "cpu") -> BundledAnswers:
    return load_answer_network(bundled("answers"), device=device)
