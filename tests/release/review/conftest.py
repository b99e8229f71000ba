"""Two small outputs, DICOM files and a table, whose cleaner is plain: white is text, and nearly white may be text."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
from pydicom.filewriter import dcmwrite
from pydicom.uid import ExplicitVRLittleEndian

from medveil.cohort.dicom import many
from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.cohort.input import read_cohort
from medveil.cohort.phantom.hospital import build_hospital
from medveil.defenses.pixels import removal
from medveil.defenses.pixels.choices import Choices
from medveil.defenses.pixels.paint.mask import boxes_around
from medveil.defenses.pixels.removal import DOUBTFUL, Removal
from medveil.errors import Quarantined
from medveil.person.keys import Keys
from medveil.release.clean import deid_defenses, deidentify
from medveil.release.clean.engine import Engine
from medveil.release.clean.run import Work, clean
from medveil.release.folder import begin, held
from medveil.release.review import carrying_out
from medveil.release.review.decisions_file import FORMAT, run_of
from medveil.runtime import journal

KEYS = Keys(b"\x07" * 32)
SIDE = 320
TEXT, MAYBE, GROUND = 255, 250, 60
HARMLESS, NAME, SHAPE = "FRAGILE GLASS", "PEMBERTON", "WIRE LOOP"  # what stands on the films
LINES = {HARMLESS: (20, 60), NAME: (20, 160), SHAPE: (20, 260)}  # where


class PlainRemover:
    """Finds by gray values alone, so that a test knows what is where; otherwise as the real one."""

    reason = DOUBTFUL

    def __init__(self, **settings: object) -> None:
        pass

    def clean_image(
        self, image: NDArray[Any], known: object, choices: Choices | None = None
    ) -> tuple[NDArray[Any], Removal]:
        choices = choices or Choices()
        gray = image if image.ndim == 2 else image.max(axis=2)
        doubtful = boxes(gray == MAYBE)
        if doubtful and not choices.accept:
            raise Quarantined(self.reason)
        gone = [box for box in boxes(gray == TEXT) if box not in choices.keep] + list(choices.remove)
        cleaned = image.copy()
        for left, top, right, bottom in gone:
            cleaned[top:bottom, left:right] = GROUND
        share = 100 * float((cleaned != image).mean())
        return cleaned, Removal(tuple(gone), (), share, 1, "black", tuple(doubtful))

    clean_colours = clean_image

    def clean_displayed(
        self, image: NDArray[Any], known: object, choices: Choices | None, header: FileDataset
    ) -> tuple[NDArray[Any], Removal]:
        return self.clean_image(image, known, choices)

    def clean_dataset(
        self, dataset: FileDataset, known: object, choices: Mapping[int, Choices] | None = None
    ) -> list[Removal]:
        stored = StoredPixels.of(dataset)
        assert stored is not None
        done = []
        for number, frame in enumerate(stored.frames):
            stored.frames[number], one = self.clean_image(frame, known, (choices or {}).get(number))
            done.append(one)
        stored.put_back()
        return done


def boxes(mask: NDArray[np.bool_]) -> list[tuple[int, int, int, int]]:
    """One a line."""
    return boxes_around(cv2.dilate(mask.astype(np.uint8), np.ones((9, 25), np.uint8)) > 0)


def film(**lines: int) -> NDArray[np.uint8]:
    """Gray, with these lines written on it in this value."""
    picture = np.full((SIDE, SIDE), GROUND, np.uint8)
    picture[:, ::16] = GROUND + 10
    for line, value in lines.items():
        text = line.replace("_", " ")
        ink = np.zeros(picture.shape, np.uint8)
        cv2.putText(ink, text, LINES[text], cv2.FONT_HERSHEY_SIMPLEX, 0.9, 255, 2)
        picture[ink > 127] = value
    return picture


FILMS = {
    "a": film(FRAGILE_GLASS=TEXT, PEMBERTON=TEXT),
    "b": film(WIRE_LOOP=MAYBE, PEMBERTON=TEXT),
    "c": film(),
}


@dataclass(frozen=True)
class Output:
    """What was made, and where each film of it lies or would lie."""

    source: Path
    out: Path
    places: dict[str, str]
    repeat: Callable[[], object]

    def released(self, name: str) -> NDArray[Any]:
        from medveil.cohort.images import load_image

        return load_image(self.out / "data", self.places[name])

    def is_released(self, name: str) -> bool:
        return (self.out / "data" / self.places[name]).exists()

    def box(self, name: str, line: str) -> list[int]:
        """The region in which a line stands."""
        column, row = LINES[line][0] + 20, LINES[line][1] - 5
        found = [*boxes(FILMS[name] == TEXT), *boxes(FILMS[name] == MAYBE)]
        (box,) = (box for box in found if box[0] <= column < box[2] and box[1] <= row < box[3])
        return list(box)

    def decide(self, path: Path, run: str | None = None, **films: dict[str, Any]) -> Path:
        """A file of decisions as the page gives it; a film is named by its letter."""
        told = {self.places.get(name, name): {"frames": {}, "note": "", **one} for name, one in films.items()}
        content = {"format": FORMAT, "run": run or run_of(self.out), "decisions": told}
        path.write_text(json.dumps(content))
        return path


def choose(keep: list[Any] = [], remove: list[Any] = [], accept: bool = False) -> dict[str, Any]:  # noqa: B006
    return {"decision": "accept", "frames": {"0": {"keep": keep, "remove": remove, "accept": accept}}}


@pytest.fixture
def keys() -> Keys:
    return KEYS


@pytest.fixture
def chosen() -> Callable[..., dict[str, Any]]:
    return choose


@contextmanager
def plainly() -> Iterator[None]:
    """With the plain cleaner, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(removal, "TextRemover", PlainRemover)
        for module in (many, journal, carrying_out):
            patch.setattr(module, "ordered_map", lambda function, items, **more: map(function, items))
        yield


