"""Real radiographs as DICOM files with an invented person in the header and burned in; a part of deid_peers.py.

The text is as a console prints it: upright, 16 to 40 pixels high, light on dark or dark on light, most of it repeated
in the header, so that a tool that takes hints from there has them.
"""

from __future__ import annotations

import csv
import datetime as dt
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import DigitalXRayImageStorageForPresentation, ExplicitVRLittleEndian, generate_uid

from medveil.cohort.phantom.gold import Box, Boxed, ImageGold, PixelIdentifier
from medveil.person.identifiers import Category

SIZE = 1024
BITS = 12
GIVEN = ("Ottilie", "Marek", "Ruth", "Ibrahim", "Solveig", "Patrick", "Chiara", "Dmitri")
FAMILY = ("Brankovic", "Featherstone", "Nkemelu", "Sorensen", "Vandermeer", "Ismailov", "Przybyla", "Underhill")
PLACES = ("Lindenau", "Harborview", "Westmoor", "Kaltenbach", "Rosedale")
MARKERS = ("L", "R", "PORTABLE", "AP", "PA", "ERECT")


def real_images(data: Path, out: Path, *, count: int, seed: int) -> dict[str, ImageGold]:
    """Written to `out`; the answer key by file name."""
    out.mkdir(parents=True, exist_ok=True)
    keys = {}
    for number, file in enumerate(val_files(data / "nih14_512")[:count]):
        name = f"{number:03}.dcm"
        keys[name] = _make(file, out / name, np.random.default_rng([seed, number]), number)
    return keys


def val_files(folder: Path) -> list[Path]:
    with (folder / "split.csv").open() as file:
        return [folder / "images" / row["file"] for row in csv.DictReader(file) if row["split"] == "val"]


def _make(file: Path, out: Path, rng: np.random.Generator, number: int) -> ImageGold:
    gray = cv2.resize(np.asarray(Image.open(file).convert("L")), (SIZE, SIZE), interpolation=cv2.INTER_CUBIC)
    pixels = gray.astype(np.uint16) << (BITS - 8)
    dataset = _dataset(rng, number)
    identifiers = _burn_lines(pixels, _lines(dataset), rng)
    marker = str(rng.choice(MARKERS))
    box = _burn(pixels, marker, 40, (int(rng.integers(40, 120)), 30), light=True)
    dataset.PixelData = pixels.tobytes()
    dataset.save_as(out, enforce_file_format=True)
    empty = dict.fromkeys(("in_report", "in_header", "in_names", "statements", "findings", "devices"), ())
    return ImageGold(
        image_id=str(dataset.SOPInstanceUID),
        patient_id=str(dataset.PatientID),
        study_id="",
        site="",
        path=out.name,
        report_path="",
        lungs_path="",
        heart_path="",
        in_pixels=tuple(identifiers),
        markers=(Boxed(marker, box),),
        **empty,
    )


def _dataset(rng: np.random.Generator, number: int) -> FileDataset:
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = DigitalXRayImageStorageForPresentation
    meta.MediaStorageSOPInstanceUID = generate_uid(entropy_srcs=[f"image {number}"])
    dataset = FileDataset("", {}, file_meta=meta, preamble=b"\0" * 128)
    dataset.SOPClassUID, dataset.SOPInstanceUID = meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID
    dataset.StudyInstanceUID = generate_uid(entropy_srcs=[f"study {number}"])
    dataset.SeriesInstanceUID = generate_uid(entropy_srcs=[f"series {number}"])
    dataset.PatientName = f"{rng.choice(FAMILY)}^{rng.choice(GIVEN)}"
    dataset.PatientID = f"{int(rng.integers(1_000_000, 9_999_999))}"
    birth = dt.date(1930, 1, 1) + dt.timedelta(days=int(rng.integers(25_000)))
    dataset.PatientBirthDate, dataset.PatientSex = f"{birth:%Y%m%d}", str(rng.choice(("F", "M")))
    taken = dt.date(2015, 1, 1) + dt.timedelta(days=int(rng.integers(3_000)))
    dataset.StudyDate = dataset.ContentDate = f"{taken:%Y%m%d}"
    dataset.AccessionNumber = f"RA{int(rng.integers(100_000, 999_999))}"
    dataset.InstitutionName = f"{rng.choice(PLACES)} General Hospital"
    dataset.Modality, dataset.BodyPartExamined = "DX", "CHEST"
    dataset.Rows = dataset.Columns = SIZE
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation, dataset.PixelRepresentation = 1, "MONOCHROME2", 0
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = 16, BITS, BITS - 1
    return dataset


def _lines(dataset: FileDataset) -> list[tuple[str, str, Category]]:
    """What stands before the identifier, the identifier, and its kind."""
    name = f"{dataset.PatientName.family_name}, {dataset.PatientName.given_name}".upper()
    birth, taken = (dt.datetime.strptime(day, "%Y%m%d") for day in (dataset.PatientBirthDate, dataset.StudyDate))
    return [
        ("", name, Category.NAME),
        ("ID ", str(dataset.PatientID), Category.MRN),
        ("DOB ", f"{birth:%m/%d/%Y}", Category.DATE),
        ("", f"{taken:%m/%d/%Y}", Category.DATE),
        ("ACC ", str(dataset.AccessionNumber), Category.ACCESSION),
        ("", str(dataset.InstitutionName).upper(), Category.HOSPITAL),
    ]


def _burn_lines(
    pixels: NDArray[np.uint16], lines: list[tuple[str, str, Category]], rng: np.random.Generator
) -> list[PixelIdentifier]:
    """Four of the lines, one below the other near a corner."""
    size, light = int(rng.integers(16, 41)), bool(rng.random() < 0.7)
    left = int(rng.choice((24, SIZE - 620)))
    top = int(rng.choice((200, SIZE - 40 - 5 * (size + 14))))
    found = []
    for number, place in enumerate(sorted(rng.choice(len(lines), 4, replace=False))):
        before, text, category = lines[int(place)]
        line = before + text
        box = _burn(pixels, line, size, (left, top + number * (size + 14)), light=light)
        found.append(PixelIdentifier(len(before), len(line), text, category, text, line=line, box=box))
    return found


def _burn(pixels: NDArray[np.uint16], text: str, size: int, at: tuple[int, int], *, light: bool) -> Box:
    """As tall as asked for, in Pillow's own font; dark text gets a light plate, as on a sticker."""
    font = ImageFont.load_default(size)
    ink = Image.new("L", (pixels.shape[1], pixels.shape[0]))
    draw = ImageDraw.Draw(ink)
    draw.text(at, text, fill=255, font=font)
    left, top, right, bottom = (round(side) for side in draw.textbbox(at, text, font=font))
    most = (1 << BITS) - 1
    if not light:
        pixels[max(0, top - 6) : bottom + 6, max(0, left - 6) : right + 6] = int(most * 0.9)
    cover = np.asarray(ink, np.float32) / 255
    pixels[:] = np.rint(pixels + (((0.97 if light else 0.05) * most) - pixels) * cover).astype(np.uint16)
    return left, top, min(right, pixels.shape[1]), min(bottom, pixels.shape[0])
