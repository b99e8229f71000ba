"""The questions of a folder, in the layout in which its data set is published."""

from __future__ import annotations

from pathlib import Path

from medveil.errors import InputError
from medveil.utility.vqa.question import QuestionTable
from medveil.utility.vqa.questions import parquet, slake, vqa_rad

LAYOUTS = (vqa_rad, slake, parquet)


def read_questions(folder: Path, *, language: str = "en") -> QuestionTable:
    """VQA-RAD, SLAKE, or the parquet files in which the hub keeps VQA-RAD and PathVQA; dealt out by image."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give the one that holds the questions and their images")
    for layout in LAYOUTS:
        if layout.recognises(folder):
            table = layout.read(folder).where(lambda question: question.language == language)
            if not table.questions:
                raise InputError(f"{folder} has no question in the language {language}; choose another one")
            return table
    if any(folder.rglob("*.pkl")) or any(folder.rglob("*.pickle")):
        raise InputError(
            f"{folder} holds its questions as pickles, which run code when they are read and so are not; "
            "give the parquet files that the hub has of the same data"
        )
    raise InputError(
        f"{folder} holds no questions that can be read; expected VQA-RAD (its JSON and its image folder), SLAKE "
        "(train.json, validate.json, test.json, imgs) or the hub's parquet files of PathVQA or VQA-RAD"
    )
