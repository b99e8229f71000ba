"""The generator of `coded`, in two stages: first it learns what films look like, then to show what the code says.

In the second stage the few steps from noise to a film are walked as they will be, and networks that look for findings
say whether the film shows them; their features of drawn films must also move with the findings as those of real films
do. Both stages go on where they were stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.anatomy.coded.generator import Sampler, Shape
from medveil.defenses.anatomy.coded.memorisation import Nearness, as_record, as_vectors, nearness
from medveil.defenses.anatomy.latents import CHANNELS, SIDE, Autoencoder, load_autoencoder
from medveil.encoders.findings.network import load_findings
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork, load_retrieval
from medveil.encoders.identity.training.augment import Augmentation, augment
from medveil.training.checkpoint import read_tensors, write_model
from medveil.training.device import autocast, placed
from medveil.training.loop import Round, run
from medveil.training.timed import TimedTraining
from medveil.weights.bundled import bundled
from recipes.anatomy.judges import load_judge, mean_auroc, odds_of
from recipes.anatomy.material import Material, read_material
from recipes.anatomy.perception import maps_of

VARIANTS = 6  # changed copies of every film
MARGIN = 32  # pixels
FLOW, TUNE, DRAWN = 256, 192, 64  # films a step: of the first stage, of the second, and of the first within the second
FLOW_RATE, TUNE_RATE = 1e-3, 4e-4
SHOWS = 1.0  # weight of what is looked for
MOVES = 0.7  # of how features move, against that
LOOKED_AT = 7  # questions: codes of eight bits
REAL = 0.5  # share of real films in a batch
PATIENCE = 3  # rounds in a row that may look memorised
FINDINGS = 16  # the first fields: the cohort's labels and two more
CHANGES = Augmentation(
    person=0.05,
    rotation=4.0,
    scale=0.1,
    shift=0.04,
    framed=0.0,
    bend=0.02,
    gamma=0.15,
    contrast=0.08,
    shading=0.05,
    noise=0.0,
    blurred=0.0,
    covered=0.0,
    collimated=0.0,
)
# where the bundled findings network's outputs stand among the fields; -1: it means something else by it
NAMED = {
    "Atelectasis": 8,
    "Cardiomegaly": 2,
    "Consolidation": 6,
    "Edema": 5,
    "Effusion": 10,
    "Emphysema": 14,
    "Fibrosis": 15,
    "Infiltration": 3,
    "No Finding": 0,
    "Pleural_Thickening": 11,
    "Pneumonia": 7,
    "Pneumothorax": 9,
}
UNLABELLED = {False: (1, 12, 13), True: (14, 15)}  # fields that real and drawn films have no labels for


class Stock:
    """Films on the device as latents, several changed copies of each, and what their codes stand for."""

    def __init__(
        self, material: Material, conditions: Path, autoencoder: Autoencoder, device: str, seed: int, variants: int
    ) -> None:
        self.device = device
        self.generator = torch.Generator(device).manual_seed(seed)
        learned = np.flatnonzero(~material.aside)
        stored = np.load(conditions)
        self.means = torch.from_numpy(stored["means"]).to(device)
        self.nodes = torch.from_numpy(stored["nodes"][learned].astype(np.int64)).to(device)
        self.aside_nodes = torch.from_numpy(stored["nodes"][material.aside].astype(np.int64)).to(device)
        self.aside_drawn = torch.from_numpy(material.drawn[material.aside]).to(device)
        self.drawn = torch.from_numpy(material.drawn[learned]).to(device)
        self.films = torch.from_numpy(material.films[learned]).to(device)
        self.latents = torch.stack([self._changed(autoencoder) for _ in range(variants)])
        self.chances = torch.from_numpy(_chances(material.labels[learned], material.drawn[learned])).to(device)

    @torch.no_grad()
    def _changed(self, autoencoder: Autoencoder) -> Tensor:
        encoded = []
        for some in self.films.split(128):
            people = torch.randint(1 << 30, (len(some),), generator=self.generator, device=self.device)
            # with a margin of the film's own edge, so that no black is drawn in from outside
            wide = functional.pad(some.unsqueeze(1).float(), (MARGIN,) * 4, mode="replicate")[:, 0].byte()
            gray = augment(wide, wide.shape[-1], people, torch.zeros_like(people) > 0, self.generator, CHANGES)
            gray = gray[..., MARGIN:-MARGIN, MARGIN:-MARGIN]
            with autocast(self.device):
                encoded.append(autoencoder.encode(gray).half())
        return torch.cat(encoded)

    def rows(self, count: int) -> Tensor:
        return torch.multinomial(self.chances, count, replacement=True, generator=self.generator)

    def drawn_latents(self, rows: Tensor) -> Tensor:
        variant = torch.randint(len(self.latents), (len(rows),), generator=self.generator, device=self.device)
        return self.latents[variant, rows].float()

    def condition(self, rows: Tensor, fewest: int = 0) -> Tensor:
        """After a number of questions that is drawn anew for every film."""
        asked = torch.randint(fewest, self.nodes.shape[1], (len(rows),), generator=self.generator, device=self.device)
        return self.meant(self.nodes[rows, asked], self.drawn[rows])

    def meant(self, nodes: Tensor, drawn: Tensor) -> Tensor:
        return torch.cat([drawn.float().unsqueeze(1), self.means[nodes]], 1)

    def noise(self, count: int) -> Tensor:
        return torch.randn((count, CHANNELS, SIDE, SIDE), generator=self.generator, device=self.device)


def _chances(labels: NDArray[np.float32], drawn: NDArray[np.bool_]) -> NDArray[np.float32]:
    """How often each film is shown: half of the time evenly, else so that every finding is seen as often."""
    chances = np.zeros(len(labels), np.float32)
    for kind, share in ((False, REAL), (True, 1 - REAL)):
        some = np.flatnonzero(drawn == kind)
        if not len(some):
            continue
        shows = labels[some] == 1
        common = np.maximum(shows.sum(0), 20)
        balanced = (shows / common).max(1)
        even = np.full(len(some), 1 / len(some))
        balanced = balanced / balanced.sum() if balanced.any() else even
        chances[some] = share * (even + balanced) / 2
    return chances


class Flow:
    """The first stage's loss: the direction from films to noise."""

    def __init__(self, sampler: Sampler, stock: Stock, count: int) -> None:
        self.sampler, self.stock, self.count = sampler, stock, count

    def loss(self) -> Tensor:
        rows = self.stock.rows(self.count)
        clean, noise, condition = (
            self.stock.drawn_latents(rows),
            self.stock.noise(len(rows)),
            self.stock.condition(rows),
        )
        time = torch.sigmoid(torch.randn(len(rows), generator=self.stock.generator, device=self.stock.device))
        mixed = torch.lerp(clean, noise, time.view(-1, 1, 1, 1))
        with autocast(self.stock.device):
            direction = self.sampler.velocity(mixed, time, condition)
        return functional.mse_loss(direction.float(), noise - clean)


