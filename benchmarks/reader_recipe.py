"""The bundled reader, from radiographs and fonts to weights.

    python benchmarks/reader_backgrounds.py --data DATA --out BACKGROUNDS.npz
    python benchmarks/reader_glyphs.py GLYPHS.npz
    python benchmarks/reader_recipe.py --backgrounds BACKGROUNDS.npz --glyphs GLYPHS.npz --fonts FONTS --out RUN \
        --seconds 350

FONTS is a folder of TrueType files (Debian's fonts-dejavu, fonts-liberation, fonts-freefont-ttf, fonts-roboto,
fonts-lato, fonts-hack, fonts-noto-core, fonts-vlgothic and fonts-ocr-a, cut down to European letters); Pillow's own
and OpenCV's strokes come on top. Strips are drawn by several processes beside the training and used a few times each,
in other shades. Training stops when the seconds are over; nothing is picked by score.
"""

from __future__ import annotations

import argparse
import copy
import math
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional

from medveil.defenses.pixels.decide.markers import is_marker
from medveil.defenses.pixels.read.alphabet import CHARACTERS, places
from medveil.defenses.pixels.read.network import ReaderNetwork, fused
from medveil.defenses.pixels.read.reader import BEYOND, HEIGHT, contrasted
from reader_rendering import WIDEST, Stock, some_strip

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
    factory = Factory(args)  # forks: before the device is touched
    train(args, factory, start)


class Factory:
    """Draws strips in processes of their own."""

    def __init__(self, args: argparse.Namespace) -> None:
        begin = (args.fonts, args.glyphs, args.backgrounds)
        self._pool = multiprocessing.get_context("fork").Pool(args.workers, _begin, begin)
        self._room = threading.Semaphore(4 * args.workers)
        self._seed = args.seed
        self._done = self._pool.imap_unordered(_strips, self._tasks())

    def _tasks(self) -> Iterator[tuple[int, int]]:
        number = 0
        while True:
            self._room.acquire()
            yield self._seed, number
            number += 1

    def __next__(self) -> Strips:
        strips = next(self._done)
        self._room.release()
        return strips

    def fill(self, keeper: Keeper) -> None:
        def work() -> None:
            while True:
                keeper.put(*next(self))

        threading.Thread(target=work, daemon=True).start()

    def stop(self) -> None:
        """End the workers: the generator of tasks waits for ever, and so would the pool's own end."""
        for process in multiprocessing.active_children():
            process.kill()
        sys.stdout.flush()
        os._exit(0)


_STOCK: list[Stock] = []


def _begin(fonts: Path, glyphs: Path | None, backgrounds: Path) -> None:
    torch.set_num_threads(1)
    _STOCK[:] = [Stock.load(fonts, glyphs, backgrounds)]


def _strips(task: tuple[int, int]) -> Strips:
    rng = np.random.default_rng(task)
    sheet = np.full((PER_TASK, HEIGHT, WIDTH), GRAY, np.uint8)
    said = np.zeros((PER_TASK, LONGEST), np.uint8)
    for row in range(PER_TASK):
        strip, text = some_strip(rng, _STOCK[0])
        values = np.rint((contrasted(strip) / BEYOND + 1) * (255 / 2)).astype(np.uint8)
        left = int(rng.integers(0, WIDTH - WIDEST)) if rng.random() < 0.3 else 0
        sheet[row, :, left : left + values.shape[1]] = values[:, : WIDTH - left]
        signs = places(text)[:LONGEST]
        said[row, : len(signs)] = signs
    return sheet, said


class Keeper:
    """The strips on the device, with what they say; 0 ends a text."""

    def __init__(self, room: int, device: str) -> None:
        self.room = room
        self.strips = torch.zeros(room, HEIGHT, WIDTH, dtype=torch.uint8, device=device)
        self.said = torch.zeros(room, LONGEST, dtype=torch.uint8, device=device)
        self.count = 0

    def put(self, strips: NDArray[np.uint8], said: NDArray[np.uint8]) -> None:
        at = self.count % self.room
        self.strips[at : at + len(strips)] = torch.from_numpy(strips).to(self.strips.device)
        self.said[at : at + len(said)] = torch.from_numpy(said).to(self.said.device)
        self.count += len(strips)

    def draw(self, count: int) -> tuple[Tensor, Tensor]:
        rows = torch.randint(min(self.count, self.room), (count,), device=self.strips.device)
        return self.strips[rows], self.said[rows]


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


