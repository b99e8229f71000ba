"""The embedder and the verifier: unit length, the same whatever the batch, size, bit depth or way of running."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from medveil.cohort import Cohort
from medveil.cohort.input import read_cohort
from medveil.encoders.identity import inference
from medveil.encoders.identity.embedder import IdentityEmbedder, load_embedder, load_together
from medveil.encoders.identity.networks.model_file import Architecture, save_network
from medveil.encoders.identity.networks.resnet import ResNet50
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork
from medveil.encoders.identity.networks.small_resnet import SmallResNet
from medveil.encoders.identity.training.images import TrainingImages
from medveil.encoders.identity.training.train import score
from medveil.encoders.identity.verifier import PLACES, Verifier, load_verifier
from medveil.errors import InputError
from medveil.runtime.compiled import Compiled, compiled
from medveil.weights.bundled import RETRIEVERS, bundled


@pytest.fixture(scope="module")
def embedder() -> IdentityEmbedder:
    return load_embedder()


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    return load_verifier()


@pytest.fixture(scope="module")
def few(phantoms: TrainingImages) -> list[NDArray[np.uint8]]:
    return list(phantoms.pixels[:6])


def test_vectors_have_unit_length_and_do_not_change(embedder: IdentityEmbedder, few: list[NDArray[np.uint8]]) -> None:
    first, second = embedder.embed(few), embedder.embed(iter(few))
    assert first.shape == (6, embedder.dim)
    assert first.dtype == np.float32
    assert np.allclose(np.linalg.norm(first, axis=1), 1, atol=1e-5)
    assert np.array_equal(first, second)
    assert embedder.embed([]).shape == (0, embedder.dim)


def test_the_batch_does_not_matter(
    embedder: IdentityEmbedder, few: list[NDArray[np.uint8]], monkeypatch: pytest.MonkeyPatch
) -> None:
    together = embedder.embed(few)
    alone = np.concatenate([embedder.embed([image]) for image in few])
    assert np.abs(together - alone).max() < 1e-4


def test_bit_depth_and_copies_of_every_pixel_do_not_matter(
    embedder: IdentityEmbedder, few: list[NDArray[np.uint8]]
) -> None:
    plain = embedder.embed(few[:2])
    deep = embedder.embed([image.astype(np.uint16) * 257 for image in few[:2]])
    large = embedder.embed([image.repeat(2, 0).repeat(2, 1) for image in few[:2]])
    assert np.abs(plain - deep).max() < 1e-2
    assert np.abs(plain - large).max() < 1e-2


def test_a_blank_image_gives_a_finite_vector(embedder: IdentityEmbedder) -> None:
    blank = embedder.embed([np.zeros((300, 200), dtype=np.uint16), np.full((64, 64), 255, dtype=np.uint8)])
    assert np.isfinite(blank).all()


@pytest.fixture(scope="module")
def members() -> list[IdentityEmbedder]:
    return [load_embedder(bundled(member)) for member in RETRIEVERS]


def test_the_bundled_networks_find_together_what_each_finds_on_average(
    embedder: IdentityEmbedder, members: list[IdentityEmbedder], few: list[NDArray[np.uint8]]
) -> None:
    together, *each = (one.embed(few) for one in (embedder, *members))
    assert embedder.dim == sum(member.dim for member in members)
    assert len({member.name for member in members}) == len(members)  # vectors kept of one do not serve another
    assert np.allclose(together @ together.T, np.mean([one @ one.T for one in each], axis=0), atol=1e-5)


def test_compiled_and_by_torch_the_answers_are_the_same(
    embedder: IdentityEmbedder, verifier: Verifier, few: list[NDArray[np.uint8]]
) -> None:
    for trained in (embedder, verifier):
        look = trained._look
        assert isinstance(look, inference.OnProcessor)
        by_torch = inference.run(look._network, inference.inputs(few, trained.size, "cpu"), trained.dim)
        assert np.abs(trained.embed(few) - by_torch).max() < 1e-5


def test_a_network_is_compiled_once_and_only_if_asked(
    few: list[NDArray[np.uint8]], monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []

    def counted(*given: Any, **settings: Any) -> Compiled:
        threads.append(settings["threads"])
        return compiled(*given, **settings)

    monkeypatch.setattr(inference, "compiled", counted)
    network = load_embedder(bundled(RETRIEVERS[0]))
    assert threads == []
    for images in (few[:1], few):
        network.embed(images)
    assert threads == [torch.get_num_threads()]
    assert isinstance(inference.for_device(nn.Identity(), "cuda"), nn.Identity)


def test_attention_is_what_the_members_attend_to_on_average(
    embedder: IdentityEmbedder, members: list[IdentityEmbedder], few: list[NDArray[np.uint8]]
) -> None:
    for heat in embedder.attention(few[0], few[1]):
        assert heat.shape == (embedder.size, embedder.size)
        assert heat.dtype == np.float32
        assert heat.min() >= 0
        assert heat.max() == pytest.approx(1)
    own = [member.attention(few[0], few[1])[0] for member in members]
    joint = embedder.attention(few[0], few[1])[0]
    # up to scale, a mixture of the two maps
    shares, residual, *_ = np.linalg.lstsq(np.stack(own, -1).reshape(-1, 2), joint.ravel(), rcond=None)
    assert (shares > 0.05).all()
    assert residual[0] < 1e-4 * (joint**2).sum()


def test_the_verifier_is_symmetric_and_costs_one_pass_an_image(
    verifier: Verifier, few: list[NDArray[np.uint8]]
) -> None:
    passes: list[int] = []

    def counted() -> Iterator[NDArray[np.uint8]]:
        for image in few:
            passes.append(1)
            yield image

    branches = verifier.embed(counted())
    assert len(passes) == 6
    first, second = np.triu_indices(6, 1)
    probability = verifier.compare(branches[first], branches[second])
    assert probability.shape == (15,)
    assert ((probability >= 0) & (probability <= 1)).all()
    assert np.allclose(probability, verifier.compare(branches[second], branches[first]))
    assert np.allclose(verifier.score(few[:2], few[2:4]), verifier.compare(branches[:2], branches[2:4]), atol=1e-4)


def test_bundled_models_are_small_and_have_cards(embedder: IdentityEmbedder, verifier: Verifier) -> None:
    assert sum(file.stat().st_size for file in bundled(RETRIEVERS[0]).parent.iterdir() if file.is_file()) < 26_000_000
    for card in (embedder.card, verifier.card):
        for entry in ("data", "recipe", "seeds", "scores", "licence", "citation", "not_for", "limits"):
            assert card[entry]


def test_what_was_trained_again_lies_inside_the_cards_intervals(embedder: IdentityEmbedder) -> None:
    card = embedder.card
    assert card["retrained"]
    for again in card["retrained"]:
        for found, who in (("alone", f"{again['network']} alone"), ("in its place", "model")):
            for measure, value in again[found].items():
                interval = card["scores"]["nih14 val"][who][measure]
                assert interval["low"] <= value <= interval["high"]


def test_a_wrong_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "noise.safetensors").write_bytes(b"not a model")
    for load in (load_embedder, load_verifier):
        with pytest.raises(InputError):
            load(tmp_path / "noise.safetensors")
        with pytest.raises(InputError):
            load(tmp_path / "absent.safetensors")
    with pytest.raises(InputError, match="verification model"):
        load_embedder(bundled("verification"))
    torch.manual_seed(0)
    path = tmp_path / "lie.safetensors"
    save_network(path, RetrievalNetwork("efficientnet-lite0", "global", 64), Architecture("reidentification", dim=128))
    with pytest.raises(InputError, match="does not fit"):
        load_embedder(path)


def test_networks_that_look_at_different_sizes_are_refused(tmp_path: Path) -> None:
    for size in (64, 96):
        network = RetrievalNetwork("efficientnet-lite0", "gem", 8)
        architecture = Architecture("reidentification", head="gem", dim=8, size=size)
        save_network(tmp_path / f"{size}.safetensors", network, architecture)
    with pytest.raises(InputError, match="different sizes"):
        load_together(sorted(tmp_path.iterdir()), card={})


def test_interpolation_equals_the_trained_size() -> None:
    prepared = torch.randint(0, 255, (1, 256, 256), dtype=torch.uint8)
    assert torch.equal(inference.as_input(prepared, 256)[0, 0], prepared[0].float() / 255)
    assert inference.as_input(prepared, 320).shape == (1, 1, 320, 320)


@pytest.mark.real_data
def test_the_bundled_models_reach_their_cards_on_unseen_patients(
    real_data: Path, embedder: IdentityEmbedder, verifier: Verifier
) -> None:
    cohort = read_cohort(real_data / "nih14")
    cohort = cohort.where(cohort.table["split"] == "val")
    _, patients = np.unique(cohort.table["patient_id"].astype(str), return_inverse=True)
    images = list(cohort.images())
    vectors = embedder.embed(images)
    found = score(lambda rows: vectors[rows] @ vectors.T, patients.astype(np.int64))
    card = embedder.card["scores"]["nih14 val"]["model"]
    # two of 425 images: processors round differently
    assert found.precision_at_1 == pytest.approx(card["precision@1"]["value"], abs=0.005)
    assert found.pair_auc == pytest.approx(card["pair AUC"]["value"], abs=0.0005)
    assert card["precision@1"]["value"] >= 0.95
    assert card["pair AUC"]["value"] >= 0.985
    # the verifier on every fifth image, so that the test stays quick
    some = slice(None, None, 5)
    branches = verifier.embed(images[some])
    stated = np.stack([verifier.compare(branches, branch[None]) for branch in branches])
    decided = score(lambda rows: stated[rows], patients[some].astype(np.int64))
    assert decided.pair_auc > 0.97


def test_the_verifier_says_what_it_looked_at(hospital: Cohort) -> None:
    """At three depths: the maps differ, belong to the pair, and leave the network as it was."""
    verifier = load_verifier()
    a, b, c = (hospital.image(row) for row in range(3))
    before = verifier.embed([a, b])
    maps = {place: verifier.attention(a, b, place) for place in PLACES}
    heats = [heat for pair in maps.values() for heat in pair]
    assert all(heat.shape == (256, 256) and heat.min() >= 0 and heat.max() <= 1 for heat in heats)
    assert not np.allclose(maps["first"][0], maps["last"][0], atol=0.05)
    assert not np.allclose(maps["last"][0], verifier.attention(a, c)[0], atol=1e-3)
    assert np.array_equal(before, verifier.embed([a, b]))
    for backbone in (ResNet50(), SmallResNet()):
        assert list(backbone.places()) == list(PLACES)
