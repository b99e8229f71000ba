from hypothesis import given
from hypothesis import strategies as st

from medveil.defenses.reports.tagger.tokens import BLANK_LINE, LINE, NOTHING, SPACE, START, WIDE, tokenise


def test_letters_digits_and_signs_part():
    assert tokenise("Dr. O'Neil p5512, 92F").words == ["Dr", ".", "O", "'", "Neil", "p", "5512", ",", "92", "F"]


def test_a_run_of_one_sign_is_one_token():
    assert tokenise("-----==").words == ["-----", "=="]


def test_the_space_before_each_token_is_known():
    tokens = tokenise("a b  c\td\ne\n\nf\r\ng.")
    assert tokens.gaps.tolist() == [START, SPACE, WIDE, WIDE, LINE, BLANK_LINE, LINE, NOTHING]


def test_nothing_gives_nothing():
    assert len(tokenise("")) == len(tokenise(" \n\t ")) == 0


@given(st.text())
def test_tokens_cover_every_character_but_spaces(text):
    tokens = tokenise(text)
    covered = set()
    for word, start, end in zip(tokens.words, tokens.starts.tolist(), tokens.ends.tolist(), strict=True):
        assert text[start:end] == word
        covered.update(range(start, end))
    assert covered == {place for place, letter in enumerate(text) if not letter.isspace()}
