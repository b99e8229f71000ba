"""What a federation gives away and what poisoned sites do to it: membership, inversion and poisoning, each unprotected
and protected.

    python benchmarks/federated_attacks.py prepare --out FOLDER                    # phantoms; or --cohort DATA
    python benchmarks/federated_attacks.py run --data FOLDER --out RUN --device cuda
    python benchmarks/federated_attacks.py tell --data FOLDER --out RUN

`run` needs PyTorch, NumPy and transformers alone, reads FOLDER/films.npz, and saves what it has after every model and
every protection; started again it goes on. Several may run side by side, each with some of the work (`--parts`,
`--arms`, `--cases`, `--seen`, `--seeds`). `tell` makes the tables, with intervals by patient, and needs
FOLDER/gallery.npz too.
"""

from __future__ import annotations

import argparse
import io
import json
import tarfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from medveil.attacks.inversion.reconstruction import Search
from medveil.attacks.membership.evidence import Evidence
from medveil.attacks.membership.shadows import Answer, kept_shadows
from medveil.attacks.membership.signals import Signals
from medveil.federated.aggregation import RULES
from medveil.federated.local_training import assemble
from medveil.federated.recipe import Privacy, Recipe
from medveil.federated.vision_language.films import Films
from medveil.release.federated_models.inversion import CLOSED, PROTECTIONS, Protection, Step, Victims, deal
from medveil.release.federated_models.membership import Audited, answer, shadow_models, trained
from medveil.release.federated_models.poisoning import POISONS, train_poisoned

FILMS, GALLERY = "films.npz", "gallery.npz"
PARTS = ("membership", "inversion", "poisoning")
SEED, DELTA = 7, 1e-5
BAD, SITES = 2, 11  # poisoned sites of how many: as few as Bulyan allows
CASES = ("vit-1", "resnet-1", "resnet-4")  # the image network, and films of a site
DOSES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)  # noise, over the clipping norm; the recipe's own besides
FEWEST = 30  # films with and without a finding for its AUC


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    first = verbs.add_parser("prepare")
    first.add_argument("--cohort", type=Path, help="a data set; phantoms by default")
    first.add_argument("--layout")
    first.add_argument("--phantoms", type=int, default=1500, help="patients")
    first.add_argument("--out", type=Path, required=True)
    first.add_argument("--side", type=int, default=64)
    first.add_argument("--rounds", type=int, default=20)
    first.add_argument("--epsilon", type=float, nargs="+", default=[3.0])
    first.add_argument("--seed", type=int, default=SEED)
    then = verbs.add_parser("run")
    then.add_argument("--data", type=Path, required=True)
    then.add_argument("--out", type=Path, required=True)
    then.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS)
    then.add_argument("--shadows", type=int, default=8)
    then.add_argument("--updates", type=int, default=16)
    then.add_argument("--steps", type=int, default=800)
    then.add_argument("--starts", type=int, default=1)
    then.add_argument("--arms", nargs="+", help="of membership: none, epsilon-3; all by default")
    then.add_argument("--cases", nargs="+", default=list(CASES), choices=CASES, help="of inversion")
    then.add_argument("--seen", nargs="+", help="of inversion: none, 'secure sums', privacy, both; all by default")
    then.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="of the poisoned federations")
    then.add_argument("--poisoned-rounds", type=int, default=10)
    then.add_argument("--poisons", nargs="+", default=list(POISONS), choices=POISONS)
    then.add_argument("--rules", nargs="+", default=list(RULES), choices=RULES)
    then.add_argument("--keep", type=Path, help="a folder for half-done work; beside RUN by default")
    then.add_argument("--device", default="cpu")
    last = verbs.add_parser("tell")
    last.add_argument("--data", type=Path, required=True)
    last.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    {"prepare": prepare, "run": run, "tell": tell}[chosen.verb](chosen)


