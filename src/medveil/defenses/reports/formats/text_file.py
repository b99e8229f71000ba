"""A report as a text file of its own. Placeholders of an earlier cleaning (`___`, `XXXX`) stay as they are."""

from __future__ import annotations

from collections.abc import Callable

from medveil.cohort.tables.encodings import decode, encode
from medveil.parts import Subject
from medveil.person.person import Person


def clean_text_file(data: bytes, clean: Callable[[Subject], Subject], person: Person) -> tuple[bytes, Subject]:
    """The bytes to release, the very same where nothing is found, and the subject cleaned; raises Quarantined."""
    decoded = decode(data)
    subject = clean(Subject(person, text=decoded.text))
    if subject.text == decoded.text:
        return data, subject
    return encode(subject.text or "", decoded), subject
