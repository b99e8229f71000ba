"""Reports in fields of JSON lines, one object a line; a column `study.report` is the field of an inner object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from medveil.defenses.reports.formats.columns import (
    BATCH,
    CleanMany,
    Columns,
    PersonOf,
    RowsCleaned,
    clean_rows,
    order_in_table,
)
from medveil.errors import Quarantined

BROKEN = "line that is no JSON object"
NOT_TEXT = "report field that is not text"


def clean_jsonl(
    source: BinaryIO, out: BinaryIO, columns: Columns, clean: CleanMany, person_of: PersonOf
) -> RowsCleaned:
    """Only the named fields are written; a line that cannot be read or cleaned is left out and told by its number."""
    outcome = RowsCleaned()
    outcome.date_order = order_in_table(_readable(source, columns), columns)
    source.seek(0)
    seen: set[str] = set()
    lines = ((number, line) for number, line in enumerate(source, start=1) if line.strip())
    while batch := list(islice(lines, BATCH)):
        rows = list(_flat(batch, columns, outcome, seen))
        for row in clean_rows(rows, columns, clean, person_of, outcome):
            if row is not None:
                out.write(json.dumps(_nested(row), ensure_ascii=False).encode() + b"\n")
    outcome.left_out = tuple(sorted(seen - set(columns.named)))
    return outcome


def _readable(source: BinaryIO, columns: Columns) -> Iterator[dict[str, str]]:
    """A first look at the lines, whatever may be wrong with them."""
    numbered = ((number, line) for number, line in enumerate(source, start=1) if line.strip())
    for one in numbered:
        yield from (row for _, row in _flat([one], columns, RowsCleaned(), set()))


def _flat(
    lines: list[tuple[int, bytes]], columns: Columns, outcome: RowsCleaned, seen: set[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    for number, line in lines:
        try:
            row = {name: _text(value) for name, value in _leaves(_object(line))}
            if any(row.get(column, "") is None for column in columns.named) or _opens(row, columns):
                raise Quarantined(NOT_TEXT)
        except Quarantined as reason:
            outcome.withhold(number, reason.reason)
            continue
        seen.update(row)
        yield number, {name: value for name, value in row.items() if value is not None}


def _opens(row: dict[str, str | None], columns: Columns) -> bool:
    """Whether a column that should be text is an object in this line, whose inner fields would be left out."""
    return any(name.startswith(f"{column}.") for column in columns.named if column not in row for name in row)


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Quarantined(BROKEN)
    return value


def _leaves(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Inner objects by dotted names."""
    waiting = [("", value)]
    while waiting:
        path, inner = waiting.pop()
        for name, leaf in inner.items():
            if isinstance(leaf, dict):
                waiting.append((f"{path}{name}.", leaf))
            else:
                yield f"{path}{name}", leaf


def _text(leaf: Any) -> str | None:
    """Numbers as they are written; lists and the like cannot be cleaned as text."""
    if leaf is None:
        return ""
    if isinstance(leaf, str):
        return leaf
    return str(leaf) if isinstance(leaf, int | float) else None


def _nested(row: dict[str, str]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in row.items():
        *path, last = name.split(".")
        inner = result
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return result
