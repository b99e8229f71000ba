"""What lies in a folder: every file found once, by listing directories and not by asking for each file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from medveil.cohort.cohort import Problem
from medveil.cohort.tables.encodings import decode
from medveil.errors import Quarantined

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".dcm", ".tif", ".tiff", ".bmp", ".webp")
MAX_REPORT_BYTES = 1 << 20


@dataclass
class Listing:
    """Plain files by relative path, and what was left aside: links that lead out, pipes, closed folders."""

    files: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)

    def images(self) -> set[str]:
        return {file for file in self.files if file.lower().endswith(IMAGE_SUFFIXES)}


def list_files(root: Path, folders: Iterable[str] = ("",)) -> Listing:
    """Everything under `folders` of `root`; an absent folder is empty."""
    listing = Listing()
    real_root = root.resolve()
    waiting = []  # last in, first out, and sorted: the same order on every machine
    for folder in sorted(folders, reverse=True):
        if (root / folder).is_dir():
            if (root / folder).resolve().is_relative_to(real_root):
                waiting.append(folder)
            else:
                listing.problems.append(Problem(folder, "link not followed"))
    while waiting:
        folder = waiting.pop()
        deeper = []
        for name, entry in _entries(root, folder, listing):
            if entry.is_symlink():
                _take_link(name, entry, real_root, listing)
            elif entry.is_dir(follow_symlinks=False):
                deeper.append(name)
            elif entry.is_file(follow_symlinks=False):
                listing.files.add(name)
            else:
                listing.problems.append(Problem(name, "not a regular file"))
        waiting.extend(reversed(deeper))
    return listing


def _entries(root: Path, folder: str, listing: Listing) -> Iterator[tuple[str, os.DirEntry[str]]]:
    try:
        with os.scandir(f"{root}/{folder}") as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        listing.problems.append(Problem(folder, "unreadable folder"))
        return
    for entry in entries:
        name = f"{folder}/{entry.name}" if folder else entry.name
        try:
            name.encode()
        except UnicodeEncodeError:
            readable = name.encode("utf-8", "backslashreplace").decode()
            listing.problems.append(Problem(readable, "file name is not text"))
        else:
            yield name, entry


def _take_link(name: str, entry: os.DirEntry[str], real_root: Path, listing: Listing) -> None:
    """A link to a file inside is a file; others are left aside, also folders, which would come twice."""
    try:
        inside = Path(entry.path).resolve(strict=True).is_relative_to(real_root)
    except (OSError, RuntimeError):
        inside = False
    if inside and entry.is_file():
        listing.files.add(name)
    else:
        listing.problems.append(Problem(name, "link not followed"))


def by_name(files: Iterable[str]) -> dict[str, str]:
    """Relative path by bare file name, the first in order where a name repeats."""
    return {PurePosixPath(file).name: file for file in sorted(files, reverse=True)}


def stem(file: str) -> str:
    return file.rpartition(".")[0] or file


def read_report(root: Path, file: str) -> str:
    """The text of a report, exactly as it is."""
    try:
        with (root / file).open("rb") as opened:
            content = opened.read(MAX_REPORT_BYTES + 1)
    except OSError:
        raise Quarantined("unreadable report") from None
    if len(content) > MAX_REPORT_BYTES:
        raise Quarantined("report too long")
    return decode(content).text


def read_reports(root: Path, files: dict[str, str], problems: list[Problem]) -> dict[str, str]:
    """Report text by the keys of `files`; what cannot be read becomes a problem."""
    texts = {}
    for key, file in files.items():
        try:
            texts[key] = read_report(root, file)
        except Quarantined as refused:
            problems.append(Problem(file, refused.reason))
    return texts
