"""Trains the tagger on texts that are made as it goes; a part of recipe.py.

Needs NumPy, PyTorch, safetensors and the tagger's own modules alone.
"""

from __future__ import annotations

import copy
import itertools
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from torch.nn import functional

from medveil.defenses.reports.tagger.model_file import load_model, save_model
from medveil.defenses.reports.tagger.network import CATEGORIES, NONE, STEP, TaggerNetwork
from medveil.defenses.reports.tagger.tokens import Tokens, tokenise
from medveil.defenses.reports.tagger.word_features import Vocabulary, WordBatch, word_batch
from medveil.person.span import Span
from recipes.tagger.corpus.generator import Document, changed, document
from recipes.tagger.retired_notes import Part, teaching_notes
from recipes.tagger.start import LEXICON, PHANTOM, TABLE, UNSEEN, read_lexicon, read_reports

ROW = 512  # tokens
IGNORED = -100
MADE = -1  # rows of texts that the generator made; of notes their part is told
FIRST_UNSEEN = 10**9  # texts of this number and above are never trained on
SURE = 0.6  # chosen on phantom hospitals 1010 to 1013, the first 250 refilled reports and published notes
MODEL = "tagger.safetensors"


@dataclass(frozen=True)
class Training:
    seconds: float = 460.0
    workers: int = 5
    documents: int = 1200  # of a shard
    rest: float = 0.0  # after a shard, as many times as long as it took
    phantom: float = 0.1  # share of the texts
    written: float = 0.3
    new: float = 0.5  # share of the notes
    notes: float = 0.35  # share of the rows that are learnt from
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
    apart: bool = True  # whether it learns from the new notes that are kept apart
    dropout: float = 0.0  # of what is known of a word
    begin: Path | None = None  # a model to go on from; else the pretrained word pieces
    network: int = 0  # of that model


@dataclass
class Shard:
    """Texts one after another with empty places between, cut into rows."""

    words: WordBatch
    rows: torch.Tensor  # n × ROW, into the words; 0 is none
    gaps: torch.Tensor
    classes: torch.Tensor  # IGNORED where there is no word
    begins: torch.Tensor
    of: torch.Tensor  # what each row's texts are: made, or a part of the notes

    def to(self, device: str) -> Shard:
        """What is learnt from; what the rows are of is asked on the processor."""
        rows, gaps, classes, begins = (one.to(device) for one in (self.rows, self.gaps, self.classes, self.begins))
        return Shard(self.words.to(device), rows, gaps, classes, begins, self.of)

    def tensors(self) -> Iterator[torch.Tensor]:
        yield from vars(self.words).values()
        yield from (self.rows, self.gaps, self.classes, self.begins, self.of)


def shard_of(texts: Mapping[int, Sequence[Document]], vocabulary: Vocabulary, buckets: int) -> Shard:
    """Texts by what they are of; no row holds texts of two kinds."""
    known: dict[str, int] = {}
    rows = [_rows_of(own, known) for own in texts.values()]
    of = np.repeat(list(texts), [len(one[0]) for one in rows])
    words, gaps, classes, begins = (torch.from_numpy(np.concatenate(part)) for part in zip(*rows, strict=True))
    batch = word_batch(list(known), vocabulary, buckets)
    return Shard(batch, words, gaps, classes, begins, torch.from_numpy(of))


