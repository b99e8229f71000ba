"""Texts whose identifiers are known: invented ones that the network has not seen, phantoms, published reports without
any, and retired notes by hand."""

from __future__ import annotations

import re
import tarfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from medveil.person.identifiers import Category
from medveil.person.span import Span
from recipes.tagger.corpus.generator import document
from recipes.tagger.phantom_reports import phantom_reports
from recipes.tagger.training import FIRST_UNSEEN

STYLES = ("structured", "prose", "telegram", "letter")
_PHANTOMS = 7000  # the first seed; the network learnt from hospitals far below it
_INDIANA = 1700  # the reports after these are for measuring
_MARKED = re.compile(r"\{\{(\w+)\|(.*?)\}\}", re.DOTALL)


@dataclass(frozen=True)
class Text:
    """`share` is how much each of its proposals counts."""

    text: str
    found: tuple[Span, ...]
    source: str
    share: float


def texts(notes: list[Path], data: Path | None, *, invented: int, phantoms: int) -> Iterator[Text]:
    for number in range(FIRST_UNSEEN, FIRST_UNSEEN + invented):
        made = document(number)
        yield Text(made.text, made.found, "invented", 0.3)
    for row in phantom_reports(_PHANTOMS, _PHANTOMS + phantoms, STYLES):
        found = tuple(Span(start, end, Category(kind)) for start, end, kind in row["found"])  # type: ignore[attr-defined]
        yield Text(str(row["text"]), found, "phantoms", 0.1)
    for path in notes:
        yield from (Text(text, found, path.stem, 1.0) for text, found in read_notes(path.read_text("utf-8")))
    if data is not None:
        yield from (Text(text, (), "indiana", 3.0) for text in indiana(data / "iu_xray" / "NLMCXR_reports.tgz"))


def read_notes(marked: str) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """`{{KIND|text}}` marks an identifier, `===` parts two notes."""
    for note in marked.split("\n===\n"):
        text, found, place = "", [], 0
        for one in _MARKED.finditer(note):
            text += note[place : one.start()]
            found.append(Span(len(text), len(text) + len(one[2]), Category(one[1])))
            text += one[2]
            place = one.end()
        yield text + note[place:], tuple(found)


def indiana(archive: Path) -> Iterator[str]:
    """Findings and impressions as published, with identifiers crossed out."""
    with tarfile.open(archive) as tar:
        members = sorted((one for one in tar if one.name.endswith(".xml")), key=lambda one: one.name)
        for member in members[:_INDIANA]:
            file = tar.extractfile(member)
            assert file is not None
            parts = {part.get("Label"): part.text or "" for part in ET.parse(file).getroot().iter("AbstractText")}
            yield f"{parts.get('FINDINGS', '')} {parts.get('IMPRESSION', '')}".strip()
