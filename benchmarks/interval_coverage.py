"""How often printed intervals hold the truth: simulated cohorts of 40, 100 and 300 patients, by kind of number.

    python benchmarks/interval_coverage.py --trials 400

Every kind is computed by the functions that the reports use, on made-up patients whose truth is known. An interval at
95 % should hold it in 93 to 99 % of cohorts; where successes are rare, the exact interval holds it more often.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.identity.identification import Sample, pair_auc
from medveil.attacks.identity.linkable import Contest, Dealt, Returning
from medveil.attacks.identity.pairs import Side, same_person, two_persons
from medveil.attacks.linkage.run import run_linkage
from medveil.attacks.linkage.settings import LinkageSettings
from medveil.encoders.vectors.embedding_folder import Embeddings
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.retrieval import best_match_ranks, mean_by_patient, precision_at_1
from medveil.stats.shares import share, strongest
from medveil.stats.verification import PairRedraws, ScoredPairs, curve_estimates

PATIENTS = (40, 100, 300)
REDRAWS = 400
DIM = 24
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Kind:
    """A number, how it is estimated on a cohort of so many patients, and what is true of all cohorts."""

    name: str
    estimate: Callable[[int, int], Estimate]  # patients, seed
    truth: Callable[[int], float]  # patients


def coverage(kind: Kind, patients: int, trials: int) -> float:
    """The share of cohorts whose interval holds the truth."""
    true = kind.truth(patients)
    found = [kind.estimate(patients, seed) for seed in range(trials)]
    return float(np.mean([each.low - 1e-12 <= true <= each.high + 1e-12 for each in found]))


def _visits(patients: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """One to five images a patient, most with few."""
    return np.repeat(np.arange(patients), 1 + rng.binomial(4, 0.25, patients))


def _of_patients(p: float, patients: int, seed: int) -> Estimate:
    hits = (np.random.default_rng([seed, patients]).random(patients) < p).astype(float)
    return share(hits, np.arange(patients), unit_weights(patients, redraws=REDRAWS, seed=seed))


def _of_images(p: float, patients: int, seed: int) -> Estimate:
    """A patient's images succeed and fail together, more or less."""
    rng = np.random.default_rng([seed, patients, 1])
    codes = _visits(patients, rng)
    own = rng.beta(p, 1 - p, patients)
    hits = (rng.random(len(codes)) < own[codes]).astype(float)
    return share(hits, codes, unit_weights(patients, redraws=REDRAWS, seed=seed))


def _change(before: float, lost: float, patients: int, seed: int) -> Estimate:
    """The same patients before and after a defense that takes a share `lost` of the successes."""
    rng = np.random.default_rng([seed, patients, 2])
    weights = unit_weights(patients, redraws=REDRAWS, seed=seed)
    first = rng.random(patients) < before
    second = first & (rng.random(patients) >= lost)
    one, other = (share(hits.astype(float), np.arange(patients), weights) for hits in (first, second))
    return other.minus(one)


def _best_of(values: tuple[float, ...], patients: int, seed: int) -> Estimate:
    """The strongest of several attackers on the same patients."""
    luck = np.random.default_rng([seed, patients, 3]).random((patients, len(values)))
    luck[:, 1:] = np.where(luck[:, 1:] < 0.5, luck[:, :1], luck[:, 1:])  # they succeed together, more or less
    weights = unit_weights(patients, redraws=REDRAWS, seed=seed)
    each = {
        str(at): share((luck[:, at] < p).astype(float), np.arange(patients), weights) for at, p in enumerate(values)
    }
    return strongest(each)[1]


def _films(patients: int, spread: float, seed: int) -> Side:
    """Two films a patient, around a point of the patient's own."""
    rng = np.random.default_rng([seed, patients, 4])
    own = np.repeat(rng.normal(size=(patients, DIM)), 2, axis=0)
    vectors = own + spread * rng.normal(size=own.shape)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    codes = np.repeat(np.arange(patients), 2)
    return Side(vectors.astype(np.float32), np.ones((len(codes), 1), np.float32), codes, np.arange(len(codes)))


def _contest(patients: int, spread: float, seed: int) -> Contest:
    films = _films(patients, spread, seed)
    genuine, strangers = same_person(films, None), two_persons(films, None, seed=seed)
    returning = Returning(np.arange(patients), np.ones(patients, dtype=np.int64), np.zeros(patients, dtype=bool))
    dealt = Dealt.of(patients, halves=False, seed=seed)
    return Contest(films, None, genuine, strangers, returning=returning, dealt=dealt)


def _linkable(spread: float, patients: int, seed: int) -> Estimate:
    weights = unit_weights(patients, redraws=REDRAWS, seed=seed)
    contest = _contest(patients, spread, seed)
    return contest.at(contest.resolved(1e-3), weights).estimate(weights)


@lru_cache
def _rate(patients: int) -> float:
    """The false-match rate that so many patients can tell."""
    return float(np.mean([_contest(patients, 1.0, seed).resolved(1e-3) for seed in range(4)]))


@lru_cache
def _many_scores(spread: float) -> tuple[Floats, Floats]:
    """Scores of pairs of one person, and of two, of very many people."""
    films = _films(20_000, spread, 999).vectors
    own = np.einsum("ij,ij->i", films[::2], films[1::2])
    others = [np.einsum("ij,ij->i", films, np.roll(films, 2 * shift, axis=0)) for shift in range(1, 101)]
    return own.astype(np.float64), np.sort(np.concatenate(others).astype(np.float64))


