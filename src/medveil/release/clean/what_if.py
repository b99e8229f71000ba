"""What would be done to each header, with nothing written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from medveil.cohort.dicom.opening import open_dicom
from medveil.cohort.input import Kind, read_source
from medveil.defenses.headers.cleaner import Done
from medveil.errors import Quarantined
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.dicom_file import refuse_strange
from medveil.release.clean.groups import grouped
from medveil.release.clean.run import without_repeats
from medveil.release.clean.settings import DeidSettings
from medveil.release.clean.tools import Tools, tools_for


def what_if(source: Path, *, keys: Keys, settings: DeidSettings) -> Iterator[tuple[str, list[Done] | str]]:
    """For each DICOM file, by pseudonym: every action on its header, or the reason why it would be withheld.

    What only shows when pixels and reports are cleaned, or the result is searched, is not foreseen.
    """
    keys = replace(keys, moves_dates=settings.header_profile.moves_dates)
    files = read_source(source, workers=1)
    tools = tools_for(settings)
    groups, repeats = without_repeats(grouped(files.files, keys), keys)
    for group in groups:
        person = group.person(keys, files.root)
        for one in group.files:
            if one.kind is Kind.DICOM:
                yield keys.pseudonym("file", one.path), _done(files.root / one.path, person, tools)
    for problem in (*files.problems, *repeats):
        yield keys.pseudonym("file", problem.path), problem.reason


def _done(path: Path, person: Person, tools: Tools) -> list[Done] | str:
    try:
        dataset = open_dicom(path, pixels=True)
        refuse_strange(dataset)
        headers = tools.structured if "ContentSequence" in dataset else tools.headers
        return headers.what_if(dataset, person, pixels_cleaned=False)  # overlays go where burned-in text goes
    except Quarantined as withheld:
        return withheld.reason
