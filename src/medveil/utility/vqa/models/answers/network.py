"""The answer network: what a question says and what an image shows, multiplied, lead to an answer.

Two parts know something. The general one knows which part of the body an image shows, and what that makes of a
question; it was fitted to a few images of every kind. The film network looks at places of a chest film; it was
trained on many, and is asked about films like those, for on others it was found to know nothing. How far a question is
of the kind that it has learned decides between the two.

Without an image, a question is answered by those that are known and like it: the best guess found that words alone
allow. With one, that stays the answer until the image says another one firmly: most questions name the part of the body
themselves, and what an image seems to add to them is chance.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from medveil.utility.vqa.models.answers.words import BUCKETS, numbered

MAPS, PLACES, CHANNELS = 544, 64, 128
ORGANS = ("chest", "head", "abdomen")
LOOKS = ("film", *ORGANS)  # a chest film like those that the film network has learned from, or something else
FOLDED, RANK = 2048, 112  # buckets, and directions of the open answers: room in the package is short
WIDTH, READERS = 64, 6
SHARPNESS = 4.0  # fitted scores of -1..1 to log odds
FIRM_YES, FIRM_OPEN = 0.4, 0.15  # how sure an image must make an answer, and by how much it must lead, to replace one
SMALLEST = 1e-6


class AnswerNetwork(nn.Module):
    """`film_answers` are the places of the film network's answers among all of them. `known` are questions to compare
    with, the first `known_open` of them open ones; call `remember` when the rarity of buckets is set."""

    film_answers: Tensor
    rarity: Tensor  # how much each bucket of a question counts

    def __init__(self, answers: int, film_answers: list[int], known: Sequence[str] = (), known_open: int = 0) -> None:
        super().__init__()
        self.narrow = nn.Linear(MAPS, CHANNELS)
        self.look = nn.Linear(2 * CHANNELS, len(LOOKS))
        self.is_closed, self.is_for_film = nn.Linear(BUCKETS, 1), nn.Linear(BUCKETS, 1)
        self.general = FittedHeads(answers)
        self.film = FilmNetwork(len(film_answers))
        self.by_likeness = ByLikeness(answers, len(known), known_open)
        self.known = tuple(known)
        self.register_buffer("rarity", torch.ones(BUCKETS))
        self.register_buffer("film_answers", torch.tensor(film_answers), persistent=False)

    def remember(self) -> None:
        self._known = torch.from_numpy(numbered(self.known, self.rarity.cpu().numpy())).to_sparse()

    def describe(self, maps: Tensor) -> tuple[Tensor, Tensor]:
        """Of an image: what is at each place (places × channels), and how likely it is each of the looks."""
        seen = self.narrow(maps)
        return seen, self.look(pooled(seen)).softmax(-1)

    def forward(self, asked: Tensor, image: tuple[Tensor, Tensor] | None) -> tuple[Tensor, Tensor, Tensor]:
        """Of questions: the log odds of being closed, the probability of yes, and of each open answer."""
        kind = self.is_for_film(asked).squeeze(1)
        if image is None:
            likely = ((kind - 0.6) / 0.3).clamp(0, 1)
            yes, scores = self.generally(asked, None)
            film_yes, film_scores = self.film(asked, None)
        else:
            seen, look = image
            likely = ((kind + 1) / 2).clamp(0, 1) ** 2 * look[:, 0]  # in doubt it is for the general one
            yes, scores = self.generally(asked, look)
            film_yes, film_scores = self.film(asked, seen)
        answers = scores.clamp(min=SMALLEST)
        answers = (1 - likely).unsqueeze(1) * answers / answers.sum(1, keepdim=True)
        answers[:, self.film_answers] += likely.unsqueeze(1) * film_scores.softmax(1)
        closed = self.is_closed(asked).squeeze(1)
        return closed, (1 - likely) * torch.sigmoid(SHARPNESS * yes) + likely * torch.sigmoid(film_yes), answers

    def generally(self, asked: Tensor, look: Tensor | None) -> tuple[Tensor, Tensor]:
        """What the general part says: yes above 0, and a score of each open answer."""
        alike = torch.sparse.mm(self._known, asked.T).T ** 2
        yes, scores = self.by_likeness(alike)
        if look is None:
            return yes, scores
        organ = organ_of(look)
        seen_yes, seen_scores = self.by_likeness.yes_of(alike, organ), self.general(asked, organ)
        lead = seen_scores.amax(1) - seen_scores.gather(1, scores.argmax(1, keepdim=True)).squeeze(1)
        return (
            torch.where(seen_yes.abs() > FIRM_YES, seen_yes, yes),
            torch.where((lead > FIRM_OPEN).unsqueeze(1), seen_scores, scores),
        )


def organ_of(look: Tensor) -> Tensor:
    """How likely each part of the body is; a film is one of the chest. Fitted to few images, looks are too unsure."""
    organ = torch.stack([look[:, 0] + look[:, 1], look[:, 2], look[:, 3]], 1) ** 2
    return organ / organ.sum(1, keepdim=True)


class ByLikeness(nn.Module):
    """What the known questions say to one, each as far as it is like it squared, so that pairs of words count."""

    def __init__(self, answers: int, known: int, known_open: int) -> None:
        super().__init__()
        self.yes, self.usual = nn.Parameter(torch.zeros(known)), nn.Parameter(torch.zeros(2))
        self.yes_shown = nn.Parameter(torch.zeros(known, 1 + len(ORGANS)))  # whatever is shown, and for each organ
        self.open = nn.Parameter(torch.zeros(known_open, answers))

    def forward(self, alike: Tensor) -> tuple[Tensor, Tensor]:
        """Of the question alone: yes above 0, and how well each open answer is expected to score."""
        return alike @ self.yes + self.usual[0], alike[:, : len(self.open)] @ self.open

    def yes_of(self, alike: Tensor, organ: Tensor) -> Tensor:
        says = alike @ self.yes_shown
        return says[:, 0] + (says[:, 1:] * organ).sum(1) + self.usual[1]


class FittedHeads(nn.Module):
    """Open answers, linear in the question and in the question times each part of the body; fitted in closed form."""

    def __init__(self, answers: int) -> None:
        super().__init__()
        width = FOLDED * (1 + len(ORGANS)) + len(ORGANS)
        self.open = nn.Sequential(nn.Linear(width, RANK, bias=False), nn.Linear(RANK, answers, bias=False))

    def forward(self, asked: Tensor, organ: Tensor) -> Tensor:
        scores: Tensor = self.open(products(folded(asked), organ))
        return scores


def folded(asked: Tensor) -> Tensor:
    """In fewer buckets, each of which stands for several."""
    return asked.view(len(asked), -1, FOLDED).sum(1)


def products(asked: Tensor, organ: Tensor) -> Tensor:
    """The question, the question times each part of the body, and the parts by themselves, which count less."""
    times = (organ.unsqueeze(2) * asked.unsqueeze(1)).flatten(1)
    return torch.cat([asked, times, 0.4 * organ], 1)


def pooled(seen: Tensor) -> Tensor:
    """Mean and spread over the places."""
    return torch.cat([seen.mean(1), seen.std(1)], 1)


class FilmNetwork(nn.Module):
    """Readers that a question sends to places of a chest film; without one, a learned vector stands in for it."""

    def __init__(self, answers: int, *, drop: float = 0.2) -> None:
        super().__init__()
        self.question = nn.Sequential(nn.Linear(FOLDED, 96), nn.GELU(), nn.Dropout(drop), nn.Linear(96, 96))
        self.places = nn.Linear(CHANNELS, WIDTH)
        self.place = nn.Parameter(torch.zeros(PLACES, WIDTH))
        self.norm = nn.LayerNorm(WIDTH)
        self.send, self.value = nn.Linear(96, READERS * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.read = nn.Sequential(nn.Linear(READERS * WIDTH, 96), nn.GELU(), nn.Dropout(drop))
        self.blank = nn.Parameter(torch.zeros(96))
        self.mixed = nn.Sequential(nn.Linear(3 * 96, 96), nn.GELU(), nn.Dropout(drop))
        self.yes, self.open = nn.Linear(96, 1), nn.Linear(96, answers)

    def forward(self, asked: Tensor, seen: Tensor | None, there: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """`there` says which of the questions keep their film."""
        question = self.question(4 * folded(asked))
        found = self.blank.expand(len(asked), -1)
        if seen is not None:
            places = self.norm(self.places(seen) + self.place)
            sent = self.send(question).unflatten(1, (READERS, WIDTH))
            looks = (torch.einsum("nrw,npw->nrp", sent, places) / WIDTH**0.5).softmax(-1)
            read = self.read(torch.einsum("nrp,npw->nrw", looks, self.value(places)).flatten(1))
            found = read if there is None else torch.where(there.unsqueeze(1), read, found)
        mixed = self.mixed(torch.cat([question, found, question * found], 1))
        return self.yes(mixed).squeeze(1), self.open(mixed)
