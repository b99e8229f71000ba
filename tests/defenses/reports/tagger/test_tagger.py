from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from threading import Event

import numpy as np
import pytest
import torch

from medveil.defenses.reports.tagger import tagger as module
from medveil.defenses.reports.tagger.inference import infer, taken_from
from medveil.defenses.reports.tagger.network import REACH
from medveil.defenses.reports.tagger.tagger import Tagger
from medveil.person.identifiers import Category
from medveil.runtime.threads import one_torch_thread

TEXTS = [
    "Chest clear. Dr. Kerley read it on 3/4.",
    "",
    "Ångström, Zoë  12345\n\nlungs a b Kerley",
    "   ",
    "smith " * 40,
    "日本 Ω ﬁn 🫁 e\u0301 x",
]


@pytest.fixture
def tagger(random_model):
    return Tagger(random_model)


def test_it_finds_something_and_every_piece_is_made_of_whole_tokens(tagger):
    found = tagger.find(TEXTS)
    assert any(found)
    for text, own in zip(TEXTS, found, strict=True):
        for one in own:
            piece = text[one.start : one.end]
            assert piece == piece.strip() != ""
        assert own == sorted(own)
        assert all(left.end <= right.start for left, right in pairwise(own))


def test_order_and_company_do_not_matter(tagger, random_model):
    alone = [Tagger(random_model).find([text])[0] for text in TEXTS]
    assert tagger.find(TEXTS) == alone
    assert tagger.find(TEXTS[::-1]) == alone[::-1]


def test_windows_read_as_the_whole_does(tagger, monkeypatch):
    rng = np.random.default_rng(0)
    text = " ".join(rng.choice(["smith", "Kerley", "chest", "12", ".", "Zoë", "\n"], 700))
    whole = tagger.find([text])
    monkeypatch.setattr(module, "_WINDOW", 17)
    assert Tagger(tagger.model).find([text]) == whole


def test_reach_is_what_a_token_depends_on(random_model):
    network = random_model.networks[0]
    length, middle = 4 * REACH, 2 * REACH
    torch.manual_seed(0)
    vectors, gaps, present = torch.randn(length, 24), torch.zeros(length, dtype=torch.int64), torch.ones(length)
    before = network(vectors, gaps, present)
    vectors[middle, 0] += 5
    moved = (network(vectors, gaps, present) - before).abs().amax(1) > 1e-6
    assert set(np.flatnonzero(moved.numpy())) <= set(range(middle - REACH, middle + REACH + 1))
    assert moved[middle - 30 : middle + 31].any()


def test_reading_at_work_says_what_the_network_says(random_model):
    network = random_model.networks[0]
    torch.manual_seed(1)
    rows, gaps = torch.randint(7, (90, 3)), torch.randint(6, (7,))
    vectors = torch.randn(7, 24)
    with torch.inference_mode():
        x = vectors + network.gaps(gaps)
        taken = taken_from(network.layers[0], x)
        x[0], taken[:, 0] = 0, 0
        said = infer(network, x, taken, rows)
        for place, text in enumerate(rows.T):  # each of the texts side by side as if it were alone
            alone = network(vectors[text], gaps[text], (text > 0).float())
            assert torch.allclose(said[text > 0, place], alone[text > 0], atol=1e-4)


def test_texts_beyond_one_group_are_read_alike(tagger, monkeypatch):
    whole = tagger.find(TEXTS)
    monkeypatch.setattr(module, "_WINDOW", 80)
    assert Tagger(tagger.model).find(TEXTS) == whole


def test_texts_whose_words_are_looked_up_apart_are_read_alike(tagger, monkeypatch):
    whole = tagger.find(TEXTS)
    monkeypatch.setattr(module, "_LOOKED_UP", 12)
    assert Tagger(tagger.model).find(TEXTS) == whole


def test_forgetting_words_changes_nothing(tagger, monkeypatch):
    from medveil.defenses.reports.tagger import word_cache as word_cache

    whole = tagger.find(TEXTS)
    monkeypatch.setattr(word_cache, "_REMEMBERED", 3)
    monkeypatch.setattr(module, "_LOOKED_UP", 1)
    assert Tagger(tagger.model).find(TEXTS) == whole


def test_threads_may_share_it_though_it_forgets_words(random_model, monkeypatch, from_threads):
    from medveil.defenses.reports.tagger import word_cache as word_cache

    rng = np.random.default_rng(4)
    stock = [
        f"{start}{end}" for start in ("smi", "ker", "chest", "Zo", "12", "ang") for end in ("th", "ley", "ë", "34")
    ]
    texts = [" ".join(rng.choice([*stock, ".", "\n"], 40)) for _ in range(200)]
    alone = [Tagger(random_model).find([text])[0] for text in texts]
    monkeypatch.setattr(word_cache, "_REMEMBERED", 45)
    shared = Tagger(random_model)
    assert from_threads(lambda text: shared.find([text])[0], texts, word_cache) == alone


def test_the_surer_it_must_be_the_more_it_finds(random_model):
    def letters(sure):
        found = Tagger(replace(random_model, sure=sure)).find(TEXTS)
        return sum(one.end - one.start for own in found for one in own)

    assert letters(0.01) < letters(0.5) < letters(0.9999)


def test_torch_keeps_its_threads(tagger):
    threads = torch.get_num_threads()
    tagger.find(TEXTS)
    assert torch.get_num_threads() == threads


def test_torch_keeps_its_threads_when_two_of_ours_read_at_once():
    threads, inside, outside = torch.get_num_threads(), Event(), Event()

    def read_longer():
        with one_torch_thread():
            inside.set()
            outside.wait()

    with ThreadPoolExecutor(1) as other:
        with one_torch_thread():
            reading = other.submit(read_longer)
            inside.wait()
        outside.set()
        reading.result()
    with ThreadPoolExecutor(1) as later:
        assert later.submit(torch.get_num_threads).result() == torch.get_num_threads() == threads


def test_the_bundled_tagger_reads_a_plain_report():
    text = "Findings were discussed with Dr. Venkataraman at 14:35 on 03/12/2021. Kerley B lines. No pneumothorax."
    found = Tagger.bundled().find([text])[0]
    pieces = {text[one.start : one.end]: one.category for one in found}
    assert pieces == {"Venkataraman": Category.DOCTOR, "14:35": Category.TIME, "03/12/2021": Category.DATE}
