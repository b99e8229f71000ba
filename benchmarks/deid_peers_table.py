"""The figures of deid_peers.py as Markdown, and into a page of the documentation; a part of deid_peers.py."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
NAMES = {
    "medveil_headers": "medveil, headers alone",
    "medveil_deid": "medveil deid, everything",
    "medveil_text": "medveil, text alone",
    "medveil_text_known": "medveil, with the study's header",
    "medveil_image": "medveil",
    "presidio_text": "Presidio",
    "presidio_image": "Presidio image redactor",
    "presidio_image_alone": "the same, one process as it comes",
    "philter": "philter-lite",
    "dicognito": "dicognito",
    "dicom_anonymizer": "dicom-anonymizer",
}
TITLES = {
    "headers": "Headers of the phantom hospital",
    "reports": "Reports of the phantom hospital",
    "refilled": "Indiana's reports with invented identifiers put back in",
    "published": "Indiana's reports as published, which hold no identifiers",
    "clinical": "Sentences with eponyms, devices and measurements, without identifiers",
    "pixels": "Burned-in text of the phantom hospital",
    "real": "Text burned into real radiographs",
}
UNITS = {"headers": "files", "pixels": "images", "real": "images"}
PER_SECOND = ("a second", "processor ms")
# Columns that are no shares, and that the tables tell in their own way.
_APART = ("by class", "withheld", "texts", "files", "images", *PER_SECOND)


def markdown(results: dict[str, Any]) -> str:
    parts = [conditions(results)]
    for section, title in TITLES.items():
        if results.get(section):
            parts.append(f"### {title}\n\n{table(results[section], UNITS.get(section, 'texts'))}")
            if section in ("headers", "reports", "refilled"):
                parts.append(f"Share of the identifiers removed, by class:\n\n{classes(results[section])}")
    return "\n\n".join(parts) + "\n"


def conditions(results: dict[str, Any]) -> str:
    versions = "; ".join(sorted(set(results["versions"].values())))
    skipped = results["skipped"]
    told = f"Measured with {versions}. {results['conditions']}"
    return told + (f" Not installed, so not measured: {', '.join(skipped)}." if skipped else "")


def table(section: dict[str, Any], unit: str) -> str:
    shares = [name for name in dict.fromkeys(key for one in section.values() for key in one) if name not in _APART]
    shares = [name for name in shares if any(one.get(name) is not None for one in section.values())]
    head = ["", *shares, "withheld", f"{unit} a second", "processor ms each"]
    rows = [
        [
            NAMES[tool],
            *(cell(one.get(name)) for name in shares),
            f"{one['withheld']} of {one[unit]}",
            f"{one['a second']:,.2f}" if one["a second"] < 20 else f"{one['a second']:,.0f}",
            f"{one['processor ms']:,.1f}" if one["processor ms"] < 20 else f"{one['processor ms']:,.0f}",
        ]
        for tool, one in section.items()
    ]
    return _lines(head, rows)


def classes(section: dict[str, Any]) -> str:
    kinds = sorted({kind for one in section.values() for kind in one["by class"]})
    head = ["", "count", *(NAMES[tool] for tool in section)]
    rows = []
    for kind in kinds:
        found = [one["by class"].get(kind) for one in section.values()]
        count = max(one["n"] for one in found if one)
        rows.append([kind, f"{count:,}", *(cell(one, count=False) for one in found)])
    return _lines(head, rows)


def cell(figure: Any, *, count: bool = True) -> str:
    """A share as percent with its interval and count, or a plain number."""
    if figure is None:
        return "–"
    if not isinstance(figure, dict):
        return f"{figure:.2f}"
    low, high = (f"{100 * figure[name]:.1f}" for name in ("low", "high"))
    of = f" of {figure['n']:,}" if count else ""
    return f"{100 * figure['value']:.1f} %{of} ({low}–{high})"


def _lines(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def into(page: Path, text: str) -> None:
    """Between the two markers of the page."""
    before = page.read_text()
    after, count = re.subn(
        f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: f"{BEGIN}\n{text}{END}", before, flags=re.DOTALL
    )
    if count != 1:
        raise SystemExit(f"{page} needs the two markers {BEGIN} and {END}")
    page.write_text(after)
