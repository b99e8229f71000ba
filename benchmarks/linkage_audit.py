"""A whole linkage audit against the bare matrix product and against the sampled protocol.

    python benchmarks/linkage_audit.py --pairs 43793 --dim 128

Pairs as many as in the published test set, with findings as frequent as there, several images a patient, and reports
that repeat. In one run, several times in turn: the bare product in plain PyTorch, in blocks of 512 × 4,096; the same
with a thread for every core, in the fastest of several blocks; and the audit. It ranks both ways, forms random and
pathology-matched pools of 100, 1,000, 10,000 and all, redraws 1,000 times by patient and by query, and fits, groups
and tells what it found; compiled functions are loaded before. It must take at most 1.5 times the plain product, at
least 50 times less than drawing the pools in plain NumPy (20 and 10 repeats; a few queries are timed and scaled), and
stay under 1.5 GB. Twice as many pairs must take at most 4.2 times as long. On a busy machine the ratios of processor
times are the ones to read.
"""

from __future__ import annotations

import argparse
import resource
from functools import partial

import numpy as np
import pandas as pd
import torch

from linkage_ranks import BLOCKS, bare, cohort, timed
from medveil.attacks.linkage.audit import Audit
from medveil.attacks.linkage.cases import Cases
from medveil.attacks.linkage.measurement import Sides
from medveil.attacks.linkage.settings import LinkageSettings, Match
from medveil.cohort.schema import LABELS

POOLS = (100, 1_000, 10_000)
SLICE = 8  # queries of the sampled protocol that are timed


class Pairs:
    """Vectors, findings and patients of made-up pairs."""

    def __init__(self, count: int, dim: int, seed: int) -> None:
        self.images, self.reports, self.profiles, patients = cohort(count, dim, seed)
        self.table = pd.DataFrame(self.profiles.astype(np.float32), columns=list(LABELS))
        self.table["patient_id"] = patients.astype(str)


def plain(pairs: Pairs, block: tuple[int, int] = (512, 4096)) -> None:
    """The bare product as one would write it: block by block, each on all cores."""
    images, reports = torch.from_numpy(pairs.images), torch.from_numpy(pairs.reports)
    scores = torch.empty(block)
    for part in reports.split(block[1]):
        for rows in images.split(block[0]):
            torch.mm(rows, part.T, out=scores[: len(rows), : len(part)])


def audit(pairs: Pairs, match: Match) -> None:
    settings = LinkageSettings(pools=(*(size for size in POOLS if size < len(pairs.table) // 2), "all"), match=match)
    work = Audit(Cases.of(pairs.table, np.arange(len(pairs.table)), settings), settings, 7)
    work.add("encoder", Sides.same(pairs.images, pairs.reports))
    work.result({})


def sampled(pairs: Pairs, queries: int) -> None:
    """As published, in plain NumPy: random and matched pools, drawn anew for each repeat, in both directions."""
    n = len(pairs.images)
    rng = np.random.default_rng(1)
    for query in rng.integers(0, n, queries):
        others = np.delete(np.arange(n), query)
        distance = (pairs.profiles[others] != pairs.profiles[query]).sum(axis=1)
        for vectors, gallery in ((pairs.images, pairs.reports), (pairs.reports, pairs.images)):
            for size in (size for size in POOLS if size < n):
                for _ in range(20):
                    _rank(vectors, gallery, query, rng.choice(others, size - 1, replace=False))
                for _ in range(10):
                    order = np.argsort(distance + rng.random(n - 1))
                    _rank(vectors, gallery, query, others[order[: size - 1]])
            _rank(vectors, gallery, query, others)


def _rank(vectors: np.ndarray, gallery: np.ndarray, query: int, chosen: np.ndarray) -> int:
    return 1 + int((gallery[chosen] @ vectors[query] > gallery[query] @ vectors[query]).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=43_793)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--match", choices=("pair", "patient"), default="pair")
    parser.add_argument("--no-growth", action="store_true", help="leave out the run with twice as many pairs")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    audit(Pairs(1_000, options.dim, options.seed), options.match)  # compiles
    pairs = Pairs(options.pairs, options.dim, options.seed)
    few = slice(0, 16_384)
    block = min(BLOCKS, key=lambda one: timed(partial(bare, pairs.images[few], pairs.reports[few], one))[1])
    fastest = partial(bare, pairs.images, pairs.reports, block)
    jobs = (partial(plain, pairs), fastest, partial(audit, pairs, options.match))
    # in turn: what else the machine does then slows all alike
    product, threaded, whole = np.array([[timed(job) for job in jobs] for _ in range(options.turns)]).min(axis=0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    drawn = timed(partial(sampled, pairs, SLICE)) * options.pairs / SLICE
    print(f"{options.pairs:,} pairs of {options.dim} dimensions, product in blocks of {block}")
    for name, spent in (("plain product", product), ("fastest product", threaded), ("whole audit", whole)):
        print(f"{name:16} {spent[0]:6.2f} s by the clock, {spent[1]:6.2f} s of processors")
    for name, spent in (("plain product", product), ("fastest product", threaded)):
        wall, processor = whole / spent
        print(f"over the {name}: {wall:.2f} by the clock, {processor:.2f} of processors (at most 1.5 of the plain)")
    wall, processor = drawn / whole
    print(f"sampled over exact: {wall:,.0f} by the clock, {processor:,.0f} of processors (at least 50)")
    print(f"peak memory: {peak:.2f} GB (under 1.5)")
    if not options.no_growth:
        wall, processor = (
            timed(partial(audit, Pairs(2 * options.pairs, options.dim, options.seed), options.match)) / whole
        )
        print(f"twice the pairs: {wall:.2f} by the clock, {processor:.2f} of processors (at most 4.2)")


if __name__ == "__main__":
    main()
