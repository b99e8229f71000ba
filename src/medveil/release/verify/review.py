"""Gathering the worst cases for a person to look at, and carrying out what that person decided."""

from __future__ import annotations

import ast
import csv
import json
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort import Cohort
from medveil.cohort.cohort import FILE as TABLE
from medveil.cohort.images import load_image
from medveil.cohort.input import Kind
from medveil.cohort.tables.encodings import decode
from medveil.errors import InputError, Quarantined
from medveil.person.keys import Keys
from medveil.release.clean.dicom_writer import output_path
from medveil.release.clean.groups import ImageRow, Item
from medveil.release.clean.records import DATA, broken_seals, released_files, seal_records, withdraw, withdrawn
from medveil.release.clean.table_writer import TableWriter
from medveil.release.folder import held, read_run, refuse_other_key
from medveil.release.settings import Progress
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.group_check import released_rows
from medveil.release.verify.manifest import FILE as MANIFEST
from medveil.release.verify.manifest import hashed, write_manifest
from medveil.release.verify.run_record import RunRecord
from medveil.report.review_page import Case, render_review
from medveil.runtime.storage import refuse_unwritable, write_bytes

SHOWN = 640  # pixels a side
_QUALITY = 80
REJECTED = "rejected in review"
Masked = tuple[float, int]  # percent of a frame, and which frame


@dataclass(frozen=True)
class Candidate:
    """What may be shown as one case: a released image with its report, or a report without an image."""

    path: str
    original: str
    frame: int = 0
    is_image: bool = True
    reports: tuple[tuple[str, str], ...] = ()  # files: the original's path, the released one's
    texts: tuple[str, str] | None = None  # before and after, where they are in a table


def write_review(
    out: Path, source: Path, page: Path, *, keys: Keys, most: int, progress: Progress = lambda stage, done, total: None
) -> tuple[int, int]:
    """Write the page, readable by its owner only; returns how many cases it shows and how many it does not."""
    if page.resolve().is_relative_to(out.resolve()):
        raise InputError("the review page shows patients and must not be in the output folder; choose another place")
    refuse_unwritable(page, "the page")
    if not (out / DATA).is_dir():
        raise InputError(f"{out} holds no de-identified data; run medveil deid or medveil release first")
    refuse_other_key(out, keys)
    record = RunRecord.of(out)
    originals = record.originals(record.read(source, progress=partial(progress, "reading")), keys)
    items = [one for group in originals.groups for one in group.files]
    candidates = _rows(out / DATA, items, record, keys) if record.is_table else _files(out / DATA, items, keys)
    discrepancies = _discrepancies(out)
    for one in candidates:  # what is wrong with a report is shown beside its image
        for _, released in one.reports if one.is_image else ():
            discrepancies[one.path] += discrepancies.get(released, [])
    masked = _masked(out)
    order = sorted(candidates, key=lambda one: _badness(one.path, discrepancies, masked), reverse=True)
    cases = []
    for done, one in enumerate(order[:most], start=1):
        case = _case(originals.root, out / DATA, one, discrepancies.get(one.path, []), masked.get(one.path, (0.0, 0)))
        if case is not None:
            cases.append(case)
        progress("drawing", done, min(most, len(order)))
    text = render_review(cases, title="De-identified data", hidden=len(order) - len(cases), run=_run(out))
    write_bytes(page, text.encode(), private=True)
    return len(cases), len(order) - len(cases)


def _rows(data: Path, items: list[Item], record: RunRecord, keys: Keys) -> list[Candidate]:
    """An image and its row."""
    rows = released_rows(data)
    found = []
    for one in items:
        path = record.writer.path(one, keys)
        if isinstance(one, ImageRow) and (data / path).exists():
            texts = _said(one.row["report"]), _said(rows.get(path, {}).get("report"))
            found.append(Candidate(path, one.path, frame=one.row["frame"], texts=texts))
    return found


def _said(report: Any) -> str:
    return str(report) if pd.notna(report) else ""


def _files(data: Path, items: list[Item], keys: Keys) -> list[Candidate]:
    """An image with all reports of its study, or a report without an image."""
    here = [one for one in items if (data / output_path(one, keys)).exists()]
    images = [one for one in here if one.kind in (Kind.DICOM, Kind.IMAGE)]
    reports: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for one in here:
        if one.kind is Kind.REPORT:
            reports[one.patient, one.study].append((one.path, output_path(one, keys)))
    pictured = {(one.patient, one.study) for one in images}
    alone = [report for study, several in reports.items() if study not in pictured for report in several]
    return [
        *(
            Candidate(output_path(one, keys), one.path, reports=tuple(reports[one.patient, one.study]))
            for one in images
        ),
        *(Candidate(released, before, is_image=False, reports=((before, released),)) for before, released in alone),
    ]


