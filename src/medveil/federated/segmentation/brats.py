"""BraTS in its published layouts: a folder a subject, four modalities and the outline of the tumour in each.

    BraTS20_Training_001/BraTS20_Training_001_{flair,t1,t1ce,t2,seg}.nii[.gz]    2017 to 2021
    BraTS-GLI-00000-000/BraTS-GLI-00000-000-{t2f,t1n,t1c,t2w,seg}.nii.gz         2023 and later

Labels are 1 (necrotic core), 2 (oedema) and 4, later 3 (enhancing tumour); what is scored are the whole tumour, its
core and its enhancing part. A FeTS partition (`partitioning_*.csv` with Subject_ID and Partition_ID) says which
institution a subject came from; without one there is a single site. In 2023's names the last number is the visit: the
patient is what stands before it.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError
from medveil.federated.segmentation.nifti import read_nifti

OLD, NEW = ("flair", "t1", "t1ce", "t2"), ("t2f", "t1n", "t1c", "t2w")  # in the same order
REGIONS = ("whole tumour", "tumour core", "enhancing tumour")
_VISIT = re.compile(r"^(BraTS-[A-Za-z]+-\d+)-\d+$")


@dataclass(frozen=True)
class Subject:
    """One study: where its volumes lie, and whose it is."""

    name: str
    patient: str
    site: str
    modalities: tuple[Path, ...]
    outline: Path | None

    def volumes(self) -> NDArray[np.float32]:
        """4 × x × y × z; each modality of mean 0 and spread 1 within the head, which is what is not 0."""
        found = [read_nifti(path) for path in self.modalities]
        if len({volume.shape for volume in found}) != 1:
            raise InputError(f"the modalities in {self.modalities[0].parent} differ in size")
        return np.stack([_standard(volume) for volume in found])

    def regions(self) -> NDArray[np.bool_]:
        """3 × x × y × z, in the order of `REGIONS`."""
        if self.outline is None:
            raise InputError(f"{self.modalities[0].parent} has no outline of the tumour")
        labels = read_nifti(self.outline)
        if not np.isin(np.unique(labels), (0, 1, 2, 3, 4)).all():
            raise InputError(f"{self.outline} holds labels other than BraTS's 0 to 4")
        enhancing = labels >= 3  # 4 until 2021, 3 since
        return np.stack([labels > 0, (labels == 1) | enhancing, enhancing])


def read_brats(folder: Path) -> list[Subject]:
    """The subjects of a folder, in the order of their names. A subject that lacks a modality is refused by name of its
    folder: BraTS is complete, so a gap is a damaged copy."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder")
    sites = _partition(folder)
    subjects = [
        found
        for place in sorted(entry for entry in folder.rglob("*") if entry.is_dir())
        if (found := _subject(place, sites)) is not None
    ]
    if not subjects:
        raise InputError(f"{folder} holds no subjects in BraTS's layout (a folder each, with flair, t1, t1ce and t2)")
    return subjects


def _subject(place: Path, sites: dict[str, str]) -> Subject | None:
    name = place.name
    for between, modalities in (("_", OLD), ("-", NEW)):
        paths = [_volume(place, f"{name}{between}{modality}") for modality in modalities]
        if any(path is not None for path in paths):
            there = tuple(path for path in paths if path is not None)
            if len(there) < len(paths):
                raise InputError(f"{place} lacks one of the modalities {', '.join(modalities)}")
            visit = _VISIT.match(name)
            outline = _volume(place, f"{name}{between}seg")
            return Subject(name, visit[1] if visit else name, sites.get(name, "all"), there, outline)
    return None


def _volume(place: Path, stem: str) -> Path | None:
    return next((place / f"{stem}{end}" for end in (".nii.gz", ".nii") if (place / f"{stem}{end}").is_file()), None)


def _partition(folder: Path) -> dict[str, str]:
    files = sorted(folder.glob("partitioning_*.csv"))
    if not files:
        return {}
    try:
        with files[0].open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return {row["Subject_ID"].strip(): f"institution-{row['Partition_ID'].strip()}" for row in rows}
    except (OSError, UnicodeDecodeError, KeyError, AttributeError, csv.Error):
        raise InputError(
            f"{files[0]} is not a FeTS partition; it needs the columns Subject_ID and Partition_ID"
        ) from None


def _standard(volume: NDArray[np.float32]) -> NDArray[np.float32]:
    inside = volume != 0
    if not inside.any():
        return volume
    values = volume[inside]
    spread = float(values.std()) or 1.0
    return np.where(inside, (volume - values.mean()) / spread, 0).astype(np.float32)
