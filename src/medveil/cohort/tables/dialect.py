"""How a CSV file is written: encoding, delimiter, line ends, and the `sep=;` that some put before the header."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from medveil.cohort.tables.encodings import encoding_of

DELIMITERS = ",;\t|"
LONGEST_FIELD = 1 << 24
LONGEST_RECORD = 5000  # lines; a quote that is open for longer was never closed
BROKEN = "row with more or fewer fields than the table has columns"
OPEN_QUOTE = "row with a quote that is never closed"
_SEP = re.compile(r'^"?sep=(?P<delimiter>[^\r\n"])"?[\r\n]*$', re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """`mark` is the byte order mark, `first_line` a line `sep=;`: both are given back as they were."""

    encoding: str
    mark: bytes
    delimiter: str
    first_line: str
    line_end: str

    @classmethod
    def of(cls, source: BinaryIO) -> Dialect:
        """Read once to its end, for only that tells the encoding; then set back to its beginning.

        Raises Quarantined for what is not text.
        """
        like = encoding_of(source)
        text = io.TextIOWrapper(source, encoding=like.encoding, newline="")
        try:
            first, second = (*islice(text, 2), "", "")[:2]
        finally:
            text.detach()
        source.seek(len(like.mark))
        named = _SEP.match(first)
        header = second if named else first
        delimiter = named["delimiter"] if named else _likeliest(header)
        line_end = "\r\n" if header.endswith("\r\n") or first.endswith("\r\n") else "\n"
        return cls(like.encoding, like.mark, delimiter, first if named else "", line_end)

    def records(self, source: BinaryIO) -> Generator[list[str] | str, None, None]:
        """The fields of each record from the header on, or the reason why a record has none."""
        source.seek(len(self.mark))
        text = io.TextIOWrapper(source, encoding=self.encoding, newline="")
        limit = csv.field_size_limit(LONGEST_FIELD)
        try:
            if self.first_line:
                next(text)
            yield from _records(text, self.delimiter)
        finally:
            csv.field_size_limit(limit)
            text.detach()


def named_rows(
    records: Iterator[list[str] | str], width: int, *, first: int = 2
) -> Iterator[tuple[int, list[str] | str]]:
    """Each row with its number as a spreadsheet shows it, but blank ones; one of another width is a reason."""
    for number, fields in enumerate(records, start=first):
        if isinstance(fields, str) or len(fields) == width:
            yield number, fields
        elif any(fields):
            yield number, BROKEN


def _likeliest(header: str) -> str:
    """The delimiter that stands most often outside quotes; a comma where there is none."""
    bare = re.sub(r'"[^"]*"', "", header)
    return max(DELIMITERS, key=bare.count)


class _Lines:
    """Lines of a file, remembering those of the record in hand so that they can be read again."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._again: deque[str] = deque()
        self._taken: list[str] = []

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if len(self._taken) == LONGEST_RECORD:
            raise StopIteration  # to the reader, a quote still open at the end of the file
        line = self._again.popleft() if self._again else next(self._lines)
        self._taken.append(line)
        return line

    def begin(self) -> None:
        self._taken = []

    def give_up(self) -> None:
        """The first line of the record is lost, the others may be records of their own."""
        self._again.extendleft(reversed(self._taken[1:]))
        self._taken = []


def _records(text: Iterable[str], delimiter: str) -> Iterator[list[str] | str]:
    lines = _Lines(text)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.begin()
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            lines.give_up()
            reader = csv.reader(lines, delimiter=delimiter, strict=True)
            yield OPEN_QUOTE if "unexpected end" in str(error) else BROKEN
