"""What the readers share: entries of a file, checked field by field, and images dealt out to one split each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from medveil.cohort.splits import split_of
from medveil.errors import InputError

Entry = Mapping[str, Any]
REDEALT = (
    "The published splits share images, so what is learned on one would be known on the other; the images were dealt "
    "out anew, each with all its questions to one split."
)
NOT_FETCHED = "{:,} of {:,} published questions are left out, for their images are not in the folder."


def read_entries(path: Path, needed: Iterable[str]) -> list[Entry]:
    """A list of objects that all have the needed fields."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        raise InputError(f"{path} is not readable JSON; fetch it again") from None
    return checked(entries, path, needed)


def checked(entries: Any, path: Path, needed: Iterable[str]) -> list[Entry]:
    """What a file holds, if it is such a list."""
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path} is not a list of questions; fetch it again")
    needed = tuple(needed)
    for number, entry in enumerate(entries, 1):
        missing = [name for name in needed if not isinstance(entry, dict) or entry.get(name) is None]
        if missing:
            raise InputError(f"question {number} in {path} has no {missing[0]}; fetch the file again")
    return entries


def present(entries: Sequence[Entry], folder: Path, name: str) -> tuple[list[Entry], tuple[str, ...]]:
    """The entries whose image is there, and a remark where others are not; none at all is an error, for then the
    folder is not the right one."""
    there = {image: (folder / image).is_file() for image in {str(entry[name]) for entry in entries}}
    kept = [entry for entry in entries if there[str(entry[name])]]
    if not kept:
        raise InputError(f"{folder} holds none of the images that the questions are about; fetch them too")
    lost = len(entries) - len(kept)
    return kept, (NOT_FETCHED.format(lost, len(entries)),) if lost else ()


def by_image(published: Iterable[tuple[str, str]]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The split of each image, from (image, published split) of each question: kept if no image is on two sides."""
    pairs = set(published)
    splits = dict(pairs)
    if len(splits) == len(pairs):
        return splits, ()
    return {image: split_of(image, salt="questions") for image in splits}, (REDEALT,)
