"""Open-i, the Indiana University collection: reports as XML (`NLMCXR_reports.tgz`, or `ecgen-radiology/`
from it) and images. A downsized copy may carry a `split.csv` (file, imageid, view, split).

There is one study a patient. The collection does not say which image is which view; a caption that names one
view alone does. With a `split.csv` that calls an image frontal it is AP where the caption says AP or portable,
else PA. The report is its sections, each on a line behind its heading.

Labels come from the curators' MeSH terms: a study they indexed has 1 for what they list and 0 for the
rest; one without indexing has none. `TERMS` says which heading stands for which label.
"""

from __future__ import annotations

import re
import tarfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from medveil.cohort.cohort import Cohort, Problem
from medveil.cohort.dicom.metadata import view_of
from medveil.cohort.readers import fields
from medveil.cohort.readers.listing import MAX_REPORT_BYTES, by_name, list_files, read_report, stem
from medveil.cohort.readers.registry import Progress, register
from medveil.cohort.schema import LABELS
from medveil.cohort.tables import values
from medveil.errors import InputError, Quarantined

ARCHIVE, FOLDER, SPLIT = "NLMCXR_reports.tgz", "ecgen-radiology", "split.csv"
IMAGE_FOLDERS = ("NLMCXR_png", "NLMCXR_dcm", "images")
TERMS = {
    "normal": "No Finding",
    "cardiomegaly": "Cardiomegaly",
    "cardiac shadow/enlarged": "Cardiomegaly",
    "opacity": "Lung Opacity",
    "airspace disease": "Lung Opacity",
    "infiltrate": "Lung Opacity",
    "nodule": "Lung Lesion",
    "mass": "Lung Lesion",
    "pulmonary edema": "Edema",
    "consolidation": "Consolidation",
    "pneumonia": "Pneumonia",
    "pulmonary atelectasis": "Atelectasis",
    "pneumothorax": "Pneumothorax",
    "hydropneumothorax": "Pneumothorax",
    "hemopneumothorax": "Pneumothorax",
    "pleural effusion": "Pleural Effusion",
    "hemothorax": "Pleural Effusion",
    "thickening/pleura": "Pleural Other",
    "fractures, bone": "Fracture",
    "catheters, indwelling": "Support Devices",
    "implanted medical device": "Support Devices",
    "medical device": "Support Devices",
    "tube, inserted": "Support Devices",
    "mediastinum/enlarged": "Enlarged Cardiomediastinum",
    "mediastinum/prominent": "Enlarged Cardiomediastinum",
}
UNINDEXED = ("no indexing", "technical quality of image unsatisfactory")


@register
class OpenI:
    name = "openi"
    title = "Open-i (Indiana University)"

    def recognises(self, path: Path) -> bool:
        return (path / ARCHIVE).is_file() or (path / FOLDER).is_dir()

    def read(self, path: Path, *, progress: Progress | None = None) -> Cohort:
        problems: list[Problem] = []
        studies = _studies(path, problems)
        images = _images(studies, problems)
        listing = list_files(path, IMAGE_FOLDERS)
        if not listing.files:
            listing = list_files(path)
        problems += listing.problems
        places = by_name(listing.images())
        if (path / SPLIT).is_file():
            table = _picked(images, fields.read_table(path / SPLIT, ("file", "imageid", "view", "split")))
            table["path"] = table.pop("file").map(lambda name: places.get(name, name))
        else:
            any_suffix = {stem(name): file for name, file in places.items()}
            table = images.assign(path=images["image_id"].map(lambda name: any_suffix.get(name, f"{name}.png")))
        table, incomplete = fields.complete_rows(table.drop(columns="caption"))
        table, missing = fields.present_rows(table, listing.files)
        problems += [*incomplete, *missing, *fields.unlisted(listing.images(), table)]
        return Cohort.of(table, path, name=self.name, problems=problems)


@dataclass(frozen=True)
class _Study:
    file: str
    uid: str
    report: str | None
    labels: dict[str, float]
    images: list[tuple[str, str]]  # id and caption


