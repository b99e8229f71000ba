"""The networks of the bundled text detector, from radiographs and fonts to weights.

    python -m recipes.pixels.backgrounds --data DATA --out BACKGROUNDS.npz
    python -m recipes.pixels.strokes STROKES.npz
    python -m recipes.pixels.recipe --network fine --backgrounds BACKGROUNDS.npz --strokes STROKES.npz \
        --fonts FONTS --out RUN --seconds 480

and the same for `coarse`; `calibration` makes the bundled file of both.

FONTS is a folder of TrueType files (Debian's fonts-dejavu, fonts-liberation, fonts-freefont-ttf, fonts-roboto,
fonts-lato, fonts-hack and fonts-ocr-a, cut down to European letters); Pillow's own and OpenCV's strokes come on top.
Sheets of text are drawn by all cores beside the training and laid over the radiographs on the device, each several
times, over other images and turned by quarters. Training stops when the seconds are over; nothing is picked by score.
"""

from __future__ import annotations

import argparse
import copy
import io
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.pixels.find.networks import AREA, CELL, MIDDLE, CoarseNetwork, TextNetwork, fused
from medveil.training.device import autocast, placed
from medveil.training.loop import run
from medveil.training.timed import TimedTraining
from recipes.factory import Factory, Stock
from recipes.pixels import rendering
from recipes.pixels.composing import Composer

SIZE = 512
MIXES = {"fine": rendering.FINE, "coarse": rendering.COARSE}
BATCHES = {"fine": 24, "coarse": 32}
SHEETS = 768  # kept on the device; new ones take the place of old ones
PER_TASK = 8
HELD_OUT = 96
RATE = 3e-3