@pytest.fixture(autouse=True)
def plain(request: pytest.FixtureRequest) -> Iterator[None]:
    if "phantom" in request.fixturenames:
        yield
        return
    with plainly():
        yield


@pytest.fixture(params=["dicom", "table"])
def phantom(request: pytest.FixtureRequest, tmp_path: Path) -> Output:
    """A phantom patient, cleaned by the real cleaner; films go by their places."""
    build_hospital(tmp_path / "in", patients=1, sites=1, seed=11, size=256, workers=1)
    repeat = partial(_as_dicom if request.param == "dicom" else _as_table, tmp_path)
    repeat()
    data = tmp_path / "out" / "data"
    films = sorted(path.relative_to(data).as_posix() for end in ("dcm", "png") for path in data.rglob(f"*.{end}"))
    return Output(tmp_path / "in", tmp_path / "out", {film: film for film in films}, repeat)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both outputs, made once."""
    folder = tmp_path_factory.mktemp("made")
    for number, (name, picture) in enumerate(FILMS.items()):
        _write(folder / "dicom" / "in" / f"{name}.dcm", picture, f"1.2.3.{number + 10}")
        image = folder / "table" / "in" / "PEMBERTON_JOHN" / f"{name}.png"
        image.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(image), picture)
    rows = [f"PEMBERTON_JOHN/{name}.png,p1,s{name},No effusion." for name in FILMS]
    (folder / "table" / "in" / "films.csv").write_text("\n".join(["path,patient_id,study_id,report", *rows]))
    with plainly():
        for kind, run in (("dicom", _as_dicom), ("table", _as_table)):
            run(folder / kind)
    return folder


@pytest.fixture
def dicom(made: Path, tmp_path: Path) -> Output:
    """As `deid`, and `release --as dicom`, write it: three films of one patient, one of which is withheld."""
    shutil.copytree(made / "dicom", tmp_path, dirs_exist_ok=True)
    folder = f"{KEYS.pseudonym('patient', 'MR-0012345')}/{KEYS.pseudonym('study', '1.2.3.4')}"
    places = {
        name: f"{folder}/{KEYS.pseudonym('image', f'1.2.3.{number + 10}')}.dcm" for number, name in enumerate(FILMS)
    }
    return Output(tmp_path / "in", tmp_path / "out", places, partial(_as_dicom, tmp_path))


@pytest.fixture
def table(made: Path, tmp_path: Path) -> Output:
    """As `release` writes it, without attacks: the same films, and a row for each."""
    shutil.copytree(made / "table", tmp_path, dirs_exist_ok=True)
    cohort = read_cohort(tmp_path / "in")
    ids = {Path(path).stem: KEYS.pseudonym("image", image) for path, image in cohort.table[["path", "image_id"]].values}
    places = {name: f"images/{image[:2]}/{image}.png" for name, image in ids.items()}
    return Output(tmp_path / "in", tmp_path / "out", places, partial(_as_table, tmp_path))


def _as_dicom(folder: Path) -> None:
    deidentify(folder / "in", folder / "out", keys=KEYS, defenses=deid_defenses(fill="black"), workers=1)


def _as_table(folder: Path) -> None:
    engine = Engine(KEYS)
    work = Work.of_images(read_cohort(folder / "in"), engine)
    out = folder / "out"
    with held(out):
        created = begin(out, "table", {"defenses": engine.told(), "layout": None}, KEYS)
        clean(work, out, engine, created=created, workers=1, runner=None, crosswalk=None, progress=lambda *done: None)


@pytest.fixture(params=["dicom", "table"])
def output(request: pytest.FixtureRequest) -> Output:
    return request.getfixturevalue(request.param)


@pytest.fixture
def write() -> Callable[..., None]:
    return _write


def _write(path: Path, picture: NDArray[np.uint8], uid: str) -> None:
    """Of one frame, or of several."""
    dataset = Dataset()
    dataset.SOPClassUID, dataset.SOPInstanceUID = "1.2.840.10008.5.1.4.1.1.1", uid
    dataset.StudyInstanceUID, dataset.SeriesInstanceUID = "1.2.3.4", "1.2.3.5"
    dataset.PatientName, dataset.PatientID, dataset.PatientSex = "Pemberton^John", "MR-0012345", "M"
    dataset.StudyDate, dataset.Modality = "20240220", "CR"
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.Rows, dataset.Columns = picture.shape[-2:]
    if picture.ndim == 3:
        dataset.NumberOfFrames = len(picture)
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 8, 8, 7, 0
    dataset.PixelData = picture.tobytes()
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = dataset.SOPClassUID, dataset.SOPInstanceUID
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.file_meta = meta
    path.parent.mkdir(parents=True, exist_ok=True)
    dcmwrite(path, dataset, enforce_file_format=True)
