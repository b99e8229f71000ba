"""The bundled reader, from radiographs and fonts to weights.

    python -m recipes.reader.backgrounds --data DATA --out BACKGROUNDS.npz
    python -m recipes.reader.glyphs GLYPHS.npz
    python -m recipes.reader.recipe --backgrounds BACKGROUNDS.npz --glyphs GLYPHS.npz --fonts FONTS --out RUN \
        --seconds 350

FONTS is a folder of TrueType files (Debian's fonts-dejavu, fonts-liberation, fonts-freefont-ttf, fonts-roboto,
fonts-lato, fonts-hack, fonts-noto-core, fonts-vlgothic and fonts-ocr-a, cut down to European letters); Pillow's own
and OpenCV's strokes come on top. Strips are drawn by several processes beside the training and used a few times each,
in other shades. Training stops when the seconds are over; nothing is picked by score.
"""

from __future__ import annotations

import argparse
import copy
import time
from pathlib import Path
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.pixels.decide.markers import is_marker
from medveil.defenses.pixels.read.alphabet import CHARACTERS, places
from medveil.defenses.pixels.read.network import ReaderNetwork, fused
from medveil.defenses.pixels.read.reader import BEYOND, HEIGHT, contrasted
from medveil.training.device import autocast, placed
from medveil.training.loop import run
from medveil.training.timed import TimedTraining
from recipes.factory import Factory, Stock
from recipes.reader import rendering

WIDTH = 320
LONGEST = 40  # characters
BATCH = 768
KEPT = 200_000  # strips on the device; new ones take the place of old ones
PER_TASK = 64
HELD_OUT = 4096
RATE = 2.5e-3
GRAY = 128  # of what is beside a strip

