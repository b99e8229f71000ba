"""A site's part in a federation: from the shared weights of a round to the update it answers with.

Under privacy the round is booked in the site's ledger, and the ledger is on disk, before the first step is taken: a
site that is killed at any moment has never spent more than its ledger says. The answer is kept until the next round,
so that a coordinator who asks again gets the same bytes and nothing is spent twice. Asked with other weights, the same
round is another question: it is booked again, with noise of its own, for the same noise on two answers could be taken
off by subtraction.
"""

from __future__ import annotations

import hashlib
import io
import secrets
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from zipfile import BadZipFile

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.defenses.alignment.accounting import Spending
from medveil.defenses.alignment.ledger import Budget, BudgetSpent, Ledger, fingerprint
from medveil.errors import InputError, SettingsError
from medveil.federated.budget import rounds_within
from medveil.federated.recipe import Recipe
from medveil.federated.refusals import Refusal
from medveil.federated.vision_language.building import build
from medveil.federated.vision_language.films import Films, public_pairs
from medveil.federated.vision_language.network import VisionLanguageNetwork, trained_parameters
from medveil.federated.vision_language.steps import LocalSteps, Public, Stock
from medveil.runtime.storage import sweep, write_bytes
from medveil.training.device import check_device

if TYPE_CHECKING:
    from medveil.cohort.cohort import Cohort

Arrays = list[NDArray[np.float32]]
LEDGER, SECRET, ANSWER = "privacy-ledger.json", "noise.key", "last-update.npz"
KEY = 32  # bytes

__all__ = ["Arrays", "BudgetSpent", "LocalTraining", "assemble", "initial", "names"]


class Books(Protocol):
    """Where a round is entered before it begins; raises `BudgetSpent` where it would cost too much."""

    def book(self, run: str, spending: Spending) -> float: ...


