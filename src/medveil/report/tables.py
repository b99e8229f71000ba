"""The tables of a comparison: before and after in one where their rows have the same names."""

from __future__ import annotations

from typing import Any

Table = dict[str, Any]
WHEN, BOTH = "when", "before and after"


def tables(comparison: dict[str, Any]) -> list[Table]:
    """Every table of the comparison, those before and after of one title together."""
    before = {table["title"]: table for table in (comparison["before"] or {"tables": []})["tables"]}
    shown: list[Table] = []
    for table in comparison["after"]["tables"]:
        earlier = before.pop(table["title"], None)
        if earlier is None or earlier == table:
            shown.append(table)
        elif together := _together(earlier, table):
            shown.append(together)
        else:
            shown += [_titled(earlier, "before"), _titled(table, "after")]
    return shown + [_titled(table, "before") for table in before.values()]


def _together(before: Table, after: Table) -> Table | None:
    """Each row before and after one below the other; one that did not change, once."""
    if before["columns"] != after["columns"]:
        return None
    names = _names(before, after)
    rows = [{tuple(row[:names]): row[names:] for row in table["rows"]} for table in (before, after)]
    if any(len(named) < len(table["rows"]) for named, table in zip(rows, (before, after), strict=True)):
        return None  # names that are not their own
    old, new = rows
    joined: list[list[Any]] = []
    for name in [*new, *(name for name in old if name not in new)]:
        if old.get(name) == new.get(name):
            joined.append([*name, BOTH, *new[name]])
            continue
        joined += [[*name, when, *row[name]] for when, row in (("before", old), ("after", new)) if name in row]
    columns = after["columns"]
    return {**after, "columns": [*columns[:names], WHEN, *columns[names:]], "rows": joined}


def _names(before: Table, after: Table) -> int:
    """How many of the first columns name a row: those that hold nothing but words, and the first in any case."""
    rows = [*before["rows"], *after["rows"]]
    wordy = [all(isinstance(row[at], str) for row in rows) for at in range(len(after["columns"]))]
    return max(1, next((at for at, held in enumerate(wordy) if not held), 1))


def _titled(table: Table, when: str) -> Table:
    return {**table, "title": f"{table['title']}, {when}"}
