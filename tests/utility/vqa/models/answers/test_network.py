"""With an image, the general part keeps the answer to the question alone until the image firmly says another."""

from __future__ import annotations

import pytest
import torch

from medveil.utility.vqa.models.answers.network import FIRM_OPEN, FIRM_YES, LOOKS, ORGANS, AnswerNetwork, organ_of
from medveil.utility.vqa.models.answers.words import BUCKETS, numbered

ASKED = "Is it quv?"


@pytest.fixture
def network() -> AnswerNetwork:
    """Says no, and the first answer, whatever is asked; parts of the body count for nothing yet."""
    network = AnswerNetwork(2, [0], [ASKED], 1).requires_grad_(False)
    for weight in (*network.general.parameters(), *network.by_likeness.parameters()):
        weight.zero_()
    network.by_likeness.usual.fill_(-0.1)
    network.remember()
    return network


def said(network: AnswerNetwork, look: str | None, asked: str = ASKED) -> tuple[float, int]:
    shown = None if look is None else torch.eye(len(LOOKS))[[LOOKS.index(look)]]
    yes, scores = network.generally(torch.from_numpy(numbered([asked], network.rarity.numpy())), shown)
    return yes.item(), int(scores.argmax())


def of_organ(organ: str) -> int:
    """The column of a part of the body by itself."""
    return -len(ORGANS) + ORGANS.index(organ)


@pytest.mark.parametrize(("strength", "replaced"), [(0.9, False), (1.1, True)])
def test_an_image_must_be_firm_to_change_yes_or_no(network: AnswerNetwork, strength: float, replaced: bool) -> None:
    network.by_likeness.yes_shown[0, of_organ("head")] = strength * FIRM_YES + 0.1
    assert said(network, None)[0] == pytest.approx(-0.1, abs=1e-3)
    assert (said(network, "head")[0] > 0) is replaced
    assert said(network, "chest")[0] < 0


@pytest.mark.parametrize(("strength", "replaced"), [(0.9, False), (1.1, True)])
def test_another_open_answer_must_lead(network: AnswerNetwork, strength: float, replaced: bool) -> None:
    first, last = (layer.weight for layer in network.general.open)
    first[0, of_organ("head")] = 1 / 0.4
    last[1, 0] = strength * FIRM_OPEN
    assert said(network, None)[1] == 0 and said(network, "chest")[1] == 0
    assert said(network, "head")[1] == int(replaced)


def test_known_questions_count_as_far_as_one_is_like_them(network: AnswerNetwork) -> None:
    network.by_likeness.yes[0] = 1.0
    network.by_likeness.open[0, 1] = 1.0
    assert said(network, None) == (pytest.approx(0.9, abs=1e-3), 1)
    assert 0.9 > said(network, None, "Is it quv now?")[0] > said(network, None, "Where is abc?")[0] > -0.11


def test_a_film_is_one_of_the_chest() -> None:
    looks = torch.eye(len(LOOKS))
    torch.testing.assert_close(organ_of(looks), torch.eye(len(ORGANS))[[0, 0, 1, 2]])
    assert organ_of(torch.tensor([[0.3, 0.3, 0.2, 0.2]]))[0, 0] > 0.8


def test_the_film_network_is_asked_about_films_alone() -> None:
    network = AnswerNetwork(2, [0, 1], [ASKED]).requires_grad_(False)
    network.remember()
    for weight in network.parameters():
        weight.zero_()
    network.is_for_film.bias.fill_(1)
    network.film.yes.bias.fill_(9)
    seen, asked = torch.zeros(1, 64, 128), torch.zeros(1, BUCKETS)
    yes = {look: network(asked, (seen, torch.eye(len(LOOKS))[[place]]))[1].item() for place, look in enumerate(LOOKS)}
    assert yes["film"] > 0.9 and yes["chest"] == yes["head"] == pytest.approx(0.5)
