"""SLAKE as its authors publish it: `train.json`, `validate.json`, `test.json` and `imgs/xmlab1/source.jpg` …

On the hub the second file is called `validation.json`. Questions are in English (`q_lang` en) and in Chinese (zh).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from medveil.errors import InputError
from medveil.utility.vqa.question import Question, QuestionTable
from medveil.utility.vqa.questions.entries import Entry, by_image, present, read_entries
from medveil.utility.vqa.questions.pictures import load_picture

FILES = {"train.json": "train", "validate.json": "val", "validation.json": "val", "test.json": "test"}
IMAGES = "imgs"
KINDS = {"Position": "place", "Abnormality": "abnormality", "Color": "shade", "Quantity": "count"}
_NEEDED = ("qid", "img_name", "question", "answer", "q_lang")


def recognises(folder: Path) -> bool:
    return (folder / IMAGES).is_dir() and any((folder / name).is_file() for name in FILES)


def read(folder: Path) -> QuestionTable:
    files = {split: folder / name for name, split in FILES.items() if (folder / name).is_file()}  # one a split
    told = [(entry, split) for split, file in files.items() for entry in read_entries(file, _NEEDED)]
    kept, lost = present([entry for entry, _ in told], folder / IMAGES, "img_name")
    there = {id(entry) for entry in kept}
    told = [(entry, split) for entry, split in told if id(entry) in there]
    splits, remarks = by_image((str(entry["img_name"]), split) for entry, split in told)
    paths = {image: f"{IMAGES}/{image}" for image in splits}
    if any(".." in Path(image).parts for image in paths):
        raise InputError(f"{folder} names images outside its folder; fetch it again")
    questions = tuple(_question(entry, split) for entry, split in told)
    return QuestionTable("SLAKE", questions, partial(load_picture, folder, paths), splits, remarks=(*remarks, *lost))


def _question(entry: Entry, split: str) -> Question:
    kind = str(entry.get("content_type") or "other")
    answer = {"是": "yes", "否": "no"}.get(str(entry["answer"]), str(entry["answer"]))
    return Question.of(
        f"{split}-{entry['qid']}",
        str(entry["img_name"]),
        str(entry["question"]),
        answer,
        kind=KINDS.get(kind, kind.lower()),
        language=str(entry["q_lang"]),
    )
