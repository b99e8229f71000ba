"""A report as a text file of its own. Placeholders of an earlier cleaning (`___`, `XXXX`) stay as they are."""

from __future__ import annotations

from dataclasses import dataclass

from medveil.cohort.tables.encodings import decode, encode
from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.person.person import Person
from medveil.person.span import Span


@dataclass(frozen=True)
class CleanedFile:
    """The bytes to release, and what was found at which characters of the original."""

    data: bytes
    found: tuple[Span, ...]
    not_rewritten: bool = False


def clean_text_file(data: bytes, cleaner: ReportCleaner, person: Person) -> CleanedFile:
    """The very same bytes where nothing is found; raises Quarantined."""
    decoded = decode(data)
    cleaned = cleaner.clean(decoded.text, person)
    if cleaned.text == decoded.text:
        return CleanedFile(data, cleaned.found)
    return CleanedFile(encode(cleaned.text, decoded), cleaned.found, cleaned.not_rewritten)
