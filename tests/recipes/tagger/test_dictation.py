import random
import re

from hypothesis import given
from hypothesis import strategies as st

from medveil.person.identifiers import Category
from recipes.tagger.corpus import spoken_numbers
from recipes.tagger.corpus.dictation import dictated
from recipes.tagger.corpus.generator import as_document

WORDS = {word: number for number, word in enumerate("zero one two three four five six seven eight nine".split())}


@given(st.integers(0, 9999))
def test_numbers_in_words_add_up(number):
    tens = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
    teens = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
    known = WORDS | tens | {word: 10 + place for place, word in enumerate(teens)}
    total = part = 0
    for word in spoken_numbers.words(number).split():
        if word == "thousand":
            total, part = part * 1000, 0
        elif word == "hundred":
            part *= 100
        else:
            part += known[word]
    assert total + part == number


@given(st.text("0123456789", min_size=1, max_size=12), st.integers(0, 999))
def test_what_is_spelled_is_said_sign_by_sign(text, seed):
    said = spoken_numbers.spelled(text, random.Random(seed)).replace("oh", "zero").split()
    digits = ""
    for place, word in enumerate(said):
        if word != "double":
            digits += str(WORDS[word]) * (2 if place and said[place - 1] == "double" else 1)
    assert digits == text


def test_a_dictation_keeps_its_answer_key():
    pieces = [
        ("Seen by Dr. ", None),
        ("Anna O'Neil", Category.DOCTOR),
        (" on ", None),
        ("3/4/2019", Category.DATE),
        (". MRN ", None),
        ("778-120", Category.MRN),
        (". The nodule measures 12 mm.", None),
    ]
    for seed in range(200):
        made = as_document(dictated(pieces, random.Random(seed)))
        found = [one.category for one in made.found]
        assert found[-2:] == [Category.DATE, Category.MRN]
        assert set(found[:-2]) == {Category.DOCTOR}  # said, and perhaps spelled
        assert made.text == made.text.lower()
        rest = made.text[made.found[-1].end :]
        assert re.search(r"\b(12|twelve)\b.* (mm|millimeters)\b", rest)
