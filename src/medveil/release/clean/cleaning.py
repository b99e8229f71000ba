"""The engine at work: everything of one patient to its place in the output, and the journal's line of it."""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from medveil.cohort.dicom.opening import head_of
from medveil.cohort.images import inside
from medveil.errors import MedveilError, Quarantined, StorageError
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.engine import Engine
from medveil.release.clean.groups import Group, ImageRow, Item
from medveil.release.clean.records import place_of, seal
from medveil.release.clean.reviewed import Reviewed, told
from medveil.release.clean.table_writer import plain_row
from medveil.release.clean.writer import Writer
from medveil.runtime.journal import Entry, Noted
from medveil.runtime.processes import Loss
from medveil.runtime.storage import write_bytes
from medveil.runtime.transient import is_transient, tried_again
from medveil.runtime.workers import ordered_map

START, A_FILE = 600.0, 60.0  # seconds: far more than a machine at work elsewhere needs
A_SECOND = 1000  # bytes of a table, of which one may hold a million texts
VOID = ""  # the digest of what the next run does once more, whatever this one noted of it


@dataclass(frozen=True)
class GroupCleaner:
    """Takes one group to the output; made once, sent to every worker.

    What cannot be made safe is withheld with its reason, and so is what surprises, with the kind of error. A full disk
    or a missing model stops the run: no file is to blame for it. What may be gone in a moment is tried again, and by
    the next run once more. What a person decided about a film is heeded; where a review is carried out, `only` names
    the films it is about, by their places, and all others are taken as the journal tells them.
    """

    source: Path
    target: Path
    engine: Engine
    writer: Writer
    reviewed: Reviewed = field(default_factory=Reviewed)
    only: frozenset[str] | None = None

    @property
    def keys(self) -> Keys:
        return self.engine.keys

    def name(self, group: Group) -> str:
        """By its first file: several groups may be of a patient nobody names."""
        return self.writer.identifier(group.files[0], self.keys)

    def __call__(self, task: tuple[Group, Noted | None]) -> Noted:
        """What came of this group; what the earlier run noted, where that still holds."""
        group, earlier = task
        if earlier is not None and self.only is not None and self.only.isdisjoint(map(self._place, group.files)):
            return earlier
        source = self.source_digest(group)
        digest = self._digest(group, source)
        if earlier is not None and earlier.digest == digest and self._is_as_written(earlier.entry):
            return earlier
        same = self._untouched(earlier, source)
        try:
            person = tried_again(lambda: group.person(self.keys, self.source))
        except Quarantined as refused:
            outcomes = [(self._withheld(one, refused.reason), not is_transient(refused)) for one in group.files]
        except MedveilError:
            raise
        except Exception as surprise:  # without what is known of the person, nothing is let out
            outcomes = [self._surprised(one, surprise) for one in group.files]
        else:
            outcomes = [same.get(self._place(one)) or self._file(one, group, person) for one in group.files]
        return _noted(source, digest, [entry for entry, _ in outcomes], all(lasting for _, lasting in outcomes))

    def limit(self, group: Group) -> float:
        """Seconds that a group may take; past them, each file of it is done alone."""
        tables = [one.path for one in group.files if one.kind.is_table]
        return START + A_FILE * len(group.files) + sum(_size(self.source / table) for table in tables) / A_SECOND

    def crashed(self, task: tuple[Group, Noted | None], loss: Loss) -> Noted:
        """What is noted of a group that was lost with its process: each file alone, so that only the culprit is."""
        group, _ = task
        source = self.source_digest(group)
        digest = self._digest(group, source)
        if len(group.files) == 1:
            return _noted(source, digest, [self._withheld(group.files[0], loss.value)], loss.lasting)
        alone = ((group.alone(one), None) for one in group.files)
        done_alone = ordered_map(
            self, alone, workers=2, chunk=1, crashed=self.crashed, limit=lambda task: self.limit(task[0])
        )
        outcomes = list(done_alone)
        files = [file for done in outcomes for file in done.entry["files"]]
        return _noted(source, digest, files, all(done.digest != VOID for done in outcomes))

    def _untouched(self, earlier: Noted | None, source: str) -> dict[str, tuple[Entry, bool]]:
        """Where a review is carried out: what was noted of the same patient's other files, by their places."""
        if earlier is None or self.only is None or earlier.entry["source"] != source:
            return {}
        files = ((place_of(file), file) for file in earlier.entry["files"])
        return {place: (file, earlier.digest != VOID) for place, file in files if place not in self.only}

    def _file(self, one: Item, group: Group, person: Person) -> tuple[Entry, bool]:
        """What came of one file, and whether it lasts."""
        path = self._place(one)
        choices = self.reviewed.choices(path)
        try:
            written = tried_again(lambda: self.writer.written(one, group, person, self.source, self.engine, choices))
        except Quarantined as withheld:
            return self._withheld(one, withheld.reason), not is_transient(withheld)
        except MedveilError:
            raise
        except Exception as surprise:  # whatever went wrong, the file stays behind
            return self._surprised(one, surprise)
        try:
            write_bytes(self.target / path, written.data)
        except OSError:
            raise StorageError("the output cannot be written at the moment; run the same command again") from None
        told = {"id": self.writer.identifier(one, self.keys), **written.told(path, self.keys)}
        return {**told, "unlinked": True} if one.own else told, True

    def _surprised(self, one: Item, surprise: Exception) -> tuple[Entry, bool]:
        reason = f"could not be processed ({type(surprise).__name__})"
        return self._withheld(one, reason), not is_transient(surprise)

    def _withheld(self, one: Item, reason: str) -> Entry:
        return {"id": self.writer.identifier(one, self.keys), "place": self._place(one), "quarantined": reason}

    def _place(self, one: Item) -> str:
        return self.writer.path(one, self.keys)

    def _digest(self, group: Group, source: str) -> str:
        """Of the group and of what people decided about its films."""
        chosen = {
            place: told(choices) for place in map(self._place, group.files) if (choices := self.reviewed.choices(place))
        }
        if not chosen:
            return source
        return hmac.new(self.keys.secret, f"{source}{json.dumps(chosen, sort_keys=True)}".encode(), sha256).hexdigest()[
            :32
        ]

    def source_digest(self, group: Group) -> str:
        """A keyed digest of what the group holds and whose it is: tells whether it changed, and nothing to others."""
        digest = hmac.new(self.keys.secret, digestmod=sha256)
        for one in group.files:
            digest.update(f"{one.path}\x1f{one.patient}\x1f{one.study}\x1f".encode())
            digest.update(content_digest(self.source, one.path))
            if isinstance(one, ImageRow):
                digest.update(json.dumps(plain_row(one.row), sort_keys=True).encode())
            elif one.set_aside:
                digest.update(f"{sorted(one.set_aside)}".encode())
        for patient, files in sorted(group.headers.items()):
            digest.update(f"{patient}\x1f{files}\x1f{[_stamp(self.source / file) for file in files]}\x1f".encode())
        return digest.hexdigest()[:32]

    def _is_as_written(self, entry: Entry) -> bool:
        """Whether what the earlier run released is still there."""
        try:
            return all("quarantined" in file or self._is_sealed(file) for file in entry["files"])
        except OSError:
            return False

    def _is_sealed(self, file: Entry) -> bool:
        digest = sha256((self.target / file["path"]).read_bytes()).hexdigest()
        return bool(seal(file["path"], digest, self.keys) == file.get("seal"))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _noted(source: str, digest: str, files: list[Entry], lasting: bool) -> Noted:
    """What does not last is told all the same: others of the group were released, and their seals belong there."""
    return Noted(digest if lasting else VOID, {"source": source, "files": files})


def _stamp(path: Path) -> tuple[int, int]:
    """Size and time of a file that tells of a patient: there may be too many to read for every table."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def content_digest(root: Path, file: str) -> bytes:
    """Of the file's bytes; of nothing where it cannot be read."""
    digest = sha256()
    try:
        real = inside(root, file)
        head_of(real)  # refuses pipes and devices, which would never end
        with real.open("rb") as opened:
            while block := opened.read(1 << 20):
                digest.update(block)
    except (OSError, Quarantined):
        return b"unreadable"
    return digest.digest()
