"""The answer network: what a question says and what an image shows, multiplied, lead to an answer.

Two parts know something. The general one was fitted to a few images of every kind: it knows which part of the body one
shows, and of a head whether it is CT or which sequence of MRI, and what that makes of a question. The film network
looks at places of a chest film; it was trained on many, and is asked about films like those, for on others it was
found to know nothing. How far a question is of the kind that it has learned decides between the two.

Without an image, a question is answered by those that are known and like it: the best guess found that words alone
allow. With one, that stays the answer unless the question is about the image itself (how and in which plane it was
taken, what part of the body it shows) and the image says another one firmly: to other questions, what two hundred
images seem to add was found to be chance.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from medveil.utility.vqa.models.answers.words import BUCKETS, numbered

MAPS, PLACES, CHANNELS = 544, 64, 128
ORGANS = ("chest", "head", "abdomen")
SEQUENCES = ("CT", "T1", "T2", "FLAIR", "DWI", "ADC")  # of a head; the others are of MRI
SHOWN = (*ORGANS, *SEQUENCES)
LOOKS = ("film", "chest", "abdomen", *SEQUENCES)  # a chest film like those that the film network has learned from, …
FOLDED = 2048  # buckets: room in the package is short
WIDTH, READERS = 64, 6
SHARPNESS = 4.0  # fitted scores of -1..1 to log odds
FIRM_YES, FIRM_OPEN = 0.3, 0.15  # how sure an image must make an answer to replace the one without it
SMALLEST = 1e-6


class AnswerNetwork(nn.Module):
    """`film_answers` and `image_answers` are the places of the film network's answers among all of them, and of those
    to questions about the image itself. `known` are questions to compare with, the first `known_open` of them open
    ones; call `remember` when the rarity of buckets is set. `lessons` says from how many the image part was fitted."""

    film_answers: Tensor
    image_answers: Tensor
    rarity: Tensor  # how much each bucket of a question counts

    def __init__(
        self,
        answers: int,
        film_answers: Sequence[int],
        image_answers: Sequence[int] = (),
        known: Sequence[str] = (),
        known_open: int = 0,
        lessons: tuple[int, int] = (0, 0),
    ) -> None:
        super().__init__()
        self.narrow = nn.Linear(MAPS, CHANNELS)
        self.look = nn.Linear(2 * CHANNELS, len(LOOKS))
        self.is_closed, self.is_for_film, self.is_of_image = (nn.Linear(BUCKETS, 1) for _ in range(3))
        self.film = FilmNetwork(len(film_answers))
        self.by_likeness = ByLikeness(answers, len(known), known_open)
        self.yes_of_image = ByWhatIsShown(lessons[0], 1)
        self.open_of_image = ByWhatIsShown(lessons[1], len(image_answers))
        self.known = tuple(known)
        self.register_buffer("rarity", torch.ones(BUCKETS))
        for name, places in (("film_answers", film_answers), ("image_answers", image_answers)):
            self.register_buffer(name, torch.tensor(list(places), dtype=torch.long), persistent=False)

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
        shown, asks = shown_by(look), self.is_of_image(asked).squeeze(1) > 0
        seen_yes, seen = self.yes_of_image(alike, shown).squeeze(1), self.open_of_image(alike, shown)
        seen_scores = torch.zeros_like(scores).index_copy(1, self.image_answers, seen)
        firm = seen_scores.amax(1) > FIRM_OPEN
        return (
            torch.where(asks & (seen_yes.abs() > FIRM_YES), seen_yes, yes),
            torch.where((asks & firm).unsqueeze(1), seen_scores, scores),
        )


def shown_by(look: Tensor) -> Tensor:
    """How likely each part of the body is, and each sequence; a film is one of the chest. Fitted to few images, looks
    are too unsure."""
    heads = look[:, LOOKS.index(SEQUENCES[0]) :]
    organ = _sharper(torch.stack([look[:, 0] + look[:, 1], heads.sum(1), look[:, 2]], 1))
    return torch.cat([organ, organ[:, 1:2] * _sharper(heads)], 1)


def _sharper(likely: Tensor) -> Tensor:
    squared = likely**2
    return squared / squared.sum(1, keepdim=True).clamp(min=SMALLEST)


class ByLikeness(nn.Module):
    """What the known questions say to one, each as far as it is like it squared, so that pairs of words count."""

    def __init__(self, answers: int, known: int, known_open: int) -> None:
        super().__init__()
        self.yes, self.usual = nn.Parameter(torch.zeros(known)), nn.Parameter(torch.zeros(()))
        self.open = nn.Parameter(torch.zeros(known_open, answers))

    def forward(self, alike: Tensor) -> tuple[Tensor, Tensor]:
        """Of the question alone: yes above 0, and how well each open answer is expected to score."""
        return alike @ self.yes + self.usual, alike[:, : len(self.open)] @ self.open


class ByWhatIsShown(nn.Module):
    """What lessons say, each a known question on an image that shows something: as far as the question is like its
    own, and twice as much where the image shows the same."""

    known: Tensor  # the place of each lesson's question among the known ones
    shown: Tensor

    def __init__(self, lessons: int, answers: int) -> None:
        super().__init__()
        self.register_buffer("known", torch.zeros(lessons, dtype=torch.long))
        self.register_buffer("shown", torch.zeros(lessons, len(SHOWN)))
        self.says, self.usual = nn.Parameter(torch.zeros(lessons, answers)), nn.Parameter(torch.zeros(()))

    def forward(self, alike: Tensor, shown: Tensor) -> Tensor:
        counts = alike[:, self.known] * (1 + shown @ self.shown.T)
        return counts @ self.says + self.usual


def folded(asked: Tensor) -> Tensor:
    """In fewer buckets, each of which stands for several."""
    return asked.view(len(asked), -1, FOLDED).sum(1)


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
