"""The check of one patient: every released file and row beside its original, and the journal's line of them."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
from pydicom.dataset import Dataset

import medveil
from medveil.cohort import Cohort
from medveil.cohort.cohort import FILE
from medveil.cohort.dicom.opening import open_dicom
from medveil.cohort.dicom.read import frame_count, read_pixels
from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.cohort.images import load_colours, load_image
from medveil.cohort.input import Kind
from medveil.cohort.phantom.gold import ImageGold
from medveil.cohort.preprocess import colour_planes
from medveil.cohort.tables.encodings import decode
from medveil.defenses.pixels.choices import Choices
from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.errors import InputError, Quarantined
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.search.known import KnownSearch, known_in
from medveil.person.span import Span
from medveil.person.surrogates.surrogates import Surrogates
from medveil.release.clean.cleaning import content_digest
from medveil.release.clean.groups import Group, ImageRow, Item
from medveil.release.clean.reviewed import Reviewed, told
from medveil.release.clean.table_file import RowPeople, columns_of
from medveil.release.verify import answer_key
from medveil.release.verify.allowed_values import RetainedByProfile, without_moved_dates
from medveil.release.verify.byte_search import KnownBytes
from medveil.release.verify.damage_check import FilmCheck, check_film
from medveil.release.verify.discrepancy import BY_REVIEW, KEPT, Discrepancy
from medveil.release.verify.header_check import HeaderCheck
from medveil.release.verify.pixel_check import Read, Reader, is_of, stray_text
from medveil.release.verify.plain_search import plain_identifiers
from medveil.release.verify.row_check import RowCheck
from medveil.release.verify.run_record import RunRecord
from medveil.release.verify.table_check import TableCheck, rows_of
from medveil.release.verify.text_check import DatesTold, TextCheck
from medveil.runtime.journal import Noted
from medveil.runtime.processes import Loss

FILMS = "films"  # in the journal: what was done to each, by its released path


@dataclass(frozen=True)
class PersonSearch:
    """The person a group of files is about, as known from the originals."""

    person: Person
    search: KnownSearch
    needles: KnownBytes


@dataclass(frozen=True)
class GroupChecker:
    """Checks one group; made once, sent to every worker. `answers` are by the original's file name."""

    source: Path
    data: Path
    keys: Keys
    record: RunRecord
    answers: dict[str, ImageGold] = field(default_factory=dict)
    read: frozenset[str] | None = None  # released images to look for text in; all, unless named
    find_afresh: bool = True  # whether texts are searched as the cleaner does too, and not by plain patterns alone
    reviewed: Reviewed = field(default_factory=Reviewed)

    @cached_property
    def _report_answers(self) -> dict[str, ImageGold]:
        return {gold.report_path: gold for gold in self.answers.values()}

    @property
    def _text_check(self) -> TextCheck:
        return TextCheck(_both_ways if self.find_afresh else plain_identifiers)

    def name(self, group: Group) -> str:
        return self.record.writer.identifier(group.files[0], self.keys)

    def __call__(self, task: tuple[Group, Noted | None]) -> Noted:
        """What is wrong with this group; what the earlier run noted, where nothing it compares has changed since."""
        group, earlier = task
        digests = self._digests(group)
        against = self._against(group)
        same = earlier is not None and (earlier.digest, earlier.entry.get("digests")) == (against, digests)
        if earlier is not None and same and FILMS in earlier.entry:
            return earlier
        found, films = self.discrepancies(group), {}
        for one in group.files:
            film = self._film(one, digests)
            if film is not None:
                films[self._path(one)] = film.film.to_json()
                found += film.losses
        told = [discrepancy.to_json() for discrepancy in sorted(set(found))]
        return Noted(against, {"digests": digests, "discrepancies": told, FILMS: films})

    def crashed(self, task: tuple[Group, Noted | None], loss: Loss) -> Noted:
        told = [discrepancy.to_json() for discrepancy in self.unchecked(task[0], loss)]
        return Noted("", {"digests": {}, "discrepancies": told, FILMS: {}}, lasting=False)

    def discrepancies(self, group: Group) -> list[Discrepancy]:
        return sorted(set(self._checked(group, self._digests(group))))

    def legible(self, group: Group) -> list[Discrepancy]:
        """Of the images to look for text in: where any is read that nobody let stay, and what cannot be looked at.
        Nothing else is checked."""
        looked_at = [one for one in group.files if self.read is None or self._path(one) in self.read]
        if not looked_at:
            return []
        person = RetainedByProfile(self.source, self.record.profile).person(group, self.keys)
        search = KnownSearch(without_moved_dates(person))
        found: list[Discrepancy] = []
        for one in looked_at:
            path = self._path(one)
            try:
                for frame, (image, colours) in enumerate(self._shown(one, path)):
                    found += self._pixels(path, image, None, colours, search, frame)
            except Exception:  # what cannot be looked at has not passed
                found.append(Discrepancy(path, "files", "", "", "readable", "could not be checked"))
        return [one for one in found if one.leak]

    def _shown(self, one: Item, path: str) -> Iterator[tuple[Any, list[Any]]]:
        """What each frame of a released image shows, and what it shows in colour alone."""
        if isinstance(one, ImageRow):
            yield load_image(self.data, path), []
        elif one.kind is Kind.IMAGE:
            rgb = load_colours(self.data, path)
            yield load_image(self.data, path), [] if rgb is None else colour_planes(rgb)
        else:
            header = open_dicom(self.data / path, pixels=False)
            colours = _colours(self.data / path, header)
            for frame in range(frame_count(header) if "Rows" in header else 0):
                yield read_pixels(self.data / path, frame), colours(frame)

    def unchecked(self, group: Group, loss: Loss) -> list[Discrepancy]:
        """Of a group whose check was lost with its process: what cannot be checked has not passed."""
        return [Discrepancy(self._path(one), "files", "", "", "readable", loss.value) for one in group.files]

    def _film(self, one: Item, released: dict[str, str]) -> FilmCheck | None:
        """What was done to a film; what cannot be compared was changed, as far as anyone can tell."""
        path = self._path(one)
        if path not in released or one.kind not in (Kind.DICOM, Kind.IMAGE) or self.record.made_anew:
            return None
        try:
            return check_film(one, path, self.source, self.data, read=_reader().read)
        except Exception:  # damaged files make the decoders raise nearly anything
            return FilmCheck.impossible(path)

    def _checked(self, group: Group, released: dict[str, str]) -> Iterator[Discrepancy]:
        person = RetainedByProfile(self.source, self.record.profile).person(group, self.keys)
        known = without_moved_dates(person)
        subject = PersonSearch(person, KnownSearch(known), KnownBytes.own(known))
        for one in group.files:
            path = self._path(one)
            if path not in released:
                continue  # counted with the quarantine, or missing
            try:
                yield from self._file(one, group, path, subject)
            except Quarantined as unreadable:
                yield Discrepancy(path, "files", "", "", "readable", unreadable.reason)
            except Exception as surprise:  # what cannot be checked has not passed
                yield Discrepancy(
                    path, "files", "", "", "readable", f"could not be checked ({type(surprise).__name__})"
                )

    def _file(self, one: Item, group: Group, path: str, subject: PersonSearch) -> Iterator[Discrepancy]:
        content = (self.data / path).read_bytes()
        if one.kind.is_table:
            yield from self._table(one, group, path, content)
            return
        for category in subject.needles.found_in(content):
            yield Discrepancy(path, "bytes", "", category, "absent", "a known identifier")
        if isinstance(one, ImageRow):
            yield from self._image_row(one, path, subject)
            return
        match one.kind:
            case Kind.DICOM:
                yield from self._dicom(one, path, subject)
            case Kind.IMAGE:
                rgb = load_colours(self.data, path)
                planes = [] if rgb is None else colour_planes(rgb)
                yield from self._pixels(path, load_image(self.data, path), None, planes, subject.search)
            case Kind.REPORT:
                yield from self._report(one, path, content, subject)

    def _dicom(self, one: Item, path: str, subject: PersonSearch) -> Iterator[Discrepancy]:
        released = open_dicom(self.data / path, pixels=False)
        original = open_dicom(self.source / one.path, pixels=False)
        check = HeaderCheck(
            self.record.profile,
            subject.person.shift,
            subject.search,
            Surrogates(subject.person, realistic=True).uid,
            self.record.made_anew,
        )
        yield from check.discrepancies(path, released, original)
        gold = self.answers.get(one.path)
        if gold is not None:
            yield from answer_key.in_header(path, gold, released, self.record.profile)
            yield from answer_key.in_names(path, gold)
        if "Rows" not in released:
            if "Rows" in original:
                yield Discrepancy(path, "files", "", "", "readable", "the image is missing")
            return
        colours = _colours(self.data / path, released)
        for frame in range(frame_count(released)):
            image = read_pixels(self.data / path, frame)
            yield from self._pixels(path, image, gold, colours(frame), subject.search, frame)
            if gold is not None and not self.record.made_anew:
                yield from answer_key.markers(path, gold, read_pixels(self.source / one.path, frame), image)

    def _pixels(
        self,
        path: str,
        image: Any,
        gold: ImageGold | None,
        colours: list[Any],
        search: KnownSearch,
        frame: int = 0,
    ) -> Iterator[Discrepancy]:
        """`colours` are what the image shows in colour alone."""
        if self.read is not None and path not in self.read:
            return
        reads = [read for one in (image, *colours) for read in _reader().read(one)]
        choices = self.reviewed.choices(path).get(frame)
        for read in stray_text(reads):
            if choices is not None and _may_stay(read, choices, search):
                yield Discrepancy(path, "pixels", str(read.box), "", BY_REVIEW, "text is read")
            else:
                yield Discrepancy(path, "pixels", str(read.box), "", "no text but clinical markers", "text is read")
        if gold is not None:
            yield from answer_key.in_pixels(path, gold, reads)

    def _report(self, one: Item, path: str, content: bytes, subject: PersonSearch) -> Iterator[Discrepancy]:
        released = decode(content).text
        original = decode((self.source / one.path).read_bytes()).text
        yield from self._text(path, released, original, self._report_answers.get(one.path), subject)

    def _text(
        self, path: str, released: str, original: str, gold: ImageGold | None, subject: PersonSearch
    ) -> Iterator[Discrepancy]:
        dates = DatesTold.of(subject.person)
        yield from self._text_check.discrepancies(path, released, original, subject.search, dates)
        if gold is not None:
            yield from answer_key.in_report(path, gold, original, released)

    def _image_row(self, one: ImageRow, path: str, subject: PersonSearch) -> Iterator[Discrepancy]:
        """An image that was released with its row of the table, report included."""
        gold = self.answers.get(one.path)
        image = load_image(self.data, path)
        yield from self._pixels(path, image, gold, [], subject.search)
        if gold is not None:
            yield from answer_key.in_names(path, gold)
        if gold is not None and not self.record.made_anew:
            yield from answer_key.markers(path, gold, load_image(self.source, one.path, frame=one.row["frame"]), image)
        row = released_rows(self.data).get(path)
        if row is None:
            yield Discrepancy(path, "row", "", "", "in the table", "missing")
            return
        yield from RowCheck(self.keys, self.record.columns).discrepancies(path, row, one.row, subject.person)
        before, after = (text if pd.notna(text) else "" for text in (one.row["report"], row["report"]))
        yield from self._text(path, after, before, gold, subject)
        if before and not after:
            yield Discrepancy(path, "text", "", "K", KEPT, "missing")

    def _table(self, one: Item, group: Group, path: str, content: bytes) -> Iterator[Discrepancy]:
        source = self.source / one.path
        columns = columns_of(source, one.kind, self.record.columns)
        people = RowPeople(one.path, columns, group.headers, self.source, self.keys)
        check = TableCheck(columns, people, self._text_check)
        released, original = (rows_of(table, one.kind) for table in (content, source.read_bytes()))
        yield from check.discrepancies(path, released, original)

    def _against(self, group: Group) -> str:
        """A keyed digest of everything the files are compared with: the originals, the profile, the answer key."""
        digest = hmac.new(self.keys.secret, medveil.__version__.encode(), sha256)
        digest.update(repr((self.record.profile.told(), self.record.columns)).encode())
        for one in group.files:
            digest.update(repr((one, self.answers.get(one.path))).encode())
            digest.update(repr(self._report_answers.get(one.path)).encode())
            digest.update(repr(told(self.reviewed.choices(self._path(one)))).encode())
            digest.update(content_digest(self.source, one.path))
        return digest.hexdigest()[:32]

    def _path(self, one: Item) -> str:
        return self.record.writer.path(one, self.keys)

    def _digests(self, group: Group) -> dict[str, str]:
        """Of the released files of a group, with their rows where they have any."""
        found = {}
        for path in map(self._path, group.files):
            try:
                content = (self.data / path).read_bytes()
            except OSError:
                continue  # counted with the quarantine, or missing
            if self.record.is_table:
                content += repr(released_rows(self.data).get(path)).encode()
            found[path] = sha256(content).hexdigest()
        return found


