"""Texts whose identifiers are known: invented ones that the network has not seen, phantoms, published reports without
any, and retired notes by hand."""

from __future__ import annotations

import json
import tarfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from medveil.person.identifiers import Category
from medveil.person.span import Span
from recipes.tagger.corpus.generator import document
from recipes.tagger.phantom_reports import phantom_reports
from recipes.tagger.retired_notes import Part, teaching_notes
from recipes.tagger.training import FIRST_UNSEEN

STYLES = ("structured", "prose", "telegram", "letter")
_PHANTOMS = 7000  # the first seed; the network learnt from hospitals far below it
SHARES = {Part.OLD: 0.3, Part.NEW: 0.5, Part.APART: 1.0}
_INDIANA = 1700  # the reports after these are for measuring


@dataclass(frozen=True)
class Text:
    """`share` is how much each of its proposals counts; `part` which of the notes it is one of."""

    text: str
    found: tuple[Span, ...]
    source: str
    share: float
    part: Part = Part.OLD


def texts(data: Path, *, invented: int, phantoms: int) -> Iterator[Text]:
    """Notes that the network learnt from count for less than the newest, read by networks that never met them."""
    for number in range(FIRST_UNSEEN, FIRST_UNSEEN + invented):
        made = document(number)
        yield Text(made.text, made.found, "invented", 0.1)
    for row in phantom_reports(_PHANTOMS, _PHANTOMS + phantoms, STYLES):
        found = tuple(Span(start, end, Category(kind)) for start, end, kind in row["found"])  # type: ignore[attr-defined]
        yield Text(str(row["text"]), found, "phantoms", 0.1)
    for name, part, note in teaching_notes():
        by = {Part.OLD: "", Part.NEW: ", by the tagger before", Part.APART: ", by a tagger that never met them"}[part]
        yield Text(note.text, note.found, name + by, SHARES[part], part)
    for text in indiana(data / "iu_xray" / "NLMCXR_reports.tgz"):
        yield Text(text, (), "Indiana as published", 20.0)
    for row in json.loads((data / "vqa_rad" / "questions.json").read_text("utf-8")):
        if row["split"] == "train":
            yield Text(row["question"], (), "questions", 20.0)


def indiana(archive: Path) -> Iterator[str]:
    """Findings and impressions as published, with identifiers crossed out."""
    with tarfile.open(archive) as tar:
        members = sorted((one for one in tar if one.name.endswith(".xml")), key=lambda one: one.name)
        for member in members[:_INDIANA]:
            file = tar.extractfile(member)
            assert file is not None
            parts = {part.get("Label"): part.text or "" for part in ET.parse(file).getroot().iter("AbstractText")}
            yield f"{parts.get('FINDINGS', '')} {parts.get('IMPRESSION', '')}".strip()
