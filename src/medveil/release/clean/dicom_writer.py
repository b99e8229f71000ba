"""The writer of `deid`: DICOM files, pictures, texts and tables come back as what they were, under pseudonyms.

data/<patient>/<study>/<image>.dcm, pictures (.png) and reports (.txt) beside; data/tables/<file>.csv, .jsonl or .xlsx
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image

from medveil.cohort.dicom.opening import quarantining
from medveil.cohort.images import FORMATS, inside, load_colours, load_image
from medveil.cohort.input import Kind, SourceFile
from medveil.defenses.reports.formats.text_file import clean_text_file
from medveil.errors import Quarantined
from medveil.parts import Subject
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.dicom_file import dicom_bytes, open_whole
from medveil.release.clean.engine import Engine
from medveil.release.clean.groups import Group, Item
from medveil.release.clean.leftovers import refuse_leftovers
from medveil.release.clean.records import Written
from medveil.release.clean.reviewed import NONE, FilmChoices
from medveil.release.clean.table_file import clean_table

MAX_FILE_BYTES = 1 << 30
MAX_REPORT_BYTES = 1 << 20
_MADE = re.compile(r"(tables|[0-9a-f]{20}/[0-9a-f]{20})/[0-9a-f]{20}\.(dcm|png|txt|csv|jsonl|xlsx)")
_ENDINGS = {Kind.DICOM: "dcm", Kind.IMAGE: "png", Kind.REPORT: "txt"}  # tables keep theirs
# Quarter turns counter-clockwise that bring a picture upright, and whether it is mirrored after that (Exif 0112).
_TURNS = {2: (0, True), 3: (2, False), 4: (2, True), 5: (3, True), 6: (3, False), 7: (1, True), 8: (1, False)}


def output_path(one: Item, keys: Keys) -> str:
    """Below `data`: every name is a pseudonym, and a person's files lie together."""
    ending = _ENDINGS.get(one.kind, one.kind.value)
    if one.kind.is_table:
        return f"tables/{keys.pseudonym('file', one.path)}.{ending}"
    patient = keys.pseudonym("patient", one.patient)
    study = keys.pseudonym("study", one.study or f"none of {one.patient}")
    if one.image:
        name = keys.pseudonym("image", one.image)
    else:
        name = keys.pseudonym("report" if one.kind is Kind.REPORT else "file", one.path)
    return f"{patient}/{study}/{name}.{ending}"


def is_pseudonymous(path: str) -> bool:
    """Whether a path below `data` is such as `output_path` makes: any other may tell whose file it is."""
    return _MADE.fullmatch(path) is not None


@dataclass(frozen=True)
class DicomWriter:
    """Reads a file of the source, has it cleaned, and gives the bytes of the file that replaces it."""

    name = "dicom"

    def identifier(self, one: SourceFile, keys: Keys) -> str:
        """What a file goes by in the journal and the quarantine."""
        return keys.pseudonym("file", one.path)

    def path(self, one: SourceFile, keys: Keys) -> str:
        return output_path(one, keys)

    def written(
        self,
        one: SourceFile,
        group: Group,
        person: Person,
        root: Path,
        engine: Engine,
        choices: FilmChoices = NONE,
    ) -> Written:
        path = inside(root, one.path)
        if path.stat().st_size > MAX_FILE_BYTES:
            raise Quarantined("too large")
        match one.kind:
            case Kind.DICOM:
                return _dicom(path, person, engine, choices)
            case Kind.IMAGE:
                return _picture(root, one.path, person, engine, choices)
            case Kind.REPORT:
                return _report(path, person, engine)
            case Kind.CSV | Kind.JSONL | Kind.XLSX:
                return clean_table(path, one, group.headers, root, engine)
        raise Quarantined("not a kind of file that can be cleaned")

    def finish(self, out: Path, name: str) -> set[str]:
        """Each file stands for itself."""
        return set()


def _dicom(path: Path, person: Person, engine: Engine, choices: FilmChoices) -> Written:
    subject = engine.clean(Subject(person, dataset=open_whole(path), choices=choices))
    assert subject.dataset is not None and engine.headers is not None
    data = dicom_bytes(subject.dataset, person, weakened=engine.headers.profile.weakened)
    return Written(data, subject.done, subject.masked, subject.painted)


def _picture(root: Path, file: str, person: Person, engine: Engine, choices: FilmChoices) -> Written:
    """A PNG or JPEG is written as PNG, without loss, in its colours, and with none of the old file's remarks."""
    subject = engine.clean(Subject(person, picture=upright_picture(root, file), choices=choices))
    assert subject.picture is not None
    picture = subject.picture if subject.picture.ndim == 2 else subject.picture[..., ::-1]  # as OpenCV writes
    _, png = cv2.imencode(".png", picture)
    return Written(png.tobytes(), subject.done, subject.masked, subject.painted)


def upright_picture(root: Path, file: str) -> NDArray[Any]:
    """As a viewer shows it, gray or in its colours: what turns it does not come along, and boxes are of what does."""
    turn = _turn(root, file)  # first, for it refuses what is no picture, or several
    colours = load_colours(root, file)
    return _turned(load_image(root, file) if colours is None else colours, *turn)


def upright(root: Path, file: str, picture: NDArray[Any]) -> NDArray[Any]:
    """The picture in this file, turned as a viewer turns it."""
    return _turned(picture, *_turn(root, file))


def _turn(root: Path, file: str) -> tuple[int, bool]:
    """How a viewer turns the picture: the remark that says so does not come along. Refuses several in one file."""
    with quarantining("unreadable pixel data"), Image.open(inside(root, file), formats=FORMATS) as picture:
        if getattr(picture, "n_frames", 1) > 1:  # animations, and cameras' previews
            raise Quarantined("several pictures in one file")
        try:
            said = picture.getexif().get(ExifTags.Base.Orientation)
        except Exception:  # damaged remarks say nothing, and the picture may be whole
            said = None
    return _TURNS.get(said or 1, (0, False))


def _turned(image: NDArray[Any], quarters: int, mirrored: bool) -> NDArray[Any]:
    turned = np.rot90(image, quarters)
    return np.ascontiguousarray(turned[:, ::-1] if mirrored else turned)


def _report(path: Path, person: Person, engine: Engine) -> Written:
    data = path.read_bytes()
    if len(data) > MAX_REPORT_BYTES:
        raise Quarantined("report too long")
    with quarantining("report cannot be cleaned"):
        cleaned, subject = clean_text_file(data, engine.clean, person)
        refuse_leftovers(cleaned, person.known)
    return Written(cleaned, subject.done)
