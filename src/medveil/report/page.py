"""The report as JSON and as one HTML file: everything inside it, nothing fetched, complete without JavaScript."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from medveil.report import glossary, wording
from medveil.report.advice import Trial
from medveil.report.content import ReportContent
from medveil.report.figures import figures
from medveil.report.row_plot import comparison_plot
from medveil.report.tables import tables
from medveil.runtime import storage

JSON_NAME = "report.json"
HTML_NAME = "report.html"
_LONGEST_SETTING, _SHOWN = 400, 60  # characters of a setting on the page; report.json has all of it
Document = Literal["report", "deid", "verify", "manifest"]


def write_report(content: ReportContent, folder: Path) -> Path:
    """Write report.json and report.html into `folder`, each whole or not at all; returns the page's path."""
    return write_document(content.to_json(), folder)


def write_document(document: dict[str, Any], folder: Path) -> Path:
    """The same of a document as `ReportContent.to_json` makes it."""
    page = render(document)
    storage.write_json(Path(folder) / JSON_NAME, document)
    storage.write_bytes(Path(folder) / HTML_NAME, page.encode())
    return Path(folder) / HTML_NAME


def schema(name: Document = "report") -> dict[str, Any]:
    """The published JSON Schema of report.json, or of what `medveil deid` and `medveil verify` write."""
    text = (
        files("medveil.report").joinpath(f"{name}-{2 if name == 'deid' else 1}.schema.json").read_text(encoding="utf-8")
    )
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def render(document: dict[str, Any]) -> str:
    """The page of a report document, as `ReportContent.to_json` makes it and `report.json` holds it."""
    environment = _environment()
    style = environment.get_template("style.css").render()
    script = environment.get_template("script.js").render()
    comparisons = document["comparisons"]
    findings = [comparison[when] for comparison in comparisons for when in ("before", "after") if comparison[when]]
    terms = glossary.merged(finding["glossary"] for finding in findings)
    return environment.get_template("report.html").render(
        document=document,
        attacks=[comparison for comparison in comparisons if comparison["kind"] == "attack"],
        measures=[comparison for comparison in comparisons if comparison["kind"] == "measure"],
        limits_by_part=_limits(document),
        terms=terms,
        link=glossary.Linker(terms),
        style=Markup(style),  # noqa: S704 - both come with the package and hold no content
        script=Markup(script),  # noqa: S704
        policy=policy(style, script),
    )


def templates() -> Environment:
    """The package's templates, strict and escaped."""
    return Environment(
        loader=PackageLoader("medveil.report", "template"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _environment() -> Environment:
    environment = templates()
    environment.globals |= {"w": wording, "figures": figures, "tables": tables, "comparison_plot": comparison_plot}
    environment.filters |= {"named": _named, "slug": _slug, "flat": _flat, "by_count": _by_count}
    environment.filters |= {"held": _held, "numeric": _numeric, "dated": _dated}
    environment.filters |= {"protecting": _protecting, "together": _together, "trials": _trials}
    environment.filters |= {"clipped": _clipped, "ends": wording.ends, "called": _called}
    return environment


def _limits(document: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """What each defense, attack and measure says it cannot do."""
    by_part = [(removal["title"], removal["limits"]) for removal in document["removals"]]
    by_part += [(_named(each["part"]), each["after"]["limits"]) for each in document["comparisons"]]
    return [(title, limits) for title, limits in by_part if limits]


def policy(style: str, script: str) -> str:
    """Only this very style and script may act; nothing may be loaded, framed, sent or based elsewhere."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src '{_hash(style)}'",
            f"script-src '{_hash(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _named(part: str) -> str:
    """`pixel-similarity` as a title: `Pixel similarity`."""
    words = {"vqa": "visual question answering"}.get(part, part).replace("-", " ").replace("_", " ")
    return words[:1].upper() + words[1:]


def _dated(created: str) -> str:
    """An ISO time to the minute; anything else as it is."""
    try:
        time = datetime.fromisoformat(created)
    except ValueError:
        return created
    time = time.astimezone(UTC) if time.tzinfo else time
    return f"{time:%Y-%m-%d, %H:%M} UTC"


def _held(text: str) -> Markup:
    """An estimate whose ends are not torn apart at the end of a line."""
    value, bracket, rest = text.partition(" (")
    return Markup('{} <span class="held">({}</span>').format(value, rest) if bracket else escape(text)


def _called(comparisons: list[dict[str, Any]]) -> str:
    """What the ends of their results are: bounds, or intervals."""
    return wording.called(*(each["after"]["estimates"][each["after"]["headline"]] for each in comparisons))


def _together(remedies: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Reasons that the same would change, as one, in the order of the first of each."""
    joined: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for remedy in remedies:
        joined.setdefault((remedy["change"], remedy["cost"], remedy["command"]), []).append(remedy)
    return [
        {
            "about": _named(", ".join(each["about"].lower() for each in same)),
            "reasons": [each["reason"] for each in same],
            **dict(zip(("change", "cost", "command"), way, strict=True)),
        }
        for way, same in joined.items()
    ]


def _protecting(remedies: list[dict[str, str]]) -> bool:
    """Whether any of them could be tried on a sample."""
    return any(" --protect " in remedy["command"] for remedy in remedies)


def _trials(advice: dict[str, Any]) -> list[Trial]:
    return [Trial.of_json(told) for told in advice["trials"]]


def _clipped(text: str, most: int) -> str:
    """A text that fits a line or two; the annex has the whole of it."""
    if len(text) <= most:
        return text
    return text[:most].rsplit(" ", 1)[0].rstrip(" ,;:.") + "…"


def _numeric(table: dict[str, Any]) -> list[bool]:
    """Which columns hold nothing but numbers."""
    columns = zip(*table["rows"], strict=True) if table["rows"] else [("",) for _ in table["columns"]]
    return [all(not isinstance(value, str) for value in column) for column in columns]


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")


def _flat(settings: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """Nested settings as `section.key` lines."""
    lines: dict[str, str] = {}
    for name, value in settings.items():
        if isinstance(value, dict) and value:
            lines |= _flat(value, f"{prefix}{name}.")
        else:
            lines[prefix + name] = _setting(value)
    return lines


def _setting(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_setting(item) for item in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = "none" if value in (None, "", {}) else str(value)
    return text if len(text) <= _LONGEST_SETTING else f"{text[:_SHOWN]}… ({len(text):,} characters, in report.json)"


def _by_count(counts: dict[str, int]) -> list[tuple[str, int]]:
    """The most frequent first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
