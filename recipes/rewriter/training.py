"""Trains the rewriter on pairs that are made as it goes; a part of recipe.py."""

from __future__ import annotations

import copy
import math
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from medveil.defenses.reports.rewriter.model_file import RewriterModel, load_model, save_model
from medveil.defenses.reports.rewriter.network import (
    KEEP,
    LEAVE,
    WRITE,
    RewriterNetwork,
    Sizes,
    WordTable,
    gap_of,
    word_table,
)
from medveil.defenses.reports.rewriter.plain_words import PlainWords, may_go
from medveil.defenses.reports.rewriter.tokens import read, sentences
from medveil.defenses.reports.rewriting import says_something
from recipes.rewriter.pairs import TITLES, Pair, pair
from recipes.tagger.corpus.lists import lines
from recipes.tagger.corpus.people import Lexicon

IGNORED = -100
FIRST_UNSEEN = 10**9  # pairs of this number and above are never trained on
LONGEST = 500  # words of a text
_STEPS = 100  # of a sentence
_GROUPS = 5
_SAMPLE = 40_000  # pairs in which the plain words are looked for
_LEAST = 4  # times that a word is left out in them
# each says something where it stands, whatever it is beside
_NEVER = frozenset(
    "no not nor or but than none if ap pa lat rt lt ra la od os st bs bm ph cns crt rd ld ho da med cardio k e fr fx "
    "ct nd mb primary site device plan done mother home lab".split()
)


@dataclass(frozen=True)
class Training:
    seconds: float = 1260.0
    texts: int = 48  # of a batch
    peak: float = 3e-3
    decay: float = 0.01
    average: float = 0.998
    forgotten: float = 0.2  # share of the words that the network knows by their letters alone
    seed: int = 0


@dataclass(frozen=True)
class Example:
    """A text as tokens, and for each sentence with a blank the places it goes through and what it does there."""

    words: list[tuple[str, str]]
    gaps: list[int]
    free: list[bool]
    places: list[list[int]]
    actions: list[list[int]]


def plain_words() -> PlainWords:
    """What the pairs leave out and write, less whatever says something of a patient."""
    gone: Counter[str] = Counter()
    written: Counter[str] = Counter()
    lexicon = Lexicon()
    for number in range(_SAMPLE):
        made = pair(number, lexicon)
        for start, end, words in made.changes:
            gone.update(token.text.lower() for token in read(made.text[start:end]) if token.is_word)
            written.update(words.split())
    lists = (*lines("credentials"), *lines("plans"), *TITLES)
    titles = {word.lower() for one in lists for word in re.findall(r"[^\W\d_]+", one)}
    told = {
        word.lower()
        for name in ("findings", "anatomy", "symptoms", "diagnoses", "procedures", "devices")
        for line in lines(name)
        for word in re.findall(r"[^\W\d_]+", line)
    }
    states = {word.lower() for word in lines("states")} - {"in", "id"}  # they go with an address, as `edits` has it
    plain = {word for word, count in gone.items() if count >= _LEAST} - titles - states
    never = _NEVER | {word for word in plain | titles if says_something(word)}
    function = set(lines("function_words"))
    return PlainWords(
        frozenset(word for word in plain - never if word in function or word not in told),
        frozenset(word for word in titles - never if len(word) > 1 and word not in function and word not in told)
        | {"do", "phd"},
        tuple(sorted(written)),
    )


def example(made: Pair, plain: PlainWords) -> Example:
    tokens = read(made.text)
    free = may_go(tokens, plain)
    ends = np.array([token.end for token in tokens])
    starts = np.array([token.start for token in tokens])
    gone, before = [False] * len(tokens), [()] * len(tokens)
    for start, end, words in made.changes:
        first, last = int(np.searchsorted(ends, start, "right")), int(np.searchsorted(starts, end, "left"))
        for place in range(first, last):
            gone[place] = free[place]
        inside = [place for place in range(first, last) if gone[place]]
        if words and inside:
            before[inside[0]] = tuple(words.split())
    places, actions = [], []
    for own in sentences(tokens):
        steps = [
            (place, action)
            for place in own
            for action in (
                *(WRITE + plain.written.index(word) for word in before[place]),
                LEAVE if gone[place] else KEEP,
            )
        ]
        places.append([place for place, _ in steps])
        actions.append([action for _, action in steps])
    words = [(token.text, token.kind) for token in tokens]
    return Example(words, [gap_of(token, place) for place, token in enumerate(tokens)], free, places, actions)


@dataclass(frozen=True)
class Steps:
    """Sentences of like length: the words they stand at, the action before each, and the one to take."""

    at: Tensor
    said: Tensor
    wanted: Tensor


@dataclass(frozen=True)
class Batch:
    table: WordTable
    rows: Tensor
    gaps: Tensor
    free: Tensor
    steps: tuple[Steps, ...]