def apply_decisions(out: Path, decisions: Path, keys: Keys) -> int:
    """What was rejected leaves the release, for good; the manifest is signed anew."""
    try:
        content = json.loads(decisions.read_bytes())
        run, chosen = str(content["run"]), dict(content["decisions"])
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{decisions} holds no decisions; save them from the review page") from None
    if run != _run(out):
        raise InputError(f"{decisions} was made for another output; open the page that belongs to {out}")
    rejected = [file for file, decision in chosen.items() if decision == "reject"]
    here = {path.relative_to(out / DATA).as_posix() for path in (out / DATA).rglob("*") if path.is_file()}
    if unknown := set(rejected) - here - withdrawn(out).keys():
        raise InputError(f"{decisions} names {len(unknown)} file(s) that are not in the release; save it again")
    if broken_seals(out, keys):
        raise InputError(f"what the run noted in {out} was changed since; run the same command again")
    with held(out):
        withdraw(out, rejected, REJECTED)
        if RunRecord.of(out).is_table and (out / DATA / TABLE).exists():
            TableWriter().finish(out, Cohort.open(out / DATA).name.removesuffix(", released"))
        seal_records(out, keys)
        if (out / MANIFEST).exists():
            outcome = json.loads((out / MANIFEST).read_bytes())["outcome"]
            write_manifest(out, hashed(out / DATA), outcome, keys)
    return len(rejected)


def _run(out: Path) -> str:
    """Ties a page to its output; says nothing of the key."""
    run = read_run(out)
    return f"{run.get('key_fingerprint', '')}-{run.get('created', '')}"


def _badness(
    path: str, discrepancies: dict[str, list[Discrepancy]], masked: dict[str, Masked]
) -> tuple[int, Masked, str]:
    return len(discrepancies.get(path, ())), masked.get(path, (0.0, 0)), path


def _discrepancies(out: Path) -> dict[str, list[Discrepancy]]:
    found: dict[str, list[Discrepancy]] = defaultdict(list)
    try:
        with (out / "discrepancies.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                found[row["file"]].append(Discrepancy.of(row))
    except FileNotFoundError:
        pass  # not verified yet: then by the size of what was masked alone
    return found


def _masked(out: Path) -> dict[str, Masked]:
    """How much of each image was masked, and in which of its frames most, from the run's own journal."""
    found = {}
    for entry in released_files(out):
        if "masked" in entry:
            most = max(entry["masked"])
            found[entry["path"]] = most, entry["masked"].index(most)
    return found


def _case(source: Path, data: Path, one: Candidate, own: list[Discrepancy], masked: Masked) -> Case | None:
    told = tuple(f"{discrepancy.check}: {discrepancy.found}" for discrepancy in own)
    before, after = one.texts or (
        _text([source / path for path, _ in one.reports]),
        _text([data / path for _, path in one.reports]),
    )
    if not one.is_image:
        return Case(one.path, ("a report without an image", *told), report_before=before, report_after=after)
    share, number = masked
    try:
        original = load_image(source, one.original, frame=one.frame or number)
        released = load_image(data, one.path, frame=number)
    except Quarantined:
        return None
    height, width = original.shape
    return Case(
        one.path,
        (f"{share:.1f} % masked" + (f", frame {number + 1}" if number else ""), *told),
        _jpeg(original),
        _jpeg(released),
        tuple(_percent(box, width, height) for box in _changed(original, released)),
        tuple(_percent(box, width, height) for discrepancy in own if (box := _box_of(discrepancy)) is not None),
        before,
        after,
        tuple(released for _, released in one.reports),
    )


def _text(files: list[Path]) -> str:
    """The texts below one another."""
    texts = []
    for file in files:
        try:
            texts.append(decode(file.read_bytes()).text)
        except (OSError, Quarantined):
            texts.append("(cannot be shown)")
    return "\n\n".join(texts)


def _box_of(discrepancy: Discrepancy) -> tuple[int, ...] | None:
    return (
        tuple(ast.literal_eval(discrepancy.place))
        if discrepancy.check == "pixels" and discrepancy.place.startswith("(")
        else None
    )


def _changed(before: NDArray[Any], after: NDArray[Any]) -> list[tuple[int, ...]]:
    """Boxes around what differs."""
    if before.shape != after.shape:
        return []
    differs = (before != after).astype(np.uint8)
    joined = cv2.dilate(differs, np.ones((9, 9), np.uint8))
    found = cv2.connectedComponentsWithStats(joined)[2][1:, :4]
    return [(int(x), int(y), int(x + width), int(y + height)) for x, y, width, height in found]


def _percent(box: tuple[int, ...], width: int, height: int) -> tuple[float, float, float, float]:
    left, top, right, bottom = box
    return 100 * left / width, 100 * top / height, 100 * right / width, 100 * bottom / height


def _jpeg(image: NDArray[Any]) -> bytes:
    gray = image if image.dtype == np.uint8 else (image >> 8).astype(np.uint8)
    scale = min(1.0, SHOWN / max(gray.shape))
    small = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes())
