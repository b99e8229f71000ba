"""PP-GAN: a generator that paints masked regions from their surroundings, its file, and the judge it learns from.

The generator never sees what is masked: every pixel with a mask above zero is blanked before the first layer. There
are no skip connections; the mask steers the normalisation at the bottleneck and at the refinement only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.pixels.paint.generator_file import FORMAT
from medveil.errors import InputError, SettingsError
from medveil.training.checkpoint import read_header, write_model


@dataclass(frozen=True)
class Architecture:
    """The defaults are the published ones; a narrow network with dilated blocks fits in a package."""

    width: int = 64
    channels: int = 3
    hidden: int = 128  # of the shallow network that turns the mask into scales and shifts
    dilations: tuple[int, ...] = (1,)  # one residual block each at the bottleneck

    def __post_init__(self) -> None:
        if self.channels not in (1, 3):
            raise SettingsError("images have one channel (gray) or three; set `channels` to 1 or 3")
        if min(self.width, self.hidden, *self.dilations, len(self.dilations)) < 1:
            raise SettingsError("widths and dilations must be at least 1, with at least one block at the bottleneck")


class Spade(nn.Module):
    """Normalisation without parameters of its own; the mask says how to scale and shift, place by place."""

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(channels, affine=False)
        self.shared = nn.Conv2d(1, hidden, 3, padding=1)
        self.affine = nn.Conv2d(hidden, 2 * channels, 3, padding=1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        if mask.shape[2:] != x.shape[2:]:
            mask = functional.interpolate(mask, size=x.shape[2:], mode="bilinear", align_corners=False)
        gamma, beta = self.affine(functional.relu(self.shared(mask))).chunk(2, 1)
        scaled: Tensor = self.norm(x) * (1 + gamma) + beta
        return scaled


class SpadeBlock(nn.Module):
    """A residual block in which the mask steers both normalisations."""

    def __init__(self, channels: int, hidden: int, dilation: int = 1) -> None:
        super().__init__()
        self.first, self.second = Spade(channels, hidden), Spade(channels, hidden)
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=dilation, dilation=dilation)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        y = self.conv1(functional.leaky_relu(self.first(x, mask), 0.2))
        y = self.conv2(functional.leaky_relu(self.second(y, mask), 0.2))
        return x + y


class Generator(nn.Module):
    """Images in -1..1 (n x channels x height x width) and masks in 0..1 in, whole images in -1..1 out."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.architecture = architecture
        width, hidden = architecture.width, architecture.hidden
        self.encoder = nn.Sequential()
        self.encoder.append(nn.Conv2d(architecture.channels + 1, width, 7, padding=3)).append(nn.ReLU())
        for wide in (width, 2 * width, 4 * width):
            self.encoder.append(nn.Conv2d(wide, 2 * wide, 4, stride=2, padding=1)).append(nn.ReLU())
        self.bottleneck = nn.ModuleList(SpadeBlock(8 * width, hidden, each) for each in architecture.dilations)
        self.decoder = nn.Sequential()
        for wide in (8 * width, 4 * width, 2 * width):
            self.decoder.append(nn.ConvTranspose2d(wide, wide // 2, 4, stride=2, padding=1)).append(nn.ReLU())
        self.refinement = SpadeBlock(width, hidden)
        self.output = nn.Conv2d(width, architecture.channels, 7, padding=3)

    def forward(self, image: Tensor, mask: Tensor) -> Tensor:
        # `where`, not a product: nothing of a masked pixel may pass, whatever its value
        seen = torch.where(mask > 0, torch.zeros_like(image), image)
        x = self.encoder(torch.cat([seen, mask.to(seen.dtype)], 1))
        for block in self.bottleneck:
            x = block(x, mask)
        x = self.refinement(self.decoder(x), mask)
        return torch.tanh(self.output(x))


class Stacked(nn.Module):
    """A generator with the mask as the last channel of its only input."""

    def __init__(self, generator: Generator) -> None:
        super().__init__()
        self.generator = generator

    def forward(self, image_and_mask: Tensor) -> Tensor:
        painted: Tensor = self.generator(image_and_mask[:, :-1], image_and_mask[:, -1:])
        return painted


class PatchDiscriminator(nn.Module):
    """A map of scores, each for a patch of 46 x 46 pixels: near 1 for real, near 0 for painted ones."""

    def __init__(self, channels: int = 3, width: int = 64) -> None:
        super().__init__()
        self.layers = nn.Sequential()
        for inside, out in ((channels, width), (width, 2 * width), (2 * width, 4 * width)):
            self.layers.append(nn.Conv2d(inside, out, 4, stride=2, padding=1)).append(nn.LeakyReLU(0.2))
        self.layers.append(nn.Conv2d(4 * width, 1, 4, padding=1))

    def forward(self, image: Tensor) -> Tensor:
        scores: Tensor = self.layers(image)
        return scores


def composite(painted: Tensor, image: Tensor, mask: Tensor) -> Tensor:
    """The painting where the mask is 1, the image where it is 0, a mixture on the feathered edge."""
    return painted * mask + image * (1 - mask)


def save_generator(path: Path, generator: Generator) -> None:
    """In half precision: a painted pixel changes by less than a gray level."""
    tensors = {name: value for name, value in generator.state_dict().items() if value.is_floating_point()}
    write_model(path, tensors, form=FORMAT, architecture=asdict(generator.architecture))


def load_generator(path: Path) -> Generator:
    """Ready to paint, in single precision."""
    try:
        values = read_header(path, form=FORMAT)
        generator = Generator(Architecture(**{**values, "dilations": tuple(values["dilations"])}))
        tensors = {name: value.float() for name, value in load_file(path).items()}
        wanted = {name for name, value in generator.state_dict().items() if value.is_floating_point()}
        if wanted != set(tensors):
            raise ValueError
        generator.load_state_dict(tensors, strict=False)
    except (OSError, SafetensorError, ValueError, TypeError, KeyError, RuntimeError, SettingsError):
        raise InputError(
            f"{path} is not a generator of this version; train one with `medveil train inpainting`"
        ) from None
    return generator.eval().requires_grad_(False)
