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
    names = next((count for count in range(1, len(after["columns"])) if _unique(before, after, count)), None)
    if names is None:
        return None
    old, new = ({tuple(row[:names]): row[names:] for row in table["rows"]} for table in (before, after))
    joined: list[list[Any]] = []
    for name in [*new, *(name for name in old if name not in new)]:
        if old.get(name) == new.get(name):
            joined.append([*name, BOTH, *new[name]])
            continue
        joined += [[*name, when, *row[name]] for when, row in (("before", old), ("after", new)) if name in row]
    columns = after["columns"]
    return {**after, "columns": [*columns[:names], WHEN, *columns[names:]], "rows": joined}


def _unique(before: Table, after: Table, count: int) -> bool:
    """Whether so many of the first columns name a row, in both tables."""
    return all(len({tuple(row[:count]) for row in table["rows"]}) == len(table["rows"]) for table in (before, after))


def _titled(table: Table, when: str) -> Table:
    return {**table, "title": f"{table['title']}, {when}"}