Strips = tuple[NDArray[np.uint8], NDArray[np.uint8]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backgrounds", type=Path, required=True)
    parser.add_argument("--glyphs", type=Path)
    parser.add_argument("--fonts", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=350)
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    start = time.monotonic()
    args.out.mkdir(parents=True, exist_ok=True)
    begin = (args.fonts, args.glyphs, args.backgrounds)
    factory = Factory(
        _strips, _begin, begin, workers=args.workers, seed=args.seed
    )  # forks: before the device is touched
    train(args, factory, start)


_DRAWN_FROM: list[rendering.Stock] = []


def _begin(fonts: Path, glyphs: Path | None, backgrounds: Path) -> None:
    torch.set_num_threads(1)
    _DRAWN_FROM[:] = [rendering.Stock.load(fonts, glyphs, backgrounds)]


def _strips(task: tuple[int, int]) -> Strips:
    rng = np.random.default_rng(task)
    sheet = np.full((PER_TASK, HEIGHT, WIDTH), GRAY, np.uint8)
    said = np.zeros((PER_TASK, LONGEST), np.uint8)
    for row in range(PER_TASK):
        strip, text = rendering.some_strip(rng, _DRAWN_FROM[0])
        values = np.rint((contrasted(strip) / BEYOND + 1) * (255 / 2)).astype(np.uint8)
        left = int(rng.integers(0, WIDTH - rendering.WIDEST)) if rng.random() < 0.3 else 0
        sheet[row, :, left : left + values.shape[1]] = values[:, : WIDTH - left]
        signs = places(text)[:LONGEST]
        said[row, : len(signs)] = signs
    return sheet, said


def shaded(strips: Tensor) -> Tensor:
    """Values from the stored bytes, in another gradation, the other polarity, with fresh noise."""
    values = plain(strips)
    beside = strips[:, None] == GRAY
    n = len(values)
    one = (n, 1, 1, 1)
    bend = torch.exp(torch.randn(one, device=values.device) * 0.25)
    shade = torch.sign(values) * values.abs().clamp(1e-4) ** bend
    shade = shade * (1 + 0.12 * torch.randn(one, device=values.device)) + 0.08 * torch.randn(one, device=values.device)
    noise = torch.randn_like(values) * torch.rand(one, device=values.device) ** 3 * 0.35
    flip = torch.where(torch.rand(one, device=values.device) < 0.25, -1.0, 1.0)
    return torch.where(beside, 0.0, ((shade + noise) * flip).clamp(-BEYOND, BEYOND))


def plain(strips: Tensor) -> Tensor:
    values = strips[:, None].float() * (2 * BEYOND / 255) - BEYOND
    return torch.where(strips[:, None] == GRAY, 0.0, values)


def loss_of(logits: Tensor, said: Tensor) -> Tensor:
    shares = logits.float().log_softmax(dim=1).permute(2, 0, 1)
    lengths = (said > 0).sum(dim=1)
    columns = torch.full_like(lengths, shares.shape[0])
    each = functional.ctc_loss(shares, said.long(), columns, lengths, reduction="none", zero_infinity=True)
    return (each / (lengths + 1).sqrt()).mean()


def train(args: argparse.Namespace, factory: Factory[Strips], start: float) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    on_gpu = device == "cuda"
    torch.manual_seed(args.seed)
    network = ReaderNetwork(training=True)
    print(f"{sum(value.numel() for value in network.parameters())} weights, {len(CHARACTERS)} characters", flush=True)
    network = placed(network, device)
    room = KEPT // PER_TASK * PER_TASK if on_gpu else 64 * PER_TASK
    stock = Stock(room, ((HEIGHT, WIDTH), (LONGEST,)), device)
    test = held_out(factory, HELD_OUT if on_gpu else PER_TASK, device)
    factory.fill(stock, 16_000 if on_gpu else PER_TASK)
    batch = BATCH if on_gpu else 32

    def loss() -> Tensor:
        strips, said = stock.draw(batch)
        with autocast(device):
            logits = network(shaded(strips).contiguous(memory_format=torch.channels_last))
        return loss_of(logits, said)

    training = TimedTraining(
        network=network,
        optimizer=torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-3),
        loss=loss,
        score=lambda kept: {"strips": stock.count, **score(kept, test)},
        save=lambda kept: save(kept, args.out),
        device=device,
        seconds=args.seconds - (time.monotonic() - start) - (8 if on_gpu else 2),
        rate=RATE,
        warm=300,
        clip=3.0,
        average=0.999,
        every=15 if on_gpu else 5,
    )
    run(training, progress=lambda told: print(told, flush=True))
    factory.stop()


def held_out(factory: Factory[Strips], count: int, device: str) -> tuple[Tensor, Tensor]:
    parts = [next(factory) for _ in range(count // PER_TASK)]
    strips, said = (np.concatenate(kind) for kind in zip(*parts, strict=True))
    return torch.from_numpy(strips).to(device), torch.from_numpy(said).to(device)


@torch.no_grad()
def score(network: nn.Module, test: tuple[Tensor, Tensor]) -> dict[str, float]:
    """Strips read without fault, of those with markers and of the others; others read as markers."""
    network.eval()
    best = network(plain(test[0])).argmax(dim=1).cpu().numpy()
    network.train()
    right = {True: 0, False: 0}
    count = {True: 0, False: 0}
    wrong = 0
    for columns, said in zip(best, test[1].cpu().numpy(), strict=True):
        truth = "".join(CHARACTERS[place] for place in said if place)
        text = "".join(CHARACTERS[c] for c, before in zip(columns, [0, *columns], strict=False) if c and c != before)
        marker = is_marker(truth)
        count[marker] += 1
        right[marker] += text == truth
        wrong += is_marker(text) and not marker
    return {
        "markers": round(right[True] / max(count[True], 1), 4),
        "others": round(right[False] / max(count[False], 1), 4),
        "others read as markers": wrong,
    }


def save(network: nn.Module, out: Path) -> None:
    plain_form = fused(cast(ReaderNetwork, copy.deepcopy(network).cpu().float()))
    temporary = out / "reader.part"
    save_file({name: value.half().contiguous() for name, value in plain_form.state_dict().items()}, temporary)
    temporary.replace(out / "reader.safetensors")


if __name__ == "__main__":
    main()
