"""The defenses at work: every image of a cohort through the chain, into a new cohort beside a journal."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import cv2
import pandas as pd

from medveil.cohort import LABELS, Cohort
from medveil.cohort.cohort import FILE
from medveil.cohort.dicom.opening import head_of
from medveil.cohort.images import inside, load_image
from medveil.cohort.rows import CHUNK, Rows
from medveil.errors import MedveilError, Quarantined
from medveil.parts import Defense, Record, choose
from medveil.person.keys import Keys
from medveil.release.people import person_of_row
from medveil.runtime.journal import FILE as JOURNAL
from medveil.runtime.journal import Entry, Noted, count, journaled
from medveil.runtime.processes import Loss
from medveil.runtime.storage import write_bytes
from medveil.runtime.transient import is_transient, tried_again


def build_chain(names: tuple[str, ...], keys: Keys) -> list[Defense]:
    """The named defenses, set as their names say, in their order."""
    chain = (choice.build(keys=keys) for choice in choose("defenses", names))
    return sorted(chain, key=lambda defense: (defense.order, defense.name))


@dataclass(frozen=True)
class Defender:
    """Takes one row through the defenses; made once, sent to every worker."""

    source: Path
    target: Path
    keys: Keys
    names: tuple[str, ...]

    @cached_property
    def chain(self) -> list[Defense]:
        return build_chain(self.names, self.keys)

    def name(self, row: dict[str, Any]) -> str:
        return self.keys.pseudonym("image", row["image_id"])

    def __call__(self, task: tuple[dict[str, Any], Noted | None]) -> Noted:
        """What came of this row; what the earlier run noted, where that still holds."""
        row, earlier = task
        digest = self._digest(row)
        if earlier is not None and earlier.digest == digest and self._is_as_written(earlier.entry):
            return earlier
        try:
            return Noted(digest, {"id": self.name(row), "source": digest, **tried_again(lambda: self._release(row))})
        except Quarantined as withheld:
            return self._withheld(row, digest, withheld.reason, lasting=not is_transient(withheld))
        except MedveilError:
            raise  # a full disk or a missing model, which no image is to blame for
        except Exception as surprise:  # whatever went wrong, the image stays behind
            reason = f"could not be processed ({type(surprise).__name__})"
            return self._withheld(row, digest, reason, lasting=not is_transient(surprise))

    def crashed(self, task: tuple[dict[str, Any], Noted | None], loss: Loss) -> Noted:
        """What is noted of a row whose decoding killed the process."""
        return self._withheld(task[0], self._digest(task[0]), loss.value, lasting=loss.lasting)

    def _withheld(self, row: dict[str, Any], digest: str, reason: str, *, lasting: bool) -> Noted:
        return Noted(digest, {"id": self.name(row), "source": digest, "quarantined": reason}, lasting)

    def _release(self, row: dict[str, Any]) -> Entry:
        record = Record(
            dict(row),
            load_image(self.source, row["path"], frame=row["frame"]),
            person_of_row(row, self.source, self.keys),
        )
        done: dict[str, dict[str, int]] = {}
        for defense in self.chain:
            record.done = {}
            record = defense.apply(record)
            done[defense.name] = record.done
        _, png = cv2.imencode(".png", record.image)
        content = png.tobytes()
        write_bytes(self.target / record.row["path"], content)
        return {"sha256": sha256(content).hexdigest(), "done": done, "row": _to_json(record.row)}

    def _digest(self, row: dict[str, Any]) -> str:
        """A keyed digest of the row and its file: tells whether they changed, and nothing to others."""
        try:
            real = inside(self.source, row["path"])
            head_of(real)  # refuses pipes and devices, which would never end
            with real.open("rb") as file:
                digest = hmac.new(self.keys.secret, json.dumps(_to_json(row), sort_keys=True).encode(), sha256)
                while block := file.read(1 << 20):
                    digest.update(block)
                return digest.hexdigest()[:32]
        except (OSError, Quarantined):
            return "unreadable"

    def _is_as_written(self, entry: Entry) -> bool:
        if "quarantined" in entry:
            return True
        try:
            return sha256((self.target / entry["row"]["path"]).read_bytes()).hexdigest() == entry["sha256"]
        except OSError:
            return False


@dataclass
class Defended:
    """What came of it: the released cohort, which source rows it holds, and what was done or withheld."""

    cohort: Cohort | None
    rows: list[int]
    done: dict[str, dict[str, int]] = field(default_factory=dict)
    quarantined: dict[str, int] = field(default_factory=dict)
    withheld: list[tuple[str, str]] = field(default_factory=list)
    source_digest: str = ""


def defend(
    cohort: Cohort,
    out: Path,
    keys: Keys,
    names: tuple[str, ...],
    *,
    workers: int | None,
    progress: Callable[[int, int], None],
) -> Defended:
    """Run the chain over every row, in the order of the pseudonyms: the source's order may itself tell."""
    ids = cohort.table["image_id"]
    order = sorted(range(len(cohort)), key=lambda row: keys.pseudonym("image", ids.iat[row]))
    defender = Defender(cohort.root, out / "data", keys, names)
    rows = _rows(cohort.table, order)
    result = Defended(None, [])
    released = Rows()
    digest = sha256()
    for at, entry in enumerate(journaled(out / JOURNAL, defender, rows, workers=workers)):
        digest.update(f"{entry['id']} {entry['source']}\n".encode())
        if "quarantined" in entry:
            count(result.quarantined, {entry["quarantined"]: 1})
            result.withheld.append((entry["id"], entry["quarantined"]))
        else:
            released.add(entry["row"])
            result.rows.append(order[at])
            for defense, done in entry["done"].items():
                count(result.done.setdefault(defense, {}), done)
        progress(at + 1, len(order))
    for problem in cohort.problems:
        count(result.quarantined, {problem.reason: 1})
        result.withheld.append((keys.pseudonym("file", problem.path), problem.reason))
    result.source_digest = digest.hexdigest()
    table = released.table()
    _remove_others(out / "data", set(table["path"]))
    if len(table):
        result.cohort = Cohort.of(table, out / "data", name=f"{cohort.name}, released")
        result.cohort.save(out / "data")
    else:
        (out / "data" / FILE).unlink(missing_ok=True)
    return result


def _remove_others(folder: Path, released: set[str]) -> None:
    """Nothing may stay from an earlier run whose patient has since withdrawn or whose image is now withheld."""
    for path in (folder / "images").rglob("*.png"):
        if path.relative_to(folder).as_posix() not in released:
            path.unlink()


def _rows(table: pd.DataFrame, order: list[int]) -> Iterator[dict[str, Any]]:
    """Rows as plain dicts, a thousand at a time: a table of a million is never copied whole."""
    for start in range(0, len(order), CHUNK):
        yield from table.iloc[order[start : start + CHUNK]].to_dict("records")


def _to_json(row: dict[str, Any]) -> Entry:
    """The row without what is missing, labels included only where they say something."""
    plain: Entry = {}
    for column, value in row.items():
        if value is None or pd.isna(value):
            continue
        if column in LABELS:
            plain[column] = int(value)
        elif column == "date":
            plain[column] = value.date().isoformat()
        else:
            plain[column] = value
    return plain
