"""2,000 damaged DICOM files and 2,000 damaged reports through `medveil deid`: no crash, no hang, no unclean output.

    python benchmarks/deid_fuzz.py --dicom 2000 --reports 2000 --work FOLDER

Files of a phantom hospital are damaged in turn by bit flips, cuts, wrong lengths, nesting to depth 100 and more, wrong
value representations and bad character sets; reports by bit flips, cuts, zeros, other encodings, hidden marks and
endless repetition. Every file must end in the output or in quarantine; each output is searched, byte by byte outside
the pixels, for every identifier of the undamaged files; reports also without their invisible marks. All cores work; a
killed run goes on in the same FOLDER.
Prints counts by kind of damage and the slowest file; exits with 1 where something is wrong.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import tempfile
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from medveil.cohort.input import read_source
from medveil.cohort.phantom.damage import DICOM_DAMAGE, TEXT_DAMAGE, damaged_dicom, damaged_text
from medveil.cohort.phantom.gold import Gold, load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.release.clean import deid_defenses
from medveil.release.clean.cleaning import GroupCleaner
from medveil.release.clean.dicom_writer import DicomWriter, output_path
from medveil.release.clean.engine import Engine
from medveil.release.clean.groups import Group, grouped
from medveil.runtime.journal import FILE as JOURNAL
from medveil.runtime.journal import Noted, journaled
from medveil.runtime.processes import Loss, silence_libraries

HANG = 60  # seconds for one file
FILES = 10  # cleaned together: what one of them tells is known for all
CRASH, HUNG, UNCLEAN = "killed its process", f"took more than {HANG} s", "unclean output"


def damage_all(gold: Gold, out: Path, *, dicom: int, reports: int, seed: int) -> None:
    """Damaged copies, by kind."""
    images = list(gold.images.values())
    for kinds, number, damage, ending in (
        (DICOM_DAMAGE, dicom, damaged_dicom, "dcm"),
        (TEXT_DAMAGE, reports, damaged_text, "txt"),
    ):
        for at in range(number):
            rng = np.random.default_rng([seed, at, len(ending)])
            kind = list(kinds)[at % len(kinds)]
            image = images[at % len(images)]
            source = gold.root / (image.path if ending == "dcm" else image.report_path)
            target = out / f"{ending}-{kind.replace(' ', '-')}" / f"{at:05d}.{ending}"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(damage(rng, source.read_bytes(), kind))


def identifiers(gold: Gold) -> set[bytes]:
    """What must not be left. Dates move by the person's shift, and may land on another's."""
    exempt = {
        one.text
        for image in gold.images.values()
        for one in image.identifiers()
        if one.category in (Category.DATE, Category.TIME) or len(one.text) < 6
    }
    return {text.encode() for text in gold.identifier_strings(common=False) - exempt}


def unclean(data: bytes, wanted: set[bytes]) -> int:
    """How many identifiers stand in the bytes, as words of their own: Ms. Li is not in Ms. Lindley.

    Pixel data is the end of a DICOM file.
    """
    pixels = data.rfind(b"\xe0\x7f\x10\x00")
    head = data[:pixels] if pixels > 0 and data[128:132] == b"DICM" else data
    return sum(text in head and _stands_alone(text, head) for text in wanted)


def legible(data: bytes) -> bytes:
    """A report's bytes without the characters nobody sees, which would hide a name from the search."""
    letters = data.decode("utf-8", "ignore")
    return "".join(one for one in letters if unicodedata.category(one) not in ("Cf", "Mn", "Zl")).encode()


def _stands_alone(text: bytes, content: bytes) -> bool:
    return re.search(rb"(?<![0-9A-Za-z])" + re.escape(text) + rb"(?![0-9A-Za-z])", content) is not None


@dataclass(frozen=True)
class Watched:
    """Cleans the files of a group one by one, each against the clock, and looks at what came out at once: copies of
    one image share a place in the output."""

    cleaner: GroupCleaner
    hospital: Path

    def name(self, group: Group) -> str:
        return self.cleaner.name(group)

    def __call__(self, task: tuple[Group, Noted | None]) -> Noted:
        group, earlier = task
        return earlier or Noted("", {"files": [self._file(group.alone(one)) for one in group.files]})

    def crashed(self, task: tuple[Group, Noted | None], loss: Loss) -> Noted:
        return Noted("", {"files": [{"file": one.path, "wrong": CRASH, "took": 0.0} for one in task[0].files]})

    def _file(self, alone: Group) -> dict[str, Any]:
        (one,) = alone.files
        place = self.cleaner.target / output_path(one, self.cleaner.keys)
        place.unlink(missing_ok=True)
        began = time.process_time()
        told: dict[str, Any] = {"file": one.path}
        try:
            with _clock(HANG):
                (entry,) = self.cleaner((alone, None)).entry["files"]
            told["reason"] = entry.get("quarantined", "")
        except TimeoutError:
            told["wrong"] = HUNG
        told["took"] = round(time.process_time() - began, 2)
        told["released"] = place.exists()
        if place.exists() and self._unclean(place):
            told["wrong"] = UNCLEAN
            place.rename(place.with_name(f"unclean-{Path(one.path).name}"))
        return told

    def _unclean(self, place: Path) -> bool:
        data = place.read_bytes()
        contents = [data, legible(data)] if place.suffix == ".txt" else [data]
        return any(unclean(content, _wanted(self.hospital)) for content in contents)


