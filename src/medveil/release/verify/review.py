"""Gathering the worst cases for a person to look at, and carrying out what that person decided."""

from __future__ import annotations

import ast
import csv
import json
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort.images import load_image
from medveil.cohort.input import Kind, SourceFile
from medveil.cohort.tables.encodings import decode
from medveil.errors import InputError, Quarantined
from medveil.person.keys import Keys
from medveil.release.clean.dicom_writer import output_path
from medveil.release.clean.records import DATA, broken_seals, released_files, seal_records, withdraw, withdrawn
from medveil.release.folder import held, read_run
from medveil.release.settings import Progress
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.manifest import FILE as MANIFEST
from medveil.release.verify.manifest import hashed, write_manifest
from medveil.release.verify.recorded import read_as_recorded
from medveil.report.review_page import Case, render_review
from medveil.runtime.storage import refuse_unwritable, write_bytes

SHOWN = 640  # pixels a side
_QUALITY = 80
REJECTED = "rejected in review"
Masked = tuple[float, int]  # percent of a frame, and which frame


def write_review(
    out: Path, source: Path, page: Path, *, keys: Keys, most: int, progress: Progress = lambda stage, done, total: None
) -> tuple[int, int]:
    """Write the page, readable by its owner only; returns how many cases it shows and how many it does not.

    A case is an image with all reports of its study, or a report without an image.
    """
    if page.resolve().is_relative_to(out.resolve()):
        raise InputError("the review page shows patients and must not lie in the output folder; choose another place")
    refuse_unwritable(page, "the page")
    if not (out / DATA).is_dir():
        raise InputError(f"{out} holds no de-identified data; run medveil deid first")
    files = read_as_recorded(source, out, progress=partial(progress, "reading"))
    here = [one for one in files.files if (out / DATA / output_path(one, keys)).exists()]
    images = [one for one in here if one.kind in (Kind.DICOM, Kind.IMAGE)]
    reports: dict[tuple[str, str], list[SourceFile]] = defaultdict(list)
    for one in here:
        if one.kind is Kind.REPORT:
            reports[one.patient, one.study].append(one)
    pictured = {(one.patient, one.study) for one in images}
    alone = [report for study, several in reports.items() if study not in pictured for report in several]
    discrepancies = _discrepancies(out)
    masked = _masked(out)
    for one in images:  # what is wrong with a report is shown beside its image
        for report in reports[one.patient, one.study]:
            discrepancies[output_path(one, keys)] += discrepancies.get(output_path(report, keys), [])
    order = sorted(
        images + alone, key=lambda one: _badness(output_path(one, keys), discrepancies, masked), reverse=True
    )
    cases = []
    for done, one in enumerate(order[:most], start=1):
        beside = [one] if one.kind is Kind.REPORT else reports[one.patient, one.study]
        if (case := _case(files.root, out / DATA, one, beside, keys, discrepancies, masked)) is not None:
            cases.append(case)
        progress("drawing", done, min(most, len(order)))
    text = render_review(cases, title="De-identified data", hidden=len(order) - len(cases), run=_run(out))
    write_bytes(page, text.encode(), private=True)
    return len(cases), len(order) - len(cases)


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
        raise InputError(f"what the run noted in {out} was changed since; run the same medveil deid again")
    with held(out):
        withdraw(out, rejected, REJECTED)
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


def _case(
    source: Path,
    data: Path,
    one: SourceFile,
    reports: list[SourceFile],
    keys: Keys,
    discrepancies: dict[str, list[Discrepancy]],
    masked: dict[str, Masked],
) -> Case | None:
    path = output_path(one, keys)
    own = discrepancies.get(path, [])
    told = tuple(f"{discrepancy.check}: {discrepancy.found}" for discrepancy in own)
    before = _text([source / report.path for report in reports])
    after = _text([data / output_path(report, keys) for report in reports])
    if one.kind is Kind.REPORT:
        return Case(path, ("a report without an image", *told), report_before=before, report_after=after)
    share, frame = masked.get(path, (0.0, 0))
    try:
        original, released = load_image(source, one.path, frame=frame), load_image(data, path, frame=frame)
    except Quarantined:
        return None
    height, width = original.shape
    return Case(
        path,
        (f"{share:.1f} % masked" + (f", frame {frame + 1}" if frame else ""), *told),
        _jpeg(original),
        _jpeg(released),
        tuple(_percent(box, width, height) for box in _changed(original, released)),
        tuple(_percent(box, width, height) for discrepancy in own if (box := _box_of(discrepancy)) is not None),
        before,
        after,
        tuple(output_path(report, keys) for report in reports),
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
