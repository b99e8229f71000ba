"""The tables of `federated_utility`: every training that is there, models side by side, paired by patient."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from federated_films import SOURCES, TRAIN, UNKNOWN, Packed, load
from medveil.defenses.alignment.accounting import Spending, epsilon
from medveil.errors import NotMeasurable
from medveil.federated.evaluation.comparison import TestFilms, against, at_prevalence, macro_auc
from medveil.federated.evaluation.retrieval import recall
from medveil.runtime.storage import write_bytes, write_json
from medveil.stats.bootstrap import mean_replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate

REDRAWS = 500
DELTA = 1e-5
METHODS = {
    "untrained": "Public weights as they are",
    "fedavg-cnn": "FedAvg-CNN",
    "fedtransformer": "FedTransformer",
    "central": "Centralised",
    "fedvlm": "FedVLM",
}
PRIVATE = {
    "heads": "heads alone on public encoders",
    "dp": "heads alone on public encoders",
    "dp-all": "all weights",
    "fedvlm": "all weights",
}
TESTS: dict[str, dict[str, tuple[str, ...]]] = {
    "phantom": {"all hospitals": ("phantom",)},
    "phantom-dirichlet": {"all hospitals": ("phantom",)},
    "real": {
        "NIH and Indiana": ("nih", "indiana"),
        "NIH": ("nih",),
        "Indiana": ("indiana",),
        "covid19, which no site has": ("covid19",),
    },
    "real-dirichlet": {"NIH and Indiana": ("nih", "indiana"), "NIH": ("nih",), "Indiana": ("indiana",)},
}
Run = dict[str, Any]


def tell(films: Path, out: Path) -> None:
    tables = Tables(load(films), _read(out))
    lines = ["# One model across hospitals, against pooled data and each hospital alone", ""]
    for part in (tables.utility, tables.without, tables.words, tables.looks, tables.private):
        try:
            lines += part()
        except NotMeasurable as why:  # too few runs or patients: the other tables can still be told
            lines += [f"({part.__name__}: {why})", ""]
    write_bytes(out / "federated.md", ("\n".join(lines) + "\n").encode())
    write_json(out / "federated.json", tables.record)
    print("\n".join(lines))


def _read(out: Path) -> dict[tuple[str, str, str], dict[int, Run]]:
    """Runs by scenario, method and detail, then by seed."""
    found: dict[tuple[str, str, str], dict[int, Run]] = defaultdict(dict)
    for path in sorted(out.glob("*.seed*.npz")):
        scenario, method, *detail, seed = path.stem.split(".")
        if len(detail) > 1 or ".partial" in path.name:
            detail = [".".join(detail)]
        with np.load(path) as kept:
            run: Run = {name: kept[name] for name in kept.files if name != "told"}
            run |= json.loads(kept["told"].tobytes())
        found[scenario, method, detail[0] if detail else ""][int(seed.removeprefix("seed"))] = run
    return found


class Tables:
    def __init__(self, packed: Packed, runs: dict[tuple[str, str, str], dict[int, Run]]) -> None:
        self.packed, self.runs = packed, runs
        self.record: dict[str, Any] = {}

    def films(self, rows: NDArray[Any]) -> TestFilms:
        targets = self.packed.targets[rows]
        return TestFilms(targets == 1, targets != UNKNOWN, self.packed.patients[rows].astype(str))

    def _scores(self, runs: dict[int, Run], name: str, keep: NDArray[np.bool_]) -> list[NDArray[np.float32]]:
        return [run[name][keep].astype(np.float32) for _, run in sorted(runs.items()) if name in run]

    def utility(self) -> list[str]:
        lines: list[str] = []
        for scenario, tests in TESTS.items():
            if (scenario, "fedvlm", "") not in self.runs:
                continue
            for test, sources in tests.items():
                lines += self._utility(scenario, test, sources)
        return lines

    def _utility(self, scenario: str, test: str, sources: tuple[str, ...]) -> list[str]:
        some = next(iter(self.runs[scenario, "fedvlm", ""].values()))
        rows = some["rows"]
        keep = np.isin(self.packed.sources[rows], [SOURCES.index(name) for name in sources])
        films = self.films(rows[keep])
        chosen = films.measurable()
        train = np.isin(self.packed.sources, [SOURCES.index(name) for name in sources]) & (self.packed.splits == TRAIN)
        prevalence = np.array(
            [(t[t != UNKNOWN] == 1).mean() if (t != UNKNOWN).any() else 0 for t in self.packed.targets[train].T]
        )
        found: dict[str, Estimate] = {}
        more: dict[str, tuple[float, float, list[float], Run]] = {}
        for method, name in METHODS.items():
            runs = self.runs.get((scenario, method, ""), {})
            scores = self._scores(runs, "scores", keep)
            if scores:
                found[name] = macro_auc(scores, films, findings=chosen, redraws=REDRAWS)
                both = np.mean([at_prevalence(one, films, prevalence, chosen) for one in scores], axis=0)
                each = [macro_auc([one], films, findings=chosen, redraws=2).value for one in scores]
                more[name] = (float(both[0]), float(both[1]), each, next(iter(runs.values())))
        alone_runs = self.runs.get((scenario, "alone", ""), {})
        names = sorted({name for run in alone_runs.values() for name in run if name.startswith("scores ")})
        alone = {
            name.removeprefix("scores "): macro_auc(
                self._scores(alone_runs, name, keep), films, findings=chosen, redraws=REDRAWS
            )
            for name in names
        }
        fed = found["FedVLM"]
        beside = against(fed, {name: one for name, one in found.items() if name != "FedVLM"})
        over = against(fed, alone)
        lines = [
            f"## {scenario}: tested on {test}",
            "",
            f"{len(np.unique(films.patients))} patients, {keep.sum()} films, {len(chosen)} findings; mean over"
            f" {len(self.runs[scenario, 'fedvlm', ''])} seeds, 95 % intervals by patient.",
            "",
            "| | macro AUROC | FedVLM minus it | p | SD over seeds | accuracy | F1 | steps | films seen | MB a round |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ]
        for name, one in found.items():
            accuracy, f1, each, run = more[name]
            change = beside.get(name)
            gap = "" if change is None else _interval(change.delta)
            p = "" if change is None else f"{change.p:.3f}"
            spread = f"{np.std(each, ddof=1):.4f}" if len(each) > 1 else ""
            lines.append(
                f"| {name} | {_interval(one)} | {gap} | {p} | {spread} | {accuracy:.3f} | {f1:.3f} | {run['rounds']}"
                f" | {run['films']:,} | {run['bytes_a_round'] / 1e6:.1f} |"
            )
        for name, change in over.items():
            lines.append(
                f"| {name} alone | {_interval(alone[name])} | {_interval(change.delta)} | {change.p:.3f} | | | | | | |"
            )
        self.record[f"{scenario}: {test}"] = {
            "models": {name: one.to_json() for name, one in (found | alone).items()},
            "fedvlm_minus": {name: one.delta.to_json() | {"p": one.p} for name, one in (beside | over).items()},
        }
        return [*lines, ""]

    def without(self) -> list[str]:
        """Leave one hospital out: each of them once, over the seeds. Models are compared where all of them left the
        same hospital out."""
        left: dict[str, dict[tuple[str, int], Run]] = defaultdict(dict)
        for (_, kind, detail), several in self.runs.items():
            method, _, hospital = detail.partition("@")
            if kind == "without" and method in METHODS:
                left[METHODS[method]] |= {(hospital, seed): run for seed, run in several.items()}
        shared = sorted(set.intersection(*(set(one) for one in left.values()))) if left else []
        if not shared:
            return []
        pooled: dict[str, Estimate] = {}
        for name, runs in left.items():
            rows = np.concatenate([runs[one]["rows"] for one in shared])
            scores = np.concatenate([_ranked(runs[one]["scores"]) for one in shared])
            pooled[name] = macro_auc([scores], self.films(rows), redraws=REDRAWS)
        patients = len(np.unique(self.packed.patients[rows]))
        fed = pooled.get("FedVLM")
        beside = {} if fed is None else against(fed, {name: one for name, one in pooled.items() if name != "FedVLM"})
        lines = [
            "## Leave one hospital out (phantoms)",
            "",
            f"{len({hospital for hospital, _ in shared})} hospitals, {patients} patients.",
            "",
            "| | macro AUROC at the hospital left out | FedVLM minus it | p |",
            "|---|---|---|---|",
        ]
        for name, one in pooled.items():
            change = beside.get(name)
            lines.append(
                f"| {name} | {_interval(one)} | | |"
                if change is None
                else f"| {name} | {_interval(one)} | {_interval(change.delta)} | {change.p:.3f} |"
            )
        self.record["leave one hospital out"] = {
            "models": {name: one.to_json() for name, one in pooled.items()},
            "fedvlm_minus": {name: one.delta.to_json() | {"p": one.p} for name, one in beside.items()},
        }
        return [*lines, ""]

    def words(self) -> list[str]:
        """Zero shots, few shots, retrieval."""
        lines = ["## Zero and few shots, and retrieval", "", "| | model | measured | value |", "|---|---|---|---|"]
        kept: dict[str, Any] = {}
        for (scenario, method, _), runs in sorted(self.runs.items()):
            if method not in (*METHODS, "unlabelled") or not runs:
                continue
            some = next(iter(runs.values()))
            rows = some["rows"]
            keep = ~np.isin(self.packed.sources[rows], [SOURCES.index("covid19")])
            films = self.films(rows[keep])
            label = METHODS.get(method, "FedVLM without labels of three findings")
            told: dict[str, Estimate] = {}
            findings = None
            if method == "unlabelled":
                findings = [index for index, name in enumerate(self.packed.findings) if name not in some["findings"]]
            for name, title in (("zero", "zero-shot macro AUROC"), ("few 4", "4 examples"), ("few 16", "16 examples")):
                scores = self._scores(runs, name, keep)
                if scores and (method != "unlabelled" or name == "zero"):
                    told[title] = macro_auc(scores, films, findings=findings, redraws=REDRAWS)
            if method != "unlabelled" and "film vectors" in some:
                several = [
                    recall(run["film vectors"].astype(np.float32), run["report vectors"].astype(np.float32))
                    for run in runs.values()
                ]
                for measure in ("film to report, recall@1", "film to report, recall@10", "report to film, recall@1"):
                    told[measure] = _mean([one[measure] for one in several])
            lines += [
                f"| {scenario} | {label} | {name} | {_interval(one, chance=True)} |" for name, one in told.items()
            ]
            kept[f"{scenario}: {label}"] = {name: one.to_json() for name, one in told.items()}
        self.record["words"] = kept
        return [*lines, ""] if kept else []

    def looks(self) -> list[str]:
        lines = ["## Where the models look", "", "| | model | measured | value | by chance |", "|---|---|---|---|---|"]
        kept: dict[str, Any] = {}
        for (scenario, method, _), runs in sorted(self.runs.items()):
            if method not in METHODS:
                continue
            for title, rows, hit, chance in (
                ("Grad-CAM's highest point in the finding's box", "box rows", "cam hit", "box share"),
                ("the phrase's highest point in the finding's box", "box rows", "phrase hit", "box share"),
                ("share of Grad-CAM in the lungs", "lung rows", "lung cam", "lung share"),
                ("share of words' relevance on those that name a finding", "word rows", "word cam", "word share"),
            ):
                mine = [run for run in runs.values() if hit in run and len(run[hit])]
                if not mine:
                    continue
                found = _mean([self._share(run[rows], run[hit], run[chance]) for run in mine])
                name = METHODS[method]
                lines.append(f"| {scenario} | {name} | {title} | {_interval(found)} | {found.chance:.3f} |")
                kept[f"{scenario}: {name}: {title}"] = found.to_json()
        self.record["looks"] = kept
        return [*lines, ""] if kept else []

    def _share(self, rows: NDArray[Any], values: NDArray[Any], chance: NDArray[Any]) -> Estimate:
        """A map with nothing in it shows nothing of the lungs either."""
        codes, units = unit_codes(self.packed.patients[rows].astype(str))
        weights = unit_weights(units, redraws=REDRAWS, seed=0)
        shown = np.nan_to_num(values.astype(np.float64))
        return Estimate.from_replicates(
            float(shown.mean()),
            mean_replicates(shown, codes, weights),
            n=len(shown),
            units=units,
            chance=float(chance.mean()),
        )

    def private(self) -> list[str]:
        lines = [
            "## Differential privacy by patient",
            "",
            f"ε at δ = {DELTA:g} over all rounds, by privacy loss distributions, of the site where it is largest.",
            "",
            "| | noise | ε | seeds | macro AUROC |",
            "|---|---|---|---|---|",
        ]
        kept: dict[str, Any] = {}
        for (scenario, method, _), runs in sorted(
            self.runs.items(), key=lambda one: (one[0][0], PRIVATE.get(one[0][1], ""), one[0][2])
        ):
            if method not in PRIVATE or scenario not in ("phantom", "real"):
                continue
            some = next(iter(runs.values()))
            cost = max(
                (
                    epsilon([Spending(sigma, sampling, int(steps) * some["rounds"])], DELTA)
                    for sigma, sampling, steps in some.get("spent", ())
                ),
                default=None,
            )
            rows = some["rows"]
            keep = ~np.isin(self.packed.sources[rows], [SOURCES.index("covid19")])
            found = macro_auc(self._scores(runs, "scores", keep), self.films(rows[keep]), redraws=REDRAWS)
            noise = max((sigma for sigma, _, _ in some.get("spent", ())), default=None)
            told = ["none" if one is None else f"{one:.2f}" for one in (noise, cost)]
            lines.append(f"| {scenario}, {PRIVATE[method]} | {' | '.join(told)} | {len(runs)} | {_interval(found)} |")
            kept[f"{scenario}: {PRIVATE[method]}, ε {told[1]}"] = found.to_json() | {"epsilon": cost, "noise": noise}
        self.record["private"] = kept
        return [*lines, ""] if kept else []


def _ranked(scores: NDArray[Any]) -> NDArray[np.float32]:
    """Scores of models of different hospitals on one scale: each film's place among those of its hospital."""
    order = scores.astype(np.float32).argsort(0).argsort(0)
    return (order / max(1, len(scores) - 1)).astype(np.float32)


def _mean(several: list[Estimate]) -> Estimate:
    """Over trainings, within the same redraws."""
    replicates = np.mean([one.replicates for one in several if one.replicates is not None], axis=0)
    first = several[0]
    value = float(np.mean([one.value for one in several]))
    return Estimate.from_replicates(value, replicates, n=first.n, units=first.units, chance=first.chance)


def _interval(found: Estimate, *, chance: bool = False) -> str:
    beside = f", chance {found.chance:.3f}" if chance and found.chance is not None else ""
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f}){beside}"
