import torch

from medveil.defenses.reports.tagger.decoding import spans
from medveil.defenses.reports.tagger.network import CATEGORIES, NONE, TaggerNetwork
from medveil.defenses.reports.tagger.tokens import tokenise
from medveil.defenses.reports.tagger.word_features import Vocabulary
from medveil.person.identifiers import Category
from medveil.person.span import Span
from recipes.tagger.corpus.generator import document
from recipes.tagger.training import IGNORED, MADE, loss_of, scores, shard_of, targets

TEXT = "Seen by Dr. Anna O'Neil\nSmith, pager p5512."


def _found(*parts):
    return [Span(TEXT.index(text), TEXT.index(text) + len(text), category) for text, category in parts]


def test_labelled_text_comes_back_exactly():
    found = _found(("Anna O'Neil", Category.DOCTOR), ("Smith", Category.DOCTOR), ("5512", Category.PHONE))
    tokens = tokenise(TEXT)
    assert spans(tokens, *targets(tokens, found)) == found


def test_a_piece_inside_a_token_marks_the_token():
    tokens = tokenise("xSmithx ok")
    classes, begins = targets(tokens, [Span(1, 6, Category.NAME)])
    assert classes.tolist() == [CATEGORIES.index(Category.NAME), NONE]
    assert begins.tolist() == [True, False]


def test_nothing_is_found_in_nothing():
    tokens = tokenise("")
    assert spans(tokens, *targets(tokens, [])) == []


def test_a_shard_teaches_the_network_where_identifiers_are() -> None:
    vocabulary = Vocabulary(("[UNK]", "seen", "by", "dr", ".", "smith"))
    shard = shard_of({MADE: [document(number) for number in range(6)]}, vocabulary, buckets=64)
    assert shard.rows.shape == shard.classes.shape == shard.begins.shape
    assert ((shard.classes == IGNORED) == (shard.rows == 0)).all()
    torch.manual_seed(0)
    network = TaggerNetwork(len(vocabulary.pieces), embedding=8, buckets=64, width=16)
    steps = torch.optim.Adam(network.parameters(), 1e-2)
    losses = []
    for _ in range(12):
        loss = loss_of(scores(network, shard, slice(None)), shard.classes.long(), shard.begins)
        steps.zero_grad()
        loss.backward()
        steps.step()
        losses.append(loss.item())
    assert losses[-1] < 0.8 * losses[0]
