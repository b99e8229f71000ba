"""PS3.15 Table E.1-1 as data: what the Basic Profile and each option do with an attribute.

`attributes.csv` holds one row an attribute: its tag (x stands for any digit), its keyword, the action of the
Basic Profile and, under the code of each option, the action that option puts in its place. `beyond.csv`, in the same
form, holds attributes that identify although the table does not list them, most of them of worklists and orders.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from medveil.defenses.headers.options import BASIC_CODE, BY_CODE, Option

EDITION = "2026d"
PRIVATE = "odd group"


@dataclass(frozen=True)
class Row:
    tag: str
    keyword: str
    basic: str
    options: dict[Option, str]


@dataclass(frozen=True)
class Table:
    """Every row, found by tag in constant time."""

    rows: tuple[Row, ...]
    single: dict[int, Row]
    repeating: dict[tuple[int, int | None], Row]
    private: Row
    beyond: dict[int, Row]

    def find(self, tag: int) -> Row | None:
        """The row of a tag; curves and overlays repeat over even groups, private attributes have odd ones."""
        if tag >> 16 & 1:
            return self.private
        row = self.single.get(tag)
        if row is None and tag >> 24 in (0x50, 0x60):
            family = tag >> 24
            row = self.repeating.get((family, tag & 0xFFFF)) or self.repeating.get((family, None))
        return row or self.beyond.get(tag)


def read_csv(name: str) -> list[dict[str, str]]:
    """One of the data files beside this module."""
    text = files("medveil.defenses.headers").joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@cache
def table() -> Table:
    rows = tuple(_row(entry) for entry in read_csv("attributes.csv"))
    single = {int(_digits(row), 16): row for row in rows if row.tag != PRIVATE and "x" not in row.tag}
    repeating = {_family(row): row for row in rows if "x" in row.tag}
    private = next(row for row in rows if row.tag == PRIVATE)
    beyond = {int(_digits(row), 16): row for row in map(_row, read_csv("beyond.csv"))}
    return Table(rows, single, repeating, private, beyond)


def _row(entry: dict[str, str]) -> Row:
    options = {BY_CODE[code]: entry[code] for code in entry if code in BY_CODE and entry[code]}
    return Row(entry["tag"], entry["keyword"], entry[BASIC_CODE], options)


def _digits(row: Row) -> str:
    return row.tag.strip("()").replace(",", "")


def _family(row: Row) -> tuple[int, int | None]:
    digits = _digits(row)
    return int(digits[:2], 16), None if digits[4:] == "xxxx" else int(digits[4:], 16)
