"""The autoencoder that the generators draw in, from packed films to weights and card.

    python -m recipes.anatomy.pack --data DATA --out PACKED
    python -m recipes.anatomy.autoencoder train --packed PACKED --out RUN --device cuda --seconds 200
    python -m recipes.anatomy.autoencoder evaluate --packed PACKED --out RUN --export

`train` goes on where it was stopped if it is called again with the same `--seconds`, and needs only PyTorch, MONAI,
NumPy, Pillow and safetensors.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.anatomy.latents import CHANNELS, Architecture, Autoencoder, build_autoencoder, save_autoencoder
from medveil.encoders.identity.training.augment import Augmentation, augment
from medveil.training.device import autocast, placed
from medveil.training.loop import run
from medveil.training.timed import TimedTraining
from recipes.anatomy.material import Material, read_material
from recipes.anatomy.perception import Perception

BATCH = 32
RATE = 1e-3
CHANGES = Augmentation(
    person=0.06,
    rotation=5.0,
    scale=0.12,
    shift=0.05,
    framed=0.0,
    bend=0.02,
    gamma=0.25,
    contrast=0.1,
    shading=0.05,
    noise=0.0,
    blurred=0.0,
    covered=0.15,
    collimated=0.1,
)
SPREAD = 1e-6  # weight of the latents' own distribution
SEEN = 0.5  # weight of what networks see
REAL = 0.02  # weight of what the critic says
CRITIC_FROM = 0.4  # of the time
SIDE = 256


class Lessons:
    """Batches of changed films, the autoencoder's loss on them, and the critic that learns beside it."""

    def __init__(self, autoencoder: Autoencoder, films: Tensor, device: str, seed: int, seconds: float) -> None:
        from monai.networks.nets.patchgan_discriminator import PatchDiscriminator

        self.autoencoder, self.films, self.device, self.seconds = autoencoder, films, device, seconds
        self.generator = torch.Generator(device).manual_seed(seed)
        self.perception = placed(Perception(), device)
        self.critic = placed(PatchDiscriminator(2, 32, 1, 1, 3, norm="INSTANCE"), device)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=2e-4, betas=(0.5, 0.9))
        self.share = 0.0  # of the time that is over

    def batch(self) -> Tensor:
        rows = torch.randint(len(self.films), (BATCH,), generator=self.generator, device=self.films.device)
        mirror = torch.rand(BATCH, generator=self.generator, device=self.films.device) < 0.2
        return augment(self.films[rows], SIDE, rows, mirror, self.generator, CHANGES)

    def loss(self) -> Tensor:
        gray = self.batch()
        with autocast(self.device):
            mean, spread = self.autoencoder.kl.encode(gray * 2 - 1)
            noise = torch.randn(mean.shape, generator=self.generator, device=mean.device)
            again = (self.autoencoder.kl.decode(mean + spread * noise) + 1) / 2
        again, mean, spread = again.float(), mean.float(), spread.float()
        off = (again - gray).abs().mean() + _edges(again, gray)
        prior = 0.5 * (mean.square() + spread.square() - 2 * spread.log() - 1).sum((1, 2, 3)).mean()
        with autocast(self.device):
            seen = self.perception(again, gray)
        total = off + SEEN * seen + SPREAD * prior
        if self.share >= CRITIC_FROM:
            with autocast(self.device):
                self._teach_critic(gray, again.detach())
                total = total - REAL * self.critic(again)[-1].float().mean()
        return total

    def _teach_critic(self, gray: Tensor, again: Tensor) -> None:
        real, made = (self.critic(one)[-1].float() for one in (gray, again))
        loss = (functional.relu(1 - real) + functional.relu(1 + made)).mean()
        self.critic_optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.critic_optimizer.step()


def _edges(one: Tensor, other: Tensor) -> Tensor:
    off = one - other
    return (off[..., 1:] - off[..., :-1]).abs().mean() + (off[..., 1:, :] - off[..., :-1, :]).abs().mean()


class WithCritic(TimedTraining):
    """The critic goes with the state of the run."""

    lessons: Lessons

    def _step(self) -> Tensor:
        self.lessons.share = self.spent / self.seconds
        return super()._step()

    def state(self) -> dict[str, Any]:
        lessons = self.lessons
        mine = {"critic": lessons.critic.state_dict(), "critic's": lessons.critic_optimizer.state_dict()}
        return super().state() | mine

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.lessons.critic.load_state_dict(state["critic"])
        self.lessons.critic_optimizer.load_state_dict(state["critic's"])


