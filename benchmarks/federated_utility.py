"""One model across hospitals against pooled data and against each hospital alone, on phantoms and on real films.

    python benchmarks/federated_films.py --data DATA --out films.npz
    python benchmarks/federated_utility.py run --films films.npz --out OUT --seeds 5 --device cuda --jobs 6
    python benchmarks/federated_utility.py tell --films films.npz --out OUT

`run` needs torch, transformers and Pillow alone. It saves after each training and takes up what is not there yet;
`--minutes` starts nothing new after so many. `tell` writes OUT/federated.md and OUT/federated.json. With `--dev` both
keep to the training patients: four fifths are trained on and the others tested, for whatever is to be chosen.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import recipes_path  # noqa: F401
from federated_films import TEST, TRAIN, UNKNOWN, Packed, load
from medveil.defenses.alignment.accounting import Spending, noise_for
from medveil.federated.evaluation.attention import grad_cam, inside, phrase_maps, pointing
from medveil.federated.evaluation.comparison import TestFilms, macro_auc
from medveil.federated.evaluation.few_shot import few_shot_scores
from medveil.federated.evaluation.token_alignment import named_words, on_named_words, word_relevance
from medveil.federated.evaluation.zero_shot import film_vectors, phrase_vectors, report_vectors, zero_shot_scores
from medveil.federated.local_training import LocalTraining, assemble
from medveil.federated.recipe import Privacy, Recipe
from medveil.federated.rounds import Federation, federate
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.hashed_words import hashed
from medveil.federated.vision_language.model_file import save_weights
from medveil.federated.vision_language.network import VisionLanguageNetwork
from medveil.federated.vision_language.steps import predicted

SCENARIOS = ("phantom", "real", "phantom-dirichlet", "real-dirichlet")
EPSILONS = (3, 8)  # of all rounds, of the site with the fewest patients
SHOTS = (4, 16)
UNSEEN = ("Cardiomegaly", "Pleural Effusion", "Pneumothorax")  # not labelled for the heads, only written about
DELTA = 1e-5
ALPHA = 0.5  # of the Dirichlet split
LOOKS = 8  # at a training on the way, where it is tried out
STARTS = {"fedavg-cnn": "cnn", "fedtransformer": "vit"}  # the others begin as the vision-language model


@dataclass(frozen=True)
class Scale:
    """How much is trained. A round is one step of every site; pooled films take as many steps, each with as many films
    as all sites together have in theirs. How many, and how fast, was chosen on training patients (`--dev`)."""

    rounds: int = 500
    real_rounds: int = 600
    batch: int = 8  # of a site
    real_batch: int = 32
    alone_steps: int = 60
    real_alone_steps: int = 300
    alone_batch: int = 32
    alone_rate: float = 2e-4
    real_alone_rate: float = 1e-3
    start_rounds: int = 80
    start_steps: int = 60
    start_batch: int = 32
    split_batch: int = 8  # of a client of the real sites, split
    contrast: float = 0.5  # λ
    private_batch: int = 64
    private_rounds: int = 100
    private_rate: float = 1e-2
    private_clip: float = 0.25  # about the length of a patient's gradient of the heads, on public films
    side: int = 128
    channels: int = 32
    rate: float = 1e-3  # from nothing
    later_rate: float = 1e-3  # from public weights
    words: int = 192
    buckets: int = 4096
    text_width: int = 128


SMALL = {"side": 64, "channels": 8, "words": 64, "buckets": 2048, "text_width": 32}
TINY = {"side": 32, "channels": 8, "words": 16, "buckets": 64, "text_width": 16}
SCALES = {
    "full": Scale(),
    "small": Scale(start_rounds=30, start_steps=100, rate=2e-3, later_rate=2e-3, **SMALL),  # for a processor
    "tiny": Scale(
        2, 2, 4, 4, 2, 2, 4, start_rounds=2, start_steps=1, start_batch=4, private_batch=4, private_rounds=2, **TINY
    ),
}


@dataclass(frozen=True)
class Task:
    scenario: str
    method: str
    seed: int
    detail: str = ""

    @property
    def name(self) -> str:
        return ".".join([self.scenario, self.method, *([self.detail] if self.detail else []), f"seed{self.seed}"])


def tasks(seeds: int) -> tuple[list[Task], list[Task]]:
    """What must be there first, and then the rest, what matters most first."""
    every = range(seeds)
    starts = [Task("public", "start", 0, kind) for kind in ("vlm", "vit", "cnn")]
    rest = [Task(place, "untrained", 0) for place in SCENARIOS[:2]]
    rest += [
        Task(place, way, seed) for place in SCENARIOS[:2] for seed in every for way in ("fedvlm", "central", "alone")
    ]
    rest += [
        Task(place, way, seed) for place in SCENARIOS[:2] for seed in every for way in ("fedavg-cnn", "fedtransformer")
    ]
    rest += [
        Task(place, way, seed, str(limit))
        for place in SCENARIOS[:2]
        for limit in EPSILONS
        for seed in every
        for way in ("dp", "dp-all")
    ]
    rest += [Task(place, "heads", seed) for place in SCENARIOS[:2] for seed in every]
    rest += [
        Task(place, way, seed) for place in SCENARIOS[2:] for seed in every for way in ("fedvlm", "central", "alone")
    ]
    rest += [Task("phantom", "unlabelled", seed) for seed in every]
    rest += [
        Task("phantom", "without", seed, f"{way}@{hospital}")
        for seed in every
        for hospital in (seed % 10, (seed + 5) % 10)
        for way in ("fedvlm", "central", "fedavg-cnn", "fedtransformer")
    ]
    return starts, rest


class Counted:
    """Notes what was spent, for the accountant of another machine."""

    def __init__(self) -> None:
        self.spent: list[list[float]] = []

    def book(self, run: str, spending: Spending) -> float:
        self.spent.append([spending.noise, spending.sampling, spending.steps])
        return 0.0


@dataclass(eq=False)
class Experiment:
    packed: Packed
    out: Path
    device: str
    scale: Scale
    dev: bool = False
    diagnosis: bool = False

    def recipe(self, task: Task, method: str) -> Recipe:
        public, real = task.scenario == "public", task.scenario.startswith("real")
        rounds = self.scale.real_rounds if real else self.scale.rounds
        batch = self.scale.real_batch if real else self.scale.batch
        if task.scenario == "real-dirichlet":
            batch = self.scale.split_batch
        recipe = Recipe(
            findings=self.packed.findings,
            side=self.scale.side,
            channels=self.scale.channels,
            words=self.scale.words,
            buckets=self.scale.buckets,
            text_width=self.scale.text_width,
            contrast=self.scale.contrast,
            adam="coordinator",
            batch=batch,
            local_steps=1,
            learning_rate=self.scale.later_rate,
            horizon=rounds,
            seed=task.seed,
        )
        if public:
            steps = {"local_steps": self.scale.start_steps, "batch": self.scale.start_batch}
            recipe = replace(
                recipe,
                adam="sites",
                horizon=self.scale.start_rounds,
                learning_rate=self.scale.rate,
                proximal=0.0,  # there is nobody to stay near to
                **steps,
            )
        if method == "alone":
            rate = self.scale.real_alone_rate if real else self.scale.alone_rate
            steps = self.scale.real_alone_steps if real else self.scale.alone_steps
            recipe = replace(recipe, horizon=steps, batch=self.scale.alone_batch, learning_rate=rate)
        if method == "untrained":
            recipe = replace(recipe, horizon=0)
        if method in ("fedavg-cnn", "cnn", "fedtransformer", "vit"):
            recipe = replace(recipe, text="none", proximal=0.0)
        if method in ("fedtransformer", "vit"):
            recipe = replace(recipe, image="vit", learning_rate=recipe.learning_rate / 2)
        if task.method == "unlabelled":
            recipe = replace(recipe, findings=tuple(name for name in recipe.findings if name not in UNSEEN))
        if not public:
            recipe = replace(recipe, start=self.start(STARTS.get(method, "vlm")))
        if task.method in ("heads", "dp"):
            recipe = replace(recipe, trained="heads")
        if task.method.startswith("dp"):
            rounds, batch = self.scale.private_rounds, self.scale.private_batch
            rows = self.clients(task.scenario, task.seed).values()
            fewest = min(len(np.unique(self.packed.patients[one])) for one in rows)
            noise = noise_for(float(task.detail), DELTA, min(1.0, batch / fewest), rounds)
            recipe = replace(
                recipe,
                batch=batch,
                horizon=rounds,
                learning_rate=self.scale.private_rate,
                proximal=0.0,
                contrast=0.0,  # its gradient is some twenty times that of the findings, and would be all that is kept
                privacy=Privacy(float(task.detail), DELTA, self.scale.private_clip, noise),
            )
        return recipe

    def start(self, kind: str) -> Path:
        """Weights trained on public phantoms, other people before other scanners: where everybody begins."""
        return self.out / "starts" / f"{kind}.safetensors"

    def films(self, rows: NDArray[np.intp], recipe: Recipe) -> Films:
        packed = self.packed
        columns = [packed.findings.index(name) for name in recipe.findings]
        targets = packed.targets[rows][:, columns]
        people, codes = np.unique(packed.patients[rows].astype(str), return_inverse=True)
        return Films(
            self._pixels(recipe.side)[rows],
            self._words(recipe.words, recipe.buckets)[rows],
            (targets == 1).astype(np.float32),
            targets != UNKNOWN,
            codes.astype(np.intp),
            tuple(map(str, people)),
        )

    @cache  # noqa: B019, one experiment a process
    def _pixels(self, side: int) -> NDArray[np.uint8]:
        pixels = self.packed.pixels
        factor = pixels.shape[1] // side
        blocks = pixels.reshape(len(pixels), side, factor, side, factor)
        return blocks.mean((2, 4), dtype=np.float32).astype(np.uint8)

    @cache  # noqa: B019
    def _words(self, words: int, buckets: int) -> NDArray[np.int32]:
        return hashed(self.packed.reports, words=words, buckets=buckets)

    def clients(self, scenario: str, seed: int) -> dict[str, NDArray[np.intp]]:
        packed, rng = self.packed, np.random.default_rng([seed, 16])
        match scenario:
            case "phantom":
                found = {f"hospital-{site}": packed.rows("phantom", TRAIN, site) for site in range(10)}
            case "real":
                found = {name: packed.rows(name, TRAIN) for name in ("nih", "indiana")}
            case "phantom-dirichlet":
                found = self._dealt(packed.rows("phantom", TRAIN), "client", 10, rng)
            case "real-dirichlet":
                found = self._dealt(packed.rows("nih", TRAIN), "nih", 6, rng)
                found |= self._dealt(packed.rows("indiana", TRAIN), "indiana", 4, rng)
            case _:
                found = {"public": packed.rows("public", TRAIN)}
        if self.dev:
            found = {name: rows[~self._aside(rows)] for name, rows in found.items()}
        return {name: rows for name, rows in found.items() if len(rows)}

    def _aside(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """A fifth of the patients, whoever asks."""
        return np.array([zlib.crc32(f"dev {one}".encode()) % 5 == 0 for one in self.packed.patients[rows]], bool)

    def _dealt(
        self, rows: NDArray[np.intp], name: str, clients: int, rng: np.random.Generator
    ) -> dict[str, NDArray[np.intp]]:
        """Patients by their first finding, each kind over the clients as a Dirichlet draw says."""
        people, first, codes = np.unique(self.packed.patients[rows], return_index=True, return_inverse=True)
        kinds = (self.packed.targets[rows][first] == 1).argmax(1)
        client = np.zeros(len(people), int)
        for kind in np.unique(kinds):
            mine = np.flatnonzero(kinds == kind)
            client[mine] = rng.choice(clients, len(mine), p=rng.dirichlet(np.full(clients, ALPHA)))
        return {f"{name}-{number}": rows[client[codes] == number] for number in range(clients)}

    def test_rows(self, task: Task) -> NDArray[np.intp]:
        if self.dev:
            places = ("nih", "indiana") if task.scenario.startswith("real") else ("phantom",)
            rows = np.concatenate([self.packed.rows(name, TRAIN) for name in places])
            return rows[self._aside(rows)]
        if task.scenario.startswith("real"):
            parts = [self.packed.rows(name, TEST) for name in ("nih", "indiana", "covid19")]
            return np.concatenate(parts)
        if task.method == "without":
            return self.packed.rows("phantom", TEST, int(task.detail.split("@")[1]))
        return self.packed.rows("phantom", TEST)

    def run(self, task: Task) -> None:
        began = time.perf_counter()
        if task.scenario == "public":
            recipe = self.recipe(task, task.detail)
            network, _ = self._trained(recipe, self.clients("public", task.seed), pooled=True)
            self.start(task.detail).parent.mkdir(parents=True, exist_ok=True)
            save_weights(self.start(task.detail), network.cpu(), recipe)
            self._save(task, {}, {"seconds": time.perf_counter() - began})
            return
        method = task.detail.split("@")[0] if task.method == "without" else task.method
        recipe = self.recipe(task, method)
        clients = self.clients(task.scenario, task.seed)
        if task.method == "without":
            clients.pop(f"hospital-{task.detail.split('@')[1]}", None)
        rows = self.test_rows(task)
        test = self.films(rows, recipe)
        arrays: dict[str, NDArray[Any]] = {"rows": rows.astype(np.int32)}
        told: dict[str, Any] = {"findings": list(recipe.findings), "clients": len(clients)}
        if method == "alone":
            for name, mine in clients.items():
                network, more = self._trained(recipe, {name: mine}, test=test)
                told[f"curve {name}"] = more.pop("curve")
                arrays[f"scores {name}"] = predicted(network, test.pixels, device=self.device).astype(np.float16)
        else:
            network, more = self._trained(recipe, clients, pooled=method.startswith("central"), test=test)
            told |= more
            arrays["scores"] = predicted(network, test.pixels, device=self.device).astype(np.float16)
            if task.method not in ("without", "dp", "dp-all") and not self.diagnosis:
                arrays |= self._more(network, recipe, task, rows, test, clients)
        told["seconds"] = time.perf_counter() - began
        self._save(task, arrays, told)

    def _trained(
        self,
        recipe: Recipe,
        clients: dict[str, NDArray[np.intp]],
        *,
        pooled: bool = False,
        test: Films | None = None,
    ) -> tuple[VisionLanguageNetwork, dict[str, Any]]:
        """Pooled films are seen as often as all sites together see theirs, in as many steps."""
        if pooled:
            recipe = replace(recipe, batch=recipe.batch * len(clients))
            clients = {"all": np.concatenate(list(clients.values()))}
        rounds, curve = recipe.horizon, []

        def look(so_far: Federation) -> None:
            number = len(so_far.rounds)
            if test is not None and number % max(1, rounds // LOOKS) == 0:
                scores = predicted(assemble(recipe, so_far.shared).to(self.device), test.pixels, device=self.device)
                films = TestFilms(test.targets == 1, test.known, test.patients.astype(str))
                curve.append((number, macro_auc([scores], films, redraws=2).value))

        books = Counted() if recipe.privacy is not None else None
        public = None
        if recipe.privacy is not None:
            pairs = self.films(self.packed.rows("public")[: recipe.negatives], recipe)
            public = (pairs.pixels, pairs.words)
        sites = {
            name: LocalTraining(recipe, self.films(rows, recipe), None, self.device, public=public, books=books)
            for name, rows in clients.items()
        }
        done = federate(recipe, sites, rounds, after=look if self.dev else None)
        told: dict[str, Any] = {
            "curve": curve,
            "films": rounds * recipe.local_steps * recipe.batch * len(clients),
            "rounds": rounds,
            "bytes_a_round": sum(part.nbytes for part in done.shared),
            "seconds_a_round": float(np.median([one.seconds for one in done.rounds] or [0.0])),
        }
        if books is not None:
            told["spent"] = sorted({tuple(one) for one in books.spent})
        return assemble(recipe, done.shared).to(self.device), told

    def _more(
        self,
        network: VisionLanguageNetwork,
        recipe: Recipe,
        task: Task,
        rows: NDArray[np.intp],
        test: Films,
        clients: dict[str, NDArray[np.intp]],
    ) -> dict[str, NDArray[Any]]:
        """Zero and few shots, vectors of one pair a patient, and where the model looks."""
        found: dict[str, NDArray[Any]] = {}
        rng = np.random.default_rng([task.seed, 5])
        examples = self.films(np.concatenate(list(clients.values())), recipe)
        for shots in SHOTS:
            scores = few_shot_scores(network, examples, test, shots=shots, device=self.device, rng=rng)
            found[f"few {shots}"] = scores.astype(np.float16)
        found |= self._looks(network, recipe, rows, test)
        if network.text is None:
            return found
        every = self.packed.findings
        found["zero"] = zero_shot_scores(network, test, every, recipe, device=self.device).astype(np.float16)
        _, first = np.unique(test.patients, return_index=True)
        first = np.sort(first[test.words[first, 0] != 0])
        if len(first):
            pairs = test.take(first)
            found["pair rows"] = rows[first].astype(np.int32)
            found["film vectors"] = film_vectors(network, pairs, device=self.device).half().cpu().numpy()
            found["report vectors"] = report_vectors(network, pairs, device=self.device).half().cpu().numpy()
            relevance = word_relevance(network, pairs, device=self.device)
            words = on_named_words(relevance, named_words(pairs, recipe.findings, recipe), pairs.words)
            named = np.isfinite(words.hit)
            found |= {"word rows": rows[first][named].astype(np.int32)}
            found |= {
                "word cam": words.hit[named].astype(np.float32),
                "word share": words.chance[named].astype(np.float32),
            }
        return found

    def _looks(
        self, network: VisionLanguageNetwork, recipe: Recipe, rows: NDArray[np.intp], test: Films
    ) -> dict[str, NDArray[Any]]:
        packed, found = self.packed, {}
        place = {int(row): number for number, row in enumerate(rows)}
        factor = packed.pixels.shape[1] // recipe.side
        boxes = [one for one in packed.boxes if int(one[0]) in place and packed.findings[one[1]] in recipe.findings]
        if boxes:
            at = np.array([place[int(one[0])] for one in boxes])
            finding = np.array([recipe.findings.index(packed.findings[one[1]]) for one in boxes])
            edges = [tuple(int(edge) // factor for edge in one[2:]) for one in boxes]
            hits = pointing(self._cams(network, test, at, finding), edges)
            found |= {"box rows": rows[at].astype(np.int32), "box finding": finding.astype(np.int8)}
            found |= {"cam hit": hits.hit.astype(np.int8), "box share": hits.chance.astype(np.float32)}
            if network.text is not None:
                with torch.inference_mode():
                    phrases = phrase_vectors(network, recipe.findings, recipe, self.device)
                near = self._cams(network, test, at, finding, phrases)
                found["phrase hit"] = pointing(near, edges).hit.astype(np.int8)
        lungs = [(number, place[int(row)]) for number, row in enumerate(packed.lung_rows) if int(row) in place]
        if lungs:
            masks = packed.lungs[[number for number, _ in lungs]][:, ::factor, ::factor]
            at = np.array([where for _, where in lungs])
            finding = _in_the_lungs(test, recipe)[at]
            keep = finding >= 0
            if keep.any():
                share = inside(self._cams(network, test, at[keep], finding[keep]), masks[keep])
                found |= {"lung rows": rows[at[keep]].astype(np.int32)}
                found |= {"lung cam": share.hit.astype(np.float32), "lung share": share.chance.astype(np.float32)}
        return found

    def _cams(
        self,
        network: VisionLanguageNetwork,
        test: Films,
        rows: NDArray[np.intp],
        finding: NDArray[np.intp],
        phrases: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Of each row the map of one finding: by Grad-CAM, or by the phrase for it."""
        parts = []
        for at in range(0, len(rows), 256):
            pixels, one = test.pixels[rows[at : at + 256]], torch.from_numpy(finding[at : at + 256]).long()
            maps = (
                grad_cam(network, pixels, device=self.device)
                if phrases is None
                else phrase_maps(network, phrases, pixels, device=self.device)
            )
            parts.append(maps[torch.arange(len(one)), one])
        return torch.cat(parts)

    def _save(self, task: Task, arrays: dict[str, NDArray[Any]], told: dict[str, Any]) -> None:
        path = self.out / f"{task.name}.npz"
        temporary = path.with_suffix(".partial.npz")
        np.savez_compressed(temporary, told=np.frombuffer(json.dumps(told).encode(), np.uint8), **arrays)
        temporary.replace(path)


