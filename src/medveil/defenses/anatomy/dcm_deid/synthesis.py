"""The new film: a latent diffusion model that is given the blocked film and the semantic features.

Feat-Net brings the blocked film to a grid of features, two-way cross-attention fuses it with the semantic features, and
convolutions bring the result to every size of the UNet, whose own features it is added to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.anatomy.dcm_deid.foundation import CELLS
from medveil.defenses.anatomy.latents import CHANNELS
from medveil.defenses.anatomy.latents import SIDE as LATENT

TIMES = 1000  # steps of the diffusion
NOISE: dict[str, Any] = {"schedule": "scaled_linear_beta", "beta_start": 0.0015, "beta_end": 0.0195}


@dataclass(frozen=True)
class SynthesisPlan:
    """How wide the UNet is at each size, and the fused features; `features` semantic maps come in."""

    features: int
    widths: tuple[int, ...] = (48, 96, 128)
    blocks: int = 1
    groups: int = 16
    head: int = 32
    fused: int = 96


def published(features: int) -> SynthesisPlan:
    """As the paper has it; 512 fused features."""
    return SynthesisPlan(features, widths=(128, 256, 512, 1024), blocks=2, groups=32, head=64, fused=512)


class Synthesis(nn.Module):
    """What a noisy latent should lose (v), given the time, the latent of the blocked film, and semantic features."""

    def __init__(self, plan: SynthesisPlan) -> None:
        super().__init__()
        from monai.networks.nets.diffusion_model_unet import DiffusionModelUNet  # takes seconds

        self.plan = plan
        levels = len(plan.widths)
        self.conditions = Conditions(plan)
        self.unet = DiffusionModelUNet(
            spatial_dims=2,
            in_channels=CHANNELS,
            out_channels=CHANNELS,
            num_res_blocks=plan.blocks,
            channels=plan.widths,
            attention_levels=(False,) * (levels - 1) + (True,),
            norm_num_groups=plan.groups,
            num_head_channels=plan.head,
        )

    def forward(self, noisy: Tensor, times: Tensor, added: tuple[tuple[Tensor, ...], Tensor]) -> Tensor:
        down, middle = added
        made: Tensor = self.unet(
            noisy, times, down_block_additional_residuals=down, mid_block_additional_residual=middle
        )
        return made


class Conditions(nn.Module):
    """From the blocked film's latent and the semantic features to what is added to the UNet's features."""

    def __init__(self, plan: SynthesisPlan) -> None:
        super().__init__()
        fused = plan.fused
        half = max(16, fused // 2)
        self.feat_net = nn.Sequential(
            *(nn.Conv2d(CHANNELS, half, 5, 2, 2), nn.SiLU()), nn.Conv2d(half, fused, 5, 2, 2)
        )  # of the latent, which is an eighth of the film: a 32nd
        self.meaning = nn.Conv2d(plan.features, fused, 1)
        self.unknown = nn.Parameter(torch.zeros(1, fused, 1, 1))  # stands where there is no meaning
        self.places = nn.Parameter(torch.randn(1, CELLS * CELLS, fused) * 0.02)
        self.to_film, self.to_meaning = _Attention(fused), _Attention(fused)
        self.join = nn.Conv2d(2 * fused, fused, 1)
        self.sizes = [LATENT // 2**level for level in range(len(plan.widths))]
        self.refine = nn.ModuleList(nn.Conv2d(fused, fused, 3, padding=1) for _ in self.sizes)
        self.added = nn.ModuleList(_added(fused, width) for width, _ in _residuals(plan))
        self.levels = [level for _, level in _residuals(plan)]
        self.middle = _added(fused, plan.widths[-1])

    def forward(self, blocked: Tensor, meaning: Tensor, known: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
        """`meaning` counts where it is `known` (n, true or false)."""
        film = self.feat_net(blocked)
        meant = torch.where(known.view(-1, 1, 1, 1), self.meaning(meaning), self.unknown)
        tokens, words = _tokens(film) + self.places, _tokens(meant) + self.places
        tokens, words = self.to_film(tokens, words), self.to_meaning(words, tokens)
        x = functional.silu(self.join(torch.cat([_grid(tokens), _grid(words)], 1)))
        refined = self._at_every_size(x)
        down = tuple(layer(refined[level]) for layer, level in zip(self.added, self.levels, strict=True))
        return down, self.middle(refined[len(self.sizes) - 1])

    def _at_every_size(self, fused: Tensor) -> dict[int, Tensor]:
        """By level: from the fused features' own size up to the largest, and down from it where some are smaller."""
        refined: dict[int, Tensor] = {}
        larger = [level for level, size in enumerate(self.sizes) if size >= CELLS]
        smaller = [level for level, size in enumerate(self.sizes) if size < CELLS]
        for way in (larger[::-1], smaller):
            x = fused
            for level in way:
                x = functional.interpolate(x, size=(self.sizes[level],) * 2, mode="nearest")
                refined[level] = x = functional.silu(self.refine[level](x))
        return refined


class _Attention(nn.Module):
    """One side looks at the other."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before, self.beside = nn.LayerNorm(width), nn.LayerNorm(width)
        self.look = nn.MultiheadAttention(width, max(1, width // 32), batch_first=True)

    def forward(self, ours: Tensor, theirs: Tensor) -> Tensor:
        other = self.beside(theirs)
        seen: Tensor = self.look(self.before(ours), other, other, need_weights=False)[0]
        return ours + seen


def _residuals(plan: SynthesisPlan) -> list[tuple[int, int]]:
    """Width and level of every feature map that the UNet hands over on its way down."""
    found = [(plan.widths[0], 0)]
    for level, width in enumerate(plan.widths):
        found += [(width, level)] * plan.blocks
        if level + 1 < len(plan.widths):
            found.append((width, level + 1))
    return found


def _added(channels: int, out: int) -> nn.Conv2d:
    layer = nn.Conv2d(channels, out, 1)
    nn.init.normal_(layer.weight, std=0.02)
    return layer


def _tokens(maps: Tensor) -> Tensor:
    return maps.flatten(2).transpose(1, 2)


def _grid(tokens: Tensor) -> Tensor:
    return tokens.transpose(1, 2).reshape(len(tokens), -1, CELLS, CELLS)


def schedule(steps: int) -> Any:
    """MONAI's DDIM, over so many steps that the first begins in pure noise; one step is allowed."""
    from monai.networks.schedulers.ddim import DDIMScheduler

    found = DDIMScheduler(
        num_train_timesteps=TIMES,
        **NOISE,
        clip_sample=False,
        prediction_type="v_prediction",
        steps_offset=TIMES // steps - 1,
    )
    found.set_timesteps(steps)
    return found


def sampled(network: Synthesis, noise: Tensor, added: tuple[tuple[Tensor, ...], Tensor], steps: int) -> Tensor:
    """Latents out of noise."""
    ddim, latents = schedule(steps), noise
    for time in ddim.timesteps:
        times = torch.full((len(noise),), int(time), device=noise.device)
        latents, _ = ddim.step(network(latents, times, added), int(time), latents)
    return latents
