"""Ranks of a million pairs on a CUDA device, checked against float64.

    python benchmarks/linkage_ranks_cuda.py --rows 1000000 --dim 128 --tune

Counts, for every image and every report, the candidates above and at its own answer, both directions in one pass, and
prints the time from arrays on the device to settled counts, the best of three; then the same from host arrays. Compares
10,000 sampled queries of either direction with float64 products. --tune times other tilings on a part of the rows.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from medveil.stats.kernels.ranks_cuda import Counter, Tiling, count_pairs, plan_rows

TILINGS = (
    Tiling(),
    Tiling(64, 128, warps=4, stages=2),
    Tiling(128, 64, warps=4, stages=2),
    Tiling(128, 64, warps=8, stages=2),
    Tiling(128, 128, warps=8, stages=2),
)


def timed(job: Callable[[], object]) -> float:
    torch.cuda.synchronize()
    begun = time.perf_counter()
    job()
    torch.cuda.synchronize()
    return time.perf_counter() - begun


def pairs(rows: int, dim: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors with a weak signal; one report in five is a copy of another."""
    generator = torch.Generator("cuda").manual_seed(seed)
    images, noise = torch.randn((2, rows, dim), generator=generator, device="cuda")
    reports = 0.2 * images + noise
    copies = torch.randint(rows, (2, rows // 5), generator=generator, device="cuda")
    reports[copies[0]] = reports[copies[1]]
    return tuple((side / side.norm(dim=1, keepdim=True)).cpu().numpy() for side in (images, reports))


def count_all(counter: Counter) -> None:
    counter.above.zero_()
    counter.equal.zero_()
    for rows in counter.stretches():
        counter.count(rows)


def differences(counter: Counter, counted: tuple[np.ndarray, ...], sample: int, seed: int) -> int:
    """How many of the sampled queries differ from products in float64, shells added up."""
    rows = np.random.default_rng(seed).choice(len(counted[0]), min(sample, len(counted[0])), replace=False)
    real = torch.from_numpy(np.flatnonzero(counter.layout >= 0)).cuda()
    source = torch.from_numpy(counter.layout).cuda()[real]
    sides = []
    for side in (counter.images, counter.reports):
        ordered = torch.empty_like(side.exact[: len(real)])
        ordered[source] = side.exact[real]
        sides.append(ordered.double())
    wrong = 0
    for place, (one, other) in enumerate(((sides[0], sides[1]), (sides[1], sides[0]))):
        above, equal = counted[2 * place].sum(1), counted[2 * place + 1].sum(1)
        for part in np.array_split(rows, -(-len(rows) // 500)):
            picked = torch.from_numpy(part).cuda()
            scores = one[picked] @ other.T
            limits = scores[torch.arange(len(part), device="cuda"), picked][:, None]
            higher, same = (scores > limits).sum(1).cpu().numpy(), (scores == limits).sum(1).cpu().numpy() - 1
            wrong += int(((higher != above[part]) | (same != equal[part])).sum())
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--labels", type=int, default=0, help="random labels with prevalences from 0.3 down to 0.01")
    parser.add_argument("--sample", type=int, default=10_000)
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    images, reports = pairs(options.rows, options.dim, options.seed)
    codes = np.arange(options.rows)
    labels = np.random.default_rng(options.seed).random((options.rows, options.labels))
    words = (labels < np.geomspace(0.3, 0.01, options.labels or 1)[: options.labels]) @ (1 << np.arange(options.labels))
    words = words.astype(np.uint64)

    def counter(tiling: Tiling) -> Counter:
        plan = plan_rows(words, tiling.block)
        return Counter(images, reports, plan, codes, options.labels + 1, "cuda", tiling)

    best = Tiling()
    if options.tune:
        times: dict[Tiling, float] = {}
        for tiling in TILINGS:
            try:
                made = counter(tiling)
                some = made.stretches()[0]
                made.count(some)
                count = min(timed(partial(made.count, some)) for _ in range(2))
                launch = min(timed(partial(made.launch, some)) for _ in range(2))
            except Exception as error:  # a tiling that this device has no room for
                print(f"{tiling}: {type(error).__name__} {str(error)[:90]}", flush=True)
                continue
            share = (some.stop - some.start) / len(made.layout)
            times[tiling] = count / share
            print(f"{tiling}: whole {count / share:.3f} s, of it the kernel {launch / share:.3f} s", flush=True)
        best = min(times, key=lambda tiling: times[tiling])

    made = counter(best)
    made.count(made.stretches()[0])  # compiles
    kernel = sum(timed(partial(made.launch, rows)) for rows in made.stretches())
    whole = min(timed(partial(count_all, made)) for _ in range(3))
    print(f"{options.rows:,} × {options.rows:,} × {options.dim}, {options.labels} labels, {best}")
    print(f"on the device {whole:.3f} s, of it the kernel {kernel:.3f} s", flush=True)
    counted = made.counts(options.rows)
    print(f"queries that differ from float64: {differences(made, counted, options.sample, options.seed)}", flush=True)
    job = partial(count_pairs, images, reports, words, codes, options.labels + 1, tiling=best)
    print(f"from host arrays {timed(job):.3f} s")
    print(f"peak device memory {torch.cuda.max_memory_allocated() / 1e9:.1f} GB")


if __name__ == "__main__":
    main()
