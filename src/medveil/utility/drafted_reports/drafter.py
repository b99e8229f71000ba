"""A small network that writes a report from a film: it looks at the film's cells anew before every word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.training.schedule import warm_cosine
from medveil.utility.drafted_reports.words import END, MOST_WORDS, START, Vocabulary

CELLS = 4  # a side of the grid that a film is seen in
SEEN = 1280  # features of a cell
WIDTH = 192
RATE = 2e-3
WARM = 30  # steps
Cells = NDArray[np.float32]


class DraftingNetwork(nn.Module):
    def __init__(self, words: int, *, width: int = WIDTH, drop: float = 0.3) -> None:
        super().__init__()
        self.see = nn.Linear(SEEN, width)
        self.place = nn.Parameter(torch.zeros(CELLS * CELLS, width))
        self.word = nn.Embedding(words, width)
        self.first = nn.Linear(width, width)
        self.step = nn.GRUCell(2 * width, width)
        self.out = nn.Linear(2 * width, words)
        self.drop = nn.Dropout(drop)

    def looked_at(self, cells: Tensor) -> tuple[Tensor, Tensor]:
        """The cells of films (n × cells × features) as they are looked at, and the state before the first word."""
        seen = self.drop(torch.tanh(self.see(cells) + self.place))
        return seen, torch.tanh(self.first(seen.mean(1)))

    def next(self, seen: Tensor, state: Tensor, word: Tensor) -> tuple[Tensor, Tensor]:
        """Log odds of every word to follow this one, and the new state."""
        weights = torch.softmax((seen * state.unsqueeze(1)).sum(2) / seen.shape[2] ** 0.5, 1)
        found = (weights.unsqueeze(2) * seen).sum(1)
        state = self.step(torch.cat([self.drop(self.word(word)), found], 1), state)
        return self.out(self.drop(torch.cat([state, found], 1))), state

    def forward(self, cells: Tensor, reports: Tensor) -> Tensor:
        """Log odds of the words of reports (n × longest), each after the true words before it."""
        seen, state = self.looked_at(cells)
        word = torch.full_like(reports[:, 0], START)
        odds = []
        for place in range(reports.shape[1]):
            found, state = self.next(seen, state, word)
            odds.append(found)
            word = reports[:, place]
        return torch.stack(odds, 1)


@dataclass(frozen=True)
class Drafter:
    """A network that has learned, the vocabulary it writes in, and how its films' features are centred and scaled."""

    network: DraftingNetwork
    vocabulary: Vocabulary
    centre: Tensor
    scale: Tensor
    device: str

    @torch.inference_mode()
    def drafts(self, cells: Cells) -> list[list[str]]:
        """The likeliest next word, again and again; no report is longer than those it learned from."""
        self.network.eval()
        written: list[list[str]] = []
        for some in torch.from_numpy(cells).split(256):  # type: ignore[no-untyped-call]
            seen, state = self.network.looked_at(_standard(some.to(self.device), self.centre, self.scale))
            word = torch.full((len(some),), START, device=self.device)
            words = []
            for _ in range(MOST_WORDS):
                odds, state = self.network.next(seen, state, word)
                odds[:, START] = -torch.inf
                word = odds.argmax(1)
                words.append(word)
                if bool((torch.stack(words) == END).any(0).all()):
                    break
            written += [self.vocabulary.text(row) for row in torch.stack(words, 1).tolist()]
        return written


def learn_drafter(
    cells: Cells,
    reports: list[list[str]],
    patients: NDArray[Any],
    *,
    steps: int,
    batch: int = 32,
    device: str = "cpu",
    seed: int = 0,
) -> Drafter:
    """From the features of films (n × cells² · features) and the words of their reports."""
    torch.manual_seed(seed)
    vocabulary = Vocabulary.of(reports, patients)
    numbers = torch.from_numpy(vocabulary.numbers(reports)).to(device)
    given = torch.from_numpy(cells).to(device)
    some = given[:: max(1, len(given) // 500)].reshape(-1, SEEN)  # enough to know how features lie
    centre, scale = some.mean(0), some.std(0).clamp(min=1e-4)
    network = DraftingNetwork(len(vocabulary)).to(device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.02)
    generator = torch.Generator().manual_seed(seed)
    network.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = warm_cosine(step, step / steps, RATE, warm=max(1, min(WARM, steps // 5)))
        rows = torch.randint(len(given), (batch,), generator=generator).to(device)
        words = numbers[rows]
        words = words[:, : int((words != END).sum(1).max()) + 1]
        odds = network(_standard(given[rows], centre, scale), words)
        loss = _loss(odds, words)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
    return Drafter(network.eval().requires_grad_(False), vocabulary, centre, scale, device)


def _standard(cells: Tensor, centre: Tensor, scale: Tensor) -> Tensor:
    return (cells.view(len(cells), CELLS * CELLS, SEEN) - centre) / scale


def _loss(odds: Tensor, words: Tensor) -> Tensor:
    """Of every word and of the one END that closes a report."""
    each = functional.cross_entropy(odds.transpose(1, 2), words, reduction="none")
    counts = torch.cat([torch.ones_like(words[:, :1]), words[:, :-1] != END], 1).float()
    return (each * counts).sum() / counts.sum()