def _rows_of(texts: Sequence[Document], known: dict[str, int]) -> list[NDArray[Any]]:
    tokens = [tokenise(text.text) for text in texts]
    size = -(-sum(len(own) + STEP for own in tokens) // ROW) * ROW
    rows, gaps = np.zeros((2, size), np.int32)
    classes, begins = np.full(size, IGNORED, np.int16), np.zeros(size, bool)
    start = 0
    for own, text in zip(tokens, texts, strict=True):
        here = slice(start, start + len(own))
        rows[here] = [known.setdefault(word, len(known) + 1) for word in own.words]
        gaps[here] = own.gaps
        classes[here], begins[here] = targets(own, text.found)
        start += len(own) + STEP
    return [part.reshape(-1, ROW) for part in (rows, gaps, classes, begins)]


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


def make_shards(start: Path, how: Training, worker: int, folder: Path) -> None:
    """A worker's whole life: shard after shard into the folder, until it is stopped."""
    torch.set_num_threads(1)
    vocabulary, _ = read_table(start)
    lexicon, phantom = read_lexicon(start / LEXICON), read_reports(start / PHANTOM)
    notes = [(part, note) for _, part, note in teaching_notes()]
    old, new = ([one for one in notes if (one[0] is Part.OLD) is known] for known in (True, False))
    rng = np.random.default_rng([how.seed, worker])
    for count in itertools.count():
        began = time.time()
        texts: dict[int, list[Document]] = {}
        for number in rng.integers(FIRST_UNSEEN, size=how.documents).tolist():
            kind, place = number % 1000 / 1000, number // 1000
            if kind < how.written:
                among = new if kind < how.new * how.written else old
                part, note = among[place % len(among)]
                texts.setdefault(part, []).append(changed(note, number, lexicon))
            elif kind < how.written + how.phantom:
                texts.setdefault(MADE, []).append(changed(phantom[place % len(phantom)], number, lexicon))
            else:
                texts.setdefault(MADE, []).append(document(number, lexicon))
        arrays = [part.numpy() for part in shard_of(texts, vocabulary, how.buckets).tensors()]
        name = f"{count:06d}-{worker}"
        np.savez(folder / f"{name}.part.npz", *arrays)
        (folder / f"{name}.part.npz").rename(folder / f"{name}.npz")
        time.sleep(how.rest * (time.time() - began))


def read_shard(path: Path) -> Shard:
    with np.load(path, allow_pickle=False) as file:
        arrays = [torch.from_numpy(file[name]) for name in file.files]
    words = len(fields(WordBatch))
    return Shard(WordBatch(*arrays[:words]), *arrays[words:])


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
    if how is not None and how.dropout:
        vectors = functional.dropout(vectors, how.dropout)
    own = shard.rows[rows].long()
    return network(vectors[own], shard.gaps[rows].long(), (own > 0).float())


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
        true, none = shard.classes.long(), said[..., : NONE + 1].softmax(-1)[..., NONE]
        is_id, here = (true >= 0) & (true < NONE), true >= 0
        parts = []
        for sure in (0.5, 0.8, 0.95):
            hit = (none < sure) & here
            parts.append(f"{(hit & is_id).sum() / is_id.sum():.4f}/{(hit & is_id).sum() / hit.sum():.4f}")
        right = (said[..., :NONE].argmax(-1) == true)[is_id].float().mean()
        told.append(f"{name} {' '.join(parts)} class {right:.4f}")
    network.train()
    return " | ".join(told)


def train(start: Path, out: Path, device: str, runs: Mapping[str, Training]) -> None:
    """Networks side by side that learn from the same texts."""
    context = get_context("spawn")
    first = next(iter(runs.values()))
    with TemporaryDirectory() as folder:
        workers = [
            context.Process(target=make_shards, args=(start, first, number, Path(folder)), daemon=True)
            for number in range(first.workers)
        ]
        learners = [
            context.Process(target=_learn, args=(start, out / name, device, how, Path(folder)))
            for name, how in runs.items()
        ]
        for process in (*workers, *learners):
            process.start()
        for learner in learners:
            learner.join()
        for worker in workers:
            worker.kill()
            worker.join()
    if failed := [name for name, learner in zip(runs, learners, strict=True) if learner.exitcode]:
        raise RuntimeError(f"did not learn to the end: {', '.join(failed)}")


def further(begin: Path, how: Training) -> dict[str, Training]:
    """Every network of a model goes on from what it has learnt."""
    gentle = replace(how, begin=begin, dropout=0.2, lost_pieces=0.25, lost_groups=0.25, notes=0.6)
    widths = [network.words.narrow.out_features for network in load_model(begin).networks]
    return {
        f"network-{number}": replace(gentle, network=number, width=width, seed=how.seed + number)
        for number, width in enumerate(widths)
    }


def join(out: Path, models: Sequence[Path]) -> None:
    """What they say is averaged from now on."""
    loaded = [load_model(path) for path in models]
    networks = [network for model in loaded for network in model.networks]
    save_model(out, networks, loaded[0].vocabulary, sure=SURE)


def _learnt(begin: Path, number: int) -> dict[str, torch.Tensor]:
    known = load_model(begin).networks[number].state_dict()
    return {name: value for name, value in known.items() if name != "words.pieces.weight"}


def _unseen(start: Path, vocabulary: Vocabulary, how: Training, device: str) -> dict[str, Shard]:
    small = device == "cpu"
    made = [document(FIRST_UNSEEN + number, read_lexicon(start / LEXICON)) for number in range(60 if small else 800)]
    kinds = {"own": made, "letter": read_reports(start / UNSEEN)[: 12 if small else 200]}
    if not how.apart:
        kinds["notes"] = [note for _, part, note in teaching_notes() if part is Part.APART]
    return {name: shard_of({MADE: own}, vocabulary, how.buckets).to(device) for name, own in kinds.items()}


class _Shards:
    """The newest that workers have made, some of them kept."""

    def __init__(self, folder: Path, device: str, most: int) -> None:
        self._folder, self._device, self._most = folder, device, most
        self._known: set[str] = set()
        self.kept: list[Shard] = []

    def look(self) -> None:
        new = sorted({path.name for path in self._folder.glob("*[0-9].npz")} - self._known)
        if new:
            self._known.add(new[0])
            self.kept = [*self.kept[1 - self._most :], read_shard(self._folder / new[0]).to(self._device)]

    def wait(self) -> None:
        while not self.kept:
            self.look()
            time.sleep(0.1)


def _batch(shard: Shard, how: Training, rng: np.random.Generator) -> torch.Tensor:
    """Rows, so many of them of notes by hand."""
    of = shard.of.numpy()
    made, notes = np.flatnonzero(of == MADE), np.flatnonzero((of != MADE) & (how.apart | (of != Part.APART)))
    wanted = rng.binomial(how.rows, how.notes)
    return torch.from_numpy(np.concatenate((rng.choice(notes, wanted), rng.choice(made, how.rows - wanted))))


def _learn(start: Path, out: Path, device: str, how: Training, folder: Path) -> None:
    began = time.time()
    torch.manual_seed(how.seed)
    torch.set_num_threads(1)
    torch.backends.cuda.matmul.allow_tf32 = True
    network, vocabulary = new_network(start, how)
    if how.begin is not None:
        network.load_state_dict(network.state_dict() | _learnt(how.begin, how.network))
    unseen = _unseen(start, vocabulary, how, device)
    network.to(device).train()
    average = copy.deepcopy(network).requires_grad_(False)
    learning = [weight for weight in network.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=how.peak, weight_decay=how.decay, betas=(0.9, 0.98))
    averages: list[torch.Tensor] = [
        mean for mean, weight in zip(average.parameters(), network.parameters(), strict=True) if weight.requires_grad
    ]
    rng = np.random.default_rng(how.seed)
    shards = _Shards(folder, device, how.shards)
    shards.wait()
    step, told = 0, time.time()
    while (share := (time.time() - began) / how.seconds) < 1:
        if step % 20 == 0:
            shards.look()
        shard = shards.kept[int(rng.integers(len(shards.kept)))]
        rows = _batch(shard, how, rng).to(device)
        rate = how.peak * min(share / 0.04, 1) * (0.5 + 0.5 * np.cos(np.pi * share)) + 1e-6
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = loss_of(scores(network, shard, rows, how), shard.classes[rows].long(), shard.begins[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        kept_share = min(how.average, (step + 1) / (step + 10))
        torch._foreach_lerp_(averages, [weight.detach() for weight in learning], 1 - kept_share)
        step += 1
        if time.time() - told > how.seconds / 8:
            told = time.time()
            print(
                f"{out.name} {told - began:.0f} s step {step} loss {loss.item():.4f} {look(average, unseen)}",
                flush=True,
            )
            keep(out, average, vocabulary)
    print(f"{out.name} end: step {step} {look(average, unseen)}", flush=True)
    keep(out, average, vocabulary)


def keep(out: Path, network: TaggerNetwork, vocabulary: Vocabulary) -> None:
    out.mkdir(parents=True, exist_ok=True)
    save_model(out / MODEL, [network], vocabulary, sure=SURE)
