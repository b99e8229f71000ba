"""Headers: every image is written anew from its pixel values, so no header attribute can come along."""

from __future__ import annotations

from medveil.parts import Guarantee, Record, register_defense
from medveil.person.keys import Keys


@register_defense
class NoHeaders:
    """Keeps the pixels as displayed and nothing else of the file."""

    name = "headers"
    title = "File headers"
    covers = ("headers",)
    order = 0
    guarantee = Guarantee(
        "formal",
        "Each released image is a new PNG file made of pixel values alone; DICOM attributes, private tags, overlays, "
        "EXIF and comments of the source file are not read into it.",
    )
    limits = ("Technical attributes that researchers may want (exposure, pixel spacing) are lost with the rest.",)

    def __init__(self, keys: Keys) -> None: ...

    def apply(self, record: Record) -> Record:
        record.note("images rewritten without their headers")
        return record
