"""What came out of the engine, beside the originals it came from: what attacks, measures and the check compare."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from medveil.cohort import Cohort
from medveil.cohort.cohort import FILE
from medveil.cohort.input import Kind, Source, read_cohort
from medveil.person.keys import Keys
from medveil.release.clean.dicom_writer import output_path
from medveil.release.clean.engine import Engine
from medveil.release.clean.groups import drawn_id
from medveil.release.clean.records import DATA
from medveil.release.clean.summary import Summary


@dataclass
class Released:
    """The released cohort and which source rows it holds, in its order, a row as often as it was drawn; what was done
    and what was withheld; and what came out that belongs to no image of it, and whose each is ("" where it is of
    several people)."""

    cohort: Cohort | None
    rows: list[int]
    done: dict[str, dict[str, int]] = field(default_factory=dict)  # by defense
    quarantined: dict[str, int] = field(default_factory=dict)
    source_digest: str = ""
    beside: tuple[str, ...] = ()


def released_table(out: Path, originals: Cohort, summary: Summary, engine: Engine) -> Released:
    """Of images and a table: an image is known by its pseudonym, and so is each of its draws."""
    if not (out / DATA / FILE).exists():
        return _of(None, [], summary)
    after = Cohort.open(out / DATA)
    at = {
        engine.keys.pseudonym("image", drawn_id(image, draw)): row
        for row, image in enumerate(originals.table["image_id"])
        for draw in range(engine.draws)
    }
    ids = [Path(path).stem for path in after.table["path"]]  # the table's own defense may not have run
    return _of(after, [at[name] for name in ids], summary)


def released_dicom(out: Path, originals: Cohort, source: Source, summary: Summary, keys: Keys) -> Released:
    """Of a tree of DICOM files, read back as anybody would read it: an image is known by its place."""
    if not any((out / DATA).rglob("*.dcm")):
        return _of(None, [], summary)
    places = {one.path: output_path(one, keys) for one in source.files}
    pairs = zip(originals.table["path"], originals.table["frame"], strict=True)
    at = {(places.get(path), frame): row for row, (path, frame) in enumerate(pairs)}
    after = read_cohort(out / DATA, layout="dicom")
    keys_after = list(zip(after.table["path"], after.table["frame"], strict=True))
    after = after.where([one in at for one in keys_after])
    found = _of(after, [at[one] for one in keys_after if one in at], summary)
    return replace(found, beside=_beside(out, originals, source, places))


def _beside(out: Path, originals: Cohort, source: Source, places: dict[str, str]) -> tuple[str, ...]:
    """Owners of released texts without an image, DICOM files without pixels, and tables."""
    images = set(originals.table["path"])
    alone = {problem.path for problem in originals.problems}
    strange = (
        one
        for one in source.files
        if one.kind.is_table
        or (one.kind is Kind.DICOM and one.path not in images)
        or (one.kind is Kind.REPORT and one.path in alone)
    )
    return tuple(
        "" if one.kind.is_table else one.patient for one in strange if (out / DATA / places[one.path]).exists()
    )


def _of(cohort: Cohort | None, rows: list[int], summary: Summary) -> Released:
    done = {defense: dict(notes) for defense, notes in summary.done.items()}
    return Released(cohort, rows, done, summary.quarantined, summary.source_digest)