class LocalTraining:
    """One site's films under one recipe. Without a folder nothing is kept: for experiments without privacy alone."""

    def __init__(
        self,
        recipe: Recipe,
        cohort: Cohort | Films,
        folder: Path | None,
        device: str = "cpu",
        *,
        public: Public | None = None,
        books: Books | None = None,
    ) -> None:
        """`public` are pairs that are nobody's, phantoms unless given; `books` another place than the folder's ledger,
        such as the one a site keeps over all its runs."""
        check_device(device)
        if folder is None and recipe.privacy is not None and books is None:
            raise SettingsError("private training needs a folder, for the ledger of what was spent")
        self.recipe, self.folder, self.device = recipe, folder, device
        self._films = cohort if isinstance(cohort, Films) else Films.of(cohort, recipe)
        self._stock = Stock.of(self._films, device)
        self._books, self._public = books, public
        if folder is not None:
            sweep(folder)

    @property
    def patients(self) -> int:
        return len(self._films.people)

    @property
    def weight(self) -> float:
        """What the site counts in the mean. Under privacy every site counts the same: how many patients it has would
        be told outside the books."""
        if self.recipe.privacy is not None or self.recipe.weighting == "equal":
            return 1.0
        return float(self.patients)

    def update(self, shared: Sequence[NDArray[np.float32]], round_number: int) -> Arrays:
        """The difference that this site's steps make to the shared weights."""
        question = self._question(shared, round_number)
        if (kept := self._kept(question)) is not None:
            return kept
        network = self._network
        _fill(self._parameters, shared)
        if self.recipe.privacy is not None:
            self._ledger.book(
                question, Spending(self.recipe.privacy.noise, self._steps.sampling, self.recipe.local_steps)
            )
        self._steps.run(network, round_number, self._randomness(question))
        trained = [one.detach().float().cpu().numpy() for one in self._parameters]
        update = [after - before for after, before in zip(trained, shared, strict=True)]
        if not all(np.isfinite(part).all() for part in update):
            raise Refusal("not-finite")
        self._keep(question, update)
        return update

    @property
    def epsilon(self) -> float | None:
        """What the patient who took part in most has spent so far, at the recipe's δ; None without privacy."""
        if self.recipe.privacy is None or not isinstance(self._ledger, Ledger):
            return None
        return self._ledger.spent()

    def rounds_left(self, most: int) -> int:
        """How many more rounds, of `most`, the budget lasts, with all that these patients have spent before."""
        cost = self._ledger.spent_with if isinstance(self._ledger, Ledger) else None
        return rounds_within(self.recipe, self.patients, most, cost=cost)

    @cached_property
    def _network(self) -> VisionLanguageNetwork:
        return build(self.recipe).to(self.device)

    @cached_property
    def _parameters(self) -> list[torch.nn.Parameter]:
        return list(trained_parameters(self._network).values())

    @cached_property
    def _recipe_digest(self) -> str:
        return self.recipe.digest

    @cached_property
    def _steps(self) -> LocalSteps:
        public = self._public
        needed = self.recipe.privacy is not None and self.recipe.text != "none" and self.recipe.contrast > 0
        if needed and public is None:
            public = public_pairs(self.recipe)
        return LocalSteps(self.recipe, self._stock, public, self.device)

    @cached_property
    def _ledger(self) -> Books:
        if self._books is not None:
            return self._books
        assert self.folder is not None and self.recipe.privacy is not None
        privacy = self.recipe.privacy
        budget = Budget(privacy.epsilon, privacy.delta, "patient")
        return Ledger.of(self.folder / LEDGER, self._films.people, budget)

    @cached_property
    def _data(self) -> str:
        films = self._films
        return fingerprint(films.pixels, films.words, films.targets, films.known, films.patients)

    def _question(self, shared: Sequence[NDArray[np.float32]], round_number: int) -> str:
        """A name for what is asked: of recipe, round, weights, films and key, so that no two share their noise, and
        none is answered with two."""
        told = f"{self._recipe_digest} {round_number} {fingerprint(*shared)} {self._data}"
        if self.recipe.privacy is not None:  # under another key the noise is another, and so is the question
            told += f" {hashlib.blake2b(self._secret, digest_size=16).hexdigest()}"
        return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()

    def _randomness(self, question: str) -> np.random.Generator:
        key = b"" if self.recipe.privacy is None else self._secret
        digest = hashlib.blake2b(f"{self.recipe.seed} {question}".encode(), key=key, digest_size=32).digest()
        return np.random.default_rng(int.from_bytes(digest))

    @cached_property
    def _secret(self) -> bytes:
        """Known to the site alone: who knows it can take the noise off."""
        if self.folder is None:
            return secrets.token_bytes(KEY)
        path = self.folder / SECRET
        if not path.exists():
            write_bytes(path, secrets.token_bytes(KEY), private=True)
        key = path.read_bytes()
        if len(key) != KEY:
            raise InputError(f"{path} is not the key that medveil wrote there; restore it from a copy")
        return key

    def _keep(self, question: str, update: Arrays) -> None:
        if self.folder is None:
            return
        file = io.BytesIO()
        parts: dict[str, NDArray[np.generic]] = {f"{number:04}": part for number, part in enumerate(update)}
        np.savez(file, question=np.frombuffer(question.encode(), np.uint8), **parts)  # type: ignore[arg-type]
        write_bytes(self.folder / ANSWER, file.getvalue(), private=True)

    def _kept(self, question: str) -> Arrays | None:
        """The last answer, if it was to this question. A broken file is no answer: the steps are taken again."""
        if self.folder is None or not (self.folder / ANSWER).exists():
            return None
        try:
            with np.load(io.BytesIO((self.folder / ANSWER).read_bytes())) as kept:
                if kept["question"].tobytes().decode() != question:
                    return None
                return [kept[name] for name in sorted(kept.files) if name != "question"]
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None


def initial(recipe: Recipe) -> Arrays:
    """The first weights that are shared, in the order all sites have."""
    return [one.detach().numpy().copy() for one in trained_parameters(build(recipe)).values()]


def names(recipe: Recipe) -> list[str]:
    """What the shared arrays are called, in the same order."""
    return list(trained_parameters(build(recipe)))


def assemble(recipe: Recipe, arrays: Sequence[NDArray[np.float32]]) -> VisionLanguageNetwork:
    """The network with these shared weights."""
    network = build(recipe)
    _fill(list(trained_parameters(network).values()), arrays)
    return network.eval()


def _fill(parameters: Sequence[torch.nn.Parameter], arrays: Sequence[NDArray[np.float32]]) -> None:
    if len(arrays) != len(parameters):
        raise InputError(f"the recipe shares {len(parameters)} arrays, and {len(arrays)} came; is it the same recipe?")
    with torch.no_grad():
        for parameter, array in zip(parameters, arrays, strict=True):
            if array.shape != tuple(parameter.shape) or not np.isfinite(array).all():
                raise InputError("the shared weights do not fit the recipe's network, or are not numbers")
            parameter.copy_(torch.from_numpy(np.array(array, np.float32)))
