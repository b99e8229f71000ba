"""The networks are the paper's, layer by layer, and nothing of a masked pixel passes."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from medveil.defenses.pixels.paint.generator import (
    Architecture,
    Generator,
    PatchDiscriminator,
    Spade,
    SpadeBlock,
    composite,
)
from medveil.errors import SettingsError

TINY = Architecture(width=4, channels=1, hidden=3, dilations=(1, 2))


def described(layers: nn.Module) -> list[tuple[int, int, int, int]]:
    """Channels in and out, kernel and stride of every convolution."""
    return [
        (layer.in_channels, layer.out_channels, layer.kernel_size[0], layer.stride[0])
        for layer in layers.modules()
        if isinstance(layer, nn.Conv2d | nn.ConvTranspose2d)
    ]


def test_the_published_generator_is_table_4() -> None:
    generator = Generator(Architecture())
    assert described(generator.encoder) == [(4, 64, 7, 1), (64, 128, 4, 2), (128, 256, 4, 2), (256, 512, 4, 2)]
    assert described(generator.decoder) == [(512, 256, 4, 2), (256, 128, 4, 2), (128, 64, 4, 2)]
    assert all(isinstance(layer, nn.ReLU) for layer in (*generator.encoder[1::2], *generator.decoder[1::2]))
    (block,) = generator.bottleneck
    assert block.conv1.out_channels == 512 and generator.refinement.conv1.out_channels == 64
    assert described(generator.output) == [(64, 3, 7, 1)]
    places = {name.split(".")[0] for name, layer in generator.named_modules() if isinstance(layer, Spade)}
    assert places == {"bottleneck", "refinement"}
    assert all(not layer.affine for layer in generator.modules() if isinstance(layer, nn.BatchNorm2d))


def test_stages_have_the_sizes_of_the_table() -> None:
    generator = Generator(Architecture(width=4, hidden=4)).eval()
    image, mask = torch.rand(1, 3, 32, 48), torch.rand(1, 1, 32, 48)
    small = generator.encoder(torch.cat([image, mask], 1))
    assert small.shape == (1, 32, 4, 6)
    assert generator.bottleneck[0](small, mask).shape == small.shape
    assert generator.decoder(small).shape == (1, 4, 32, 48)
    painted = generator(image, mask)
    assert painted.shape == image.shape and painted.abs().max() <= 1


def test_the_discriminator_is_table_5_with_a_field_of_46_pixels() -> None:
    judge = PatchDiscriminator()
    assert described(judge) == [(3, 64, 4, 2), (64, 128, 4, 2), (128, 256, 4, 2), (256, 1, 4, 1)]
    assert [layer.negative_slope for layer in judge.layers if isinstance(layer, nn.LeakyReLU)] == [0.2] * 3
    image = torch.rand(1, 3, 128, 128, requires_grad=True)
    scores = judge(image)
    assert scores.shape == (1, 1, 15, 15)
    scores[0, 0, 7, 7].backward()
    assert image.grad is not None
    touched = image.grad.abs().sum((0, 1)).nonzero()
    assert (touched.amax(0) - touched.amin(0) + 1).tolist() == [46, 46]


def test_spade_agrees_with_monai() -> None:
    monai = pytest.importorskip("monai.networks.blocks.spade_norm")
    theirs = monai.SPADE(1, 6, norm="BATCH", norm_params={"affine": False}, hidden_channels=5, kernel_size=3)
    ours = Spade(6, 5)
    with torch.no_grad():
        ours.shared.load_state_dict(theirs.mlp_shared.conv.state_dict())
        for name in ("weight", "bias"):
            parts = [getattr(layer.conv, name) for layer in (theirs.mlp_gamma, theirs.mlp_beta)]
            getattr(ours.affine, name).copy_(torch.cat(parts))
    # theirs has a leaky slope and normalises scales and shifts once more; neither stands in the equation
    theirs.mlp_shared.adn, theirs.mlp_gamma.adn, theirs.mlp_beta.adn = nn.ReLU(), nn.Identity(), nn.Identity()
    x, mask = torch.randn(3, 6, 10, 12), torch.rand(3, 1, 10, 12)
    torch.testing.assert_close(ours(x, mask), theirs(x, mask))


def test_a_spade_block_is_what_the_equations_say() -> None:
    block = SpadeBlock(4, 3, dilation=2).eval()
    for layer in block.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.running_mean.uniform_(-1, 1)
            layer.running_var.uniform_(0.5, 2)
    x, mask = torch.randn(2, 4, 8, 8), torch.rand(2, 1, 16, 16)
    small = mask.reshape(2, 1, 8, 2, 8, 2).mean((3, 5))  # halving bilinearly is averaging two by two

    def spade(part: Spade, values: torch.Tensor) -> torch.Tensor:
        mean, variance = (stat[None, :, None, None] for stat in (part.norm.running_mean, part.norm.running_var))
        steer = part.affine(torch.relu(part.shared(small)))
        return (values - mean) / torch.sqrt(variance + part.norm.eps) * (1 + steer[:, :4]) + steer[:, 4:]

    def leaky(values: torch.Tensor) -> torch.Tensor:
        return torch.maximum(values, 0.2 * values)

    expected = x + block.conv2(leaky(spade(block.second, block.conv1(leaky(spade(block.first, x))))))
    torch.testing.assert_close(block(x, mask), expected)


@settings(max_examples=20)
@given(st.integers(0, 2**31), st.sampled_from([1, 3]), st.floats(1e-6, 1.0))
def test_nothing_of_a_masked_pixel_passes(seed: int, channels: int, least: float) -> None:
    draw = torch.Generator().manual_seed(seed)
    generator = Generator(Architecture(width=3, channels=channels, hidden=2)).eval()
    image = torch.rand(1, channels, 16, 24, generator=draw)
    mask = torch.where(torch.rand(1, 1, 16, 24, generator=draw) < 0.4, least, 0.0)
    other = torch.where(mask > 0, torch.tensor(float("inf")), image)  # whatever the value
    with torch.inference_mode():
        assert torch.equal(generator(image, mask), generator(other, mask))


def test_what_is_not_masked_is_seen() -> None:
    torch.manual_seed(0)
    generator = Generator(TINY).eval()
    image, mask = torch.rand(1, 1, 16, 16), torch.zeros(1, 1, 16, 16)
    with torch.inference_mode():
        assert not torch.equal(generator(image, mask), generator(image + 0.1, mask))


def test_compositing_keeps_the_rest() -> None:
    image, painted = torch.rand(1, 1, 4, 4), torch.rand(1, 1, 4, 4)
    mask = torch.zeros(1, 1, 4, 4)
    mask[..., :2] = 1
    joined = composite(painted, image, mask)
    assert torch.equal(joined[..., 2:], image[..., 2:]) and torch.equal(joined[..., :2], painted[..., :2])


@pytest.mark.parametrize("wrong", [{"channels": 2}, {"width": 0}, {"dilations": ()}, {"dilations": (0,)}])
def test_an_impossible_network_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(SettingsError):
        Architecture(**wrong)
