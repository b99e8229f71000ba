"""VQA-RAD as its authors publish it: `VQA_RAD Dataset Public.json` and `VQA_RAD Image Folder`.

Its test questions share every image with its training questions, so the images are dealt out anew. A copy that was
dealt out by image already, `questions.json` with a field `split` and a folder `images`, keeps its splits.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from medveil.errors import InputError
from medveil.utility.vqa.question import Question, QuestionTable
from medveil.utility.vqa.questions.entries import Entry, by_image, present, read_entries
from medveil.utility.vqa.questions.pictures import load_picture

PLACES = (("VQA_RAD Dataset Public.json", "VQA_RAD Image Folder"), ("questions.json", "images"))
KINDS = {
    "PRES": "presence",
    "POS": "place",
    "ABN": "abnormality",
    "MODALITY": "modality",
    "SIZE": "size",
    "PLANE": "plane",
    "ATTRIB": "attribute",
    "ATRIB": "attribute",
    "COLOR": "shade",
    "ORGAN": "organ",
    "COUNT": "count",
}
_NEEDED = ("qid", "image_name", "question", "answer", "question_type")


def recognises(folder: Path) -> bool:
    return any((folder / table).is_file() and (folder / images).is_dir() for table, images in PLACES)


def read(folder: Path) -> QuestionTable:
    table, images = next(place for place in PLACES if (folder / place[0]).is_file() and (folder / place[1]).is_dir())
    entries, lost = present(read_entries(folder / table, _NEEDED), folder / images, "image_name")
    splits, remarks = by_image((str(entry["image_name"]), _published(entry)) for entry in entries)
    paths = {image: f"{images}/{image}" for image in splits}
    if any("/" in image or "\\" in image for image in paths):
        raise InputError(f"{folder / table} names images outside its folder; fetch it again")
    questions = tuple(_question(number, entry) for number, entry in enumerate(entries))
    return QuestionTable("VQA-RAD", questions, partial(load_picture, folder, paths), splits, remarks=(*remarks, *lost))


def _published(entry: Entry) -> str:
    told = entry.get("split")
    return str(told) if told else "test" if str(entry.get("phrase_type", "")).startswith("test") else "train"


def _question(number: int, entry: Entry) -> Question:
    """Some ids stand twice in the published file, so the place in it is part of the id."""
    kind = str(entry["question_type"]).split(",")[0].strip().upper()
    return Question.of(
        f"{entry['qid']}-{number}",
        str(entry["image_name"]),
        str(entry["question"]),
        str(entry["answer"]),
        kind=KINDS.get(kind, "other"),
    )
