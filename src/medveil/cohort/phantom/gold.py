"""The answer key of a phantom hospital: every identifier with its exact place, the masks and the boxes.

`gold/` lies beside the data:

    gold/patients/000012.json       one file a patient, a list of images (see `ImageGold`)
    gold/masks/000012/00.lungs.png  one-bit PNG, white is inside
    gold/masks/000012/00.heart.png

Places of an identifier
- report: characters [start, end) of the report's text as written in the file (UTF-8, counted in characters);
- header: the element's tag path, such as `(0040,0275)[0].(0040,0007)`, hex in capitals, items counted from 0, and
  characters [start, end) of the element's text, several values being joined by a backslash. File meta counts too;
- pixels: the box of the burned-in line, (left, top, right, bottom), right and bottom exclusive, and characters
  [start, end) of that line;
- file name: characters [start, end) of a path inside the hospital's folder (image or report).

`text` is what is written there, typing errors, line breaks and all; `value` what it stands for: a person's full
name, a date or a time in ISO form, a number in its usual form.

Categories are those of `medveil.person.identifiers`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.invented_names import ORDINARY_WORDS
from medveil.errors import InputError
from medveil.person.identifiers import Category

FORMAT = "medveil.phantom-gold/1"
FOLDER = "gold"
Box = tuple[int, int, int, int]  # left, top, right, bottom in pixels; right and bottom exclusive
SHORTEST = 4  # characters; shorter strings turn up everywhere and prove nothing


@dataclass(frozen=True)
class Identifier:
    """Characters [start, end) of some text, what is written there and what it stands for."""

    start: int
    end: int
    text: str
    category: Category
    value: str
    misspelled: bool = False


@dataclass(frozen=True)
class HeaderIdentifier(Identifier):
    path: str = ""


@dataclass(frozen=True)
class PixelIdentifier(Identifier):
    line: str = ""
    box: Box = (0, 0, 0, 0)


@dataclass(frozen=True)
class NameIdentifier(Identifier):
    """In the name of a file or folder; `path` is relative to the hospital's folder."""

    path: str = ""


@dataclass(frozen=True)
class Statement:
    """What characters [start, end) of the report say about these labels.

    `says` is present, possible, absent or resolved; `side` is empty where the words name none.
    """

    start: int
    end: int
    labels: tuple[str, ...]
    says: str
    side: str = ""


@dataclass(frozen=True)
class Boxed:
    """Something with a box in the picture: a finding, a device, or a burned-in marker such as L or PORTABLE."""

    name: str
    box: Box


@dataclass(frozen=True)
class ImageGold:
    """Everything known about one image and its report."""

    image_id: str
    patient_id: str
    study_id: str
    site: str
    path: str
    report_path: str
    lungs_path: str
    heart_path: str
    in_report: tuple[Identifier, ...]
    in_header: tuple[HeaderIdentifier, ...]
    in_pixels: tuple[PixelIdentifier, ...]
    in_names: tuple[NameIdentifier, ...]
    statements: tuple[Statement, ...]
    markers: tuple[Boxed, ...]
    findings: tuple[Boxed, ...]
    devices: tuple[Boxed, ...]

    def identifiers(self) -> Iterator[Identifier]:
        """Every identifier of this image, wherever it stands."""
        yield from self.in_report
        yield from self.in_header
        yield from self.in_pixels
        yield from self.in_names

    def to_json(self) -> dict[str, Any]:
        return {
            name: [vars(entry) for entry in value] if isinstance(value, tuple) else value
            for name, value in vars(self).items()
        }


@dataclass(frozen=True)
class Gold:
    """The answer key, by image."""

    root: Path
    images: dict[str, ImageGold]

    def identifier_strings(self, *, common: bool = True) -> set[str]:
        """Every distinct identifying string of four characters or more, as written in any place.

        Times of day are left out: any clock reading matches one. `common=False` also leaves out what turns up in
        ordinary text by chance: single words such as Long, May or Stone, and bare numbers under six characters.
        """
        found = {
            identifier.text
            for image in self.images.values()
            for identifier in image.identifiers()
            if identifier.category is not Category.TIME and len(identifier.text) >= SHORTEST
        }
        return found if common else {text for text in found if not _is_common(text)}

    def leaks(self, text: str) -> set[str]:
        """The identifying strings (without the common ones) that stand in a text as whole words."""
        strings = (string for string in self.identifier_strings(common=False) if string in text)
        return {string for string in strings if re.search(rf"(?<![\w.]){re.escape(string)}(?!\w)", text)}

    def mask(self, image_id: str, organ: str) -> NDArray[np.bool_]:
        """The mask of `lungs` or `heart` as truth values."""
        image = self.images[image_id]
        path = self.root / {"lungs": image.lungs_path, "heart": image.heart_path}[organ]
        pixels = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        if pixels is None:
            raise InputError("a mask of the phantom's answer key cannot be read; build the hospital again")
        return np.asarray(pixels > 0)

    @cached_property
    def patients(self) -> dict[str, tuple[str, ...]]:
        """The image ids of every patient."""
        found: dict[str, list[str]] = {}
        for image in self.images.values():
            found.setdefault(image.patient_id, []).append(image.image_id)
        return {patient: tuple(images) for patient, images in found.items()}


def patient_file(number: int) -> str:
    return f"{FOLDER}/patients/{number:06d}.json"


def mask_file(number: int, visit: int, organ: str) -> str:
    return f"{FOLDER}/masks/{number:06d}/{visit:02d}.{organ}.png"


def encode_patient(images: list[ImageGold]) -> bytes:
    content = {"format": FORMAT, "images": [image.to_json() for image in images]}
    return (json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def encode_mask(mask: NDArray[np.bool_]) -> bytes:
    """A one-bit PNG."""
    _, encoded = cv2.imencode(".png", mask.view(np.uint8) * np.uint8(255), [cv2.IMWRITE_PNG_BILEVEL, 1])
    return bytes(encoded)


def _is_common(text: str) -> bool:
    bare_number = not any(letter.isalpha() for letter in text) and len(text) < 6
    return bare_number or text.casefold() in ORDINARY_WORDS


def load_gold(folder: Path) -> Gold:
    """The answer key of the hospital in `folder`."""
    files = sorted((Path(folder) / FOLDER / "patients").glob("*.json"))
    if not files:
        raise InputError(f"{folder} holds no phantom hospital's answer key; build one with medveil phantom")
    images = [image for file in files for image in _read_patient(file)]
    return Gold(Path(folder), {image.image_id: image for image in images})


def _read_patient(file: Path) -> Iterator[ImageGold]:
    content = json.loads(file.read_bytes())
    if content.get("format") != FORMAT:
        raise InputError("the answer key was written by another version of medveil; build the hospital again")
    return (_read_image(image) for image in content["images"])


def _read_image(image: dict[str, Any]) -> ImageGold:
    places = {
        "in_report": Identifier,
        "in_header": HeaderIdentifier,
        "in_pixels": PixelIdentifier,
        "in_names": NameIdentifier,
        "statements": Statement,
        "markers": Boxed,
        "findings": Boxed,
        "devices": Boxed,
    }
    lists = {name: tuple(_entry(kind, entry) for entry in image[name]) for name, kind in places.items()}
    return ImageGold(**(image | lists))


def _entry(kind: type[Any], entry: dict[str, Any]) -> Any:
    if "category" in entry:
        entry["category"] = Category(entry["category"])
    for name in ("box", "labels"):
        if name in entry:
            entry[name] = tuple(entry[name])
    return kind(**entry)
