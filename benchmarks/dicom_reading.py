"""Reading 1,000 DICOM files as displayed: `read_many` over `read_pixels` against a plain pydicom loop.

    python benchmarks/dicom_reading.py [--files 1000] [--size 512] [--workers 2] [--rounds 3]

Both read the same files (a third each uncompressed, RLE and JPEG 2000 lossless; 12 bits, windowed) in the same
run, in turn, and reduce each image to its mean, which must agree. Printed, for the best round of each: images a
second, the ratio, and how busy the cores were. The pool's start and the reader's checks count against it.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pydicom
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.pixels import apply_modality_lut, apply_voi_lut
from pydicom.uid import ComputedRadiographyImageStorage, ExplicitVRLittleEndian, JPEG2000Lossless, RLELossless

from medveil.cohort.dicom import read_many, read_pixels

SYNTAXES = (ExplicitVRLittleEndian, RLELossless, JPEG2000Lossless)


def make_files(folder: Path, count: int, size: int) -> list[Path]:
    """A few distinct images in each syntax, written again and again under other names."""
    random = np.random.default_rng(0)
    y, x = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
    contents = []
    for number in range(12):
        smooth = 2000 + 1500 * np.cos(3 * x + number) * np.cos(2 * y) + random.normal(0, 20, x.shape)
        contents.append(_file(folder, np.clip(smooth, 0, 4095).astype(np.uint16), SYNTAXES[number % 3]))
    paths = [folder / f"{number:05d}.dcm" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_bytes(contents[number % len(contents)])
    return paths


def _file(folder: Path, pixels: np.ndarray, syntax: str) -> bytes:
    dataset = Dataset()
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.SOPClassUID, dataset.SOPInstanceUID = ComputedRadiographyImageStorage, "1.2.3"
    dataset.Modality, dataset.PatientID = "DX", "1"
    dataset.Rows, dataset.Columns = pixels.shape
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = 16, 12, 11
    dataset.PixelRepresentation = 0
    dataset.WindowCenter, dataset.WindowWidth = 2048, 3000
    dataset.PixelData = pixels.tobytes()
    if syntax != ExplicitVRLittleEndian:
        dataset.compress(syntax, generate_instance_uid=False)
    path = folder / "new.dcm"
    dataset.save_as(path, enforce_file_format=True)
    content = path.read_bytes()
    path.unlink()
    return content


def plain(paths: list[Path]) -> Iterator[float]:
    for path in paths:
        dataset = pydicom.dcmread(path)
        shown = apply_voi_lut(apply_modality_lut(dataset.pixel_array, dataset), dataset)
        yield float(np.rint(shown / 4095 * 65535).astype(np.uint16).mean())


def mean(path: Path) -> float:
    return float(read_pixels(path).mean())


def timed(work: Callable[[], Iterator[Any]], count: int) -> tuple[list[Any], float, float]:
    """Results, images a second, and CPU seconds for each second of wall clock (children included)."""
    start, before = time.perf_counter(), os.times()
    results = list(work())
    wall, after = time.perf_counter() - start, os.times()
    cpu = sum(after[:4]) - sum(before[:4])
    return results, count / wall, cpu / wall


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--files", type=int, default=1000)
    arguments.add_argument("--size", type=int, default=512)
    arguments.add_argument("--workers", type=int, default=os.cpu_count())
    arguments.add_argument("--rounds", type=int, default=3)
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = make_files(Path(folder), chosen.files, chosen.size)
        list(plain(paths[:24]))  # decoders loaded, files cached, for both
        theirs, ours = [], []
        for _ in range(chosen.rounds):
            theirs.append(timed(lambda: plain(paths), chosen.files))
            ours.append(timed(lambda: read_many(mean, paths, workers=chosen.workers), chosen.files))
    their_results, their_speed, their_cores = max(theirs, key=lambda run: run[1])
    our_results, our_speed, our_cores = max(ours, key=lambda run: run[1])
    worst = max(abs(a - b) for a, b in zip(their_results, our_results, strict=True))
    print(f"plain pydicom loop     {their_speed:7.1f} images/s, {their_cores:.2f} cores busy")
    print(f"read_many, {chosen.workers} workers   {our_speed:7.1f} images/s, {our_cores:.2f} cores busy")
    print(f"ratio {our_speed / their_speed:.2f}, largest difference of means {worst:.3f} of 65535")


if __name__ == "__main__":
    main()
