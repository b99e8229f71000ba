"""Burned-in text, the one entrance: what is type and no clinical marker goes, in datasets and pictures alike."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from medveil.defenses.pixels.paint.generator_file import check_generator
from medveil.errors import SettingsError
from medveil.parts import Guarantee, Subject, register_defense
from medveil.person.keys import Keys
from medveil.person.search.known import search_for

if TYPE_CHECKING:
    from pydicom.dataset import FileDataset

    from medveil.defenses.pixels.removal import Removal, TextRemover

Fill = Literal["generator", "classical", "black"]
Faces = Literal["withhold", "keep"]
Markers = Literal["keep", "remove"]
REMOVED = "regions of text removed"
KEPT = "clinical markers kept"
KEPT_BY_REVIEW = "regions kept in review"
REMOVED_BY_REVIEW = "regions removed in review"
BLANKED = "frames blanked outside of the scan"
PLAIN = "holes left plain"  # too large for a filling that looks like tissue
WITHOUT_GENERATOR = "frames filled without the generator"
OVERLAYS = "attributes removed"  # as the headers' defense calls it: overlays are attributes


@register_defense
class RemovedText:
    """Paints over the strokes of what is type, looks again, and withholds what is doubtful or will not come clean."""

    name = "pixels"
    title = "Text burned into the image"
    place = "pixels"
    order = 10
    default = True
    guarantee = Guarantee(
        "measured",
        "The bundled detector proposes lines; what the evidence says is type, by its strokes, its surroundings, its "
        "place and two readers, loses its strokes, and the result is searched again. An image with something that may "
        "be type, or in which type is still seen, is withheld. On unseen phantom hospitals and on real radiographs "
        "written on for the purpose, the shares of words removed are on the detector's card, and what films without "
        "added text lose is measured too. Words read with certainty as side, view, position, exposure or time of a "
        "series stay. No pixel outside the mask changes.",
    )
    limits = (
        "What was measured is printed text; handwriting, and text fainter than about a fourteenth of the gray scale, "
        "may stay.",
        "A single letter standing alone stays; so do engravings, and initials in lead, that no reader can read.",
        "Faces are not altered but withheld: photographs by their header, pictures in which a face is found, thin "
        "slices of a head. A small profile, a face mostly covered, or a head that nothing calls one may be overlooked.",
        "With a detector or a reader of one's own, what was measured of the bundled ones does not hold.",
    )

    @dataclass(frozen=True)
    class Settings:
        """What removed text is painted over with; `generator` is a trained file, which then paints; whether images
        that may show a face are withheld, and whether clinical markers stay. `detector` and `reader` are functions of
        one's own, named as package.module:function (`medveil.defenses.pixels.engines`).
        """

        fill: Fill = "classical"
        generator: Path | None = None
        faces: Faces = "withhold"
        markers: Markers = "keep"
        detector: str | None = None
        reader: str | None = None

        def __post_init__(self) -> None:
            if self.fill not in get_args(Fill):
                raise SettingsError(f"removed text is filled by one of {', '.join(get_args(Fill))}")
            if self.generator is not None and self.fill == "black":
                raise SettingsError("a generator does not paint black; leave out fill=black, or the generator")
            if self.faces not in get_args(Faces):
                raise SettingsError(f"images that may show a face are treated as one of {', '.join(get_args(Faces))}")
            if self.markers not in get_args(Markers):
                raise SettingsError(f"clinical markers are treated as one of {', '.join(get_args(Markers))}")

    def __init__(self, keys: Keys, settings: Settings | None = None) -> None:
        self.settings = settings or self.Settings()
        self._keys = keys
        if self.settings.generator is not None:
            check_generator(self.settings.generator)

    @cached_property
    def _remover(self) -> TextRemover:
        from medveil.defenses.pixels.removal import TextRemover  # loads torch

        generator = self.settings.generator
        return TextRemover(
            fill=self.settings.fill if generator is None else "generator",
            generator=generator,
            keys=self._keys,
            faces=self.settings.faces,
            keep_markers=self.settings.markers == "keep",
        )

    @property
    def let_out(self) -> tuple[str, ...]:
        found = []
        if self.settings.faces == "keep":
            found.append(
                "images that show a face are released as they are, because faces=keep was set; a face names its owner."
            )
        own = " and ".join(name for name in ("detector", "reader") if getattr(self.settings, name))
        if own:
            found.append(f"text was sought with a {own} of one's own, of which nothing was measured.")
        return tuple(found)

    def check_models(self) -> None:
        """A detector and a reader of the user's are tried before anything is written."""
        with self._own_engines():
            pass

    def _own_engines(self) -> AbstractContextManager[None]:
        from medveil.defenses.pixels.engines import own_engines  # loads OpenCV

        return own_engines(self.settings.detector, self.settings.reader)

    def apply(self, subject: Subject) -> Subject:
        with self._own_engines():
            return self._apply(subject)

    def _apply(self, subject: Subject) -> Subject:
        known = search_for(subject.person.known) if subject.person.known else None
        removals: list[Removal] = []
        if subject.dataset is not None:
            if "PixelData" in subject.dataset:
                overlays = _overlays(subject.dataset)
                removals = self._remover.clean_dataset(subject.dataset, known, subject.choices)
                if overlays:
                    subject.note(OVERLAYS, overlays)
        elif subject.picture is not None:
            chosen = subject.choices.get(0)
            if subject.header is not None:
                cleaned = self._remover.clean_displayed(subject.picture, known, chosen, subject.header)
            elif subject.picture.ndim == 2:
                cleaned = self._remover.clean_image(subject.picture, known, chosen)
            else:
                cleaned = self._remover.clean_colours(subject.picture, known, chosen)
            subject.picture, removals = cleaned[0], [cleaned[1]]
        for removal in removals:
            subject.masked.append(min(100.0, removal.mask_pct + removal.blanked_pct))
            subject.painted.append(removal.boxes)
            subject.doubtful.append(removal.doubtful)
            if removal.blanked_pct:
                subject.note(BLANKED)
            if removal.boxes:
                subject.note(REMOVED, len(removal.boxes))
            if removal.kept:
                subject.note(KEPT, len(removal.kept))
            if removal.plain:
                subject.note(PLAIN, removal.plain)
            if removal.without_generator:
                subject.note(WITHOUT_GENERATOR)
        for chosen in subject.choices.values():
            if chosen.keep:
                subject.note(KEPT_BY_REVIEW, len(chosen.keep))
            if chosen.remove:
                subject.note(REMOVED_BY_REVIEW, len(chosen.remove))
        return subject


def _overlays(dataset: FileDataset) -> int:
    """Overlays go with the burned-in text: they are drawn over the image."""
    return sum(int(tag) >> 24 == 0x60 and tag.element != 0 for tag in list(dataset.keys()))
