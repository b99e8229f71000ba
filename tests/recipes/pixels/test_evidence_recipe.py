"""From phantom films to weights that the cleaner can load."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.evidence import weigh
from medveil.defenses.pixels.decide.evidence_network import NUMBERS, SIZE, EvidenceNetwork
from medveil.defenses.pixels.find.detector import find_lines
from medveil.errors import InputError
from medveil.weights.bundled import bundled
from recipes.pixels import evidence_proposals, evidence_recipe
from recipes.pixels.backgrounds import drawn
from recipes.pixels.evidence_films import is_held_out
from recipes.pixels.evidence_proposals import Proposal, Task, as_stored, proposals_of, rows_of, save, some_tasks, until
from recipes.pixels.evidence_recipe import Proposals, is_own_type, logits_of, train
from recipes.pixels.evidence_writing import write_type

LEARNED, KEPT = "00000001_000.png", "00000005_000.png"


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("films") / LEARNED
    cv2.imwrite(str(file), drawn(0)[::2, ::2])
    return file


@pytest.fixture(scope="module")
def gathered(film: Path) -> list[Proposal]:
    tasks = [Task(film, film.with_name("none"), (5, number), only_type=False) for number in range(6)]
    tasks[0].fonts.mkdir()  # no fonts: Pillow's own
    return [one for task in tasks for one in proposals_of(task)]


@pytest.fixture(scope="module")
def stored(gathered: list[Proposal], tmp_path_factory: pytest.TempPathFactory) -> Proposals:
    file = tmp_path_factory.mktemp("proposals") / "proposals.npz"
    save(gathered, file)
    return Proposals.load(file, "cpu")


def test_gathers_type_and_what_is_none(gathered: list[Proposal]) -> None:
    assert {one.is_type for one in gathered} == {True, False}
    assert {one.drawn for one in gathered} == {True, False}
    assert all(one.numbers.shape == (NUMBERS,) for one in gathered)


def test_one_patient_in_ten_is_kept_out(film: Path, gathered: list[Proposal]) -> None:
    assert not is_held_out(LEARNED)
    assert is_held_out(KEPT)
    assert not any(one.held_out for one in gathered)
    other = film.with_name(KEPT)
    other.write_bytes(film.read_bytes())
    kept = [one for number in range(3) for one in proposals_of(Task(other, film.with_name("none"), (5, number), False))]
    assert kept
    assert all(one.held_out for one in kept)


def test_films_full_of_type_give_nothing_else(film: Path, gathered: list[Proposal]) -> None:
    found = [one for n in range(6) for one in proposals_of(Task(film, film.with_name("none"), (5, n), only_type=True))]
    assert len(found) == sum(one.is_type for one in gathered)
    assert all(one.is_type for one in found)


def test_tasks_end_with_the_time_and_are_the_same_for_a_seed() -> None:
    films = {name: [Path(f"{name}-{number}") for number in range(5)] for name in evidence_proposals.SETS}
    assert len(list(until(some_tasks(films, Path("fonts"), 1), 0))) == 1
    one, again = (list(islice(some_tasks(films, Path("fonts"), 1), 200)) for _ in range(2))
    assert one == again
    assert {task.only_type for task in one} == {True, False}
    assert all(task.only_type == task.file.name.startswith("vqa_rad") for task in one)


def test_what_is_stored_is_what_the_cleaner_weighs(tmp_path: Path) -> None:
    view, _ = write_type(drawn(1)[::2, ::2].copy(), np.random.default_rng(2), ["default"])
    lines = find_lines(view)
    save([Proposal(*as_stored(row), True, False, False) for row in rows_of(lines, view)], tmp_path / "rows.npz")
    network = EvidenceNetwork().eval()
    network.load_state_dict({name: value.float() for name, value in load_file(bundled("text-evidence")).items()})
    stored = Proposals.load(tmp_path / "rows.npz", "cpu")
    scores = logits_of(network, stored, torch.arange(len(lines))).sigmoid().numpy()
    weighed = np.array([one.score for one in weigh(lines, view, CachedReader(view))])
    assert len(lines) > 3
    assert np.quantile(np.abs(scores - weighed), 0.9) < 0.03  # stored with losses


def test_varied_rows_keep_their_form(stored: Proposals) -> None:
    which = torch.arange(len(stored.is_type))
    torch.manual_seed(0)
    plain, varied = stored.rows(which, vary=False), stored.rows(which, vary=True)
    assert plain.shape == varied.shape == (len(which), SIZE)
    assert torch.isfinite(varied).all()
    assert (plain != varied).any(dim=1).all()
    strip, valid = varied[:, : SIZE - NUMBERS - 64 * 64].chunk(2, dim=1)
    assert (strip[valid == 0] == 0).all()
    before, after = (one[:, : strip.shape[1]].std(dim=1) for one in (plain, varied))
    assert torch.allclose(before, after, atol=0.1)


def test_only_likely_own_type_is_left_out(stored: Proposals) -> None:
    logits = torch.ones(len(stored.is_type))
    own = is_own_type(stored, logits)
    assert own.any()
    assert not (own & stored.is_type).any()
    assert not (own & stored.drawn & (stored.rim > 0.25)).any()
    assert not is_own_type(stored, -logits).any()


def test_trains_to_weights_of_the_shipped_form(
    stored: Proposals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence_recipe, "SMALL_BATCH", 8)
    train(stored, tmp_path, seconds=0.5, seed=0, device="cpu")
    shipped = load_file(bundled("text-evidence"))
    for name in ("first", "text-evidence"):
        weights = load_file(tmp_path / f"{name}.safetensors")
        assert {key: (value.shape, value.dtype) for key, value in weights.items()} == {
            key: (value.shape, value.dtype) for key, value in shipped.items()
        }
        assert all(torch.isfinite(value).all() for value in weights.values())


def test_one_kind_alone_cannot_be_trained_on(gathered: list[Proposal], tmp_path: Path) -> None:
    save([one for one in gathered if one.is_type], tmp_path / "type.npz")
    with pytest.raises(InputError, match="gather for longer"):
        train(Proposals.load(tmp_path / "type.npz", "cpu"), tmp_path, seconds=1, seed=0, device="cpu")
