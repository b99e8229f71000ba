"""Shapes and sizes as published, and starts from files of the usual layouts."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from medveil.encoders.identity.networks.backbones import build_backbone, fold_normalisation
from medveil.encoders.identity.networks.model_file import Architecture, leave_branches, load_into, save_network
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork
from medveil.encoders.identity.verifier import VerificationNetwork
from medveil.errors import InputError, SettingsError


def parameters(network: nn.Module) -> int:
    return sum(parameter.numel() for parameter in network.parameters())


def test_resnet_50_has_the_size_of_the_published_classifier() -> None:
    # 25,557,032 with the classifier of 1,000 outputs
    assert parameters(build_backbone("resnet50")) + 2048 * 1000 + 1000 == 25_557_032


@pytest.mark.parametrize(("number", "published"), [(0, 4_652_008), (1, 5_416_680), (2, 6_092_072)])
def test_lite_networks_have_the_size_of_the_published_classifiers(number: int, published: int) -> None:
    assert parameters(build_backbone(f"efficientnet-lite{number}")) + 1280 * 1000 + 1000 == published


def test_verification_network_as_published() -> None:
    network = VerificationNetwork("resnet50", "global", 128).eval()
    assert parameters(network) == 25_557_032 - 2_049_000 + (2048 * 128 + 128) + (128 + 1)
    with torch.inference_mode():
        branch = network(torch.rand(2, 1, 96, 96))
        assert branch.shape == (2, 128)
        assert 0 < branch.min() <= branch.max() < 1
        logit = network.compare(branch[:1], branch[1:])
        expected = network.decide.weight[0] @ (branch[0] - branch[1]).abs() + network.decide.bias[0]
        assert torch.isclose(logit[0], expected)
        assert torch.equal(network.compare(branch[1:], branch[:1]), logit)


def test_retrieval_network_as_published() -> None:
    network = RetrievalNetwork("resnet50", "grid", 128).eval()
    convolution = next(module for module in network.head.modules() if isinstance(module, nn.Conv2d))
    linear = [module for module in network.head.modules() if isinstance(module, nn.Linear)]
    assert convolution.kernel_size == (1, 1)
    assert convolution.out_channels == 100
    assert linear[0].in_features == 100 * 5 * 5
    assert linear[-1].out_features == 128
    assert len(linear) == 2
    with torch.inference_mode():
        assert network(torch.rand(1, 1, 224, 224)).shape == (1, 128)
        assert network(torch.rand(1, 1, 320, 256)).shape == (1, 128)


def torchvision_layout() -> dict[str, torch.Tensor]:
    """The names and shapes of torchvision's resnet50 state, written out by its own rule."""
    state: dict[str, torch.Tensor] = {}

    def norm(name: str, channels: int) -> None:
        for part in ("weight", "bias", "running_mean", "running_var"):
            state[f"{name}.{part}"] = torch.rand(channels)
        state[f"{name}.num_batches_tracked"] = torch.tensor(0)

    def convolution(name: str, out: int, channels: int, kernel: int) -> None:
        state[f"{name}.weight"] = torch.randn(out, channels, kernel, kernel)

    convolution("conv1", 64, 3, 7)
    norm("bn1", 64)
    channels = 64
    for layer, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3)), start=1):
        for block in range(blocks):
            name = f"layer{layer}.{block}"
            for number, (out, into, kernel) in enumerate(
                ((width, channels, 1), (width, width, 3), (4 * width, width, 1)), start=1
            ):
                convolution(f"{name}.conv{number}", out, into, kernel)
                norm(f"{name}.bn{number}", out)
            if block == 0:
                convolution(f"{name}.downsample.0", 4 * width, channels, 1)
                norm(f"{name}.downsample.1", 4 * width)
            channels = 4 * width
    state["fc.weight"], state["fc.bias"] = torch.randn(1000, 2048), torch.randn(1000)
    return state


@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
def test_a_torchvision_checkpoint_loads_strictly(tmp_path: Path, suffix: str) -> None:
    state, file = torchvision_layout(), tmp_path / f"resnet50{suffix}"
    if suffix == ".pth":
        torch.save(state, file)
    else:
        save_file(state, file)
    loaded = build_backbone("resnet50", file).state_dict()
    assert set(loaded) == set(state) - {"fc.weight", "fc.bias"}
    assert all(torch.equal(loaded[name], state[name]) for name in loaded)


def test_a_wrong_or_incomplete_checkpoint_is_refused(tmp_path: Path) -> None:
    state = torchvision_layout()
    del state["layer4.2.conv3.weight"]
    torch.save(state, tmp_path / "half.pth")
    with pytest.raises(InputError, match="does not hold the weights"):
        build_backbone("resnet50", tmp_path / "half.pth")
    with pytest.raises(SettingsError):
        build_backbone("resnet51")


def test_a_file_that_would_run_code_is_refused(tmp_path: Path) -> None:
    class Payload:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (tmp_path / "ran",))  # type: ignore[return-value]

    torch.save({"conv1.weight": Payload()}, tmp_path / "evil.pth")
    with pytest.raises(InputError, match="not a readable file of weights"):
        build_backbone("resnet50", tmp_path / "evil.pth")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["efficientnet-lite0", "resnet50"])
def test_folding_the_normalisation_changes_nothing(name: str) -> None:
    torch.manual_seed(0)
    network = build_backbone(name).eval()
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.uniform_(-0.2, 0.2)
            module.running_var.uniform_(0.5, 1.5)
    x = torch.rand(1, 1, 64, 64)
    with torch.inference_mode():
        before = network(x)
        after = fold_normalisation(network)(x)
    assert not any(isinstance(module, nn.BatchNorm2d) for module in network.modules())
    assert torch.allclose(before, after, atol=1e-3 * float(before.abs().max()))


def test_a_verification_network_may_leave_its_branches_to_the_network_beside_it(tmp_path: Path) -> None:
    network = VerificationNetwork("resnet-small", "global", 8)
    file, beside = tmp_path / "verifier.safetensors", tmp_path / "retriever.safetensors"
    save_network(beside, network.branch, Architecture("reidentification", "resnet-small", "global", 8, 64))
    nn.init.ones_(network.branch.head.fc.weight)
    save_network(file, network, Architecture("verification", "resnet-small", "global", 8, 64))
    whole = file.stat().st_size
    leave_branches(file, beside)
    assert file.stat().st_size < whole / 10
    again = VerificationNetwork("resnet-small", "global", 8)
    load_into(again, file)
    assert all(
        torch.equal(value.half(), again.state_dict()[name].half()) for name, value in network.state_dict().items()
    )
    beside.unlink()
    with pytest.raises(InputError, match="not beside it"):
        load_into(again, file)
