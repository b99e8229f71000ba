"""Whether an attribute must be there: its type (1, 1C, 2, 2C or 3) in the object it stands in, by PS3.3.

`required.csv` holds the types that decide what a compound action such as X/Z/D comes to. Inside a sequence the
strictest type any module gives the attribute there counts; at the top, the strictest in the modules of the SOP class.
"""

from __future__ import annotations

from functools import cache

from medveil.defenses.headers.table import read_csv

OPTIONAL = "3"
_ORDER = ("1", "1C", "2", "2C", OPTIONAL)
_STORAGE = "1.2.840.10008.5.1.4.1.1."
_ANY = "*"


def type_of(keyword: str, *, within: str, sop_class: str) -> str:
    """The type of an attribute in the sequence `within`, or at the top where that is empty.

    Of a SOP class that is not known the strictest type in any class is taken: its consequence is valid everywhere.
    """
    nested, everywhere, by_class, classes = _types()
    if within:
        return nested.get((within, keyword), OPTIONAL)
    if keyword in everywhere:
        return everywhere[keyword]
    types = by_class.get(keyword, {})
    if sop_class in classes:
        return types.get(sop_class, OPTIONAL)
    return min(types.values(), key=_ORDER.index, default=OPTIONAL)


@cache
def _types() -> tuple[dict[tuple[str, str], str], dict[str, str], dict[str, dict[str, str]], frozenset[str]]:
    nested: dict[tuple[str, str], str] = {}
    everywhere: dict[str, str] = {}
    by_class: dict[str, dict[str, str]] = {}
    for row in read_csv("required.csv"):
        keyword, kind = row["keyword"], row["type"]
        if row["sequence"]:
            nested[row["sequence"], keyword] = kind
        elif not row["sop_classes"]:
            everywhere[keyword] = kind
        else:
            by_class.setdefault(keyword, {}).update({_uid(short): kind for short in row["sop_classes"].split()})
    return nested, everywhere, by_class, frozenset(by_class.pop(_ANY))


def _uid(short: str) -> str:
    return short if short.startswith("1.2.840.10008.") else _STORAGE + short
