"""A question on an image behind the privacy layer, in memory: clean the image, clean the words, ask, answer.

    ask("film.dcm", "Is the heart enlarged?", load_answers()).answer

What a model gets is what comes out of the engine that `deid` and `release` use, and nothing else: no header, no name
of a file, no pixel that was not looked at. Where the cleaning is in doubt nothing is asked. This is algorithm 1 of
ClinX, with a refusal where the paper has none.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import FileDataset

from medveil.cohort.images import load_colours, load_image
from medveil.cohort.input import OWN
from medveil.cohort.preprocess import colour_planes, to_8_bit
from medveil.errors import InputError, MedveilError, Quarantined, SettingsError
from medveil.parts import Subject
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.telling import Telling, Tellings
from medveil.release.clean.engine import Engine
from medveil.release.clean.leftovers import refuse_leftovers
from medveil.release.clean.people import gathered
from medveil.release.clean.settings import deid_defenses
from medveil.release.clean.table_writer import header_of
from medveil.release.verify.pixel_check import Reader, stray_text
from medveil.utility.vqa.model import AnswerModel

LONGEST_QUESTION, LONGEST_NOTE = 2_000, 100_000  # characters
NAMED = 3  # an image's own name and those of the folders around it, which may be a patient's
# placeholders that are the same under every key, for an answer may hang on a pseudonym or a moved date
PLAIN = Tellings(Telling(dates="dropped", linked=False))
Counts = Mapping[str, int]
Result = TypeVar("Result")


class NotAsked(MedveilError):
    """The image or the words could not be made safe, so nothing was sent."""

    exit_code = 1


@dataclass(frozen=True)
class Reply:
    """The answer, and what the model was given to answer from; `removed` counts what was taken away, by part."""

    answer: str
    model: str
    question: str
    note: str | None
    image: NDArray[np.uint8] = field(repr=False)
    removed: Mapping[str, Counts] = field(default_factory=dict)
    painted_percent: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Without the image."""
        return {
            "format": "medveil.ask/1",
            "answer": self.answer,
            "model": self.model,
            "question": self.question,
            "note": self.note,
            "removed": {part: dict(counts) for part, counts in self.removed.items()},
            "painted_percent": round(self.painted_percent, 3),
        }


def ask(
    image: Path | str,
    question: str,
    model: AnswerModel,
    *,
    note: str | None = None,
    frame: int = 0,
    engine: Engine | None = None,
) -> Reply:
    """The answer to a question on a DICOM file or a picture; what the note says comes with it.

    The image's header and name tell what is searched for in all three. Without an engine of the caller's, one is made
    with a key that nobody keeps, and nothing that the model is given hangs on it.
    """
    _refuse_unusable(question, note)
    keys = replace(_engine().keys, tellings=PLAIN) if engine is None else engine.keys
    engine = engine or _engine()
    path = Path(image)
    picture, header = _loaded(path, frame)
    person = _person(keys, path, header)
    shown = _safely("image", lambda: _cleaned_picture(engine, person, picture, header))
    asked = _safely("question", lambda: _cleaned_text(engine, person, question))
    told = _safely("note", lambda: _cleaned_text(engine, person, note)) if note and note.strip() else None
    assert shown.picture is not None and asked.text is not None
    seen = shown.picture if shown.picture.dtype == np.uint8 else to_8_bit(shown.picture)
    _safely("image", lambda: _read_again(seen))
    parts = {"image": shown, "question": asked, **({"note": told} if told else {})}
    return Reply(
        answer=model.answer(seen, asked.text, told.text if told else None),
        model=model.name,
        question=asked.text,
        note=told.text if told else None,
        image=seen,
        removed={part: _counts(subject) for part, subject in parts.items()},
        painted_percent=max(shown.masked, default=0.0),
    )


def _refuse_unusable(question: str, note: str | None) -> None:
    if not question.strip():
        raise SettingsError("the question is empty; ask something about the image")
    if len(question) > LONGEST_QUESTION:
        raise SettingsError(f"the question is longer than {LONGEST_QUESTION:,} characters; put what is known in a note")
    if note is not None and len(note) > LONGEST_NOTE:
        raise SettingsError(f"the note is longer than {LONGEST_NOTE:,} characters; give the part that matters")


@lru_cache(maxsize=1)
def _engine() -> Engine:
    """Placeholders, for a model does not need a name, and a reader of the answer sees what is missing."""
    return Engine(Keys(secrets.token_bytes(32)), deid_defenses(reports="placeholders"))


def _loaded(path: Path, frame: int) -> tuple[NDArray[Any], FileDataset | None]:
    """As displayed, at its own depth; in colour where it has any."""
    try:
        header = header_of(path.parent, path.name)
        gray = load_image(path.parent, path.name, frame=frame)
        colours = load_colours(path.parent, path.name) if header is None and frame == 0 else None
        return (gray if colours is None else colours), header
    except Quarantined as refused:
        raise InputError(
            f"{path} cannot be asked about ({refused.reason}); give a DICOM file or a picture such as PNG or JPEG"
        ) from None


def _person(keys: Keys, path: Path, header: FileDataset | None) -> Person:
    patient = str(header.get("PatientID") or "").strip("\0 ") if header is not None else ""
    headers = (path.name,) if header is not None else ()
    name = "/".join(path.absolute().parts[-NAMED:])
    return gathered(keys, path.parent, patient or f"{OWN}image", headers, (name,))


def _cleaned_picture(engine: Engine, person: Person, picture: NDArray[Any], header: FileDataset | None) -> Subject:
    subject = engine.clean(Subject(person, picture=picture, header=header))
    if any(subject.doubtful):
        raise Quarantined("something may be text")
    return subject


def _cleaned_text(engine: Engine, person: Person, text: str) -> Subject:
    subject = engine.clean(Subject(person, text=text))
    refuse_leftovers((subject.text or "").encode(), person.known)
    return subject


def _read_again(image: NDArray[np.uint8]) -> None:
    """By readers that had no part in the cleaning, as `verify` does."""
    gray = image if image.ndim == 2 else np.asarray(image.mean(-1), np.uint8)
    planes = [] if image.ndim == 2 else colour_planes(image)
    if any(stray_text(_reader().read(plane)) for plane in (gray, *planes)):
        raise Quarantined("text is still read in it")


@lru_cache(maxsize=1)
def _reader() -> Reader:
    return Reader()


def _safely(what: str, clean: Callable[[], Result]) -> Result:
    try:
        return clean()
    except Quarantined as doubt:
        reason = doubt.reason
    except MedveilError:
        raise
    except Exception as surprise:  # whatever went wrong, nothing leaves
        reason = f"could not be processed, {type(surprise).__name__}"
    raise NotAsked(
        f"nothing was asked, for the {what} cannot be cleaned with certainty ({reason}); look at it yourself, or clean "
        "it with medveil deid and decide about it with medveil review"
    )


def _counts(subject: Subject) -> Counts:
    """What was done, over all defenses."""
    counts: dict[str, int] = {}
    for notes in subject.done.values():
        for what, number in notes.items():
            counts[what] = counts.get(what, 0) + number
    return dict(sorted(counts.items()))
