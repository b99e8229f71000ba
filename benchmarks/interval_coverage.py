"""How often printed intervals hold the truth: simulated cohorts of 40, 100 and 300 patients, by kind of number.

    python benchmarks/interval_coverage.py --trials 400

Every kind is computed by the functions that the reports use, on made-up patients whose truth is known. What is called
an interval at 95 % should hold it in 93 to 99 % of cohorts; what is called bounds in at least 93 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm

from medveil.attacks.identity.adversaries.attacked import Attacked
from medveil.attacks.identity.identification import Sample, pair_auc
from medveil.attacks.identity.linkable import Contest, Dealt, Returning
from medveil.attacks.identity.pairs import PairSet, Side, same_person, two_persons
from medveil.attacks.linkage.run import run_linkage
from medveil.attacks.linkage.settings import LinkageSettings
from medveil.cohort.schema import LABELS
from medveil.encoders.vectors.embedding_folder import Embeddings
from medveil.release.protect.dominance import removed
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.retrieval import best_match_ranks, mean_by_patient, precision_at_1
from medveil.stats.shares import share, strongest
from medveil.stats.verification import PairRedraws, ScoredPairs, curve_estimates, decision_estimates
from medveil.utility.diagnosis.comparison import aurocs, share_kept
from medveil.utility.diagnosis.diagnosing import Diagnosed
from medveil.utility.drafted_reports.drafting import bleu_estimates
from medveil.utility.linear_probe import LabelledEmbeddings, LinearProbe, probe_estimates
from medveil.utility.organs.network import ORGANS
from medveil.utility.organs.overlap import overlaps
from medveil.utility.pixel_damage.damage import mean_estimates

PATIENTS = (40, 100, 300)
REDRAWS = 400
DIM = 24
LUCK = 1.0  # standard deviation of a score
LIMIT = 0.3  # similarity from which on two films are called one person's
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Kind:
    """A number, how it is estimated on a cohort of so many patients, and what is true of all cohorts."""

    name: str
    estimate: Callable[[int, int], Estimate]  # patients, seed
    truth: Callable[[int], float]  # patients


@dataclass(frozen=True)
class Coverage:
    """The share of cohorts whose ends hold the truth, and what the ends are called."""

    held: float
    called: str


def coverage(kind: Kind, patients: int, trials: int) -> Coverage:
    true = kind.truth(patients)
    found = [kind.estimate(patients, seed) for seed in range(trials)]
    held = float(np.mean([each.low - 1e-12 <= true <= each.high + 1e-12 for each in found]))
    return Coverage(held, "bounds" if found[0].bounds else "interval")


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


@lru_cache
def _of_many(estimate: Callable[..., Estimate], patients: int) -> float:
    """Where the truth does not, and no formula tells it: the mean of large cohorts."""
    return float(np.mean([estimate(4_000, 20_000 + seed, redraws=2).value for seed in range(10)]))


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


def _diagnoses(shift: float, patients: int, seed: int, having: float = 0.25) -> Diagnosed:
    """Three findings that a quarter of the patients have each, or as many as said, seen with more or less luck in all
    films of a patient: the same luck whatever the shift, so that before and after a defense are paired."""
    rng = np.random.default_rng([seed, patients, 6])
    codes = _visits(patients, rng)
    targets = (rng.random((patients, 3)) < having)[codes]
    luck = LUCK / np.sqrt(2) * (rng.normal(size=(patients, 3))[codes] + rng.normal(size=(len(codes), 3)))
    return Diagnosed(luck + shift * targets, targets.astype(np.float32), np.ones_like(targets), codes.astype(str))


def _told(shift: float) -> float:
    """The AUROC of scores that are so much higher where a finding is."""
    return float(norm.cdf(shift / LUCK / np.sqrt(2)))


def _auroc(name: str, shift: float, patients: int, seed: int) -> Estimate:
    found = aurocs(_diagnoses(shift, patients, seed), ("one", "two", "three"), seed=seed, fewest=5, redraws=REDRAWS)
    return found[name] if name in found else found["macro AUROC"]


def _kept(kind: str, patients: int, seed: int) -> Estimate:
    before, after = (_auroc("macro AUROC", shift, patients, seed) for shift in (2.0, 1.2))
    return after.minus(before) if kind == "change" else share_kept(after, before)


def _dice(patients: int, seed: int, redraws: int = REDRAWS) -> Estimate:
    """Most organs nearly the same, a few lost: by patient, more or less."""
    rng = np.random.default_rng([seed, patients, 7])
    codes = _visits(patients, rng)
    own = np.where(rng.random(patients) < 0.05, rng.beta(4, 4, patients), rng.beta(30, 2, patients))
    found = np.clip(own[codes] + 0.02 * rng.normal(size=len(codes)), 0, 1)
    columns = np.repeat(found[:, None], len(ORGANS), axis=1)
    told = overlaps(columns, np.full_like(columns, 0.7), codes.astype(str), seed=seed, redraws=redraws)
    return told[f"{ORGANS[0]} Dice"]


def _drafts(patients: int, seed: int, redraws: int = REDRAWS) -> Estimate:
    """Reports of common and rare words, of which a draft gets some right."""
    rng = np.random.default_rng([seed, patients, 8])
    reports, drafts = [], []
    for known in rng.beta(6, 3, patients):
        report = rng.zipf(1.6, size=rng.integers(15, 50)) % 200
        drafts.append(np.where(rng.random(len(report)) < known, report, rng.zipf(1.6, size=len(report)) % 200))
        reports.append(report)
    texts = ([[str(word) for word in each] for each in one] for one in (drafts, reports))
    return bleu_estimates(*texts, np.arange(patients).astype(str), seed=seed, redraws=redraws)["BLEU-4"]


def _harm(share_of_films: float, patients: int, seed: int) -> Estimate:
    """The area changed: nothing in most films, a little in some."""
    rng = np.random.default_rng([seed, patients, 9])
    codes = _visits(patients, rng)
    area = np.where(rng.random(len(codes)) < share_of_films, rng.beta(1, 60, len(codes)), 0.0)
    return mean_estimates({"pixels changed": area}, codes.astype(str), seed)[0]["pixels changed"]


def _probed(measure: str, patients: int, seed: int) -> Estimate:
    said = _diagnoses(1.5, patients, seed, having=0.5)
    layer = np.eye(3)
    probe = LinearProbe(layer, np.full(3, -0.75), np.zeros(3), np.ones(3), (0, 1, 2), 1.0, 0.0)
    part = LabelledEmbeddings(said.scores.astype(np.float32), said.targets, said.counts)
    codes = said.patients.astype(np.intp)
    weights = unit_weights(patients, redraws=REDRAWS, seed=seed)
    return probe_estimates(probe, part, codes, weights)[measure]


def _gone(patients: int, seed: int) -> Estimate:
    """Of what is linked above chance, the share that a defense takes away."""
    rng = np.random.default_rng([seed, patients, 10])
    weights = unit_weights(patients, redraws=REDRAWS, seed=seed)
    first = rng.random(patients) < 0.4
    second = first & (rng.random(patients) >= 0.5)
    one, other = (share(hits.astype(float), np.arange(patients), weights, chance=0.02) for hits in (first, second))
    return removed(one, other)


def _learning(patients: int, seed: int) -> Estimate:
    """The strongest of four attackers who learn, in two galleries."""
    rng = np.random.default_rng([seed, patients, 11])
    codes = _visits(patients, rng)
    own = rng.beta(0.1, 0.9, patients)[codes]
    names = [(attacker, mode) for attacker in ("frozen", "other", "retrained", "restored") for mode in ("dd", "do")]
    hits = {name: (rng.random(len(codes)) < own).astype(float) for name in names}
    nothing = np.zeros(len(codes))
    return Attacked(codes, hits, {}, {}, nothing, {}).strongest(seed=seed).estimate


def _decided(name: str, spread: float, patients: int, seed: int) -> Estimate:
    """A decision at a threshold that was fixed beforehand."""
    films = _films(patients, spread, seed)
    genuine, first = same_person(films, None), 2 * np.arange(patients)
    others = [np.roll(first, -shift) for shift in range(1, 5)]  # four pairs of two people for each of one
    strangers = PairSet(np.tile(first, 4), np.concatenate(others))
    left, right = (np.r_[getattr(genuine, side), getattr(strangers, side)] for side in ("left", "right"))
    scores = np.r_[genuine.scores(films.vectors, films.vectors), strangers.scores(films.vectors, films.vectors)]
    pairs = ScoredPairs(scores, np.arange(len(scores)) < len(genuine))
    weights = unit_weights(patients, redraws=REDRAWS, seed=seed)
    redraws = PairRedraws.by_patient(pairs, films.patients[left], films.patients[right], weights)
    return decision_estimates(pairs, LIMIT, redraws)[name]


def _true_decision(name: str, spread: float) -> float:
    own, others = _many_scores(spread)
    right, wrong = float((own >= LIMIT).mean()), 4 * float((others >= LIMIT).mean())
    return right if name == "recall" else right / (right + wrong)


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
    for metric in ("Recall@1", "MRR", "median rank, of all candidates"):
        linked = partial(_linked, metric, 0.7)
        found.append(Kind(f"linkage {metric}", linked, partial(_mean_over_cohorts, linked)))
    seen: list[tuple[str, Callable[[int, int], Estimate], float]] = [
        *((f"AUROC of a finding, {_told(s):.2f}", partial(_auroc, "one", s), _told(s)) for s in (0.5, 1.2, 2.0, 3.0)),
        *((f"macro AUROC, {_told(s):.2f}", partial(_auroc, "macro AUROC", s), _told(s)) for s in (1.2, 3.0)),
        ("change of the macro AUROC", partial(_kept, "change"), _told(1.2) - _told(2.0)),
        ("share of the AUROC kept", partial(_kept, "share"), (_told(1.2) - 0.5) / (_told(2.0) - 0.5)),
        ("probe's sensitivity", partial(_probed, f"{LABELS[0]} sensitivity"), float(norm.cdf(0.75 / LUCK))),
        ("probe's macro accuracy", partial(_probed, "macro accuracy"), float(norm.cdf(0.75 / LUCK))),
        *((f"area changed, in {p:.0%} of films", partial(_harm, p), p / 61) for p in (0.5, 0.05)),
        ("share of the excess gone", _gone, 0.2 / 0.38),
        ("recall at a threshold", partial(_decided, "recall", 1.3), _true_decision("recall", 1.3)),
        ("precision at a threshold", partial(_decided, "precision", 1.3), _true_decision("precision", 1.3)),
    ]
    found += [Kind(name, estimate, lambda n, true=true: true) for name, estimate, true in seen]
    found += [Kind("Dice", _dice, partial(_of_many, _dice)), Kind("BLEU-4", _drafts, partial(_of_many, _drafts))]
    return [*found, Kind("strongest of those who learn", _learning, lambda n: 0.1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--only", default="", help="kinds whose name holds this")
    parser.add_argument("--patients", type=int, nargs="+", default=PATIENTS)
    options = parser.parse_args()
    print(f"{'held the truth, of ' + str(options.trials):40}" + "".join(f"{n:>8}" for n in options.patients))
    for kind in kinds():
        if options.only in kind.name:
            found = [coverage(kind, n, options.trials) for n in options.patients]
            told = "".join(f"{each.held:8.1%}" for each in found)
            print(f"{kind.name:40}{told}  {found[0].called}", flush=True)


if __name__ == "__main__":
    main()