@dataclass(frozen=True)
class Data:
    """What `prepare` wrote: everybody's films, whose and from which site, and the recipe with its noise by ε."""

    films: Films
    sites: np.ndarray  # of each patient
    role: np.ndarray  # of each patient: 0 member, 1 other, 2 rival, 3 population
    public: tuple[np.ndarray, np.ndarray]
    recipe: Recipe
    rounds: int
    noise: dict[str, float]

    @classmethod
    def read(cls, folder: Path) -> Data:
        with np.load(folder / FILMS) as kept:
            told = json.loads(kept["told"].tobytes())
            people = tuple(f"{number:06}" for number in range(len(kept["sites"])))
            pixels, words, targets, known, patients = (
                kept[name] for name in ("pixels", "words", "targets", "known", "patients")
            )
            films = Films(pixels, words, targets, known, patients, people)
            public = kept["public_films"], kept["public_words"]
            return cls(
                films, kept["sites"], kept["role"], public, Recipe.of(told["recipe"]), told["rounds"], told["noise"]
            )

    def of(self, *roles: int) -> tuple[Films, np.ndarray]:
        """Their films, and which patients they are."""
        people = np.flatnonzero(np.isin(self.role, roles))
        return self.films.take(np.flatnonzero(np.isin(self.films.patients, people))), people

    @property
    def audited(self) -> Audited:
        films, people = self.of(0, 1)
        return Audited(films, self.sites[people], self.role[people] == 0, self.of(2)[0], self.of(3)[0])

    def arms(self) -> dict[str, Recipe]:
        """Without noise, and with that of each ε."""
        private = {
            f"epsilon-{text}": replace(self.recipe, privacy=Privacy(1e6, DELTA, 1.0, noise))
            for text, noise in self.noise.items()
        }
        return {"none": self.recipe, **private}


def prepare(chosen: argparse.Namespace) -> None:
    from medveil.cohort.input import read_cohort
    from medveil.cohort.phantom.hospital import build_hospital
    from medveil.defenses.alignment.accounting import noise_for
    from medveil.federated.vision_language.films import public_pairs

    recipe = Recipe(
        side=chosen.side,
        channels=16,
        words=96,
        buckets=1024,
        text_width=64,
        text_layers=1,
        embedding=64,
        batch=24,
        learning_rate=2e-3,
        seed=chosen.seed,
    )
    if chosen.cohort is None:
        cohort = build_hospital(chosen.out / "hospital", patients=chosen.phantoms, size=128, seed=chosen.seed)
    else:
        cohort = read_cohort(chosen.cohort, layout=chosen.layout)
    table = cohort.table
    usable = cohort.where(table["view"].isna() | table["view"].isin(("AP", "PA")))
    first = usable.table.groupby("patient_id", observed=True)["study_id"].transform("first")
    here = (usable.table["study_id"] == first).to_numpy(bool)
    films = Films.of(usable.where(here), recipe)
    again = Films.of(usable.where(~here), replace(recipe, side=128))
    places = usable.table.drop_duplicates("patient_id").set_index("patient_id")["site"].astype(str)
    names = sorted(set(places))
    sites = np.array([names.index(places[name]) for name in films.people])
    rng = np.random.default_rng([chosen.seed, 1])
    dealt = rng.permutation(len(sites)) / len(sites)
    role = np.digitize(dealt, (0.25, 0.5, 0.6))
    smallest = min(int(((role == 0) & (sites == site)).sum()) for site in np.unique(sites))
    noise = {
        f"{one:g}": noise_for(one, DELTA, min(1.0, recipe.batch / smallest), chosen.rounds * recipe.local_steps)
        for one in chosen.epsilon
    }
    public_films, public_words = public_pairs(recipe)
    told = json.dumps({"recipe": json.loads(recipe.canonical()), "rounds": chosen.rounds, "noise": noise})
    chosen.out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        chosen.out / FILMS,
        told=np.frombuffer(told.encode(), np.uint8),
        sites=sites,
        role=role,
        public_films=public_films,
        public_words=public_words,
        **{name: getattr(films, name) for name in ("pixels", "words", "targets", "known", "patients")},
    )
    codes = {name: code for code, name in enumerate(films.people)}
    of = np.array([codes.get(again.people[code], -1) for code in again.patients])
    np.savez_compressed(chosen.out / GALLERY, pixels=again.pixels[of >= 0], patients=of[of >= 0])
    print(f"{len(films):,} films of {len(sites):,} patients at {len(names)} sites, noise {noise}")