Network = TextNetwork | CoarseNetwork
Sheets = tuple[NDArray[np.uint8], NDArray[np.uint8]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", choices=("fine", "coarse"), required=True)
    parser.add_argument("--backgrounds", type=Path, required=True)
    parser.add_argument("--fonts", type=Path, required=True)
    parser.add_argument("--strokes", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--workers", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    start = time.monotonic()
    args.out.mkdir(parents=True, exist_ok=True)
    begin = (args.network, args.fonts, args.strokes)
    factory = Factory(
        _sheets, _begin, begin, workers=args.workers, seed=args.seed
    )  # forks: before the device is touched
    train(args, factory, start)


def _begin(network: str, fonts: Path, strokes: Path | None) -> None:
    global _FONTS, _MIX
    _MIX = MIXES[network]
    _FONTS = rendering.find_fonts(fonts) + ["default"] * 3
    if strokes:
        kept = np.load(strokes)
        rendering.PREPARED[:] = [
            np.unpackbits(kept[f"bits_{k}"])[: h * w].reshape(h, w) * 255 for k, (h, w) in enumerate(kept["shapes"])
        ]
        _FONTS += ["prepared"] * 3


_FONTS: list[str] = []
_MIX = rendering.FINE


def _sheets(task: tuple[int, int]) -> Sheets:
    rng = np.random.default_rng(task)
    drawn = [rendering.some_layers(rng, _FONTS, SIZE, _MIX) for _ in range(PER_TASK)]
    layers = np.stack([[one.shape, one.shape_tone, one.plate, one.ink, one.tone] for one in drawn])
    return layers, np.stack([labels(one) for one in drawn])


def labels(layers: rendering.Layers) -> NDArray[np.uint8]:
    """Area, middle and places that do not count, at the size of the maps."""
    area = _filled(layers.quads, 1.0, 1.0, layers.ink.shape)
    middle = _filled(layers.quads, 0.5, 0.5, layers.ink.shape)
    single = _filled(layers.singles, 1.3, 1.0, layers.ink.shape)
    return np.stack([area, middle, single])


def _filled(quads: list[rendering.Quad], height: float, ends: float, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Quadrilaterals of this share of their height; each end draws in by (1 - ends) / 2 heights."""
    sheet = Image.new("L", (shape[1], shape[0]))
    draw = ImageDraw.Draw(sheet)
    for a, b, c, d in quads:
        down = ((d - a) + (c - b)) / 2
        along = (b - a) / max(float(np.linalg.norm(b - a)), 1e-6)
        inset = along * min((1 - ends) / 2 * float(np.linalg.norm(down)), 0.35 * float(np.linalg.norm(b - a)))
        cut = down * (1 - height) / 2
        corners = (a + cut + inset, b + cut - inset, c - cut - inset, d - cut + inset)
        draw.polygon([tuple(corner) for corner in corners], fill=255)
    cells = np.asarray(sheet).reshape(shape[0] // CELL, CELL, shape[1] // CELL, CELL).mean(axis=(1, 3))
    return np.asarray(cells >= 100, dtype=np.uint8)


def loss_of(maps: Tensor, labels: Tensor, unsure: Tensor) -> Tensor:
    """Cross entropy, the hardest of the background counting like the text; overlap for the lines' middles."""
    area, middle, single = (labels[:, k].float() for k in range(3))
    counts = 1 - torch.maximum(single, unsure) * (1 - area)
    total = maps.new_zeros(())
    for which, truth in ((AREA, area), (MIDDLE, middle)):
        each = functional.binary_cross_entropy_with_logits(maps[:, which], truth, reduction="none") * counts
        text = truth.sum()
        background = (each * (1 - truth)).flatten()
        hardest = background.topk(min(background.numel(), max(int(3 * text), 20_000))).values
        total = total + (each * truth).sum() / text.clamp(min=1) + hardest.mean() + background.mean()
    shown = maps[:, MIDDLE].sigmoid() * counts
    overlap = 2 * (shown * middle).sum() / (shown.sum() + (middle * counts).sum()).clamp(min=1)
    return total + 1 - overlap


def train(args: argparse.Namespace, factory: Factory[Sheets], start: float) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    on_gpu = device == "cuda"
    torch.manual_seed(args.seed)
    generator = torch.Generator().manual_seed(args.seed)
    composer = Composer(*backgrounds(args.backgrounds), device=device, seed=args.seed)
    network = placed(new(args.network), device)
    stock = Stock(SHEETS, ((5, SIZE, SIZE), (3, SIZE // CELL, SIZE // CELL)), device)
    held = [next(factory) for _ in range(HELD_OUT // PER_TASK if on_gpu else 1)]
    factory.fill(stock, SHEETS // 2 if on_gpu else PER_TASK)
    test = composed_test(held, composer, device)
    batch = BATCHES[args.network] if on_gpu else 2

    def loss() -> Tensor:
        layers, truth = stock.draw(batch, generator)
        quarters = int(torch.randint(4, (1,), generator=generator))
        image, unsure = composer(layers.rot90(quarters, (2, 3)))
        with autocast(device):
            maps = network(image.contiguous(memory_format=torch.channels_last))
        return loss_of(maps.float(), truth.rot90(quarters, (2, 3)), unsure)

    training = TimedTraining(
        network=network,
        optimizer=torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-4),
        loss=loss,
        score=lambda kept: {"sheets": stock.count, **score(kept, test)},
        save=lambda kept: save(kept, args.out / f"{args.network}.safetensors"),
        device=device,
        seconds=args.seconds - (time.monotonic() - start) - (15 if on_gpu else 3),
        rate=RATE,
        warm=200,
        clip=5.0,
        average=0.998,
        every=20 if on_gpu else 5,
    )
    run(training, progress=lambda told: print(told, flush=True))
    factory.stop()


def new(name: str) -> Network:
    return TextNetwork(training=True) if name == "fine" else CoarseNetwork(training=True)


def composed_test(held: list[Sheets], composer: Composer, device: str) -> list[tuple[Tensor, Tensor, Tensor]]:
    test = []
    for layers, truth in held:
        image, unsure = composer(torch.from_numpy(layers).to(device))
        test.append((image, torch.from_numpy(truth).to(device), unsure))
    return test


@torch.no_grad()
def score(network: nn.Module, test: list[tuple[Tensor, Tensor, Tensor]]) -> dict[str, float]:
    """Share of the lines' middles seen, and of what is seen that is text, on sheets not trained on."""
    network.eval()
    told = {}
    for threshold in (0.2, 0.5):
        seen = text = shown = right = 0.0
        for image, truth, unsure in test:
            maps = network(image).sigmoid()
            area = truth[:, 0].bool()
            counts = ~(unsure.bool() | truth[:, 2].bool()) | area
            found = (maps[:, AREA] > threshold) & counts
            middle = truth[:, 1].bool()
            seen, text = seen + float((found & middle).sum()), text + float(middle.sum())
            near = functional.max_pool2d(area.float(), 3, 1, 1).bool()
            right, shown = right + float((found & near).sum()), shown + float(found.sum())
        told[f"recall at {threshold}"] = round(seen / max(text, 1), 4)
        told[f"precision at {threshold}"] = round(right / max(shown, 1), 4)
    network.train()
    return told


def save(network: nn.Module, file: Path) -> None:
    plain = fused(copy.deepcopy(network).cpu())
    temporary = file.with_suffix(".part")
    save_file({name: value.half().contiguous() for name, value in plain.state_dict().items()}, temporary)
    temporary.replace(file)


def backgrounds(file: Path) -> tuple[list[NDArray[np.uint8]], list[NDArray[np.uint8]]]:
    """The radiographs, and where they may hold text of their own."""
    kept = np.load(file)
    count = len(kept.files) // 2
    images, masks = [], []
    for k in range(count):
        image = np.asarray(Image.open(io.BytesIO(kept[f"image_{k:04}"].tobytes())).convert("L"))
        sheet = Image.new("L", (image.shape[1], image.shape[0]))
        for quad in kept[f"unsure_{k:04}"]:
            ImageDraw.Draw(sheet).polygon([tuple(corner) for corner in quad.tolist()], fill=255)
        images.append(image)
        masks.append(np.asarray(sheet))
    return images, masks


if __name__ == "__main__":
    main()
