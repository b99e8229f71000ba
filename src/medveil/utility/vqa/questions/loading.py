"""The questions of a folder, in the layout in which its data set is published."""

from __future__ import annotations

from pathlib import Path

from medveil.errors import InputError
from medveil.utility.vqa.question import QuestionTable
from medveil.utility.vqa.questions import parquet, path_vqa, slake, vqa_rad

LAYOUTS = (vqa_rad, slake, path_vqa, parquet)


def read_questions(folder: Path, *, language: str = "en") -> QuestionTable:
    """VQA-RAD, SLAKE and PathVQA as published, or the hub's parquet files of two of them; dealt out by image."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give the one that holds the questions and their images")
    for layout in LAYOUTS:
        if layout.recognises(folder):
            table = layout.read(folder).where(lambda question: question.language == language)
            if not table.questions:
                raise InputError(f"{folder} has no question in the language {language}; choose another one")
            return table
    raise InputError(
        f"{folder} holds no questions that can be read; expected VQA-RAD (its JSON and its image folder), SLAKE "
        "(train.json, validate.json, test.json, imgs), PathVQA (qas, images) or the hub's parquet files of PathVQA or "
        "VQA-RAD; for images of your own, name a table of questions"
    )