class Eye(nn.Module):
    """What a network makes of films: the mean of its last maps, and mean and spread of those on the way."""

    def __init__(self, backbone: nn.Module) -> None:
        super().__init__()
        self.backbone: Any = backbone

    def forward(self, gray: Tensor) -> Tensor:
        *way, last = (one.float() for one in maps_of(self.backbone, gray, whole=True))
        return torch.cat([one.mean((2, 3)) for one in (last, *way)] + [one.std((2, 3)) for one in way], 1)


class Moves:
    """How features of films move with what their codes stand for, learned from the training films by linear regression;
    what drawn films do otherwise is the loss."""

    def __init__(self, eye: Eye, stock: Stock, *, keep: float = 0.9) -> None:
        self.eye, self.stock, self.keep = eye, stock, keep
        features, given = [], []
        with torch.no_grad():
            for rows in torch.arange(len(stock.films), device=stock.device).split(128):
                gray = stock.films[rows].unsqueeze(1).float() / 255
                with autocast(stock.device):
                    features.append(eye(shaken(gray, stock.generator)))
                given.append(self._given(stock.meant(stock.nodes[rows, -1], stock.drawn[rows])))
            phi, u = torch.cat(features).double(), torch.cat(given).double()
            self.length = u.square().mean(0).sqrt().clamp(min=0.02).float()
            gram = u.T @ u + 3.0 * torch.eye(u.shape[1], device=u.device, dtype=u.dtype)
            self.weights = torch.linalg.solve(gram, u.T @ phi).float()
            off = phi - u @ self.weights.double()
            self.spread = off.std(0).clamp(min=1e-3).float()
            self.squares = (
                torch.stack(
                    [
                        (off[u[:, k] > 0].square().mean(0)) if (u[:, k] > 0).any() else off.square().mean(0)
                        for k in (0, 1)
                    ]
                ).float()
                / self.spread.square()
            )
        self.moment: Tensor | None = None

    @staticmethod
    def _given(condition: Tensor) -> Tensor:
        kinds = torch.stack([1 - condition[:, 0], condition[:, 0]], 1)
        told = condition[:, 1 : FINDINGS + 2]  # findings and view
        return torch.cat([kinds, told * kinds[:, :1], told * kinds[:, 1:]], 1)

    def loss(self, gray: Tensor, condition: Tensor) -> Tensor:
        given = self._given(condition)
        with autocast(self.stock.device):
            phi = self.eye(gray)
        off = (phi.float() - given @ self.weights) / self.spread
        moment = (given / self.length).T @ off / len(off)
        wide = given[:, :2].T @ (off.square() - given[:, :2] @ self.squares) / len(off)
        both = torch.cat([moment, 0.5 * wide.clamp(-2, 2)])
        mixed = both if self.moment is None else self.keep * self.moment + (1 - self.keep) * both
        self.moment = mixed.detach()
        return mixed.square().mean() / (1 - self.keep)


