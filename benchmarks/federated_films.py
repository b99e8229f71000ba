"""The films of `federated_utility` in one file, for a machine with a graphics card and little else.

    python benchmarks/federated_films.py --data DATA --out films.npz

DATA holds nih14, iu_xray and covid19 in their published layouts, downsized or not. Phantoms are drawn: ten hospitals
with scanners of their own, and others, which are public, to begin training with. Patients are numbers in it.
"""

from __future__ import annotations

import argparse
import json
import zlib
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import recipes_path  # noqa: F401

SIDE = 128
HOSPITALS = 10
SOURCES = ("phantom", "public", "nih", "indiana", "covid19")
TRAIN, TEST = 0, 1
UNKNOWN = -1  # of a target
HOSPITAL_SEED, PUBLIC_SEED = 2026, 77
MOST_VISITS = 2


@dataclass(frozen=True)
class Packed:
    """Rows are films; sources and splits are numbers, as above."""

    pixels: NDArray[np.uint8]
    reports: tuple[str, ...]
    targets: NDArray[np.int8]  # 1, 0, or unknown
    patients: NDArray[np.int32]
    sources: NDArray[np.int8]
    sites: NDArray[np.int8]  # the hospital of a phantom
    splits: NDArray[np.int8]
    boxes: NDArray[np.int16]  # row, finding, left, top, right, bottom
    lung_rows: NDArray[np.int32]
    lungs: NDArray[np.bool_]
    findings: tuple[str, ...]

    def rows(self, source: str, split: int | None = None, site: int | None = None) -> NDArray[np.intp]:
        keep = self.sources == SOURCES.index(source)
        if split is not None:
            keep = keep & (self.splits == split)
        if site is not None:
            keep = keep & (self.sites == site)
        return np.flatnonzero(keep)


@dataclass
class _Film:
    pixels: NDArray[np.uint8]
    report: str
    targets: list[int]
    patient: str
    source: int
    site: int
    split: int
    boxes: list[tuple[int, int, int, int, int]]
    lungs: NDArray[np.bool_] | None


def load(path: Path) -> Packed:
    from recipes.films import unpacked

    with np.load(path) as kept:
        arrays = {name: kept[name] for name in kept.files}
    told = json.loads(zlib.decompress(arrays.pop("told").tobytes()))
    pixels = unpacked(arrays.pop("content"), arrays.pop("ends"))
    lungs = np.unpackbits(arrays.pop("lungs"), axis=1).astype(bool).reshape(-1, SIDE, SIDE)
    known = {one.name for one in fields(Packed)}
    return Packed(
        pixels=pixels,
        reports=tuple(told["reports"]),
        findings=tuple(told["findings"]),
        lungs=lungs,
        **{name: value for name, value in arrays.items() if name in known},
    )


def _phantom(seed: int, source: int, visits: int, split: int, findings: tuple[str, ...], number: int) -> list[_Film]:
    from medveil.cohort.phantom.chart import make_demographics
    from medveil.cohort.phantom.plan import plan_patient
    from medveil.cohort.phantom.radiograph import draw
    from medveil.cohort.phantom.reports import write_report
    from medveil.cohort.phantom.sites import make_site
    from medveil.cohort.preprocess import resize, to_8_bit

    patient = plan_patient(seed, number, HOSPITALS)
    site = make_site(seed, patient.site)
    person = make_demographics(seed, patient, site)
    films = []
    for visit in patient.visits[:visits]:
        drawing = draw(patient, visit, sites_seed=seed, size=2 * SIDE)
        text, _ = write_report(seed, patient, visit, person, site)
        boxes = [
            (findings.index(label), *(round(edge / 2) for edge in box))
            for label, box in drawing.finding_boxes
            if label in findings
        ]
        films.append(
            _Film(
                pixels=resize(to_8_bit(drawing.pixels), SIDE),
                report=text.text,
                targets=[int(name in visit.labels) for name in findings],
                patient=f"{source}/{number}",
                source=source,
                site=patient.site,
                split=split,
                boxes=boxes,
                lungs=drawing.lungs[::2, ::2] if split == TEST else None,
            )
        )
    return films


