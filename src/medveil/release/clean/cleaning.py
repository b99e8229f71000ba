"""The cleaner at work: the files of one patient, each to its place in the output, and the journal's line of them."""

from __future__ import annotations

import hmac
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
from medveil.runtime.journal import Entry, Noted
from medveil.runtime.processes import Loss
from medveil.runtime.storage import write_bytes
from medveil.runtime.transient import is_transient, tried_again
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

    def name(self, group: Group) -> str:
        """By its first file: several groups may be of a patient nobody names."""
        return self._name(group.files[0])

    def __call__(self, task: tuple[Group, Noted | None]) -> Noted:
        """What came of this group; what the earlier run noted, where that still holds."""
        group, earlier = task
        digest = self._digest(group)
        if earlier is not None and earlier.digest == digest and self._is_as_written(earlier.entry):
            return earlier
        try:
            person = tried_again(lambda: group.person(self.keys, self.source))
            search = search_for(person.known)
        except MedveilError:
            raise
        except Exception as surprise:  # without what is known of the person, nothing is let out
            outcomes = [self._surprised(one, surprise) for one in group.files]
        else:
            outcomes = [self._file(one, group, person, search) for one in group.files]
        return Noted(digest, {"files": [entry for entry, _ in outcomes]}, all(lasting for _, lasting in outcomes))

    def crashed(self, task: tuple[Group, Noted | None], loss: Loss) -> Noted:
        """What is noted of a group that was lost with its process: each file alone, so that only the culprit is."""
        group, _ = task
        if len(group.files) == 1:
            files: list[Entry] = [{"id": self._name(group.files[0]), "quarantined": loss.value}]
            return Noted(self._digest(group), {"files": files}, loss.lasting)
        alone = ((group.alone(one), None) for one in group.files)
        outcomes = list(ordered_map(self, alone, workers=2, chunk=1, crashed=self.crashed))
        files = [file for done in outcomes for file in done.entry["files"]]
        return Noted(self._digest(group), {"files": files}, all(done.lasting for done in outcomes))

    def _name(self, one: SourceFile) -> str:
        return self.keys.pseudonym("file", one.path)

    def _file(self, one: SourceFile, group: Group, person: Person, search: KnownSearch) -> tuple[Entry, bool]:
        """What came of one file, and whether it lasts."""
        path = output_path(one, self.keys)
        try:
            cleaned = tried_again(lambda: self._cleaned(one, group, person, search))
            write_bytes(self.target / path, cleaned.data)
        except Quarantined as withheld:
            return {"id": self._name(one), "quarantined": withheld.reason}, not is_transient(withheld)
        except MedveilError:
            raise  # a full disk or a missing model, which no file is to blame for
        except Exception as surprise:  # whatever went wrong, the file stays behind
            return self._surprised(one, surprise)
        told = {"id": self._name(one), **cleaned.told(path, self.keys)}
        return {**told, "unlinked": True} if one.own else told, True

    def _surprised(self, one: SourceFile, surprise: Exception) -> tuple[Entry, bool]:
        reason = f"could not be processed ({type(surprise).__name__})"
        return {"id": self._name(one), "quarantined": reason}, not is_transient(surprise)

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

    def _digest(self, group: Group) -> str:
        """A keyed digest of the files and whose they are: tells whether they changed, and nothing to others."""
        digest = hmac.new(self.keys.secret, digestmod=sha256)
        for one in group.files:
            digest.update(f"{one.path}\x1f{one.patient}\x1f{one.study}\x1f".encode())
            digest.update(content_digest(self.source, one.path))
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
