"""With an image, the general part keeps the answer to the question alone, unless the question is about the image
itself and the image firmly says another one."""

from __future__ import annotations

import pytest
import torch

from medveil.utility.vqa.models.answers.network import (
    FIRM_OPEN,
    FIRM_YES,
    LOOKS,
    ORGANS,
    SEQUENCES,
    SHOWN,
    AnswerNetwork,
    shown_by,
)
from medveil.utility.vqa.models.answers.words import BUCKETS, numbered

ASKED = "Is it quv?"


@pytest.fixture
def network() -> AnswerNetwork:
    """Says no, and the first answer, whatever is asked; it was taught one thing on an image of a T1-weighted head."""
    network = AnswerNetwork(2, [0], [1], [ASKED], 1, (1, 1)).requires_grad_(False)
    for weight in network.by_likeness.parameters():
        weight.zero_()
    network.by_likeness.usual.fill_(-0.1)
    network.is_of_image.weight.zero_()
    network.is_of_image.bias.fill_(1)
    for part in (network.yes_of_image, network.open_of_image):
        part.shown[0, [SHOWN.index("head"), SHOWN.index("T1")]] = 1
    network.remember()
    return network


def said(network: AnswerNetwork, look: str | None, asked: str = ASKED) -> tuple[float, int]:
    shown = None if look is None else torch.eye(len(LOOKS))[[LOOKS.index(look)]]
    yes, scores = network.generally(torch.from_numpy(numbered([asked], network.rarity.numpy())), shown)
    return yes.item(), int(scores.argmax())


@pytest.mark.parametrize(("strength", "replaced"), [(0.9, False), (1.1, True)])
def test_an_image_must_be_firm_to_change_yes_or_no(network: AnswerNetwork, strength: float, replaced: bool) -> None:
    network.yes_of_image.says.fill_(strength * FIRM_YES / 3)  # it counts as a question, as a head and as T1
    assert said(network, None)[0] == pytest.approx(-0.1, abs=1e-3)
    assert (said(network, "T1")[0] > 0) is replaced
    assert said(network, "T2")[0] < 0 and said(network, "chest")[0] < 0


@pytest.mark.parametrize(("strength", "replaced"), [(0.9, False), (1.1, True)])
def test_an_image_must_be_firm_to_change_an_open_answer(
    network: AnswerNetwork, strength: float, replaced: bool
) -> None:
    network.open_of_image.says.fill_(strength * FIRM_OPEN / 3)
    assert said(network, None)[1] == 0 and said(network, "chest")[1] == 0
    assert said(network, "T1")[1] == int(replaced)


def test_an_image_changes_no_answer_to_another_kind_of_question(network: AnswerNetwork) -> None:
    for part in (network.yes_of_image, network.open_of_image):
        part.says.fill_(1)
    assert said(network, "T1") != said(network, None)
    network.is_of_image.bias.fill_(-1)
    assert said(network, "T1") == said(network, None)


def test_known_questions_count_as_far_as_one_is_like_them(network: AnswerNetwork) -> None:
    network.by_likeness.yes[0] = 1.0
    network.by_likeness.open[0, 1] = 1.0
    assert said(network, None) == (pytest.approx(0.9, abs=1e-3), 1)
    assert 0.9 > said(network, None, "Is it quv now?")[0] > said(network, None, "Where is abc?")[0] > -0.11


def test_a_film_is_one_of_the_chest_and_a_sequence_one_of_the_head() -> None:
    shown = shown_by(torch.eye(len(LOOKS)))
    organ, sequence = shown[:, : len(ORGANS)], shown[:, len(ORGANS) :]
    torch.testing.assert_close(organ, torch.eye(len(ORGANS))[[0, 0, 2, *[1] * len(SEQUENCES)]])
    torch.testing.assert_close(sequence[-len(SEQUENCES) :], torch.eye(len(SEQUENCES)))
    assert not sequence[: -len(SEQUENCES)].any()
    unsure = shown_by(torch.tensor([[0.3, 0.3, 0.2, 0.2, *[0.0] * 5]]))
    assert unsure[0, 0] > 0.8 and unsure[0, 1] == unsure[0, len(ORGANS)] < 0.1


def test_the_film_network_is_asked_about_films_alone() -> None:
    network = AnswerNetwork(2, [0, 1], [], [ASKED]).requires_grad_(False)
    network.remember()
    for weight in network.parameters():
        weight.zero_()
    network.is_for_film.bias.fill_(1)
    network.film.yes.bias.fill_(9)
    seen, asked = torch.zeros(1, 64, 128), torch.zeros(1, BUCKETS)
    yes = {look: network(asked, (seen, torch.eye(len(LOOKS))[[place]]))[1].item() for place, look in enumerate(LOOKS)}
    assert yes["film"] > 0.9 and yes["chest"] == yes["T1"] == pytest.approx(0.5)