def train(packed: Path, out: Path, *, device: str, seconds: float, seed: int = 0, most: int | None = None) -> None:
    """OUT/autoencoder.safetensors; a run that was stopped goes on."""
    torch.manual_seed(seed)
    material = read_material(packed, most=most)
    learned, aside = material.of(~material.aside), material.of(material.aside)
    films = torch.from_numpy(learned.films).to(device)
    autoencoder = placed(build_autoencoder(), device)
    lessons = Lessons(autoencoder, films, device, seed, seconds)
    print(len(films), "films to learn from,", len(aside.films), "to look at", flush=True)
    trainee = WithCritic(
        network=autoencoder,
        optimizer=torch.optim.AdamW(autoencoder.parameters(), lr=RATE, weight_decay=1e-4, betas=(0.9, 0.99)),
        loss=lessons.loss,
        score=lambda kept: _told(kept, aside, device),
        save=lambda kept: _save(kept, films, out),
        device=device,
        seconds=seconds,
        rate=RATE,
        warm=100,
        clip=1.0,
        every=max(2.0, seconds / 8),
        fingerprint=f"{seconds} {seed} {len(films)}",
    )
    trainee.lessons = lessons
    out.mkdir(parents=True, exist_ok=True)
    run(trainee, out, progress=lambda told: print(told, flush=True))
    _sheet(trainee.kept, aside, out / "autoencoder.png", device)


def _save(kept: nn.Module, films: Tensor, out: Path) -> None:
    """With the mean and spread of every channel over the films it has learned from."""
    assert isinstance(kept, Autoencoder)
    kept.shift.zero_()
    kept.scale.fill_(1)
    every = max(1, len(films) // 2000)
    means = [kept.encode(_gray(some)) for some in films[::every].split(64)]
    latents = torch.cat(means).transpose(0, 1).reshape(CHANNELS, -1)
    kept.shift.copy_(latents.mean(1))
    kept.scale.copy_(latents.std(1))
    save_autoencoder(out / "autoencoder.safetensors", kept, Architecture())
    kept.shift.zero_()
    kept.scale.fill_(1)


def _gray(films: Tensor) -> Tensor:
    return (films.unsqueeze(1).float() / 255).contiguous(memory_format=torch.channels_last)


@torch.no_grad()
def _told(kept: nn.Module, aside: Material, device: str) -> dict[str, Any]:
    """Mean absolute difference, of 255, by kind of film."""
    assert isinstance(kept, Autoencoder)
    told = {}
    for name, drawn in (("real", False), ("drawn", True)):
        films = torch.from_numpy(aside.films[aside.drawn == drawn][:128]).to(device)
        again = torch.cat([kept.decode(kept.encode(_gray(some))).clamp(0, 1) for some in films.split(32)])
        told[f"off, {name}"] = round(float((again[:, 0] * 255 - films.float()).abs().mean()), 3)
    return told


@torch.no_grad()
def _sheet(kept: nn.Module, aside: Material, path: Path, device: str) -> None:
    """Films above, what comes back of them below."""
    from PIL import Image

    assert isinstance(kept, Autoencoder)
    rows = [*np.flatnonzero(~aside.drawn)[::40][:5], *np.flatnonzero(aside.drawn)[::40][:3]]
    films = torch.from_numpy(aside.films[rows]).to(device)
    again = (kept.decode(kept.encode(_gray(films)))[:, 0].clamp(0, 1) * 255).round().byte()
    Image.fromarray(np.concatenate([np.hstack(films.cpu().numpy()), np.hstack(again.cpu().numpy())])).save(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("train")
    verb.add_argument("--packed", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--device", default="cpu")
    verb.add_argument("--seconds", type=float, default=200)
    verb.add_argument("--seed", type=int, default=0)
    verb.add_argument("--most", type=int)
    chosen = parser.parse_args()
    how = {"device": chosen.device, "seconds": chosen.seconds, "seed": chosen.seed, "most": chosen.most}
    train(chosen.packed, chosen.out, **how)


if __name__ == "__main__":
    main()
