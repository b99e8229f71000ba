"""The cleaner at work: the files of one patient, each to its place in the output, and the journal's line of them."""

from __future__ import annotations

import hmac
import json
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from medveil.cohort.dicom.opening import head_of, quarantining
from medveil.cohort.images import inside
from medveil.cohort.input import Kind, SourceFile
from medveil.errors import MedveilError, Quarantined
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.search.known import KnownSearch, search_for
from medveil.release.clean.dicom_file import clean_dicom
from medveil.release.clean.groups import Group
from medveil.release.clean.leftovers import refuse_leftovers
from medveil.release.clean.outputs import output_path
from medveil.release.clean.picture_file import clean_picture
from medveil.release.clean.results import Cleaned, seal
from medveil.release.clean.settings import DeidSettings
from medveil.release.clean.table_file import clean_table
from medveil.release.clean.tools import Tools, tools_for
from medveil.runtime.journal import Entry, line
from medveil.runtime.storage import write_bytes
from medveil.runtime.workers import ordered_map

MAX_FILE_BYTES = 1 << 30
MAX_REPORT_BYTES = 1 << 20


@dataclass(frozen=True)
class GroupCleaner:
    """Takes one group to the output; made once, sent to every worker."""

    source: Path
    target: Path
    keys: Keys
    settings: DeidSettings

    def __call__(self, task: tuple[Group, bytes | None]) -> bytes:
        """The journal line of this group; the earlier run's where that still holds."""
        group, earlier = task
        digest = self._digest(group)
        if earlier is not None and self._holds(json.loads(earlier), digest):
            return earlier
        try:
            person = group.person(self.keys, self.source)
            search = search_for(person.known)
        except MedveilError:
            raise
        except Exception as surprise:  # without what is known of the person, nothing is let out
            files = [self._surprised(one, surprise) for one in group.files]
        else:
            files = [self._file(one, group, person, search) for one in group.files]
        return line({"source": digest, "files": files})

    def crashed(self, task: tuple[Group, bytes | None]) -> bytes:
        """The journal line of a group that killed its process: each file alone, so that only the culprit is lost."""
        group, _ = task
        if len(group.files) == 1:
            files = [{"id": self._name(group.files[0]), "quarantined": "crashed the decoder"}]
        else:
            alone = ((group.alone(one), None) for one in group.files)
            lines = ordered_map(self, alone, workers=2, chunk=1, crashed=self.crashed)
            files = [file for done in lines for file in json.loads(done)["files"]]
        return line({"source": self._digest(group), "files": files})

    def _name(self, one: SourceFile) -> str:
        return self.keys.pseudonym("file", one.path)

    def _file(self, one: SourceFile, group: Group, person: Person, search: KnownSearch) -> Entry:
        path = output_path(one, self.keys)
        try:
            cleaned = self._cleaned(one, group, person, search)
            write_bytes(self.target / path, cleaned.data)
        except Quarantined as withheld:
            return {"id": self._name(one), "quarantined": withheld.reason}
        except MedveilError:
            raise  # a full disk or a missing model, which no file is to blame for
        except Exception as surprise:  # whatever went wrong, the file stays behind
            return self._surprised(one, surprise)
        told = {"id": self._name(one), **cleaned.told(path, self.keys)}
        return {**told, "unlinked": True} if one.own else told

    def _surprised(self, one: SourceFile, surprise: Exception) -> Entry:
        return {"id": self._name(one), "quarantined": f"could not be processed ({type(surprise).__name__})"}

    def _cleaned(self, one: SourceFile, group: Group, person: Person, search: KnownSearch) -> Cleaned:
        tools = tools_for(self.settings)
        path = inside(self.source, one.path)
        if path.stat().st_size > MAX_FILE_BYTES:
            raise Quarantined("too large")
        match one.kind:
            case Kind.DICOM:
                return clean_dicom(path, person, search, tools)
            case Kind.IMAGE:
                return clean_picture(self.source, one.path, search, tools)
            case Kind.REPORT:
                return _report(path, person, tools)
            case Kind.CSV | Kind.JSONL:
                return clean_table(path, one, group.headers, self.source, self.keys, self.settings, tools)
        raise Quarantined("not a kind of file that can be cleaned")

    def _digest(self, group: Group) -> str | None:
        """A keyed digest of the files and whose they are: tells whether they changed, and nothing to others."""
        digest = hmac.new(self.keys.secret, digestmod=sha256)
        for one in group.files:
            digest.update(f"{one.path}\x1f{one.patient}\x1f{one.study}\x1f".encode())
            digest.update(content_digest(self.source, one.path))
        for patient, files in sorted(group.headers.items()):
            digest.update(f"{patient}\x1f{files}\x1f{[_stamp(self.source / file) for file in files]}\x1f".encode())
        return digest.hexdigest()[:32]

    def _holds(self, entry: Entry, digest: str | None) -> bool:
        """Whether the earlier line tells of these files, and what it released is still there."""
        if entry.get("source") != digest:
            return False
        try:
            return all("quarantined" in file or self._is_as_written(file) for file in entry["files"])
        except OSError:
            return False

    def _is_as_written(self, file: Entry) -> bool:
        digest = sha256((self.target / file["path"]).read_bytes()).hexdigest()
        return bool(seal(file["path"], digest, self.keys) == file.get("seal"))


def _report(path: Path, person: Person, tools: Tools) -> Cleaned:
    from medveil.defenses.reports.formats.text_file import clean_text_file

    data = path.read_bytes()
    if len(data) > MAX_REPORT_BYTES:
        raise Quarantined("report too long")
    with quarantining("report cannot be cleaned"):
        cleaned = clean_text_file(data, tools.reports, person)
        refuse_leftovers(cleaned.data, person.known)
    found = Counter(f"report {one.category}" for one in cleaned.found)
    return Cleaned(cleaned.data, found, not_rewritten=int(cleaned.not_rewritten))


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