def _may_stay(read: Read, choices: Choices, search: KnownSearch) -> bool:
    """Whether a person let this region stay; never, where it says what is known of the patient."""
    return any(is_of(read.box, box) for box in choices.keep) and not known_in(read.text, search)


def _colours(path: Path, header: Dataset) -> Callable[[int], list[Any]]:
    """What each frame shows in colour alone; the pixels of gray images are not read for it."""
    if str(header.get("PhotometricInterpretation")).startswith("MONOCHROME"):
        return lambda frame: []
    stored = StoredPixels.of(open_dicom(path, pixels=True))
    return stored.colours if stored is not None else lambda frame: []


def released_rows(data: Path) -> dict[str, dict[str, Any]]:
    """The rows of the released table by their image; none where there is no table that can be read."""
    try:
        changed = (data / FILE).stat().st_mtime_ns
    except OSError:
        return {}
    return _rows_of(data, changed)


@lru_cache(maxsize=1)
def _rows_of(data: Path, changed: int) -> dict[str, dict[str, Any]]:
    try:
        return {str(row["path"]): row for row in Cohort.open(data).table.to_dict("records")}
    except InputError:
        return {}


def _both_ways(text: str) -> list[Span]:
    """By plain patterns, which had no part in the cleaning, and as the cleaner itself finds."""
    found = plain_identifiers(text)
    return found + [one for one in _cleaner().find(text) if one not in found]


@lru_cache(maxsize=1)
def _reader() -> Reader:
    return Reader()


@lru_cache(maxsize=1)
def _cleaner() -> ReportCleaner:
    return ReportCleaner(style="placeholders")
