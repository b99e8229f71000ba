"""2,000 damaged DICOM files and 2,000 damaged reports through `medveil deid`: no crash, no hang, no unclean output.

    python benchmarks/deid_fuzz.py --dicom 2000 --reports 2000

Files of a phantom hospital are damaged in turn by bit flips, cuts, wrong lengths, nesting to depth 100 and more, wrong
value representations and bad character sets; reports by bit flips, cuts, zeros, other encodings, hidden marks and
endless repetition. Every file must end in the output or in quarantine; the output is searched, byte by byte outside
the pixels, for every identifier of the undamaged files. Prints counts by kind and the slowest file; exits with 1 where
something is wrong.
"""

from __future__ import annotations

import argparse
import collections
import json
import tempfile
import time
from pathlib import Path

import numpy as np

from medveil.cohort.identifiers import Category
from medveil.cohort.phantom.damage import DICOM_DAMAGE, TEXT_DAMAGE, damaged_dicom, damaged_text
from medveil.cohort.phantom.gold import Gold, load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.defenses.keys import Keys
from medveil.parallel import silence_libraries
from medveil.release.deid import DeidSettings
from medveil.release.deid.cleaning import GroupCleaner
from medveil.release.deid.groups import grouped
from medveil.release.deid.run import look_over
from medveil.release.deid.sources import Source
from medveil.release.deid.summary import Summary

HANG = 60.0  # seconds for one file


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
            target = out / kind.replace(" ", "-") / f"{at:05d}.{ending}"
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


def unclean(data: bytes, wanted: set[bytes]) -> set[bytes]:
    """Identifiers in the bytes; pixel data is the end of a DICOM file."""
    pixels = data.rfind(b"\xe0\x7f\x10\x00")
    head = data[:pixels] if pixels > 0 and data[128:132] == b"DICM" else data
    return {text for text in wanted if text in head}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dicom", type=int, default=2000)
    parser.add_argument("--reports", type=int, default=2000)
    parser.add_argument("--size", type=int, default=256, help="pixels a side")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    silence_libraries()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        build_hospital(root / "hospital", patients=20, sites=10, size=arguments.size, seed=arguments.seed, workers=1)
        gold = load_gold(root / "hospital")
        damage_all(gold, root / "in", dicom=arguments.dicom, reports=arguments.reports, seed=arguments.seed)
        raise SystemExit(run(root / "in", root / "out", identifiers(gold), seed=arguments.seed))


def run(source: Path, out: Path, wanted: set[bytes], *, seed: int) -> int:
    keys, settings = Keys.for_demonstration(seed), DeidSettings(fill="box")
    files = Source.of(source)
    began = time.perf_counter()
    index = look_over(files, workers=1, progress=lambda stage, done, total: None)
    print(f"first look: {len(files.files)} files in {time.perf_counter() - began:.1f} s")
    cleaner = GroupCleaner(files.root, out / "data", keys, settings)
    summary = Summary(settings, keys, "", left_out=0, withdrawn={})
    slowest: tuple[float, str] = (0.0, "")
    for group in grouped(index.linked, keys):
        began = time.perf_counter()
        line = cleaner((group, None))
        took = (time.perf_counter() - began) / len(group.files)
        slowest = max(slowest, (took, group.files[0].entry.file))
        summary.add(json.loads(line))
    for _, reason in index.problems:
        summary.withhold("", reason)
    dirty = {
        path.relative_to(out): found
        for path in (out / "data").rglob("*")
        if path.is_file() and (found := unclean(path.read_bytes(), wanted))
    }
    done = summary.released + len(summary.withheld)
    print(f"released {summary.released}, withheld {len(summary.withheld)}, of {len(files.files)}")
    for reason, number in collections.Counter(reason for _, reason in summary.withheld).most_common():
        print(f"  {number:5d} {reason}")
    print(f"slowest file {slowest[0]:.2f} s ({slowest[1]})")
    print(f"unclean outputs {len(dirty)}")
    for path, found in list(dirty.items())[:10]:
        print(f"  {path}: {sorted(found)[:3]}")
    return 0 if not dirty and done == len(files.files) and slowest[0] < HANG else 1


if __name__ == "__main__":
    main()
