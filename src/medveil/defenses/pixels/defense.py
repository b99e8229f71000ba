"""Burned-in text, as a defense of a release: everything but clinical markers is painted over."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from medveil.parts import Guarantee, Record, register_defense
from medveil.person.keys import Keys
from medveil.person.search.known import KnownSearch

if TYPE_CHECKING:
    from medveil.defenses.pixels.removal import TextRemover


@register_defense
class RemovedText:
    """Paints over every line of text, looks again, and quarantines what will not come clean."""

    name = "remove-text"
    title = "Text burned into the image"
    covers = ("pixels",)
    order = 30
    guarantee = Guarantee(
        "measured",
        "Every line of text that the bundled detector finds is painted over and the result is searched again; an "
        "image in which text is still seen is withheld. On unseen phantom hospitals and on real radiographs written "
        "on for the purpose, at least 99.5 % of words of 12 pixels and more were removed (see the detector's card). "
        "Only words read with certainty as side, view, position or exposure stay. No pixel outside the mask changes.",
    )
    limits = (
        "What was measured is printed text; handwriting, and text fainter than about a fourteenth of the gray scale, "
        "may stay.",
        "Single letters standing alone stay where the detector takes them for side markers.",
    )

    def __init__(self, keys: Keys) -> None: ...

    @cached_property
    def _remover(self) -> TextRemover:
        from medveil.defenses.pixels.removal import TextRemover  # loads torch

        return TextRemover()

    def apply(self, record: Record) -> Record:
        known = KnownSearch(record.person.known) if record.person.known else None
        record.image, removal = self._remover.clean_image(record.image, known)
        if removal.boxes:
            record.note("regions of text removed", len(removal.boxes))
        if removal.kept:
            record.note("clinical markers kept", len(removal.kept))
        return record
