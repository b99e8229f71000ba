"""Speed and memory of the phantom hospital: images a second, and peak memory as the hospital grows.

    python benchmarks/phantom_hospital.py --patients 50 400 --workers 2

Every size is built in a fresh process and a fresh folder; processor time includes starting the workers. Limits: 25
images a second at 512 px on two cores; peak memory of the parent that grows by no more than the rows of the table,
that of each worker flat.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

FEWEST_PER_SECOND = 25


def measure(patients: int, workers: int, size: int, seed: int) -> dict[str, float]:
    """Build one hospital in this process and tell how it went."""
    from medveil.cohort.phantom.hospital import build_hospital

    peak = {"parent": 0, "worker": 0}
    done = threading.Event()

    def watch() -> None:
        me = psutil.Process()
        while not done.wait(0.1):
            peak["parent"] = max(peak["parent"], me.memory_info().rss)
            for child in me.children(recursive=True):
                try:
                    peak["worker"] = max(peak["worker"], child.memory_info().rss)
                except psutil.NoSuchProcess:
                    continue

    watcher = threading.Thread(target=watch)
    watcher.start()
    folder = Path(tempfile.mkdtemp(prefix="phantom-"))
    try:
        start = time.perf_counter()
        cohort = build_hospital(folder / "hospital", patients=patients, workers=workers, size=size, seed=seed)
        seconds = time.perf_counter() - start
        used = _processor_seconds()
        start = time.perf_counter()
        build_hospital(folder / "hospital", patients=patients, workers=workers, size=size, seed=seed)
        again = time.perf_counter() - start
    finally:
        done.set()
        watcher.join()
        shutil.rmtree(folder)
    return {
        "patients": patients,
        "images": len(cohort),
        "seconds": seconds,
        "images_per_second": len(cohort) / seconds,
        "cpu_ms_per_image": 1000 * used / len(cohort),
        "second_run_seconds": again,
        "parent_mb": peak["parent"] / 1e6,
        "worker_mb": peak["worker"] / 1e6,
    }


def _processor_seconds() -> float:
    """Of this process and all it started: workers are kept for a moment, so they can still be asked."""
    me = psutil.Process()
    times = [one.cpu_times() for one in (me, *me.children(recursive=True))]
    return float(sum(time.user + time.system for time in times))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--patients", type=int, nargs="+", default=[50, 400])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.patients[0], options.workers, options.size, options.seed)))
        return
    for patients in options.patients:
        command = [sys.executable, __file__, "--one", "--patients", str(patients), "--workers", str(options.workers)]
        command += ["--size", str(options.size), "--seed", str(options.seed)]
        result = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        print("  ".join(f"{name} {value:,.1f}" for name, value in result.items()), flush=True)
    print(f"limit: {FEWEST_PER_SECOND} images a second at 512 px on two cores")


if __name__ == "__main__":
    main()
