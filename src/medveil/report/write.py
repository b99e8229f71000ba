"""Writing a report: the JSON first, then the page made from it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from medveil.report.content import ReportContent
from medveil.report.page import render
from medveil.runtime import storage

JSON_NAME = "report.json"
HTML_NAME = "report.html"
Document = Literal["report", "deid", "verify", "manifest"]


def write_report(content: ReportContent, folder: Path) -> Path:
    """Write report.json and report.html into `folder`, each whole or not at all; returns the page's path."""
    document = content.to_json()
    page = render(document)
    storage.write_json(Path(folder) / JSON_NAME, document)
    storage.write_bytes(Path(folder) / HTML_NAME, page.encode())
    return Path(folder) / HTML_NAME


def schema(name: Document = "report") -> dict[str, Any]:
    """The published JSON Schema of report.json, or of what `medveil deid` and `medveil verify` write."""
    text = files("medveil.report").joinpath(f"{name}-1.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
