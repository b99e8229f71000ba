"""Headers, the one entrance: a DICOM file's attributes by the profile; of a picture's file, nothing comes along."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from medveil.defenses.headers.options import NOT_DONE, RETAINING, Option
from medveil.parts import Defense, Guarantee, Subject, register_defense
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Person

if TYPE_CHECKING:
    from pydicom.dataset import FileDataset

    from medveil.defenses.headers.cleaner import Done, HeaderCleaner

LONGEST_PHRASE = 120  # characters; more, or a second line, is read as a report
ACTIONS = {
    "X": "attributes removed",
    "Z": "attributes emptied",
    "D": "attributes given a dummy value",
    "U": "UIDs replaced",
    "C": "attributes cleaned",
    "K": "attributes kept",
}


_OF_REPORTS = ("reports cleaned", "reports found free of identifiers")


def found_in_headers(category: Category) -> str:
    return f"{category.spoken} found in headers"


def replaced_in_descriptions(category: Category) -> str:
    return f"{category.spoken} replaced in descriptions"


class CleansText(Protocol):
    """Whatever takes identifiers out of a subject's text."""

    def apply(self, subject: Subject) -> Subject: ...


class FreeText:
    """Free text inside one DICOM file, from a study's description to the content of a structured report.

    `done` counts what was replaced, by phrases like those for reports.
    """

    def __init__(self, reports: CleansText) -> None:
        self._reports = reports
        self.done: Counter[str] = Counter()

    def __call__(self, text: str, person: Person) -> str:
        whole = len(text) > LONGEST_PHRASE or "\n" in text.strip()
        cleaned = self._reports.apply(Subject(person, text=text, phrase=not whole))
        for notes in cleaned.done.values():
            self.done.update(
                {_in_descriptions(what): count for what, count in notes.items() if what not in _OF_REPORTS}
            )
        return cleaned.text or ""


def _in_descriptions(what: str) -> str:
    return re.sub(" in reports$", " in descriptions", what)


@register_defense
class CleanHeaders:
    """Cleans every attribute of a dataset by the standard's table and the profile.

    Pictures are written anew from their pixel values, so nothing of their headers can come along.
    """

    name = "headers"
    title = "File headers"
    place = "headers"
    order = 40  # after the pixels: what shows them as they are meant stands in the header
    default = True
    guarantee = Guarantee(
        "by construction",
        "Each released PNG file is made of pixel values alone: DICOM attributes, private tags, overlays, EXIF and "
        "comments of the source file are not read into it. In a released DICOM file every attribute, at any depth, is "
        "removed, emptied, replaced or cleaned as PS3.15 Annex E and the profile say.",
    )
    limits = (
        "With images as PNG, technical attributes that researchers may want (exposure, pixel spacing) are lost with "
        "the rest.",
    )

    @dataclass(frozen=True)
    class Settings:
        """`profile` is a file in the standard's words; `realistic` gives a surrogate name instead of a pseudonym."""

        profile: Path | None = None
        realistic: bool = True

    def __init__(self, keys: Keys, settings: Settings | None = None) -> None:
        from medveil.defenses.headers.profile import Profile

        self.settings = settings or self.Settings()
        path = self.settings.profile
        self.profile = Profile.default() if path is None else Profile.read(path)
        self._reports: CleansText | None = None

    def meet(self, others: Sequence[Defense]) -> None:
        """Free text goes to the defense of reports; without one it is not cleaned but removed."""
        self._reports = next((cast(CleansText, other) for other in others if other.place == "reports"), None)
        if self._reports is None:
            self.profile = replace(self.profile, options=self.profile.options - {Option.CLEAN_DESCRIPTORS})

    def told(self) -> dict[str, object]:
        """For the record of a run: what the profile said, which may say something else the next time."""
        return {"profile": self.profile.told(), "realistic": self.settings.realistic}

    @property
    def let_out(self) -> tuple[str, ...]:
        """What the profile retains beyond the usual one."""
        from medveil.defenses.headers.profile import Profile

        usual = Profile.default()
        retained = sorted(one.meaning for one in self.profile.options - usual.options if one in RETAINING)
        more = [f"the profile asks for the {meaning}, and no attack looks at what that keeps." for meaning in retained]
        if self.profile.weakened:
            more.append("the profile has exceptions of its own, and no attack looks at what they keep.")
        return tuple(more)

    @property
    def options_done(self) -> list[str]:
        return sorted(option.meaning for option in self.profile.options - NOT_DONE)

    def apply(self, subject: Subject) -> Subject:
        if subject.dataset is not None:
            self._clean(subject, subject.dataset)
        elif subject.picture is not None:
            subject.note("images rewritten without their headers")
        return subject

    def _clean(self, subject: Subject, dataset: FileDataset) -> None:
        from medveil.defenses.headers.known_in_header import known_in

        text = FreeText(self._reports) if self._reports is not None else None
        for category, count in Counter(known.category for known in known_in(dataset)).items():
            subject.note(found_in_headers(category), count)
        pixels_cleaned = "PixelData" in dataset and "pixels" in subject.places
        for one in self._cleaner(dataset, text).clean(dataset, subject.person, pixels_cleaned=pixels_cleaned):
            subject.note(ACTIONS[one.action])
        for what, count in text.done.items() if text else ():
            subject.note(what, count)

    def what_if(self, subject: Subject) -> list[Done]:
        """What would be done to the dataset's header, with nothing changed."""
        dataset = cast("FileDataset", subject.dataset)
        text = FreeText(self._reports) if self._reports is not None else None
        # overlays go where burned-in text goes
        return self._cleaner(dataset, text).what_if(dataset, subject.person, pixels_cleaned=False)

    def _cleaner(self, dataset: FileDataset, text: FreeText | None) -> HeaderCleaner:
        """Of structured reports the content is the report, which is cleaned whatever the profile says."""
        from medveil.defenses.headers.cleaner import HeaderCleaner

        profile = self.profile
        if text is not None and "ContentSequence" in dataset:
            profile = replace(profile, options=profile.options | {Option.CLEAN_STRUCTURED})
        return HeaderCleaner(profile, clean_text=text or _nothing, realistic=self.settings.realistic)


def _nothing(text: str, person: Person) -> str:
    """Where no defense cleans texts, none of a text is kept."""
    return ""
