from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from medveil.cohort import Cohort
from medveil.defenses.alignment.heads import take_over
from medveil.encoders.biovil_t.image_network import DIM, ImageNetwork
from medveil.encoders.biovil_t.text_network import ProjectionHead
from medveil.encoders.encoder import Encoder, unit_length
from medveil.encoders.extraction import encode_cohort, encode_features
from medveil.encoders.headless import headless
from medveil.encoders.loading import load_encoder
from medveil.errors import SettingsError

TEXTS = ["no effusion", "heart size normal, lungs clear", "opacity at the left base."]
IMAGES = [np.random.default_rng(number).integers(0, 4096, (300, 260)).astype(np.uint16) for number in range(3)]


def through(head: torch.nn.Module, features: Any) -> Any:
    with torch.no_grad():
        return unit_length(head(torch.from_numpy(features)).numpy())


def check_it_is_the_same_model_in_two(encoder: Encoder) -> None:
    bare = headless(encoder)
    assert bare.released is None, "its heads say all"
    seen, read = bare.images.encode_images(IMAGES), bare.reports.encode_reports(TEXTS)
    assert (seen.shape, read.shape) == ((3, bare.images.dim), (3, bare.reports.dim))
    assert np.allclose(through(bare.image_head, seen), encoder.encode_images(IMAGES), atol=1e-5)
    assert np.allclose(through(bare.report_head, read), encoder.encode_reports(TEXTS), atol=1e-5)
    heads = take_over(bare.image_head, bare.report_head)
    assert heads.dim == encoder.dim
    assert np.allclose(heads.embed_images(seen), encoder.encode_images(IMAGES), atol=1e-5)
    assert np.allclose(heads.embed_reports(read), encoder.encode_reports(TEXTS), atol=1e-5)
    assert all(parameter.requires_grad for parameter in heads.parameters())


def test_the_bundled_encoder_in_two() -> None:
    encoder = load_encoder("medveil-small")
    check_it_is_the_same_model_in_two(encoder)
    bare = headless(encoder)
    lengths = np.linalg.norm(bare.images.encode_images(IMAGES), axis=1)
    assert bare.images.dim == 256
    assert not np.allclose(lengths, 1, atol=0.01)
    assert bare.images.fingerprint != encoder.fingerprint


def test_clip_in_two(clip_folder: Path) -> None:
    encoder = load_encoder(str(clip_folder))
    check_it_is_the_same_model_in_two(encoder)
    bare = headless(encoder)
    assert (bare.images.dim, bare.reports.dim) == (16, 16)
    assert bare.images.fingerprint != bare.reports.fingerprint


@pytest.mark.parametrize("folder", ["siglip_folder", "biomedclip_folder"])
def test_a_model_whose_heads_are_not_known_keeps_its_vectors(folder: str, request: pytest.FixtureRequest) -> None:
    encoder = load_encoder(str(request.getfixturevalue(folder)))
    bare = headless(encoder)
    assert bare.images is bare.reports is encoder
    heads = take_over(bare.image_head, bare.report_head)
    vectors = encoder.encode_reports(TEXTS)
    assert np.allclose(heads.embed_reports(vectors), vectors, atol=1e-6)


def test_an_encoder_without_a_word_about_heads(stand_in: Any) -> None:
    check_it_is_the_same_model_in_two(stand_in)


def test_biovil_t_in_two() -> None:
    """With one patch an image the mean before the head and the mean after it are the same."""
    torch.manual_seed(0)
    network = ImageNetwork().eval()
    norm = network.projector.model[1]
    norm.running_var.uniform_(0.5, 2)
    pixels = torch.rand(2, 3, 32, 32)
    with torch.no_grad():
        features = network.features(pixels)
        assert features.shape == (2, 512)
        assert torch.allclose(
            network.projector.model(features[:, :, None, None]).flatten(1), network(pixels), atol=1e-5
        )
        reports = torch.rand(2, 768)
        head = ProjectionHead(768, DIM).eval()
        heads = take_over(network.projector.model, head.layers)
        assert torch.allclose(heads.report(reports), head(reports), atol=1e-6)
        assert heads.image(features).shape == (2, DIM)
    assert heads.parameter_count == 197_504


def test_a_head_of_another_make_is_refused() -> None:
    with pytest.raises(SettingsError, match="the head to convert"):
        take_over(torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh()), torch.nn.Linear(4, 4))


def test_features_of_a_cohort_are_kept_side_by_side(hospital: Cohort, clip_folder: Path, tmp_path: Path) -> None:
    cohort = hospital.where(np.arange(len(hospital)) < 6)
    encoder = load_encoder(str(clip_folder))
    bare, whole = headless(encoder), encode_cohort(cohort, encoder, cache=tmp_path)
    found = encode_features(cohort, bare, cache=tmp_path)
    assert np.array_equal(found.rows, whole.rows)
    assert np.allclose(through(bare.image_head, found.images), whole.images, atol=1e-5)
    assert np.allclose(through(bare.report_head, found.reports), whole.reports, atol=1e-5)
    stores = list(tmp_path.iterdir())
    assert len(stores) == 3  # of the whole model, of its image features, of its report features
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.vectors")}
    again = encode_features(cohort, bare, cache=tmp_path)
    assert np.array_equal(again.images, found.images) and np.array_equal(again.reports, found.reports)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.vectors")} == files