def shaken(gray: Tensor, generator: torch.Generator) -> Tensor:
    """Small changes through which a gradient comes back: position, exposure, focus, noise. What remains visible
    through them is no trick on one network."""
    n, device = len(gray), gray.device

    def between(low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand(n, generator=generator, device=device)

    angle, size = between(-0.12, 0.12), between(0.9, 1.1)
    cos, sin = torch.cos(angle) * size, torch.sin(angle) * size
    move = torch.stack(
        [torch.stack([cos, -sin, between(-0.1, 0.1)], 1), torch.stack([sin, cos, between(-0.1, 0.1)], 1)], 1
    )
    grid = functional.affine_grid(move, list(gray.shape), align_corners=False)
    gray = functional.grid_sample(gray, grid, align_corners=False, padding_mode="border")
    soft = functional.interpolate(functional.avg_pool2d(gray, 2), scale_factor=2, mode="bilinear", align_corners=False)
    gray = torch.lerp(gray, soft, between(0, 1.4).clamp(max=1).view(-1, 1, 1, 1))
    level, contrast = between(-0.06, 0.06).view(-1, 1, 1, 1), between(0.85, 1.15).view(-1, 1, 1, 1)
    gray = (gray - 0.5) * contrast + 0.5 + level
    gray = gray + 0.02 * torch.randn(gray.shape, generator=generator, device=device)
    return gray.clamp(0, 1).contiguous(memory_format=torch.channels_last)


class Tuned:
    """The second stage's loss."""

    def __init__(self, sampler: Sampler, stock: Stock, autoencoder: Autoencoder, helper: Path) -> None:
        self.sampler, self.stock, self.autoencoder = sampler, stock, autoencoder
        self.flow = Flow(sampler, stock, DRAWN)
        findings, calling = load_findings(bundled("findings"))
        self.findings = placed(fold_normalisation(findings.eval().requires_grad_(False)), stock.device)
        self.places = [NAMED.get(name, -1) for name in calling.findings]
        self.helper = placed(fold_normalisation(load_judge(helper)), stock.device)
        identity = load_retrieval(bundled("reidentification-1"))[0].eval().requires_grad_(False)
        eyes = [identity.backbone, self.helper.backbone]
        self.moves = [Moves(placed(Eye(fold_normalisation(eye)), stock.device), stock) for eye in eyes]
        self.told: dict[str, Tensor] = {}

    def loss(self) -> Tensor:
        rows = self.stock.rows(TUNE)
        condition = self.stock.condition(rows, fewest=3)
        with autocast(self.stock.device):
            latents = self.sampler(self.stock.noise(len(rows)), condition)
            gray = self.autoencoder.decode(latents).float().clamp(0, 1)
        # what each says at the film itself, so that neither drowns the other
        film = gray.detach().requires_grad_(True)
        shows = self._shows(film, condition)
        moves = torch.stack([eye.loss(shaken(film, self.stock.generator), condition) for eye in self.moves]).mean()
        (of_shows,), (of_moves,) = torch.autograd.grad(shows, film), torch.autograd.grad(moves, film)
        wanted = of_shows + MOVES * of_moves * (of_shows.norm() / of_moves.norm().clamp(min=1e-12))
        flow = self.flow.loss()
        self.told = {"flow": flow.detach(), "shows": shows.detach(), "moves": moves.detach()}
        return flow + SHOWS * (gray * wanted).sum()

    def told_now(self) -> dict[str, float]:
        return {name: round(float(value), 4) for name, value in self.told.items()}

    def _shows(self, gray: Tensor, condition: Tensor) -> Tensor:
        told = condition[:, 1 : FINDINGS + 1].clamp(0, 1)
        drawn = condition[:, 0] > 0.5
        counts = torch.ones_like(told)
        for kind, none in UNLABELLED.items():
            counts[:, list(none)] *= (drawn != kind).float().unsqueeze(1)
        with autocast(self.stock.device):
            first = self.helper(shaken(gray, self.stock.generator))
            second = self.findings(shaken(gray, self.stock.generator))
        one = functional.binary_cross_entropy_with_logits(first.float(), told, reduction="none")
        total = (one * counts).sum() / counts.sum()
        places = [place for place in self.places if place >= 0]
        outputs = [number for number, place in enumerate(self.places) if place >= 0]
        real = (~drawn).float().unsqueeze(1)
        two = functional.binary_cross_entropy_with_logits(second.float()[:, outputs], told[:, places], reduction="none")
        return total + (two * real).sum() / (real.sum() * len(places)).clamp(min=1)


class Watch:
    """Looks at what a sampler draws for the codes of films set aside."""

    def __init__(self, stock: Stock, material: Material, autoencoder: Autoencoder, judge: Path) -> None:
        self.stock, self.autoencoder = stock, autoencoder
        self.aside = material.of(material.aside)
        self.judge = placed(fold_normalisation(load_judge(judge)), stock.device)
        identity: RetrievalNetwork = load_retrieval(bundled("reidentification-1"))[0].eval().requires_grad_(False)
        self.identity = placed(fold_normalisation(identity), stock.device)
        real = ~self.aside.drawn
        trained = stock.films[~stock.drawn].cpu()
        self.spaces: dict[str, Callable[[Tensor], NDArray[np.float32]]] = {
            "people": self._people,
            "pixels": lambda films: as_vectors(films.numpy()),
        }
        self.known = {name: see(trained) for name, see in self.spaces.items()}
        self.held = {name: see(torch.from_numpy(self.aside.films[real])) for name, see in self.spaces.items()}

    @torch.no_grad()
    def films(self, sampler: Sampler, nodes: Tensor, drawn: Tensor, seed: int) -> Tensor:
        generator = torch.Generator(self.stock.device).manual_seed(seed)
        made = []
        for some, kind in zip(nodes.split(128), drawn.split(128), strict=True):
            noise = torch.randn((len(some), CHANNELS, SIDE, SIDE), generator=generator, device=self.stock.device)
            with autocast(self.stock.device):
                gray = self.autoencoder.decode(sampler(noise, self.stock.meant(some, kind)).float())
            made.append((gray[:, 0].float().clamp(0, 1) * 255).round().byte().cpu())
        return torch.cat(made)

    @torch.no_grad()
    def _people(self, films: Tensor) -> NDArray[np.float32]:
        vectors = []
        for some in films.split(128):
            gray = (some.to(self.stock.device).unsqueeze(1).float() / 255).contiguous(memory_format=torch.channels_last)
            with autocast(self.stock.device):
                vectors.append(functional.normalize(self.identity(gray).float(), dim=1))
        return torch.cat(vectors).cpu().numpy()

    def told(self, sampler: nn.Module) -> tuple[dict[str, Any], dict[str, Nearness]]:
        """How well the judge ranks the findings on films made for codes of eight bits, and how near they come."""
        assert isinstance(sampler, Sampler)
        sampler.eval()
        films = self.films(sampler, self.stock.aside_nodes[:, LOOKED_AT], self.stock.aside_drawn, seed=5)
        told: dict[str, Any] = {}
        for name, kind in (("real", False), ("drawn", True)):
            some = np.flatnonzero(self.aside.drawn == kind)
            told[name] = round(
                mean_auroc(odds_of(self.judge, films[some], self.stock.device), self.aside.labels[some]), 4
            )
        real = films[np.flatnonzero(~self.aside.drawn)]
        near = {name: nearness(see(real), self.held[name], self.known[name]) for name, see in self.spaces.items()}
        for name, one in near.items():
            told[f"near, {name}"] = [round(one.drawn, 4), round(one.held_out, 4), round(one.beyond, 4)]
        return told, near


class Audited(TimedTraining):
    """Ends early when what it draws comes nearer to the training films than other people's films are; what is kept is
    the last that did not."""

    watch: Watch
    strikes = 0
    passed: dict[str, Tensor] | None = None
    audit: dict[str, Any] | None = None

    @property
    def finished(self) -> bool:
        return self.strikes >= PATIENCE or super().finished

    def train_round(self) -> Round:
        done = super().train_round()
        told, near = self.watch.told(self.kept)
        memorised = any(one.memorised for one in near.values())
        self.strikes = self.strikes + 1 if memorised else 0
        if not memorised:
            self.passed = {name: value.clone() for name, value in self.kept.state_dict().items()}
            self.audit = as_record(near)
        return Round(done.told | told | {"memorised": memorised})

    def state(self) -> dict[str, Any]:
        return super().state() | {"strikes": self.strikes, "passed": self.passed, "audit": self.audit}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.strikes, self.passed, self.audit = state["strikes"], state["passed"], state["audit"]

    def write(self, out: Path) -> None:
        """What passed last, and its audit; nothing before anything did."""
        if self.passed is not None:
            assert isinstance(self.network, Sampler)
            save_sampler(out / "sampler.safetensors", self.passed, self.network)
            (out / "audit.json").write_text(json.dumps(self.audit))


def train(
    packed: Path,
    fitted: Path,
    weights: Path,
    out: Path,
    *,
    device: str,
    flow_seconds: float,
    tune_seconds: float,
    seed: int = 0,
    most: int | None = None,
    variants: int = VARIANTS,
    shape: Shape | None = None,
    start: Path | None = None,
) -> None:
    """OUT/tuned/sampler.safetensors and its audit.json, the same of the first stage in OUT/flow, and sheets of drawn
    films; `fitted` holds conditions.npz, `weights` the autoencoder, the helper and the judge. With `start`, the sampler
    of a first stage, that stage is left out."""
    torch.manual_seed(seed)
    material = read_material(packed, most=most)
    autoencoder = placed(load_autoencoder(weights / "autoencoder.safetensors"), device)
    stock = Stock(material, fitted / "conditions.npz", autoencoder, device, seed, variants)
    print(len(stock.films), "films,", tuple(stock.latents.shape), "latents", flush=True)
    sampler = Sampler(shape or Shape(), stock.means.shape[1])
    chosen = stock.means[stock.nodes[:, LOOKED_AT]]
    sampler.shift.copy_(chosen.mean(0).cpu())
    sampler.scale.copy_(chosen.std(0).clamp(min=0.05).cpu())
    placed(sampler, device)
    watch = Watch(stock, material, autoencoder, weights / "judge.safetensors")
    print("judge on the films themselves:", _own(watch), flush=True)
    out.mkdir(parents=True, exist_ok=True)
    if start is None:
        _stage(sampler, Flow(sampler, stock, FLOW).loss, watch, out / "flow", FLOW_RATE, flow_seconds, 0.999, rounds=4)
        sheet(watch, sampler, out / "flow.png")
    else:
        sampler.load_state_dict({name: value.float().to(device) for name, value in read_tensors(start).items()})
    tuned = Tuned(sampler, stock, autoencoder, weights / "helper.safetensors")
    _stage(sampler, tuned.loss, watch, out / "tuned", TUNE_RATE, tune_seconds, 0.98, tuned.told_now, rounds=5, warm=30)
    sheet(watch, sampler, out / "tuned.png")


def _own(watch: Watch) -> dict[str, float]:
    told = {}
    for name, kind in (("real", False), ("drawn", True)):
        some = watch.aside.of(watch.aside.drawn == kind)
        told[name] = round(
            mean_auroc(odds_of(watch.judge, torch.from_numpy(some.films), watch.stock.device), some.labels), 4
        )
    return told


def _stage(
    sampler: Sampler,
    loss: Callable[[], Tensor],
    watch: Watch,
    out: Path,
    rate: float,
    seconds: float,
    average: float,
    more: Callable[[], dict[str, float]] = dict,
    *,
    rounds: int,
    warm: int = 100,
) -> None:
    """Train the sampler in place; it ends with the average of its weights that was audited last and passed."""
    trainee = Audited(
        network=sampler,
        optimizer=torch.optim.AdamW(sampler.parameters(), lr=rate, weight_decay=0.01, betas=(0.9, 0.99)),
        loss=loss,
        score=lambda kept: more(),
        save=lambda kept: trainee.write(out),
        device=watch.stock.device,
        seconds=seconds,
        rate=rate,
        warm=warm,
        clip=1.0,
        average=average,
        every=max(2.0, seconds / rounds),
    )
    trainee.watch = watch
    out.mkdir(parents=True, exist_ok=True)
    run(trainee, out, progress=lambda told: print(out.name, told, flush=True))
    sampler.load_state_dict(trainee.passed if trainee.passed is not None else trainee.kept.state_dict())


def save_sampler(path: Path, tensors: dict[str, Tensor], sampler: Sampler) -> None:
    shape = {"shape": asdict(sampler.shape), "fields": len(sampler.shift)}
    write_model(path, tensors, form="medveil.coded.sampler/1", architecture=shape)


def sheet(watch: Watch, sampler: Sampler, path: Path) -> None:
    """Films set aside, and below each three that were drawn for its code of eight bits."""
    from PIL import Image

    aside = watch.aside
    rows = [
        *np.flatnonzero(~aside.drawn)[:: max(1, int((~aside.drawn).sum() / 7))][:7],
        *np.flatnonzero(aside.drawn)[::30][:3],
    ]
    places = torch.from_numpy(np.array(rows)).to(watch.stock.device)
    nodes, drawn = watch.stock.aside_nodes[places, LOOKED_AT], watch.stock.aside_drawn[places]
    lines = [aside.films[rows], *(watch.films(sampler, nodes, drawn, seed).numpy() for seed in (1, 2, 3))]
    Image.fromarray(np.concatenate([np.hstack(list(line)) for line in lines])).save(path)
