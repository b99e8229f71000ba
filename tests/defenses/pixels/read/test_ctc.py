from __future__ import annotations

import numpy as np
import pytest
import torch

from medveil.defenses.pixels.read.alphabet import CHARACTERS, OTHER
from medveil.defenses.pixels.read.ctc import certainty_of, spelled


def shares_of(columns: str, sure: float = 0.98) -> np.ndarray:
    """A column for each sign; _ for nothing."""
    shares = np.full((len(columns), len(CHARACTERS)), (1 - sure) / (len(CHARACTERS) - 1), np.float32)
    for row, sign in enumerate(columns):
        shares[row, 0 if sign == "_" else CHARACTERS.index(sign)] = sure
    return shares


@pytest.mark.parametrize(
    ("columns", "text"), [("__PPA_", "PA"), ("L_L", "LL"), ("LLL", "L"), ("____", ""), ("_AP_ _R_", "AP R")]
)
def test_a_sign_is_told_again_only_after_nothing(columns, text):
    assert spelled(shares_of(columns)).text == text


def test_one_doubtful_letter_makes_the_whole_doubtful():
    shares = shares_of("_E_R_E_C_T_")
    assert spelled(shares).certainty > 0.75
    shares[3] = shares_of("R", 0.5)
    found = spelled(shares)
    assert found.text == "ERECT"
    assert found.confidence == pytest.approx(0.5)
    assert found.certainty < 0.5


def test_a_letter_that_may_have_been_overlooked_makes_the_text_doubtful():
    shares = shares_of("_PA___", 0.999)
    shares[4] = shares_of("T", 0.45)  # still nothing, by a hair
    shares[4, 0] = 0.5
    found = spelled(shares)
    assert (found.text, found.confidence > 0.99) == ("PA", True)
    assert found.certainty < 0.6


@pytest.mark.parametrize("said", [[], [5], [5, 5], [5, 6, 6, 9]])
def test_certainty_is_the_probability_that_training_maximises(said):
    shares = torch.randn(14, len(CHARACTERS), generator=torch.Generator().manual_seed(1)).softmax(dim=1)
    loss = torch.nn.functional.ctc_loss(
        shares.log()[:, None], torch.tensor([said], dtype=torch.long), (14,), (len(said),), reduction="sum"
    )
    assert certainty_of(shares.numpy(), said) == pytest.approx(float(torch.exp(-loss)), rel=1e-3)


def test_only_likely_letters_and_digits_are_counted():
    shares = shares_of(f"A_._7_ _{OTHER}_")
    assert spelled(shares).letters == 3
    shares[0] = shares_of("A", 0.4)
    assert spelled(shares).letters == 2