@contextmanager
def _clock(seconds: int) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


@lru_cache(maxsize=1)
def _wanted(hospital: Path) -> set[bytes]:
    return identifiers(load_gold(hospital))


@dataclass
class Tally:
    """By kind of damage, and what went wrong."""

    released: Counter[str] = field(default_factory=Counter)
    withheld: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    slowest: tuple[float, str] = (0.0, "")

    @property
    def files(self) -> int:
        return self.released.total() + self.withheld.total()

    def add(self, told: dict[str, Any]) -> None:
        kind = told["file"].partition("/")[0]
        (self.released if told.get("released") else self.withheld)[kind] += 1
        self.reasons[told.get("reason", "")] += 1
        self.slowest = max(self.slowest, (told["took"], told["file"]))
        if "wrong" in told:
            self.wrong[told["wrong"]].append(told["file"])

    def show(self) -> None:
        for kind in sorted({*self.released, *self.withheld}):
            print(f"{kind:24s} released {self.released[kind]:5d}  withheld {self.withheld[kind]:5d}")
        for reason, number in self.reasons.most_common():
            print(f"  {number:5d} {reason or 'released'}")
        print(f"slowest file {self.slowest[0]:.2f} s of processor time ({self.slowest[1]})")
        for what, files in sorted(self.wrong.items()):
            print(f"{what}: {len(files)}, such as {', '.join(files[:5])}")


def run(work: Path, *, seed: int, workers: int | None) -> Tally:
    keys, settings = Keys.for_demonstration(seed), deid_defenses(fill="black")
    files = read_source(work / "in", workers=workers, progress=partial(_show, "reading"))
    cleaner = GroupCleaner(files.root, work / "out", Engine(keys, settings), DicomWriter())
    watched = Watched(cleaner, work / "hospital")
    pieces = [piece for group in grouped(files.files, keys) for piece in _pieces(group)]
    tally = Tally()
    for entry in journaled(work / JOURNAL, watched, pieces, workers=workers, chunk=1):
        for told in entry["files"]:
            tally.add(told)
        _show("cleaning", tally.files, len(files.files))
    for problem in files.problems:
        tally.add({"file": problem.path, "took": 0.0, "reason": problem.reason})
    assert tally.files == len(files.files) + len(files.problems), "a file was lost"
    return tally


def _pieces(group: Group) -> Iterator[Group]:
    for start in range(0, len(group.files), FILES):
        piece = replace(group, files=group.files[start : start + FILES])
        yield replace(piece, headers={group.patient: piece.header_files})


def _show(stage: str, done: int, total: int) -> None:
    if done == total or done % 200 == 0:
        print(f"{stage} {done} of {total}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dicom", type=int, default=2000)
    parser.add_argument("--reports", type=int, default=2000)
    parser.add_argument("--size", type=int, default=256, help="pixels a side; much smaller ones are withheld")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, help="processes; all cores by default")
    parser.add_argument("--work", type=Path, help="folder to work in, which a killed run goes on in")
    arguments = parser.parse_args()
    silence_libraries()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        work = arguments.work or Path(folder)
        made = work / f"made-{arguments.dicom}-{arguments.reports}-{arguments.size}-{arguments.seed}"
        if not made.exists():
            if work.exists() and any(work.iterdir()):
                raise SystemExit(f"{work} holds something else; name another folder")
            build_hospital(work / "hospital", patients=20, sites=10, size=arguments.size, seed=arguments.seed)
            gold = load_gold(work / "hospital")
            damage_all(gold, work / "in", dicom=arguments.dicom, reports=arguments.reports, seed=arguments.seed)
            made.touch()
        tally = run(work, seed=arguments.seed, workers=arguments.workers)
    tally.show()
    me = psutil.Process()  # workers, which another process forks, count while they are kept
    processor = sum(sum(one.cpu_times()[:4]) for one in (me, *me.children(recursive=True)))
    print(f"{tally.files} files in {time.perf_counter() - began:.0f} s, {processor:.0f} s of processor time")
    raise SystemExit(1 if tally.wrong else 0)


if __name__ == "__main__":
    main()