def train(args: argparse.Namespace, factory: Factory, start: float) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    on_gpu = device == "cuda"
    torch.manual_seed(args.seed)
    network = ReaderNetwork(training=True)
    print(f"{sum(value.numel() for value in network.parameters())} weights, {len(CHARACTERS)} characters", flush=True)
    network = network.to(device, memory_format=torch.channels_last)
    kept = copy.deepcopy(network)  # a running mean of the weights
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-3)
    keeper = Keeper(KEPT // PER_TASK * PER_TASK if on_gpu else 64 * PER_TASK, device)
    test = held_out(factory, HELD_OUT if on_gpu else PER_TASK, device)
    keeper.put(*next(factory))
    factory.fill(keeper)
    while keeper.count < (16_000 if on_gpu else PER_TASK):
        time.sleep(0.1)
    batch = BATCH if on_gpu else 32
    began = saved = time.monotonic()
    allowed = args.seconds - (began - start) - (8 if on_gpu else 2)
    step, told = 0, 0.0
    recent: list[Tensor] = []
    while (spent := time.monotonic() - began) < allowed:
        rate = RATE * min(1, (step + 1) / 300) * (0.5 + 0.5 * math.cos(math.pi * min(1, spent / allowed)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        strips, said = keeper.draw(batch)
        with torch.autocast(device, torch.bfloat16, enabled=on_gpu):
            logits = network(shaded(strips).contiguous(memory_format=torch.channels_last))
        loss = loss_of(logits, said)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 3.0)
        optimizer.step()
        step += 1
        _follow(kept, network, min(0.999, 1 - 1 / (step + 1)))
        recent.append(loss.detach())
        if spent - told > (15 if on_gpu else 5):
            told = spent
            mean = float(torch.stack(recent).mean())
            recent.clear()
            print(f"{spent:4.0f} s step {step} strips {keeper.count} loss {mean:.3f} {score(kept, test)}", flush=True)
        if time.monotonic() - saved > 60:
            saved = time.monotonic()
            save(kept, args.out)
    save(kept, args.out)
    print(f"end: step {step} strips {keeper.count} {score(kept, test)}", flush=True)
    factory.stop()


def _follow(kept: ReaderNetwork, network: ReaderNetwork, share: float) -> None:
    with torch.no_grad():
        ours, theirs = list(kept.parameters()), list(network.parameters())
        torch._foreach_mul_(ours, share)
        torch._foreach_add_(ours, theirs, alpha=1 - share)
        for ours_one, theirs_one in zip(kept.buffers(), network.buffers(), strict=True):
            ours_one.copy_(theirs_one)


def held_out(factory: Factory, count: int, device: str) -> tuple[Tensor, Tensor]:
    parts = [next(factory) for _ in range(count // PER_TASK)]
    strips, said = (np.concatenate(kind) for kind in zip(*parts, strict=True))
    return torch.from_numpy(strips).to(device), torch.from_numpy(said).to(device)


@torch.no_grad()
def score(network: ReaderNetwork, test: tuple[Tensor, Tensor]) -> str:
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
    return (
        f"markers {right[True] / max(count[True], 1):.4f} others {right[False] / max(count[False], 1):.4f}"
        f" others read as markers {wrong} of {count[False]}"
    )


def save(network: ReaderNetwork, out: Path) -> None:
    plain_form = fused(copy.deepcopy(network).cpu().float())
    temporary = out / "reader.part"
    save_file({name: value.half().contiguous() for name, value in plain_form.state_dict().items()}, temporary)
    temporary.replace(out / "reader.safetensors")


if __name__ == "__main__":
    main()
