"""`verify`: what `deid` put out, read, searched and compared afresh with the originals at hand.

OUT/verify.json         what was checked and what is wrong, in counts
OUT/discrepancies.csv   one row a discrepancy: file, check, place, action, expected, found
OUT/manifest.json       the hash of every released file and the outcome, signed with the site's key
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import medveil
from medveil.cohort.phantom.gold import FOLDER as GOLD
from medveil.cohort.phantom.gold import load_gold
from medveil.defenses.headers.profile import Profile
from medveil.defenses.keys import Keys
from medveil.defenses.person import Known
from medveil.errors import InputError
from medveil.release.deid.groups import Group, grouped
from medveil.release.deid.outputs import DATA, output_path
from medveil.release.deid.people import gathered
from medveil.release.deid.run import Index, look_over
from medveil.release.deid.sources import Source
from medveil.release.folder import read_run, write_csv
from medveil.release.journal import journaled
from medveil.release.settings import Progress
from medveil.release.verify.checking import GroupChecker
from medveil.release.verify.known_bytes import KnownBytes
from medveil.release.verify.manifest import write_manifest
from medveil.release.verify.wrong import Wrong
from medveil.storage import write_json

FORMAT = "medveil.verify/1"
JOURNAL = "verify.jsonl"


@dataclass(frozen=True)
class VerifyOutcome:
    """How many files were checked, what may identify someone, and what was lost."""

    files: int
    leaks: int
    losses: int
    summary: Path

    @property
    def exit_code(self) -> int:
        return 1 if self.leaks else 0


def verify(
    out: Path,
    source: Path,
    *,
    keys: Keys,
    profile: Profile | None = None,
    answers: Path | None = None,
    workers: int | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> VerifyOutcome:
    """Check everything under `out`/data against `source`, and against its answer key where there is one."""
    _refuse_others(out, keys)
    files = Source.of(source)
    index = look_over(files, workers=workers, progress=progress)
    groups = list(grouped(index.linked, keys))
    gold = load_gold(answers or files.root) if answers or (files.root / GOLD).is_dir() else None
    by_path = {image.path: image for image in gold.images.values()} if gold else {}
    checker = GroupChecker(files.root, out / DATA, keys, profile or Profile.default(), by_path)
    wrongs: list[Wrong] = []
    total = sum(len(group.files) for group in groups)
    done = 0
    for group, entry in zip(groups, journaled(out / JOURNAL, checker, groups, workers=workers, chunk=1), strict=True):
        wrongs += [Wrong.of(one) for one in entry["wrongs"]]
        done += len(group.files)
        progress("checking", done, total)
    hashes, found = _searched(out / DATA, KnownBytes.anyones(_everything_known(files, groups, keys)), progress)
    wrongs += found
    wrongs += _unaccounted(out, index, files, keys, set(hashes))
    return _write(out, sorted(set(wrongs)), hashes, keys, answered=gold is not None)


def _refuse_others(out: Path, keys: Keys) -> None:
    if not (out / DATA).is_dir():
        raise InputError(f"{out} holds no de-identified data; run medveil deid first")
    if read_run(out).get("key_fingerprint") != keys.fingerprint:
        raise InputError(f"{out} was made with another key; give that key with --key-file")


def _everything_known(files: Source, groups: list[Group], keys: Keys) -> Iterator[Known]:
    for group in groups:
        if group.patient:
            names = [one.entry.file for one in group.files]
            yield from gathered(keys, files.root, group.patient, group.header_files(group.patient), names).known


def _searched(data: Path, needles: KnownBytes, progress: Progress) -> tuple[dict[str, str], list[Wrong]]:
    """The hash of every file, and where something known of anyone stands in its bytes or its name."""
    hashes: dict[str, str] = {}
    wrongs = []
    paths = [path for path in sorted(data.rglob("*")) if path.is_file()]
    for done, path in enumerate(paths, start=1):
        name, content = path.relative_to(data).as_posix(), path.read_bytes()
        hashes[name] = sha256(content).hexdigest()
        for category in needles.found_in(content):
            wrongs.append(Wrong(name, "bytes", "", category, "absent", "a known identifier"))
        if needles.found_in(name.encode()):
            wrongs.append(Wrong(hashes[name][:20], "names", "", "", "a pseudonym", "a known identifier"))
        progress("searching", done, len(paths))
    return hashes, wrongs


def _unaccounted(out: Path, index: Index, files: Source, keys: Keys, here: set[str]) -> list[Wrong]:
    """Every original must be released or told in the quarantine, and nothing else may lie there."""
    withheld = _withheld(out)
    wrongs = []
    expected = set()
    for one in index.linked:
        path, name = output_path(one, keys), keys.pseudonym("file", one.entry.file)
        expected.add(path)
        if path not in here and name not in withheld:
            wrongs.append(Wrong(name, "files", "", "", "released or in the quarantine", "missing"))
    for file, _ in (*files.problems, *index.problems):
        if keys.pseudonym("file", file) not in withheld:
            wrongs.append(Wrong(keys.pseudonym("file", file), "files", "", "", "in the quarantine", "missing"))
    strays = here - expected
    return wrongs + [Wrong(name, "files", "", "", "absent", "a file without an original") for name in strays]


def _withheld(out: Path) -> set[str]:
    try:
        with (out / "quarantine.csv").open(newline="") as file:
            return {row["id"] for row in csv.DictReader(file)}
    except (OSError, KeyError):
        return set()


def _write(out: Path, wrongs: list[Wrong], hashes: dict[str, str], keys: Keys, *, answered: bool) -> VerifyOutcome:
    leaks = sum(wrong.leak for wrong in wrongs)
    summary: dict[str, Any] = {
        "format": FORMAT,
        "medveil": medveil.__version__,
        "files": len(hashes),
        "answer_key": answered,
        "leaks": leaks,
        "losses": len(wrongs) - leaks,
        "by_check": dict(sorted(Counter(wrong.check for wrong in wrongs).items())),
        "by_finding": dict(sorted(Counter(f"{wrong.check}: {wrong.found}" for wrong in wrongs).items())),
    }
    header = tuple(field.name for field in fields(Wrong))
    write_csv(out / "discrepancies.csv", header, [tuple(wrong.to_json().values()) for wrong in wrongs])
    write_json(out / "verify.json", summary)
    write_manifest(out, hashes, summary, keys)
    return VerifyOutcome(len(hashes), leaks, len(wrongs) - leaks, out / "verify.json")
