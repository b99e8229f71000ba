"""The ledger of bits: how much of each person films made from codes have told in all, and no film beyond a budget.

A film's bits are entered before the film is made, so a killed run can never have told more than the ledger says; the
same film, made again of the same code with the same randomness, tells nothing new and is not counted twice. People
are keyed pseudonyms, and the file is for its owner only: it says how many films each has.

The file is a journal: one line an entry, added at the end and flushed to disk before the film may be written. A line
that a kill cut short is made good by the entry being made again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from medveil.errors import InputError, MedveilError, SettingsError
from medveil.runtime.locks import locked
from medveil.runtime.storage import told

FORMAT = "medveil.bits/1"
HEADER = f"{json.dumps({'format': FORMAT})}\n".encode()


class BitsSpent(MedveilError):
    """A film that would tell more of a person than their budget has left."""


@dataclass(frozen=True)
class Entry:
    """One film: whose it is and which, both as keyed pseudonyms, and its bits."""

    person: str
    film: str
    bits: float

    def __post_init__(self) -> None:
        if not (self.bits >= 0 and self.person and self.film):
            raise SettingsError("an entry of the ledger needs a person, a film and no fewer than zero bits")


@dataclass
class BitLedger:
    """A ledger file, open. `most` is the budget of bits a person; None counts and refuses nothing."""

    path: Path
    most: float | None = None
    _films: dict[tuple[str, str], float] = field(default_factory=dict, init=False)
    _spent: dict[str, float] = field(default_factory=dict, init=False)
    _read: int = field(default=0, init=False)  # bytes of the file that are known

    def __post_init__(self) -> None:
        if self.most is not None and not self.most > 0:
            raise SettingsError("a budget of bits must be positive")
        with self._locked():
            self._follow()

    def spent(self, person: str) -> float:
        """Bits told of a person so far."""
        return self._spent.get(person, 0.0)

    def total(self) -> float:
        """The most that is told of anybody."""
        return max(self._spent.values(), default=0.0)

    def book(self, entries: Iterable[Entry]) -> None:
        """Enter films before they are made: all, or none and the reason; on return they are on disk.

        A film that is entered already costs nothing, or what it now has more bits than before.
        """
        with self._locked():
            self._follow()
            new: dict[tuple[str, str], float] = {}
            more: dict[str, float] = {}
            for entry in entries:
                name = (entry.person, entry.film)
                before = new.get(name, self._films.get(name, 0.0))
                if entry.bits > before or name not in self._films:
                    new[name] = max(entry.bits, before)
                    more[entry.person] = more.get(entry.person, 0.0) + new[name] - before
            self._refuse(more)
            lines = [json.dumps({"person": person, "film": film, "bits": bits}) for (person, film), bits in new.items()]
            if lines:
                self._add("".join(f"{line}\n" for line in lines).encode())
                self._follow()

    def _refuse(self, more: dict[str, float]) -> None:
        for person, bits in more.items():
            if self.most is not None and self.spent(person) + bits > self.most:
                raise BitsSpent(
                    f"a person's films would tell {self.spent(person) + bits:g} bits of them, over the budget of"
                    f" {self.most:g}; release fewer of their films, or codes of fewer bits"
                )

    def _add(self, lines: bytes) -> None:
        with told():
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                if not self._read:
                    os.ftruncate(descriptor, 0)  # at most the beginning of the first line, cut short
                    lines = HEADER + lines
                elif not self._whole():
                    lines = b"\n" + lines  # a kill cut the last line short: it stands alone, and counts for nothing
                while lines:
                    lines = lines[os.write(descriptor, lines) :]
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def _whole(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"

    def _follow(self) -> None:
        """Read what other processes have added since."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._read)
                content = file.read()
        except FileNotFoundError:
            if self._read:
                raise self._unreadable() from None
            return
        except OSError:
            raise self._unreadable() from None
        at = self._read
        for line in content.splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break  # cut short, or not wholly there yet
            self._take(line, first=at == 0)
            at += len(line)
        if at == 0 and not HEADER.startswith(content):
            raise self._unreadable()
        self._read = at

    def _take(self, line: bytes, *, first: bool) -> None:
        try:
            told = json.loads(line)
            if first:
                if told["format"] != FORMAT:
                    raise ValueError
                return
            entry = Entry(str(told["person"]), str(told["film"]), float(told["bits"]))
        except (ValueError, KeyError, TypeError, MedveilError):
            if not first and not line.strip().endswith(b"}"):
                return  # what a kill left of an entry; its film was never made
            raise self._unreadable() from None
        name = (entry.person, entry.film)
        before = self._films.get(name, 0.0)
        self._films[name] = max(before, entry.bits)
        self._spent[entry.person] = self.spent(entry.person) + self._films[name] - before

    def _unreadable(self) -> InputError:
        return InputError(
            f"{self.path} is not a readable ledger of bits; restore it from a copy, since without it bits do not add up"
        )

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with told():
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.with_name(f".{self.path.name}.lock"), wait=True):
            yield
