"""A site's part in training a segmentation together: MONAI's U-Net on crops of its volumes, Dice and cross-entropy.

It has no differential privacy, and says so: what bounds it here is secure sums alone. Normalisation is by groups of
channels, as in the vision-language model, so that nothing of a batch or of a site stays behind in the network.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.errors import InputError, NotMeasurable, SettingsError
from medveil.federated.segmentation.brats import OLD, REGIONS, Subject
from medveil.training.device import check_device

Arrays = list[NDArray[np.float32]]
STRIDE = 16  # of the deepest level: a crop's side must be a multiple
GROUPS = 8


@dataclass(frozen=True)
class SegmentationRecipe:
    """What is trained and how; the defaults fit one accelerator."""

    channels: int = 16  # of the first level
    crop: int = 96  # voxels a side
    local_steps: int = 20
    batch: int = 2  # patients of a step, a crop each
    learning_rate: float = 1e-3
    proximal: float = 0.01
    seed: int = 0

    def __post_init__(self) -> None:
        if self.channels < GROUPS or self.channels % GROUPS:
            raise SettingsError(f"channels must be a multiple of {GROUPS}")
        if self.crop < 2 * STRIDE or self.crop % STRIDE:
            raise SettingsError(f"crop must be a multiple of {STRIDE}, and at least {2 * STRIDE}")
        if min(self.local_steps, self.batch) < 1 or not self.learning_rate > 0 or self.proximal < 0:
            raise SettingsError("local_steps, batch and learning_rate must be positive, proximal not below zero")

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def segmentation_network(recipe: SegmentationRecipe) -> nn.Module:
    """The network with its first weights."""
    from monai.networks.nets.basic_unet import BasicUNet  # takes seconds

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        network: nn.Module = BasicUNet(
            spatial_dims=3,
            in_channels=len(OLD),
            out_channels=len(REGIONS),
            features=[recipe.channels * factor for factor in (1, 1, 2, 4, 8, 1)],
            norm=("group", {"num_groups": GROUPS}),
        )
    return network


def initial(recipe: SegmentationRecipe) -> Arrays:
    return [one.detach().numpy().copy() for one in segmentation_network(recipe).parameters()]


def assemble(recipe: SegmentationRecipe, arrays: Sequence[NDArray[np.float32]]) -> nn.Module:
    """The network with these shared weights."""
    return _filled(segmentation_network(recipe), arrays).eval()


class SegmentationTraining:
    """One site's subjects. Volumes are read when they are needed, so that a site's data need not fit into memory."""

    def __init__(self, recipe: SegmentationRecipe, subjects: Sequence[Subject], device: str = "cpu") -> None:
        check_device(device)
        self.recipe, self.device = recipe, device
        self._subjects: dict[str, list[Subject]] = {}
        for subject in subjects:
            if subject.outline is not None:
                self._subjects.setdefault(subject.patient, []).append(subject)
        if not self._subjects:
            raise NotMeasurable("none of the site's subjects has an outline to train on")

    @property
    def weight(self) -> float:
        return float(len(self._subjects))

    def update(self, shared: Sequence[NDArray[np.float32]], round_number: int) -> Arrays:
        """The difference that this site's steps make to the shared weights."""
        network = _filled(self._network, shared).train()
        parameters = list(network.parameters())
        before = [parameter.detach().clone() for parameter in parameters]
        optimiser = torch.optim.AdamW(parameters, lr=self.recipe.learning_rate, fused=True)
        names = hashlib.blake2b("\n".join(sorted(self._subjects)).encode(), digest_size=8).digest()
        rng = np.random.default_rng([self.recipe.seed, round_number, int.from_bytes(names)])
        for _ in range(self.recipe.local_steps):
            volumes, regions = self._crops(rng)
            loss = overlap_loss(network(volumes), regions)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            if self.recipe.proximal:
                for parameter, start in zip(parameters, before, strict=True):
                    assert parameter.grad is not None
                    parameter.grad.add_(parameter.detach() - start, alpha=self.recipe.proximal)
            optimiser.step()
        return [
            (parameter.detach() - start).float().cpu().numpy()
            for parameter, start in zip(parameters, before, strict=True)
        ]

    @cached_property
    def _network(self) -> nn.Module:
        return segmentation_network(self.recipe).to(self.device)

    def _crops(self, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
        people = sorted(self._subjects)
        chosen = rng.choice(len(people), min(self.recipe.batch, len(people)), replace=False)
        pairs = []
        for number in chosen:
            visits = self._subjects[people[number]]
            subject = visits[int(rng.integers(len(visits)))]
            pairs.append(random_crop(subject.volumes(), subject.regions(), self.recipe.crop, rng))
        volumes, regions = (np.stack(parts) for parts in zip(*pairs, strict=True))
        return torch.from_numpy(volumes).to(self.device), torch.from_numpy(regions).float().to(self.device)


def random_crop(
    volumes: NDArray[np.float32], regions: NDArray[np.bool_], side: int, rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """A cube, two times in three around a voxel of the tumour; a head smaller than the cube is padded with nothing."""
    missing = [max(0, side - length) for length in volumes.shape[1:]]
    if any(missing):
        margins = [(0, 0), *((0, more) for more in missing)]
        volumes, regions = np.pad(volumes, margins), np.pad(regions, margins)
    room = [length - side for length in volumes.shape[1:]]
    starts = [int(rng.integers(more + 1)) for more in room]
    tumour = np.argwhere(regions[0])
    if len(tumour) and rng.random() < 2 / 3:
        middle = tumour[int(rng.integers(len(tumour)))] - side // 2
        starts = [int(np.clip(at, 0, more)) for at, more in zip(middle, room, strict=True)]
    cube = (slice(None), *(slice(at, at + side) for at in starts))
    return volumes[cube], regions[cube]


def overlap_loss(odds: Tensor, regions: Tensor) -> Tensor:
    """One minus Dice, and cross-entropy, over the three regions."""
    shares, places = torch.sigmoid(odds), tuple(range(2, odds.dim()))
    both = 2 * (shares * regions).sum(places) + 1
    dice = both / (shares.sum(places) + regions.sum(places) + 1)
    return 1 - dice.mean() + functional.binary_cross_entropy_with_logits(odds, regions)


def _filled(network: nn.Module, arrays: Sequence[NDArray[np.float32]]) -> nn.Module:
    parameters = list(network.parameters())
    if [tuple(one.shape) for one in parameters] != [array.shape for array in arrays]:
        raise InputError("the shared weights do not fit the recipe's network; is it the same recipe?")
    with torch.no_grad():
        for parameter, array in zip(parameters, arrays, strict=True):
            parameter.copy_(torch.from_numpy(np.array(array, np.float32)))
    return network
