"""Ranks of all image-report pairs against the bare matrix product.

    python benchmarks/linkage_ranks.py --rows 43793 --dim 128

In one run, several times in turn: the bare product of all images with all reports, in the blocks that are fastest of
several sizes, on all cores; the ranks of both directions with the shells of 14 labels as frequent as in MIMIC-CXR and
patients of several images, who do not compete with themselves; and the ranks without shells. The ranks should take at
most 1.25 times the bare product. Then both with twice as many pairs; ranks should take at most 4.2 times as long.
On a busy machine the ratios of processor times are the ones to read.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import torch
from scipy.stats import norm

from medveil.stats.ranks import rank_pairs

PREVALENCE = (0.29, 0.24, 0.22, 0.20, 0.20, 0.12, 0.075, 0.05, 0.045, 0.032, 0.028, 0.02, 0.009)  # and no finding
BLOCKS = ((256, 2048), (512, 1024), (512, 2048), (512, 4096), (1024, 1024), (2048, 512))


def cohort(rows: int, dim: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Images, reports, profiles and patients; findings go together, and one report in five is a copy of another."""
    rng = np.random.default_rng(seed)
    images = rng.standard_normal((rows, dim), dtype=np.float32)
    reports = 0.3 * images + rng.standard_normal((rows, dim), dtype=np.float32)
    copies = rng.random(rows) < 0.2
    reports[copies] = reports[rng.integers(rows // 40, size=int(copies.sum()))]
    ill = np.sqrt(0.45) * rng.standard_normal((rows, 1)) + np.sqrt(0.55) * rng.standard_normal((rows, len(PREVALENCE)))
    findings = ill > norm.isf(PREVALENCE)
    profiles = np.column_stack([~findings.any(axis=1), findings])
    patients = np.sort(rng.integers(rows // 3, size=rows))
    images, reports = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (images, reports))
    return images, reports, profiles, patients


def bare(images: np.ndarray, reports: np.ndarray, block: tuple[int, int]) -> None:
    """Nothing but products, one core a thread: on a busy machine faster than one product on all cores."""
    threads = torch.get_num_threads()

    def work(number: int) -> None:
        torch.set_num_threads(1)
        buffer = torch.empty(block)
        for start in range(0, len(reports), block[1]):
            part = torch.from_numpy(reports[start : start + block[1]]).T
            for first in range(number * block[0], len(images), threads * block[0]):
                rows = torch.from_numpy(images[first : first + block[0]])
                torch.mm(rows, part, out=buffer[: len(rows), : part.shape[1]])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    torch.set_num_threads(threads)


def timed(job: Callable[[], object]) -> np.ndarray:
    """Seconds by the clock and of the processors."""
    begun, worked = time.perf_counter(), time.process_time()
    job()
    return np.array([time.perf_counter() - begun, time.process_time() - worked])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=43_793)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--no-growth", action="store_true", help="leave out the run with twice as many pairs")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    images, reports, profiles, patients = cohort(options.rows, options.dim, options.seed)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    few = slice(0, 2048)
    rank_pairs(images[few], reports[few], profiles=profiles[few], exclude=patients[few])  # compiles
    sizes = {block: timed(partial(bare, images[:16_384], reports[:16_384], block))[1] for block in BLOCKS}
    block = min(sizes, key=lambda one: sizes[one])
    jobs = {
        "bare product": partial(bare, images, reports, block),
        "ranks": partial(rank_pairs, images, reports, profiles=profiles, exclude=patients),
        "no shells": partial(rank_pairs, images, reports, exclude=patients),
    }
    # in turn: what else the machine does then slows all alike
    turns = [[timed(job) for job in jobs.values()] for _ in range(options.turns)]
    times = dict(zip(jobs, np.array(turns).transpose(1, 0, 2), strict=True))
    threads = torch.get_num_threads()
    print(f"{options.rows:,} × {options.rows:,} × {options.dim}, {threads} threads, product in blocks of {block}")
    for name, taken in times.items():
        wall, processor = taken.min(axis=0) / times["bare product"].min(axis=0)
        print(f"{name:14} {taken[:, 0].min():6.2f} s   wall clock {wall:5.2f} ×   processor {processor:5.2f} ×")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory {peak / 1e6:.2f} GB, of it before the first product {held / 1e6:.2f} GB")
    if not options.no_growth:
        images, reports, profiles, patients = cohort(2 * options.rows, options.dim, options.seed)
        larger = {
            "bare product": partial(bare, images, reports, block),
            "ranks": partial(rank_pairs, images, reports, profiles=profiles, exclude=patients),
        }
        for name, job in larger.items():
            taken = timed(job)
            wall, processor = taken / times[name].min(axis=0)
            print(
                f"{name}, twice the pairs {taken[0]:6.2f} s   wall clock {wall:5.2f} ×   processor {processor:5.2f} ×"
            )


if __name__ == "__main__":
    main()