def _real(folder: Path, source: int, findings: tuple[str, ...]) -> list[_Film]:
    from medveil.cohort.input.source import read_cohort
    from medveil.cohort.preprocess import resize, to_8_bit
    from medveil.errors import Quarantined

    cohort = read_cohort(folder)
    table = cohort.table
    films = []
    for row in np.flatnonzero(table["view"].isin(("AP", "PA")).to_numpy()):
        split = str(table["split"].iat[row])
        if SOURCES[source] == "covid19":
            split = "val"
        if split not in ("train", "val"):
            continue
        try:
            image = cohort.image(int(row))
        except Quarantined:
            continue
        labels = [float(table[name].iat[row]) for name in findings]
        report = table["report"].iat[row]
        mask = folder / "lungs" / Path(table["path"].iat[row]).with_suffix(".png").name
        films.append(
            _Film(
                pixels=resize(to_8_bit(image), SIDE),
                report=report if isinstance(report, str) else "",
                targets=[int(value) if value in (0.0, 1.0) else UNKNOWN for value in labels],
                patient=f"{source}/{table['patient_id'].iat[row]}",
                source=source,
                site=0,
                split=TRAIN if split == "train" else TEST,
                boxes=[],
                lungs=_mask(mask) if mask.is_file() else None,
            )
        )
    return films


def _mask(path: Path) -> NDArray[np.bool_]:
    import cv2

    return cv2.resize(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE), (SIDE, SIDE), interpolation=cv2.INTER_AREA) > 127


def pack(data: Path | None, out: Path, *, train: int, test: int, public: int, quality: int = 90) -> None:
    from medveil.cohort.schema import LABELS
    from medveil.runtime.workers import ordered_map
    from recipes.films import packed

    films: list[_Film] = []
    for seed, source, visits, split, numbers in (
        (HOSPITAL_SEED, 0, MOST_VISITS, TRAIN, range(train)),
        (HOSPITAL_SEED, 0, MOST_VISITS, TEST, range(train, train + test)),
        (PUBLIC_SEED, 1, 1, TRAIN, range(public)),
    ):
        draw = partial(_phantom, seed, source, visits, split, LABELS)
        films += [film for patient in ordered_map(draw, numbers) for film in patient]
    for source, folder in ((2, "nih14"), (3, "iu_xray"), (4, "covid19")):
        if data is not None and (data / folder).is_dir():
            films += _real(data / folder, source, LABELS)
    content, ends = packed((film.pixels for film in films), quality=quality)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(film.patient for film in films))}
    told = json.dumps({"reports": [film.report for film in films], "findings": list(LABELS)}).encode()
    with_lungs = [row for row, film in enumerate(films) if film.lungs is not None]
    out.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        out,
        content=content,
        ends=ends,
        told=np.frombuffer(zlib.compress(told, 9), np.uint8),
        targets=np.array([film.targets for film in films], np.int8),
        patients=np.array([numbers[film.patient] for film in films], np.int32),
        sources=np.array([film.source for film in films], np.int8),
        sites=np.array([film.site for film in films], np.int8),
        splits=np.array([film.split for film in films], np.int8),
        boxes=np.array([(row, *box) for row, film in enumerate(films) for box in film.boxes], np.int16).reshape(-1, 6),
        lung_rows=np.array(with_lungs, np.int32),
        lungs=np.packbits(np.stack([films[row].lungs for row in with_lungs]).reshape(len(with_lungs), -1), axis=1),
    )
    for number, name in enumerate(SOURCES):
        mine = [film for film in films if film.source == number]
        print(name, len(mine), "films,", len({film.patient for film in mine}), "patients")
    print(f"{out.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="the folder of public data sets; without it phantoms alone")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--train", type=int, default=2000, help="phantom patients to train on, in ten hospitals")
    parser.add_argument("--test", type=int, default=600)
    parser.add_argument("--public", type=int, default=5000, help="phantom patients of no hospital, to begin with")
    given = parser.parse_args()
    pack(given.data, given.out, train=given.train, test=given.test, public=given.public)


if __name__ == "__main__":
    main()