LUNG_FINDINGS = ("Lung Lesion", "Edema", "Consolidation", "Pneumonia", "Lung Opacity", "Atelectasis")


def _in_the_lungs(films: Films, recipe: Recipe) -> NDArray[np.intp]:
    """A finding of each film that lies in the lungs, or -1."""
    names = [recipe.findings.index(name) for name in LUNG_FINDINGS if name in recipe.findings]
    there = (films.targets[:, names] == 1) & films.known[:, names]
    return np.where(there.any(1), np.array(names)[there.argmax(1)], -1)


def work(given: argparse.Namespace, wanted: list[Task], end: float) -> None:
    """Take one task after another that nobody else has taken."""
    side_by_side = max(1, min(given.jobs, len(wanted)))
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // side_by_side) if given.device == "cpu" else 2)
    if given.device == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
        torch.backends.cudnn.benchmark = True
    scale = replace(SCALES[given.scale], **{name: json.loads(value) for name, value in given.set})
    experiment = Experiment(load(given.films), given.out, given.device, scale, given.dev, given.diagnosis)
    for task in wanted:
        claim = given.out / f"{task.name}.claim"
        if time.time() > end or (given.out / f"{task.name}.npz").exists():
            continue
        try:
            os.close(os.open(claim, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        began = time.time()
        experiment.run(task)
        print(f"{task.name}: {time.time() - began:.1f} s", flush=True)


def run(given: argparse.Namespace) -> None:
    given.out.mkdir(parents=True, exist_ok=True)
    for left in given.out.glob("*.claim"):
        left.unlink()
    end = time.time() + 60 * given.minutes
    for stage in (0, 1):
        if time.time() > end:
            break
        command = [sys.executable, *sys.argv, "--stage", str(stage), "--end", str(end)]
        workers = [subprocess.Popen(command) for _ in range(given.jobs)]
        codes = [worker.wait() for worker in workers]
        if any(codes):
            raise SystemExit("a worker failed; what is done is kept, run the same command again")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=("run", "tell"))
    parser.add_argument("--films", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=600.0)
    parser.add_argument("--only", nargs="+", default=["*"], help="names of trainings, such as real.*")
    parser.add_argument("--scale", choices=tuple(SCALES), default="full")
    parser.add_argument("--dev", action="store_true", help="keep to the training patients, for what is to be chosen")
    parser.add_argument("--diagnosis", action="store_true", help="without words, maps and few examples")
    parser.add_argument(
        "--set", nargs=2, action="append", default=[], metavar=("NAME", "NUMBER"), help="of the scale, such as rounds"
    )
    parser.add_argument("--stage", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--end", type=float, default=float("inf"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.verb == "tell":
        from federated_tables import tell

        tell(given.films, given.out)
    elif given.stage is None:
        run(given)
    else:
        starts, rest = tasks(given.seeds)
        chosen = [task for task in rest if any(fnmatch.fnmatch(task.name, one) for one in given.only)]
        needed = {STARTS.get(one.detail.split("@")[0] or one.method, STARTS.get(one.method, "vlm")) for one in chosen}
        first = [task for task in starts if task.detail in needed]
        work(given, (first, chosen)[given.stage], given.end)


if __name__ == "__main__":
    main()
