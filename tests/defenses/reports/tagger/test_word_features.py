import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.defenses.reports.tagger.word_features import (
    PIECES,
    SHAPES,
    Vocabulary,
    letter_groups,
    plain_word,
    shape,
)

KNOWN = ("[UNK]", "kerl", "##ey", "k", "##e", "##r", "##l", "##y", "-", "chest")


def test_the_longest_piece_comes_first():
    vocabulary = Vocabulary(KNOWN)
    assert [KNOWN[place] for place in vocabulary("Kerley")] == ["kerl", "##ey"]
    assert vocabulary("CHEST") == [9]
    assert vocabulary("kerx") == [0]


def test_accents_and_case_do_not_change_the_pieces():
    vocabulary = Vocabulary(KNOWN)
    assert vocabulary("KÉRLÉY") == vocabulary("kerley")


def test_pieces_agree_with_the_library_that_made_the_vocabulary():
    """The same splitting as the tokenizers package does, on words it knows in parts."""
    tokenizers = pytest.importorskip("tokenizers")
    pieces = {piece: place for place, piece in enumerate(KNOWN)}
    theirs = tokenizers.models.WordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=100)
    ours = Vocabulary(KNOWN)
    for word in ("kerley", "kerl", "kerly", "kye", "chest", "chesty", "rl", "key", "zz"):
        assert [KNOWN[place] for place in ours(word)] == [token.value for token in theirs.tokenize(word)]


@given(st.text(min_size=1).filter(lambda word: not any(letter.isspace() for letter in word)))
def test_every_word_has_features_in_range(word):
    assert 0 <= shape(word) < SHAPES
    assert all(0 <= bucket < 32 for bucket in letter_groups(word, 32))
    assert 1 <= len(Vocabulary(KNOWN)(word)) <= PIECES
    assert plain_word(word)


def test_shapes_tell_writings_apart():
    words = ("1234", "12", "-", "lung", "L", "LUNG", "Lung", "McLung", "eGFR")
    assert len({shape(word) for word in words}) == len(words)
