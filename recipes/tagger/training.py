"""Trains the tagger on texts that are made as it goes; a part of recipe.py.

Needs NumPy, PyTorch, safetensors and the tagger's own modules alone.
"""

from __future__ import annotations

import copy
import json
import queue
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch.nn import functional

from medveil.defenses.reports.tagger.model_file import load_model, save_model
from medveil.defenses.reports.tagger.network import CATEGORIES, NONE, STEP, TaggerNetwork
from medveil.defenses.reports.tagger.tokens import Tokens, tokenise
from medveil.defenses.reports.tagger.word_features import Vocabulary, WordBatch, word_batch
from medveil.person.span import Span
from recipes.tagger.corpus.generator import Document, changed, document
from recipes.tagger.retired_notes import notes_to_learn
from recipes.tagger.start import LEXICON, PHANTOM, TABLE, UNSEEN, read_lexicon, read_reports

ROW = 512  # tokens
IGNORED = -100
FIRST_UNSEEN = 10**9  # texts of this number and above are never trained on
SURE = 0.6  # chosen on phantom hospitals 1010 to 1013, the first 250 refilled reports and published notes
MODEL, LEARNT = "tagger.safetensors", "tagger-half.safetensors"


@dataclass(frozen=True)
class Training:
    seconds: float = 460.0
    workers: int = 5
    documents: int = 1200  # of a shard
    phantom: float = 0.1  # share of the texts
    notes: float = 0.1
    rows: int = 96  # of a batch
    shards: int = 64  # kept
    peak: float = 2.5e-3
    decay: float = 0.02
    average: float = 0.9985
    lost_pieces: float = 0.15
    lost_groups: float = 0.12
    buckets: int = 8192
    width: int = 192
    seed: int = 0
    hold_back: bool = False  # every second of the newest notes, to see how it reads them


@dataclass
class Shard:
    """Texts one after another with empty places between, cut into rows."""

    words: WordBatch
    rows: torch.Tensor  # n × ROW, into the words; 0 is none
    gaps: torch.Tensor
    classes: torch.Tensor  # IGNORED where there is no word
    begins: torch.Tensor

    def to(self, device: str) -> Shard:
        return Shard(
            self.words.to(device), *(part.to(device) for part in (self.rows, self.gaps, self.classes, self.begins))
        )


def refining(seconds: float, seed: int, *, hold_back: bool) -> Training:
    """Small steps on one core, from a network that knows most already; most of them on notes by hand."""
    small = Training(seconds=seconds, workers=1, documents=48, rows=12, shards=24, average=0.99, seed=seed)
    return replace(small, peak=5e-4, phantom=0.05, notes=0.55, hold_back=hold_back)


