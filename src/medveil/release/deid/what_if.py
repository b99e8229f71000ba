"""What would be done to each header, with nothing written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from medveil.cohort.dicom.opening import open_dicom
from medveil.defenses.headers.engine import Done
from medveil.defenses.keys import Keys
from medveil.errors import Quarantined
from medveil.release.deid.groups import grouped
from medveil.release.deid.people import gathered
from medveil.release.deid.run import look_over
from medveil.release.deid.settings import DeidSettings
from medveil.release.deid.sources import Kind, Source
from medveil.release.deid.tools import tools_for


def what_if(source: Path, *, keys: Keys, settings: DeidSettings) -> Iterator[tuple[str, list[Done] | str]]:
    """For each DICOM file, by pseudonym: every action on its header, or the reason why it would be withheld."""
    files = Source.of(source)
    index = look_over(files, workers=1, progress=lambda stage, done, total: None)
    tools = tools_for(settings)
    for group in grouped(index.linked, keys):
        dicom = [one.entry.file for one in group.files if one.entry.kind is Kind.DICOM]
        person = gathered(keys, files.root, group.patient, dicom, dicom)
        for file in dicom:
            name = keys.pseudonym("file", file)
            try:
                dataset = open_dicom(files.root / file, pixels=False)
                headers = tools.structured if "ContentSequence" in dataset else tools.headers
                yield name, headers.what_if(dataset, person)
            except Quarantined as withheld:
                yield name, withheld.reason
    for file, reason in (*files.problems, *index.problems):
        yield keys.pseudonym("file", file), reason
