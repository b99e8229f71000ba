"""A release with its anatomy hidden, killed again and again: the same bytes as an undisturbed one, and flat memory.

    python benchmarks/protected_killed.py FOLDER [--films 1000] [--kills 10] [--seed 5] [--workers N] [--as release]

Builds a phantom hospital of about so many films below FOLDER, runs `medveil protect anatomy` on it once to the end and
once with SIGKILLs at random moments, waits each time for the workers to be gone, and compares every file. The memory of
all processes together (proportional set size) is looked at every second; told are the peaks of each quarter of the
films, which do not grow with their number, and of the attacks that follow. `--as release` cleans headers, table and
reports too, and lets the attackers make little effort.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from medveil.cohort.phantom.hospital import build_hospital
from medveil.runtime.journal import FILE as JOURNAL
from medveil.runtime.journal import journal_sha256

FILMS_A_PATIENT = 2.77
MEDVEIL = (sys.executable, "-c", "from medveil.cli import main; main()")


def command(source: Path, out: Path, key: Path, how: str, workers: int | None) -> list[str]:
    ends = (source, "-o", out, "--key-file", key, "--quiet", *(("--workers", workers) if workers else ()))
    if how == "release":
        few = ("--attack", "identity-adversaries:effort=6", "--measure", "diagnosis", "--defense", "default")
        given = ("release", *ends, "--protect", "anatomy", "--defense", "anatomy:bits=6", *few)
    else:
        given = ("protect", "anatomy", *ends, "--bits", "6")
    return [*MEDVEIL, *map(str, given)]


def family(first: int) -> set[int]:
    """A process and all that descend from it."""
    parents = dict(_parents())
    found, more = {first}, True
    while more:
        more = {child for child, parent in parents.items() if parent in found} - found
        found |= more
    return found


def _parents() -> Iterator[tuple[int, int]]:
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        yield int(path.parent.name), int(text.rpartition(")")[2].split()[1])


def memory(processes: set[int]) -> float:
    """Gigabytes of all together; what they share counts once."""
    total = 0
    for one in processes:
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return total / 2**20


def watched(words: list[str], out: Path, films: int, until: float | None = None) -> tuple[int | None, dict[str, float]]:
    """Run to the end, or kill after so many seconds; the exit code, and peaks of memory by how far it was."""
    started, peaks = time.monotonic(), dict[str, float]()
    running = subprocess.Popen(words)
    everybody = {running.pid}
    while running.poll() is None:
        everybody = family(running.pid)
        done = sum(1 for _ in (out / "data").rglob("*.png"))
        share = done / films
        where = "the attacks" if share >= 0.97 else f"quarter {int(4 * share) + 1}" if done else "the beginning"
        peaks[where] = max(peaks.get(where, 0.0), memory(everybody))
        if until is not None and time.monotonic() - started > until:
            running.send_signal(signal.SIGKILL)
            running.wait()
            wait_for_end(everybody)
            return None, peaks
        time.sleep(1)
    return running.returncode, peaks


def wait_for_end(processes: set[int], seconds: float = 60) -> None:
    """Workers see that their parent is gone; one that stays would write into the next run's folder."""
    end = time.monotonic() + seconds
    while left := [one for one in processes if _alive(one)]:
        if time.monotonic() > end:
            raise SystemExit(f"{len(left)} workers outlived their run")
        time.sleep(0.2)


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def differing(one: Path, other: Path) -> list[str]:
    names = [{str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()} for folder in (one, other)]
    found = sorted(names[0] ^ names[1])
    _, unlike, unread = filecmp.cmpfiles(one, other, sorted((names[0] & names[1]) - {JOURNAL}), shallow=False)
    found += unlike + unread
    return found if journal_sha256(one / JOURNAL) == journal_sha256(other / JOURNAL) else [*found, JOURNAL]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--films", type=int, default=1000)
    options.add_argument("--kills", type=int, default=10)
    options.add_argument("--seed", type=int, default=5)
    options.add_argument("--workers", type=int)
    options.add_argument("--as", dest="how", choices=("anatomy", "release"), default="anatomy")
    given = options.parse_args()
    os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
    folder: Path = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    build_hospital(folder / "hospital", patients=round(given.films / FILMS_A_PATIENT), size=256, seed=given.seed)
    films = sum(1 for _ in (folder / "hospital").rglob("*.dcm"))
    key = folder / "key"
    if not key.exists():
        key.write_text("5" * 64 + "\n")
        key.chmod(0o600)
    print(f"{films:,} films")
    began = time.monotonic()
    whole, disturbed = folder / "undisturbed", folder / "killed"
    code, peaks = watched(command(folder / "hospital", whole, key, given.how, given.workers), whole, films)
    took = time.monotonic() - began
    print(f"undisturbed: exit {code}, {took:.0f} s; GB at most: {told(peaks)}", flush=True)
    rng = random.Random(given.seed)
    for kill in range(1, given.kills + 1):
        code, peaks = watched(
            command(folder / "hospital", disturbed, key, given.how, given.workers),
            disturbed,
            films,
            rng.uniform(1, 2 * took / given.kills),
        )
        drawn = sum(1 for _ in (disturbed / "data").rglob("*.png"))
        state = "killed" if code is None else f"done before the kill, exit {code}"
        print(f"{kill}: {state}, {drawn:,} films there; GB at most: {told(peaks)}", flush=True)
    code, peaks = watched(command(folder / "hospital", disturbed, key, given.how, given.workers), disturbed, films)
    print(f"to the end: exit {code}; GB at most: {told(peaks)}", flush=True)
    unlike = differing(whole, disturbed)
    print(f"files that differ: {len(unlike)} {unlike[:5]}")
    raise SystemExit(bool(unlike))


def told(peaks: dict[str, float]) -> str:
    return ", ".join(f"{where} {peak:.2f}" for where, peak in peaks.items())


if __name__ == "__main__":
    main()
