"""The engine at work: everything of one patient to its place in the output, and the journal's line of it."""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from medveil.cohort.dicom.opening import head_of
from medveil.cohort.images import inside
from medveil.errors import MedveilError, Quarantined, StorageError, Unavailable, is_transient
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.engine import Engine
from medveil.release.clean.groups import Group, ImageRow, Item
from medveil.release.clean.records import Written, seal
from medveil.release.clean.table_writer import plain_row
from medveil.release.clean.writer import Writer
from medveil.runtime.journal import Entry, line
from medveil.runtime.storage import write_bytes
from medveil.runtime.workers import ordered_map

ATTEMPTS = 3  # at what is unavailable for the moment


@dataclass(frozen=True)
class GroupCleaner:
    """Takes one group to the output; made once, sent to every worker.

    What cannot be made safe is withheld with its reason, and so is what surprises, with the kind of error. A full disk
    or a missing model stops the run: no file is to blame for it. What is unavailable for the moment is tried again, and
    by the next run once more.
    """

    source: Path
    target: Path
    engine: Engine
    writer: Writer

    @property
    def keys(self) -> Keys:
        return self.engine.keys

    def __call__(self, task: tuple[Group, bytes | None]) -> bytes:
        """The journal line of this group; the earlier run's where that still holds."""
        group, earlier = task
        digest = self._digest(group)
        if earlier is not None and self._holds(json.loads(earlier), digest):
            return earlier
        try:
            person = group.person(self.keys, self.source)
        except MedveilError:
            raise
        except Exception as surprise:  # without what is known of the person, nothing is let out
            files = [self._withheld(one, _surprise(surprise)) for one in group.files]
        else:
            files = [self._file(one, group, person) for one in group.files]
        return line({"source": digest, "files": files})

    def crashed(self, task: tuple[Group, bytes | None]) -> bytes:
        """The journal line of a group that killed its process: each file alone, so that only the culprit is lost."""
        group, _ = task
        if len(group.files) == 1:
            files = [self._withheld(group.files[0], Quarantined("crashed the decoder"))]
        else:
            alone = ((group.alone(one), None) for one in group.files)
            lines = ordered_map(self, alone, workers=2, chunk=1, crashed=self.crashed)
            files = [file for done in lines for file in json.loads(done)["files"]]
        return line({"source": self._digest(group), "files": files})

    def _file(self, one: Item, group: Group, person: Person) -> Entry:
        path = self.writer.path(one, self.keys)
        result = self._attempted(one, group, person)
        if isinstance(result, Quarantined):
            return self._withheld(one, result)
        try:
            write_bytes(self.target / path, result.data)
        except OSError:
            raise StorageError("the output cannot be written at the moment; run the same command again") from None
        told = {"id": self.writer.identifier(one, self.keys), **result.told(path, self.keys)}
        return {**told, "unlinked": True} if one.own else told

    def _attempted(self, one: Item, group: Group, person: Person) -> Written | Quarantined:
        for last in (*(False,) * (ATTEMPTS - 1), True):
            try:
                return self.writer.written(one, group, person, self.source, self.engine)
            except Unavailable as moment:
                if last:
                    return moment
            except Quarantined as withheld:
                return withheld
            except MedveilError:
                raise
            except Exception as surprise:  # whatever went wrong, the file stays behind
                reason = _surprise(surprise)
                if last or not isinstance(reason, Unavailable):
                    return reason
        raise AssertionError("the last attempt returns")

    def _withheld(self, one: Item, why: Quarantined) -> Entry:
        entry = {"id": self.writer.identifier(one, self.keys), "quarantined": why.reason}
        return {**entry, "again": True} if isinstance(why, Unavailable) else entry

    def _digest(self, group: Group) -> str | None:
        """A keyed digest of what the group holds and whose it is: tells whether it changed, and nothing to others."""
        digest = hmac.new(self.keys.secret, digestmod=sha256)
        for one in group.files:
            digest.update(f"{one.path}\x1f{one.patient}\x1f{one.study}\x1f".encode())
            digest.update(content_digest(self.source, one.path))
            if isinstance(one, ImageRow):
                digest.update(line(plain_row(one.row)))
        for patient, files in sorted(group.headers.items()):
            digest.update(f"{patient}\x1f{files}\x1f{[_stamp(self.source / file) for file in files]}\x1f".encode())
        return digest.hexdigest()[:32]

    def _holds(self, entry: Entry, digest: str | None) -> bool:
        """Whether the earlier line tells of these files for good, and what it released is still there."""
        if entry.get("source") != digest or any(file.get("again") for file in entry["files"]):
            return False
        try:
            return all("quarantined" in file or self._is_as_written(file) for file in entry["files"])
        except OSError:
            return False

    def _is_as_written(self, file: Entry) -> bool:
        digest = sha256((self.target / file["path"]).read_bytes()).hexdigest()
        return bool(seal(file["path"], digest, self.keys) == file.get("seal"))


def _surprise(surprise: Exception) -> Quarantined:
    if is_transient(surprise):
        return Unavailable(surprise)
    return Quarantined(f"could not be processed ({type(surprise).__name__})")


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