def batch(examples: Sequence[Example], sizes: Sizes, actions: int) -> Batch:
    distinct = {word: place for place, word in enumerate(dict.fromkeys(w for one in examples for w in one.words), 1)}
    length = max(len(one.words) for one in examples)
    rows, gaps, free = (np.zeros((len(examples), length), np.int64) for _ in range(3))
    for place, one in enumerate(examples):
        rows[place, : len(one.words)] = [distinct[word] for word in one.words]
        gaps[place, : len(one.words)] = one.gaps
        free[place, : len(one.words)] = one.free
    spoken = sorted(
        (
            (np.array(own[:_STEPS]) + place * length, np.array(done[:_STEPS]))
            for place, one in enumerate(examples)
            for own, done in zip(one.places, one.actions, strict=True)
        ),
        key=lambda sentence: len(sentence[0]),
    )
    size = -(-len(spoken) // _GROUPS)
    groups = [spoken[start : start + size] for start in range(0, len(spoken), size)]
    parts = (torch.from_numpy(part) for part in (rows, gaps, free))
    return Batch(word_table(list(distinct), sizes), *parts, tuple(_steps(group, actions) for group in groups))


def _steps(spoken: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]], actions: int) -> Steps:
    shape = len(spoken), max(len(done) for _, done in spoken)
    at, said, wanted = np.zeros(shape, np.int64), np.full(shape, actions), np.full(shape, IGNORED)
    for place, (own, done) in enumerate(spoken):
        at[place, : len(own)] = own
        said[place, 1 : len(done)] = done[:-1]
        wanted[place, : len(done)] = done
    return Steps(*map(torch.from_numpy, (at, said, wanted)))


def loss_of(network: RewriterNetwork, one: Batch, known: Tensor | None = None) -> Tensor:
    vectors = network.encoder.each(one.table, known)
    read = network.encoder(vectors, one.rows, one.gaps, one.free).flatten(0, 1)
    scores = [network.decode(read[steps.at], steps.said)[0].flatten(0, 1) for steps in one.steps]
    wanted = torch.cat([steps.wanted.flatten() for steps in one.steps])
    return functional.cross_entropy(torch.cat(scores), wanted, ignore_index=IGNORED)


def _batches(plain: PlainWords, sizes: Sizes, how: Training, actions: int) -> Iterator[Batch]:
    """Texts of like length beside one another."""
    lexicon, number = Lexicon(), how.seed * 10**8
    while True:
        some: list[Example] = []
        while len(some) < 8 * how.texts:
            one = example(pair(number, lexicon), plain)
            number += 1
            if one.places and len(one.words) <= LONGEST:
                some.append(one)
        some.sort(key=lambda one: len(one.words))
        order = np.random.default_rng(number).permutation(8)
        for place in order:
            yield batch(some[place * how.texts : (place + 1) * how.texts], sizes, actions)


def train(out: Path, how: Training, start: Path | None = None) -> None:
    """From nothing, or on from an earlier model that knows the same words."""
    torch.manual_seed(how.seed)
    plain, sizes = plain_words(), Sizes()
    actions = WRITE + len(plain.written)
    print(len(plain.leaves), "words may go,", len(plain.titles), "titles,", len(plain.written), "written", flush=True)
    network = RewriterNetwork(len(plain.written), sizes)
    if start is not None:
        network.load_state_dict(_fitting(load_model(start), plain, network))
    average = copy.deepcopy(network)
    optimiser = torch.optim.AdamW(network.parameters(), how.peak, weight_decay=how.decay, betas=(0.9, 0.98))
    begun, said = time.monotonic(), 0.0
    for step, one in enumerate(_batches(plain, sizes, how, actions), 1):
        done = (time.monotonic() - begun) / how.seconds
        if done >= 1:
            break
        rate = how.peak * min(1.0, step / 200) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        known = (torch.rand(len(one.table.words)) > how.forgotten).float()
        loss = loss_of(network, one, known)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        share = min(how.average, (1 + step) / (10 + step))
        with torch.no_grad():
            for mean, value in zip(average.parameters(), network.parameters(), strict=True):
                mean.lerp_(value, 1 - share)
        said += loss.item()
        if step % 100 == 0:
            print(f"step {step} done {done:.2f} loss {said / 100:.4f}", flush=True)
            said = 0.0
        if step % 400 == 0:
            save_model(out, RewriterModel(average, plain))
    save_model(out, RewriterModel(average, plain))


def _fitting(known: RewriterModel, plain: PlainWords, network: RewriterNetwork) -> dict[str, Tensor]:
    """Its weights, with those of written words where the words now are; of new ones as they are drawn."""
    own, fresh = known.network.state_dict(), network.state_dict()
    before = {word: WRITE + place for place, word in enumerate(known.plain.written)}
    for name in ("said.weight", "out.weight", "out.bias"):
        weights = fresh[name].clone()
        weights[:WRITE] = own[name][:WRITE]
        for place, word in enumerate(plain.written):
            if word in before:
                weights[WRITE + place] = own[name][before[word]]
        if name == "said.weight":
            weights[-1] = own[name][-1]
        own[name] = weights
    return own
