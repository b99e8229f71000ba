from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from medveil.encoders.medveil_small.vocabulary import LONG_NUMBER, LONGEST, Tokenizer, letter_groups, split_words

BUCKETS = 512


def test_words_of_a_report() -> None:
    text = "Small LEFT pleural-effusion, 3.2 cm. ? Pneumonia; José 12 mm"
    expected = ["small", "left", "pleural", "effusion", "3.2", "cm", ".", "?", "pneumonia", "jose", "12", "mm"]
    assert split_words(text) == expected


def test_numbers_that_identify_are_one_word() -> None:
    assert set(split_words("05426625 20170407 2017 0163")) == {LONG_NUMBER}
    assert split_words("MRN 05426625") == split_words("MRN 99887766")


@given(st.text())
def test_any_text_is_read_alike_in_any_case_and_spacing(text: str) -> None:
    words = split_words(text)
    assert all(word and not word.isspace() for word in words)
    assert split_words(text.casefold()) == words
    assert split_words(f"\n {text}\t") == words
    again = split_words(" ".join(word for word in words if word != LONG_NUMBER))
    assert again == [word for word in words if word != LONG_NUMBER]


@given(st.text(min_size=1), st.integers(2, 10_000))
def test_letter_groups_stay_in_their_buckets(word: str, buckets: int) -> None:
    groups = letter_groups(word, buckets)
    assert groups
    assert all(0 <= group < buckets for group in groups)
    assert groups == letter_groups(word, buckets)


def test_words_with_common_letters_share_groups() -> None:
    def shared(a: str, b: str) -> int:
        return len(set(letter_groups(a, 10**9)) & set(letter_groups(b, 10**9)))

    assert shared("effusion", "effusions") > 10
    assert shared("effusion", "cardiomegaly") == 0


@given(st.lists(st.text(), max_size=5))
def test_numbers_lead_back_to_the_words(texts: list[str]) -> None:
    words = Tokenizer(["effusion"], BUCKETS)(texts)
    reports = [split_words(text)[:LONGEST] for text in texts]
    distinct = list(dict.fromkeys(word for report in reports for word in report))
    assert words.index.shape == (len(texts), max([1, *map(len, reports)]))
    for row, report in zip(words.index.tolist(), reports, strict=True):
        assert [distinct[number - 1] for number in row if number] == report
        assert not any(row[len(report) :])
    ends = [*words.starts.tolist()[1:], len(words.groups)]
    for word, start, end in zip(distinct, words.starts.tolist(), ends, strict=False):
        assert words.groups[start:end].tolist() == letter_groups(word, BUCKETS)


def test_known_words_have_their_place() -> None:
    words = Tokenizer(["effusion", "left"], BUCKETS)(["left basal effusion"])
    assert words.known.tolist() == [2, 0, 1]


def test_only_the_first_words_are_read() -> None:
    words = Tokenizer([], BUCKETS)(["word " * (LONGEST + 50)])
    assert words.index.shape == (1, LONGEST)
    assert torch.equal(words.index, torch.ones_like(words.index))
