"""All-pairs search against the bare matrix product, and a search in a gallery of millions.

    python benchmarks/identity_search.py --rows 100000 --dim 128 --k 1
    python benchmarks/identity_search.py --rows 2000 --gallery 1000000

Multiplies every row with every other in blocks, keeping nothing, then searches every row's k nearest others, then
counts the rows above every row's nearest other of its own patient, block by block and in turn, on all cores. Each must
take at most 1.5 times the bare product of the same run. The rows are of patients with four images each, as similar as
a good encoder makes them (--signal 1) or not at all (--signal 0), the slow case for counting. On a busy machine the
ratio of processor times is the one to read.

With --gallery, the queries are searched in a gallery of so many rows, memory-mapped from a temporary file, and the time
and the memory beyond the queries are printed.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch

from linkage_ranks import bare
from medveil.stats.scores import score_pairs
from medveil.stats.search import count_above, nearest

BLOCK = (512, 2048)  # the fastest for products alone


def rows(count: int, dim: int, signal: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    people = rng.standard_normal((count // 4 + 1, dim), dtype=np.float32)
    vectors = signal * people[np.arange(count) // 4] + rng.standard_normal((count, dim), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def search_millions(queries: np.ndarray, size: int, k: int, seed: int) -> None:
    """Searches a memory-mapped gallery of that many rows that holds a copy of every query."""
    dim = queries.shape[1]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "gallery.npy"
        gallery = np.lib.format.open_memmap(file, "w+", np.float32, (size, dim))
        for start in range(0, size, 65_536):
            gallery[start : start + 65_536] = rows(min(65_536, size - start), dim, 1.0, seed + 1 + start)
        places = np.arange(0, size, max(1, size // len(queries)))[: len(queries)]
        gallery[places] = queries[: len(places)]
        gallery.flush()
        del gallery
        nearest(queries[:600], queries, k)  # imports and first touches
        mapped = np.load(file, mmap_mode="r")
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begun, worked = time.perf_counter(), time.process_time()
        _, found = nearest(queries, mapped, k)
        wall, processor = time.perf_counter() - begun, time.process_time() - worked
        right = float((found[: len(places), 0] == places).mean())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"{len(queries):,} queries in a gallery of {size:,} × {dim}, k = {k}")
        print(f"wall clock {wall:.2f} s, processor {processor:.2f} s, copies found first {right:.1%}")
        print(f"peak memory {peak / 1e6:.2f} GB, of it before the search {held / 1e6:.2f} GB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--k", type=int, default=1)
    parser.add_argument("--signal", type=float, default=1.0)
    parser.add_argument("--gallery", type=int, default=0, help="rows of a memory-mapped gallery to search instead")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    vectors = rows(options.rows, options.dim, options.signal, options.seed)
    if options.gallery:
        search_millions(vectors, options.gallery, options.k, options.seed)
        return
    own = np.arange(len(vectors))
    other = np.minimum(own ^ 1, len(own) - 1)
    limits = score_pairs(vectors, vectors, own, other)
    product = partial(bare, block=BLOCK)
    for job in (product, lambda a, b: nearest(a, b, 1), lambda a, b: count_above(a, b, limits[:512])):
        job(vectors[:512], vectors[:4096])  # imports and first touches
    wall = dict.fromkeys(("bare product", "nearest", "count above"), 0.0)
    processor = dict(wall)
    # in turn, a part each: what else the machine does then slows all alike
    for start in range(0, len(vectors), 16_384):
        part = slice(start, start + 16_384)
        jobs = {
            "bare product": partial(product, vectors[part], vectors),
            "nearest": partial(nearest, vectors[part], vectors, options.k, exclude=(own[part], own)),
            "count above": partial(count_above, vectors[part], vectors, limits[part], exclude=(own[part], own)),
        }
        for name, job in jobs.items():
            begun, worked = time.perf_counter(), time.process_time()
            job()
            wall[name] += time.perf_counter() - begun
            processor[name] += time.process_time() - worked
    print(f"{options.rows:,} × {options.rows:,} × {options.dim}, k = {options.k}, {torch.get_num_threads()} threads")
    for name in wall:
        ratios = [times[name] / times["bare product"] for times in (wall, processor)]
        print(f"{name:14} wall clock {wall[name]:7.2f} s {ratios[0]:5.2f} ×   processor {ratios[1]:5.2f} ×")


if __name__ == "__main__":
    main()
