"""PathVQA as its authors publish it: `qas/train/train_qa.pkl` … and `images/train/train_0000.jpg` …

The questions are pickled, and a pickle runs whatever it names. These are lists, fields, texts and numbers, for which
nothing has to be named: a file that names anything is refused before any of it is run.
"""

from __future__ import annotations

import hashlib
import pickle
from functools import partial
from pathlib import Path
from typing import Any

from medveil.errors import InputError
from medveil.utility.vqa.question import Question, QuestionTable
from medveil.utility.vqa.questions.entries import Entry, by_image, checked, present
from medveil.utility.vqa.questions.pictures import load_picture

FILES = {split: f"qas/{split}/{split}_qa.pkl" for split in ("train", "val", "test")}
IMAGES = "images"
_NEEDED = ("image", "question", "answer")


class _Plain(pickle.Unpickler):
    """Of values alone."""

    def find_class(self, module: str, name: str, /) -> Any:
        raise pickle.UnpicklingError


def recognises(folder: Path) -> bool:
    return (folder / IMAGES).is_dir() and any((folder / name).is_file() for name in FILES.values())


def read(folder: Path) -> QuestionTable:
    """As in the hub's files, images are told apart by their bytes."""
    entries, lost = present([entry for split in FILES for entry in _entries(folder, split)], folder, "file")
    told = [(entry, str(entry["split"])) for entry in entries]
    names = dict.fromkeys(str(entry["file"]) for entry, _ in told)
    same = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest()[:24] for name in names}
    splits, remarks = by_image((same[str(entry["file"])], split) for entry, split in told)
    paths = {image: name for name, image in same.items()}
    questions = tuple(
        Question.of(f"{split}-{number}", same[str(entry["file"])], str(entry["question"]), str(entry["answer"]))
        for number, (entry, split) in enumerate(told)
    )
    return QuestionTable("PathVQA", questions, partial(load_picture, folder, paths), splits, remarks=(*remarks, *lost))


def _entries(folder: Path, split: str) -> list[Entry]:
    path = folder / FILES[split]
    if not path.is_file():
        return []
    entries = checked(_unpickled(path), path, _NEEDED)
    if any(Path(str(entry["image"])).name != str(entry["image"]) for entry in entries):
        raise InputError(f"{path} names images outside its folder; fetch it again")
    return [{**entry, "split": split, "file": f"{IMAGES}/{split}/{entry['image']}.jpg"} for entry in entries]


def _unpickled(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            return _Plain(file).load()
    except Exception:  # a damaged file makes the reader raise nearly anything
        raise InputError(
            f"{path} is not a list of questions, or names code to be run, which is not done; fetch it again, or give "
            "the parquet files that the hub has of the same data"
        ) from None
