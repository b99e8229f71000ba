"""Texts with blanks and without: every blank is gone from the second, and nothing that says something is."""

from __future__ import annotations

import re

import pytest
import torch

from medveil.defenses.reports.rewriter.network import KEEP, LEAVE, WRITE, RewriterNetwork, Sizes
from medveil.defenses.reports.rewriter.plain_words import PlainWords, may_go
from medveil.defenses.reports.rewriter.tokens import PLACEHOLDER, read
from medveil.defenses.reports.rewriting import says_something
from recipes.rewriter.pairs import Pair, pair
from recipes.rewriter.training import batch, example, loss_of
from recipes.tagger.corpus.people import Lexicon

PLAIN = PlainWords(frozenset(("seen", "by", "at")), frozenset(("dr",)), ("clinician", "the"))


@pytest.fixture(scope="module")
def made() -> list[Pair]:
    lexicon = Lexicon()
    return [pair(number, lexicon) for number in range(150)]


def test_the_same_number_gives_the_same_text(made: list[Pair]) -> None:
    assert pair(7, Lexicon()) == made[7] and len({one.text for one in made}) > 140


def test_every_blank_is_in_a_change(made: list[Pair]) -> None:
    for one in made:
        inside = [range(start, end) for start, end, _ in one.changes]
        assert all(any(blank.start() in own for own in inside) for blank in PLACEHOLDER.finditer(one.text))
        assert not re.search("[\ue000-\uf8ff]", one.text)


def test_changes_say_nothing_of_a_patient(made: list[Pair]) -> None:
    for one in made:
        for start, end, words in one.changes:
            left_out = PLACEHOLDER.sub(" ", one.text[start:end])
            assert not re.search(r"\d", words)
            for word in (*re.findall(r"[^\W\d_]+", left_out), *words.split()):
                assert word.lower() == "no" or not says_something(word)


def test_actions_follow_the_changes() -> None:
    text = "Seen by Dr. [DOCTOR] at [TIME]. Clear."
    one = example(Pair(text, ((8, 20, "the clinician"), (20, 30, ""))), PLAIN)
    assert [one.words[place][0] for place in one.places[0]] == "Seen by Dr Dr Dr . [DOCTOR] at [TIME] .".split()
    written = [WRITE + PLAIN.written.index(word) for word in ("the", "clinician")]
    assert one.actions[0] == [KEEP, KEEP, *written, LEAVE, LEAVE, LEAVE, LEAVE, LEAVE, KEEP]
    assert len(one.places) == 1  # the sentence without a blank is not gone through


def test_what_may_not_go_is_kept_whatever_a_pair_says() -> None:
    text = "No effusion [TIME]."
    one = example(Pair(text, ((0, len(text) - 1, ""),)), PLAIN)
    assert one.actions[0] == [KEEP, KEEP, LEAVE, KEEP]
    assert one.free == may_go(read(text), PLAIN)


def test_a_network_learns_from_them() -> None:
    torch.manual_seed(0)
    sizes = Sizes(256, 256, 8, 16, 16, 8)
    network = RewriterNetwork(len(PLAIN.written), sizes)
    some = batch([example(Pair("Seen by Dr. [DOCTOR].", ((8, 20, "the clinician"),)), PLAIN)] * 4, sizes, WRITE + 2)
    steps = torch.optim.Adam(network.parameters(), 3e-2)
    losses = []
    for _ in range(30):
        loss = loss_of(network, some)
        steps.zero_grad()
        loss.backward()
        steps.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 < losses[0]