def run(chosen: argparse.Namespace) -> None:
    data = Data.read(chosen.data)
    chosen.out.mkdir(parents=True, exist_ok=True)
    keep = chosen.keep or chosen.out.parent / f"{chosen.out.name}-kept"
    keep.mkdir(parents=True, exist_ok=True)
    for part in chosen.parts:
        began = time.perf_counter()
        {"inversion": _invert, "membership": _ask, "poisoning": _poison}[part](data, chosen, keep)
        print(f"{part}: {time.perf_counter() - began:.0f} s", flush=True)


def _ask(data: Data, chosen: argparse.Namespace, keep: Path) -> None:
    """A model of each arm, and shadow models of the same."""
    audited = data.audited
    for arm, recipe in data.arms().items():
        if chosen.arms and arm not in chosen.arms:
            continue
        folder = keep / arm
        place, shadows = folder / "target.npz", chosen.out / f"membership-{arm}.tar"
        folder.mkdir(exist_ok=True)
        if not place.exists():
            shared = trained(recipe, audited, audited.member, data.rounds, device=chosen.device, public=data.public)
            told = answer(recipe, assemble(recipe, shared), audited, device=chosen.device)
            assert told.signals.similarity is not None
            np.savez(
                place,
                odds=told.signals.odds,
                likelihood=told.signals.likelihood,
                similarity=told.signals.similarity,
                population=told.population,
            )

        def packed(done: int, total: int, folder: Path = folder, shadows: Path = shadows, arm: str = arm) -> None:
            content = io.BytesIO()
            with tarfile.open(fileobj=content, mode="w") as tar:
                for file in sorted(folder.glob("*.npz")):
                    tar.add(file, file.name)
            shadows.write_bytes(content.getvalue())
            print(f"membership {arm}: {done} of {total} shadow models", flush=True)

        packed(0, chosen.shadows)
        shadow_models(
            recipe,
            audited,
            data.rounds,
            chosen.shadows,
            seed=SEED,
            device=chosen.device,
            public=data.public,
            keep=folder,
            progress=packed,
        )


