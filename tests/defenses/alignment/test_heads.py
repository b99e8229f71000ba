from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from medveil.defenses.alignment.heads import (
    Heads,
    HeadShape,
    biovil_t_heads,
    heads_from_projections,
    random_heads,
    without_batch_norm,
)
from medveil.errors import InputError, SettingsError


def test_biovil_t_heads_have_the_published_parameters() -> None:
    heads = biovil_t_heads(seed=0)
    assert heads.parameter_count == 197_504
    kinds = [type(layer) for layer in [*heads.image, *heads.report]]
    assert kinds == [nn.Linear, nn.GroupNorm, nn.ReLU, nn.Linear, nn.Linear, nn.GELU, nn.LayerNorm, nn.Linear]
    assert heads.image[1].num_groups == 32
    assert not any(getattr(layer, "inplace", False) for layer in heads.modules())


def test_embeddings_have_unit_length_and_treat_rows_alone() -> None:
    heads = biovil_t_heads(seed=1)
    features = np.random.default_rng(0).standard_normal((5000, 512), dtype=np.float32)
    embedded = heads.embed_images(features)
    assert embedded.shape == (5000, 128) and embedded.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(embedded, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(embedded[4321], heads.embed_images(features[4321:4322])[0], atol=1e-5)
    assert heads.embed_reports(np.empty((0, 768), np.float32)).shape == (0, 128)


def test_linear_heads_are_plain_projections() -> None:
    rng = np.random.default_rng(2)
    image, report = (torch.from_numpy(rng.standard_normal((4, n), dtype=np.float32)) for n in (6, 5))
    heads = heads_from_projections(image, report)
    features = rng.standard_normal((3, 6), dtype=np.float32)
    expected = features @ image.numpy().T
    np.testing.assert_allclose(
        heads.embed_images(features), expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6
    )
    assert random_heads(HeadShape(6, 4), HeadShape(5, 4), seed=0).parameter_count == 44


def test_heads_come_back_from_disk(tmp_path: Path) -> None:
    heads = biovil_t_heads(seed=3)
    heads.save(tmp_path / "heads.safetensors")
    for again in range(8):
        heads.save(tmp_path / f"{again}.safetensors")
        same = (tmp_path / f"{again}.safetensors").read_bytes() == (tmp_path / "heads.safetensors").read_bytes()
        assert same, "the same heads are the same bytes"
    again = Heads.load(tmp_path / "heads.safetensors")
    assert again.image.shape == heads.image.shape and again.report.shape == heads.report.shape
    for mine, theirs in zip(heads.parameters(), again.parameters(), strict=True):
        assert torch.equal(mine, theirs)


@pytest.mark.parametrize("content", [b"", b"no weights", b"\x08\x00\x00\x00\x00\x00\x00\x00{}      "])
def test_what_is_no_heads_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.safetensors").write_bytes(content)
    with pytest.raises(InputError, match="does not hold projection heads"):
        Heads.load(tmp_path / "bad.safetensors")


def test_seed_decides_and_leaves_the_global_generator_alone() -> None:
    before = torch.random.get_rng_state()
    first, second = biovil_t_heads(seed=4), biovil_t_heads(seed=4)
    assert torch.equal(first.image[0].weight, second.image[0].weight)
    assert not torch.equal(first.image[0].weight, biovil_t_heads(seed=5).image[0].weight)
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize("convolution", [False, True])
def test_batch_norm_becomes_group_norm(convolution: bool) -> None:
    torch.manual_seed(0)
    layers = (
        nn.Sequential(nn.Conv2d(6, 64, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.Conv2d(64, 8, 1))
        if convolution
        else nn.Sequential(nn.Linear(6, 64, bias=False), nn.BatchNorm1d(64), nn.ReLU(inplace=True), nn.Linear(64, 8))
    )
    norm = layers[1]
    with torch.no_grad():
        norm.running_var.uniform_(0.1, 9.0)
        norm.weight.uniform_(0.5, 2.0)
        norm.bias.uniform_(-1, 1)
    head = without_batch_norm(layers)
    assert not any(isinstance(layer, nn.BatchNorm1d | nn.BatchNorm2d) for layer in head.modules())
    assert not head[2].inplace
    features = torch.randn(5, 6)
    # independently: what the batch norm would scale each channel by, then normalised in groups of two channels
    hidden = features @ layers[0].weight.flatten(1).T / (norm.running_var + norm.eps).sqrt()
    groups = hidden.view(5, 32, 2)
    groups = (groups - groups.mean(2, keepdim=True)) / (groups.var(2, keepdim=True, unbiased=False) + 1e-5).sqrt()
    hidden = (groups.view(5, 64) * norm.weight + norm.bias).clamp(min=0)
    expected = hidden @ layers[3].weight.flatten(1).T + layers[3].bias
    torch.testing.assert_close(head(features), expected, atol=1e-5, rtol=1e-5)


def test_other_layers_are_not_converted() -> None:
    with pytest.raises(SettingsError, match="batch norm"):
        without_batch_norm(nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 4)))


def test_heads_must_end_in_one_space() -> None:
    with pytest.raises(SettingsError, match="same number of dimensions"):
        Heads(HeadShape(4, 3), HeadShape(4, 2))