def _true_linkable(spread: float, patients: int) -> float:
    own, others = _many_scores(spread)
    return float((own > np.quantile(others, 1 - _rate(patients))).mean())


def _true_auc(spread: float, patients: int) -> float:
    own, others = _many_scores(spread)
    return float(np.searchsorted(others, own).mean() / len(others))


def _auc(spread: float, patients: int, seed: int) -> Estimate:
    films = _films(patients, spread, seed)
    genuine, strangers = same_person(films, None), two_persons(films, None, seed=seed)
    sample = Sample.draw(films, None, genuine, strangers, seed=seed)
    return pair_auc(sample, unit_weights(patients, redraws=REDRAWS, seed=seed))


def _verified(name: str, spread: float, patients: int, seed: int) -> Estimate:
    films = _films(patients, spread, seed)
    genuine, strangers = same_person(films, None), two_persons(films, None, seed=seed)
    left, right = (np.r_[getattr(genuine, side), getattr(strangers, side)] for side in ("left", "right"))
    scores = np.r_[genuine.scores(films.vectors, films.vectors), strangers.scores(films.vectors, films.vectors)]
    pairs = ScoredPairs(scores, np.arange(len(scores)) < len(genuine))
    weights = unit_weights(patients, redraws=REDRAWS, seed=seed)
    redraws = PairRedraws.by_patient(pairs, films.patients[left], films.patients[right], weights)
    return curve_estimates(pairs, redraws, rates=(0.1,))[name]


def _true_match(spread: float, patients: int) -> float:
    own, others = _many_scores(spread)
    return float((own > np.quantile(others, 0.9)).mean())


def _true_equal_error(spread: float, patients: int) -> float:
    own, others = _many_scores(spread)
    grid = np.quantile(others, np.linspace(0, 1, 20_001))
    false, missed = 1 - np.linspace(0, 1, 20_001), np.searchsorted(np.sort(own), grid) / len(own)
    return float(false[np.argmin(np.abs(false - missed))])


def _precision(spread: float, patients: int, seed: int) -> Estimate:
    films = _films(patients, spread, seed)
    ranks = best_match_ranks(films.vectors, films.vectors, films.patients, exclude=films.studies)
    weights = unit_weights(patients, redraws=REDRAWS, seed=seed)
    return mean_by_patient(precision_at_1(ranks), films.patients, weights, chance=None, control=None)


@lru_cache
def _mean_over_cohorts(estimate: Callable[[int, int], Estimate], patients: int) -> float:
    """Where the truth depends on the size of the cohort: the mean over many of that size."""
    return float(np.mean([estimate(patients, 10_000 + seed).value for seed in range(200 if patients > 100 else 600)]))


def _linked(metric: str, signal: float, patients: int, seed: int) -> Estimate:
    """One pair a patient, in pools of ten."""
    rng = np.random.default_rng([seed, patients, 5])
    shared = rng.normal(size=(patients, 16))
    sides = [signal * shared + rng.normal(size=shared.shape) for _ in range(2)]
    images, reports = ((side / np.linalg.norm(side, axis=1, keepdims=True)).astype(np.float32) for side in sides)
    table = pd.DataFrame({"patient_id": [f"p{row}" for row in range(patients)]})
    settings = LinkageSettings(redraws=REDRAWS, pools=(10,), database_size=10)
    vectors = {"made up": Embeddings(images, reports, np.arange(patients), {})}
    return run_linkage(table, vectors, seed=seed, settings=settings, fit=False).finding.estimates[metric]


def kinds() -> list[Kind]:
    found = [
        *(Kind(f"share of patients, {p:g}", partial(_of_patients, p), lambda n, p=p: p) for p in (0.05, 0.1, 0.3, 0.9)),
        *(Kind(f"share of images, {p:g}", partial(_of_images, p), lambda n, p=p: p) for p in (0.1, 0.5)),
        *(
            Kind(
                f"change of a share, {p:g} less {lost:.0%}",
                partial(_change, p, lost),
                lambda n, p=p, lost=lost: -p * lost,
            )
            for p, lost in ((0.3, 0.5), (0.3, 0.1), (0.1, 0.9))
        ),
        Kind("strongest of three", partial(_best_of, (0.1, 0.1, 0.08)), lambda n: 0.1),
        *(
            Kind(f"linkable patients, spread {s:g}", partial(_linkable, s), partial(_true_linkable, s))
            for s in (1.0, 1.6)
        ),
        *(Kind(f"pair AUC, spread {s:g}", partial(_auc, s), partial(_true_auc, s)) for s in (1.0, 2.0)),
        Kind("true matches at 0.1", partial(_verified, "true-match rate at 0.1", 1.6), partial(_true_match, 1.6)),
        Kind("equal error rate", partial(_verified, "equal error rate", 1.6), partial(_true_equal_error, 1.6)),
    ]
    precision = partial(_precision, 1.3)
    found.append(Kind("precision@1", precision, partial(_mean_over_cohorts, precision)))
    for metric in ("Recall@1", "MRR"):
        linked = partial(_linked, metric, 0.7)
        found.append(Kind(f"linkage {metric}", linked, partial(_mean_over_cohorts, linked)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--only", default="", help="kinds whose name holds this")
    options = parser.parse_args()
    print(f"{'held the truth, of ' + str(options.trials):36}" + "".join(f"{n:>8}" for n in PATIENTS))
    for kind in kinds():
        if options.only in kind.name:
            told = "".join(f"{coverage(kind, n, options.trials):8.1%}" for n in PATIENTS)
            print(f"{kind.name:36}{told}", flush=True)


if __name__ == "__main__":
    main()