def shard_of(texts: list[Document], vocabulary: Vocabulary, buckets: int) -> Shard:
    tokens = [tokenise(text.text) for text in texts]
    distinct = {word: place for place, word in enumerate(dict.fromkeys(w for own in tokens for w in own.words), 1)}
    size = sum(len(own) + STEP for own in tokens)
    size = -(-size // ROW) * ROW
    rows, gaps = np.zeros((2, size), np.int64)
    classes, begins = np.full(size, IGNORED), np.zeros(size, bool)
    start = 0
    for own, text in zip(tokens, texts, strict=True):
        here = slice(start, start + len(own))
        rows[here], gaps[here] = [distinct[word] for word in own.words], own.gaps
        classes[here], begins[here] = targets(own, text.found)
        start += len(own) + STEP
    parts = (torch.from_numpy(part.reshape(-1, ROW)) for part in (rows, gaps, classes, begins))
    return Shard(word_batch(list(distinct), vocabulary, buckets), *parts)


def targets(tokens: Tokens, found: Sequence[Span]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The class of every token that a span touches, and where a span begins."""
    classes = np.full(len(tokens), NONE)
    begins = np.zeros(len(tokens), bool)
    for one in found:
        first = int(np.searchsorted(tokens.ends, one.start, "right"))
        last = int(np.searchsorted(tokens.starts, one.end, "left"))
        classes[first:last] = CATEGORIES.index(one.category)
        if first < last:
            begins[first] = True
    return classes, begins


def make_shards(start: Path, how: Training, worker: int, out: Any) -> None:
    """A worker's whole life: shard after shard, until it is stopped."""
    torch.set_num_threads(1)
    vocabulary, _ = read_table(start)
    lexicon, phantom = read_lexicon(start / LEXICON), read_reports(start / PHANTOM)
    notes = notes_to_learn(hold_back=how.hold_back)
    rng = np.random.default_rng([how.seed, worker])
    while True:
        texts = []
        for number in rng.integers(FIRST_UNSEEN, size=how.documents).tolist():
            kind = number % 1000 / 1000
            if kind < how.phantom + how.notes:
                source = phantom if kind < how.phantom else notes
                texts.append(changed(source[number // 1000 % len(source)], number, lexicon))
            else:
                texts.append(document(number, lexicon))
        shard = shard_of(texts, vocabulary, how.buckets)
        words = [part.numpy() for part in vars(shard.words).values()]
        out.put((words, [part.numpy() for part in (shard.rows, shard.gaps, shard.classes, shard.begins)]))


def received(message: tuple[list[NDArray[Any]], list[NDArray[Any]]]) -> Shard:
    words, parts = ([torch.from_numpy(part) for part in half] for half in message)
    return Shard(WordBatch(*words), *parts)


def read_table(start: Path) -> tuple[Vocabulary, torch.Tensor]:
    with safe_open(start / TABLE, "pt") as file:
        table = file.get_tensor("table").float() * file.get_tensor("scale").float()[:, None]
        return Vocabulary(json.loads(file.metadata()["pieces"])), table


def new_network(start: Path, how: Training) -> tuple[TaggerNetwork, Vocabulary]:
    """Word pieces as they were pretrained, and left so: words never met keep their place among those that were."""
    vocabulary, table = read_table(start)
    network = TaggerNetwork(len(table), table.shape[1], how.buckets, how.width)
    with torch.no_grad():
        network.words.pieces.weight.copy_(table)
        network.words.groups.weight.normal_(std=0.1)
    network.words.pieces.weight.requires_grad_(False)
    return network, vocabulary


def scores(
    network: TaggerNetwork, shard: Shard, rows: torch.Tensor | slice, how: Training | None = None
) -> torch.Tensor:
    keep = None
    if how is not None:
        chance = torch.rand(2, len(shard.words.shapes), 1, device=shard.rows.device)
        keep = ((chance[0] >= how.lost_pieces).float(), (chance[1] >= how.lost_groups).float())
    vectors = functional.pad(network.words(shard.words, keep), (0, 0, 1, 0))
    own = shard.rows[rows]
    return network(vectors[own], shard.gaps[rows], (own > 0).float())


def loss_of(said: torch.Tensor, classes: torch.Tensor, begins: torch.Tensor) -> torch.Tensor:
    kinds = functional.cross_entropy(said[..., : NONE + 1].flatten(0, -2), classes.flatten(), ignore_index=IGNORED)
    named = (classes >= 0) & (classes < NONE)
    starts = functional.binary_cross_entropy_with_logits(said[..., NONE + 1][named], begins[named].float())
    return kinds + 0.1 * starts


@torch.no_grad()
def look(network: TaggerNetwork, shards: dict[str, Shard]) -> str:
    """Of tokens: recall (touched at all, any class), precision, and share of the right class."""
    network.eval()
    told = []
    for name, shard in shards.items():
        said = torch.cat([scores(network, shard, slice(at, at + 64)) for at in range(0, len(shard.rows), 64)])
        true, none = shard.classes, said[..., : NONE + 1].softmax(-1)[..., NONE]
        is_id, here = (true >= 0) & (true < NONE), true >= 0
        parts = []
        for sure in (0.5, 0.8, 0.95):
            hit = (none < sure) & here
            parts.append(f"{(hit & is_id).sum() / is_id.sum():.4f}/{(hit & is_id).sum() / hit.sum():.4f}")
        right = (said[..., :NONE].argmax(-1) == true)[is_id].float().mean()
        told.append(f"{name} {' '.join(parts)} class {right:.4f}")
    network.train()
    return " | ".join(told)


def train(start: Path, out: Path, device: str, how: Training, *, begin: Path | None = None) -> None:
    """From the pretrained word pieces, or on from what another run has learnt."""
    began = time.time()
    torch.manual_seed(how.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    context = get_context("fork")
    shards_made = context.Queue(maxsize=2 * how.workers)
    workers = [
        context.Process(target=make_shards, args=(start, how, number, shards_made), daemon=True)
        for number in range(how.workers)
    ]
    for worker in workers:
        worker.start()
    try:
        _learn(start, out, device, how, shards_made, began, begin)
    finally:
        for worker in workers:
            worker.kill()


def _learnt(begin: Path) -> dict[str, torch.Tensor]:
    """Of an earlier run, or of a finished model in eight bits."""
    if begin.is_dir():
        return {name: value.float() for name, value in load_file(begin / LEARNT).items()}
    known = load_model(begin).network.state_dict()
    return {name: value for name, value in known.items() if name != "words.pieces.weight"}


def _learn(
    start: Path, out: Path, device: str, how: Training, shards_made: Any, began: float, begin: Path | None
) -> None:
    network, vocabulary = new_network(start, how)
    if begin is not None:
        network.load_state_dict({"words.pieces.weight": network.words.pieces.weight} | _learnt(begin))
    lexicon = read_lexicon(start / LEXICON)
    small = device == "cpu"
    unseen = {
        "own": shard_of(
            [document(FIRST_UNSEEN + n, lexicon) for n in range(120 if small else 1500)], vocabulary, how.buckets
        ).to(device),
        "letter": shard_of(read_reports(start / UNSEEN)[: 12 if small else 200], vocabulary, how.buckets).to(device),
    }
    network.to(device).train()
    average = copy.deepcopy(network).requires_grad_(False)
    learning = [weight for weight in network.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=how.peak, weight_decay=how.decay, betas=(0.9, 0.98))
    rng = np.random.default_rng(how.seed)
    kept: list[Shard] = []
    step, made, told = 0, 0, time.time()
    while (share := (time.time() - began) / how.seconds) < 1:
        try:
            shard = received(shards_made.get(block=not kept)).to(device)
            made += 1
            kept = [*kept[-how.shards + 1 :], shard]
        except queue.Empty:
            pass
        shard = kept[int(rng.integers(len(kept)))]
        rows = torch.from_numpy(rng.integers(len(shard.rows), size=min(how.rows, len(shard.rows)))).to(device)
        rate = how.peak * min(share / 0.04, 1) * (0.5 + 0.5 * np.cos(np.pi * share)) + 1e-6
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = loss_of(scores(network, shard, rows, how), shard.classes[rows], shard.begins[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        kept_share = min(how.average, (step + 1) / (step + 10))
        with torch.no_grad():
            for mean, weight in zip(average.parameters(), network.parameters(), strict=True):
                mean.lerp_(weight, 1 - kept_share)
        step += 1
        if time.time() - told > how.seconds / 12:
            told = time.time()
            print(
                f"{told - began:.0f} s step {step} shards {made} loss {loss.item():.4f} {look(average, unseen)}",
                flush=True,
            )
            keep(out, average, vocabulary)
    print(f"end: step {step} shards {made} {look(average, unseen)}", flush=True)
    keep(out, average, vocabulary)


def keep(out: Path, network: TaggerNetwork, vocabulary: Vocabulary) -> None:
    """The model in eight bits, and what was learnt in sixteen."""
    out.mkdir(parents=True, exist_ok=True)
    save_model(out / MODEL, network, vocabulary, sure=SURE)
    learnt = {
        name: value.half().cpu().contiguous()
        for name, value in network.state_dict().items()
        if name != "words.pieces.weight"
    }
    save_file(learnt, out / LEARNT)