def _studies(folder: Path, problems: list[Problem]) -> list[_Study]:
    studies = []
    source = _archived(folder / ARCHIVE) if (folder / ARCHIVE).is_file() else _extracted(folder)
    for name, text in source:
        try:
            if isinstance(text, Quarantined):
                raise text
            studies.append(_parsed(name, text))
        except Quarantined as refused:
            problems.append(Problem(name, refused.reason))
    return studies


def _archived(archive: Path) -> Iterator[tuple[str, str | Quarantined]]:
    """The XML files of the archive, read in memory: no path in it is ever written."""
    try:
        with tarfile.open(archive, "r:*") as tar:
            for member in tar:
                if member.isfile() and member.name.endswith(".xml"):
                    yield member.name, _member_text(tar, member)
    except (tarfile.TarError, OSError, EOFError):
        raise InputError(f"{archive} is not a readable archive; download it again") from None


def _member_text(tar: tarfile.TarFile, member: tarfile.TarInfo) -> str | Quarantined:
    if member.size > MAX_REPORT_BYTES:
        return Quarantined("report too long")
    opened = tar.extractfile(member)
    try:
        return opened.read().decode() if opened else Quarantined("unreadable report")
    except UnicodeDecodeError:
        return Quarantined("report is not UTF-8 text")


def _extracted(folder: Path) -> Iterator[tuple[str, str | Quarantined]]:
    for file in sorted(list_files(folder, (FOLDER,)).files):
        try:
            yield file, read_report(folder, file)
        except Quarantined as refused:
            yield file, refused


def _parsed(name: str, text: str) -> _Study:
    # Entities could grow without bound or point at files; these reports declare none.
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise Quarantined("report declares entities")
    try:
        tree = ElementTree.fromstring(text)  # noqa: S314 - no declarations, and expat has its limits
    except ElementTree.ParseError:
        raise Quarantined("report is not XML") from None
    uid = tree.find("uId")
    if uid is None or not uid.get("id"):
        raise Quarantined("report without number")
    sections = [
        f"{part.get('Label', '').strip()}: {part.text}"
        for part in tree.iter("AbstractText")
        if part.text and part.text.strip()
    ]
    images = [(image.get("id", ""), image.findtext("caption") or "") for image in tree.iter("parentImage")]
    terms = [term.text or "" for term in tree.iter("major")]
    return _Study(name, uid.get("id", ""), "\n".join(sections) or None, labels_of(terms), images)


def labels_of(terms: list[str]) -> dict[str, float]:
    """1 and 0 for an indexed study, nothing for one that was not."""
    plain = [term.strip().lower() for term in terms]
    if all(term.startswith(UNINDEXED) for term in plain):
        return {}
    found = {label for term in plain for known, label in TERMS.items() if term == known or term.startswith(f"{known}/")}
    return {label: float(label in found) for label in LABELS}


def _images(studies: list[_Study], problems: list[Problem]) -> pd.DataFrame:
    rows = []
    for study in studies:
        if not study.images:
            problems.append(Problem(study.file, "report without image"))
        for image, caption in study.images:
            rows.append(
                {
                    "image_id": image,
                    "patient_id": study.uid,
                    "study_id": study.uid,
                    "site": "Indiana University",
                    "view": _named_view(caption),
                    "caption": caption,
                    "report": study.report,
                    **study.labels,
                }
            )
    if not rows:
        raise InputError("no report names an image; check that the reports are complete")
    return pd.DataFrame(rows)


def _named_view(caption: str) -> str | None:
    view = view_of(caption)
    return None if view == "OTHER" else view


def _picked(images: pd.DataFrame, listed: pd.DataFrame) -> pd.DataFrame:
    """The images a `split.csv` lists, with its file, view and split."""
    table = listed.rename(columns={"imageid": "image_id", "view": "side"})
    table = table[["file", "image_id", "side", "split"]].merge(images, on="image_id", how="left")
    frontal = table["side"].str.lower().eq("frontal")
    portable = table["caption"].str.contains(r"\b(?:AP|portable)\b", flags=re.IGNORECASE, regex=True, na=False)
    side = pd.Series("PA", index=table.index).mask(portable, "AP").where(frontal)
    side = side.mask(table["side"].str.lower().eq("lateral"), "LATERAL")
    return table.assign(view=side, split=values.splits(table["split"])).drop(columns="side")