def _invert(data: Data, chosen: argparse.Namespace, keep: Path) -> None:
    """Films drawn out of gradients: of a transformer in closed form, of a ResNet by search."""
    for case in chosen.cases:
        image, _, batch = case.partition("-")
        place = chosen.out / f"inversion-{case}.npz"
        found = _loaded(place)
        recipe = replace(data.recipe, local_steps=1)
        if image == "vit":
            recipe = replace(recipe, image="vit", channels=32)
        step = Step(recipe, chosen.device)
        victims = deal(data.films, updates=chosen.updates, sites=3, batch=int(batch), seed=SEED)
        found["rows"] = victims.rows
        observed = {name: sent for name, sent in _seen(step, victims).items() if not chosen.seen or name in chosen.seen}
        ways: dict[str, Search | None] = {CLOSED: None}
        if image == "resnet":
            ways = {"direction": Search(steps=chosen.steps, starts=chosen.starts)}
            if batch == "1":
                ways["distance"] = Search("distance", steps=chosen.steps // 3, starts=1)
        for way, search in ways.items():
            for name, sent in observed.items():
                key = f"{way} {name}"
                if key in found or (search and name.startswith("noise")) or (way == "distance" and "AdamW" in name):
                    continue
                began = time.perf_counter()
                gradients, doubts = sent()
                if search is None:
                    drawn = step.closed_form(gradients, doubts)
                    assert drawn is not None
                else:
                    whose = name if name in PROTECTIONS else "none"
                    drawn = step.searched(victims, whose, gradients, search, seed=SEED)
                found[key] = (np.clip(drawn, 0, 1) * 255).round().astype(np.uint8)
                _saved(place, found)
                print(f"inversion {case} {key}: {time.perf_counter() - began:.0f} s", flush=True)


def _seen(step: Step, victims: Victims) -> dict[str, Callable[[], tuple[list[Any], list[Any] | None]]]:
    """What the server sees, by name: under each protection, at several doses of noise, and as sites do send it."""
    ten = Step(replace(step.recipe, local_steps=10), step.device)
    doses = DOSES if victims.rows.shape[2] == 1 else ()

    def bare(protection: Protection, privacy: Privacy) -> tuple[list[Any], None]:
        return step.sent(victims, protection, privacy, seed=SEED), None

    return {
        **{name: partial(bare, name, Privacy()) for name in PROTECTIONS},
        **{f"noise {one:g}": partial(bare, "privacy", Privacy(noise=one)) for one in doses},
        "one step of AdamW": partial(step.update, victims, seed=SEED),
        "ten steps of AdamW": partial(ten.update, victims, seed=SEED),
    }


def _poison(data: Data, chosen: argparse.Namespace, keep: Path) -> None:
    people = np.flatnonzero(np.isin(data.role, (0, 1)))
    tried, _ = data.of(2, 3)
    finding = _usual_finding(tried)
    for seed in chosen.seeds:
        place = chosen.out / f"poisoning-{seed}.npz"
        found = _loaded(place)
        site = np.random.default_rng([seed, 61]).permutation(len(people)) % SITES
        sites = {
            f"site {number:02}": data.films.take(np.flatnonzero(np.isin(data.films.patients, people[site == number])))
            for number in range(SITES)
        }
        recipe = replace(data.recipe, text="none", local_steps=5, seed=seed)
        for rule in chosen.rules:
            for poison in chosen.poisons:
                key = f"{rule} {poison}"
                if f"{key} honest" in found:
                    continue
                done = train_poisoned(
                    recipe,
                    sites,
                    tried,
                    chosen.poisoned_rounds,
                    poison=poison,
                    rule=rule,
                    bad=BAD,
                    finding=finding,
                    device=chosen.device,
                    seed=seed,
                )
                found[f"{key} honest"], found[f"{key} marked"] = done.honest, done.marked
                _saved(place, found)
                print(f"poisoning {seed} {key}", flush=True)


def _usual_finding(films: Films) -> int:
    """That of which films with and without are most alike in number: the backdoor's."""
    counts = [min((films.targets[k, f] == v).sum() for v in (0, 1)) for f, k in enumerate(films.known.T.astype(bool))]
    return int(np.argmax(counts))


def _loaded(place: Path) -> dict[str, Any]:
    if not place.exists():
        return {}
    with np.load(place) as kept:
        return {name: kept[name] for name in kept.files}


def _saved(place: Path, found: dict[str, Any]) -> None:
    temporary = place.with_suffix(".part.npz")
    np.savez_compressed(temporary, **found)
    temporary.replace(place)


def tell(chosen: argparse.Namespace) -> None:
    data = Data.read(chosen.data)
    _tell_membership(data, chosen)
    _tell_inversion(data, chosen)
    _tell_poisoning(data, chosen)


def _tell_membership(data: Data, chosen: argparse.Namespace) -> None:
    import tempfile

    from medveil.attacks.membership.findings import successes
    from medveil.attacks.membership.limits import PrivacyLimit

    audited = data.audited
    members = int(audited.member.sum())
    print(f"\n## Membership: {members:,} members, {audited.patients - members:,} others, {data.rounds} rounds\n")
    print("| arm | attack | told at 0.1 % | told at 1 % | advantage | limit | AUC |\n|---|---|---|---|---|---|---|")
    for arm, recipe in data.arms().items():
        packed = chosen.out / f"membership-{arm}.tar"
        if not packed.exists():
            continue
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(packed) as tar:
                tar.extractall(folder, filter="data")
            name = f"{recipe.digest} {data.rounds} {audited.digest}"
            shadows = kept_shadows(Path(folder), audited.patients, 1000, seed=SEED, name=name)
            with np.load(Path(folder) / "target.npz") as kept:
                told = Answer(Signals(kept["odds"], kept["likelihood"], kept["similarity"]), kept["population"])
        references = shadows.references if len(shadows.answers) >= 2 else None
        evidence = Evidence(audited.member, told.signals, told.population, references)
        limit = PrivacyLimit(float(arm.partition("-")[2]), DELTA) if recipe.privacy else None
        told_of = f"{arm} ({len(shadows.answers)} shadows)"
        for attack, found in successes(evidence, seed=SEED).items():
            cells = [_shown(one) for one in (*found.hits.values(), found.advantage)]
            most = "–" if limit is None else f"{limit.advantage:.3f}"
            print(f"| {told_of} | {attack} | {' | '.join(cells)} | {most} | {found.auc.value:.3f} |")


def _tell_inversion(data: Data, chosen: argparse.Namespace) -> None:
    from medveil.attacks.inversion.findings import Drawn, Gallery, judge
    from medveil.encoders.identity.embedder import load_embedder

    embedder = load_embedder()
    with np.load(chosen.data / GALLERY) as kept:
        order = np.unique(kept["patients"], return_index=True)[1]
        gallery = Gallery(embedder.embed(list(kept["pixels"][order])), kept["patients"][order])
    print(f"\n## Inversion: a gallery of {len(order):,} patients, another film of each\n")
    print("| network, films | way | what the server sees | SSIM | finds its patient | chance | for other people |")
    print("|---|---|---|---|---|---|---|")
    for case in CASES:
        found = _loaded(chosen.out / f"inversion-{case}.npz")
        rows = found.pop("rows", np.zeros((0, 1, 1), int))
        for key, drawn in found.items():
            way = next(each for each in (CLOSED, "direction", "distance") if key.startswith(each))
            name = key[len(way) + 1 :]
            seen = rows.reshape(len(rows), -1) if name in ("secure sums", "both") else rows[:, 0]
            vectors = embedder.embed([film for update in drawn for film in update])
            own, people = data.films.pixels[rows[:, 0]] / 255, data.films.patients[seen]
            told = judge(Drawn(drawn / 255, vectors, own, people), gallery, seed=SEED)
            cells = f"{_shown(told.alike)} | {_shown(told.found)} | {told.found.chance:.4f} | {told.found.control:.4f}"
            print(f"| {case} | {way} | {name} | {cells} |")


def _tell_poisoning(data: Data, chosen: argparse.Namespace) -> None:
    from medveil.stats.bootstrap import unit_weights

    files = sorted(chosen.out.glob("poisoning-*.npz"))
    seeds = [_loaded(place) for place in files]
    tried, _ = data.of(2, 3)
    targets, known, patients = tried.targets, tried.known.astype(bool), tried.patients
    finding, weights = _usual_finding(tried), unit_weights(int(patients.max()) + 1, redraws=200, seed=SEED)
    print(f"\n## Poisoning: {BAD} of {SITES} sites, {len(files)} seeds, {len(targets):,} films\n")
    print("| aggregation | poison | mean AUC of the findings | the mark is seen as the finding |\n|---|---|---|---|")
    for rule in RULES:
        for poison in POISONS:
            key = f"{rule} {poison}"
            odds = [(one[f"{key} honest"], one[f"{key} marked"]) for one in seeds if f"{key} honest" in one]
            if odds:
                auc = _mean_auc([honest for honest, _ in odds], targets, known, patients, weights)
                fooled = _fooled(odds, targets, known, patients, finding, weights)
                print(f"| {rule} | {poison} | {_shown(auc)} | {_shown(fooled)} |")


def _mean_auc(odds: list[Any], targets: Any, known: Any, patients: Any, weights: Any) -> Any:
    from medveil.stats.auc import WeightedAUC
    from medveil.stats.estimate import Estimate

    usable = [
        place
        for place, there in enumerate(known.T)
        if min((targets[there, place] == value).sum() for value in (0, 1)) >= FEWEST
    ]
    curves = [
        (WeightedAUC(one[known[:, place], place].astype(float), targets[known[:, place], place] == 1), known[:, place])
        for one in odds
        for place in usable
    ]
    values = np.array([curve() for curve, _ in curves]).mean()
    redrawn = np.array([np.mean([curve(row[patients[there]]) for curve, there in curves]) for row in weights])
    return Estimate.from_replicates(float(values), redrawn, n=len(targets), units=weights.shape[1], chance=0.5)


def _fooled(odds: list[Any], targets: Any, known: Any, patients: Any, finding: int, weights: Any) -> Any:
    """The share of films without the finding that the mark lifts above 95 % of such films without it."""
    from medveil.stats.shares import share

    without = ~((targets[:, finding] == 1) & known[:, finding])
    lifted = [marked[without, finding] > np.quantile(honest[without, finding], 0.95) for honest, marked in odds]
    return share(np.mean(lifted, 0).astype(float), patients[without], weights, chance=0.05)


def _shown(one: Any) -> str:
    return f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})"


if __name__ == "__main__":
    main()
