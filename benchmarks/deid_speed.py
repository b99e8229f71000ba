"""DICOM to DICOM at 1024 pixels: images a second through `medveil deid`, all of it.

    python benchmarks/deid_speed.py --patients 60 --size 1024 --workers 2

Builds a phantom hospital (not timed), then reads, detects, fills, looks again, cleans headers and reports, writes and
journals every study. Starting up counts, some eight seconds. The target is at least 4 images a second on 2 cores. On
a busy machine the processor time is the one to read. `--profile` shows where the time of one process goes.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
import time
from pathlib import Path

import psutil

from medveil.cohort.phantom.hospital import build_hospital
from medveil.person.keys import Keys
from medveil.release.clean import deid_defenses, deidentify


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--patients", type=int, default=12)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--fill", default="generator")
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        cohort = build_hospital(
            root / "in", patients=arguments.patients, size=arguments.size, seed=21, workers=arguments.workers
        )
        settings = deid_defenses(reports="surrogates", fill=arguments.fill)
        warm = root / "warm"  # models load once, and that is not what is measured
        build_hospital(root / "one", patients=1, sites=1, size=128, seed=1, workers=1)
        if arguments.workers == 1:
            deidentify(root / "one", warm, keys=Keys.for_demonstration(1), defenses=settings, workers=1)
        profile = cProfile.Profile() if arguments.profile else None
        began, before = time.perf_counter(), _processor_time()
        if profile:
            profile.enable()
        outcome = deidentify(
            root / "in", root / "out", keys=Keys.for_demonstration(1), defenses=settings, workers=arguments.workers
        )
        if profile:
            profile.disable()
        wall, processor = time.perf_counter() - began, _processor_time() - before
        images = len(cohort)
        print(f"{images} images and reports at {arguments.size} px, {arguments.workers} workers")
        print(f"released {outcome.released}, withheld {outcome.withheld}")
        print(f"{images / wall:.2f} images a second, {processor / images:.3f} processor seconds an image")
        if profile:
            pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


def _processor_time() -> float:
    """Of this process and of those it started; workers, which another process forks, count while they live."""
    me = psutil.Process()
    return float(sum(sum(one.cpu_times()[:4]) for one in (me, *me.children(recursive=True))))  # with those that ended


if __name__ == "__main__":
    main()
