"""What would be done to each header, with nothing written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from medveil.cohort.dicom.opening import open_dicom
from medveil.cohort.input import InputOptions, Kind, read_source
from medveil.defenses.headers.cleaner import Done
from medveil.defenses.headers.defense import CleanHeaders
from medveil.errors import Quarantined
from medveil.parts import Subject
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.dicom_file import refuse_strange
from medveil.release.clean.engine import Engine
from medveil.release.clean.run import Work
from medveil.release.clean.settings import Chosen


def what_if(
    source: Path,
    *,
    keys: Keys,
    defenses: Chosen | None = None,
    layout: str | None = None,
    options: InputOptions | None = None,
) -> Iterator[tuple[str, list[Done] | str]]:
    """For each DICOM file, by pseudonym: every action on its header, or the reason why it would be withheld.

    What only shows when pixels and reports are cleaned, or the result is searched, is not foreseen.
    """
    engine = Engine(keys, defenses)
    files = read_source(source, layout=layout, options=options, workers=1)
    work = Work.of_files(files, engine)
    assert engine.headers is not None
    for group in work.groups:
        person = group.person(engine.keys, files.root)
        for one in group.files:
            if one.kind is Kind.DICOM:
                done = _done(files.root / one.path, person, engine.headers)
                yield work.writer.identifier(one, engine.keys), done
    for problem in work.problems:
        yield keys.pseudonym("file", problem.path), problem.reason


def _done(path: Path, person: Person, headers: CleanHeaders) -> list[Done] | str:
    try:
        dataset = open_dicom(path, pixels=True)
        refuse_strange(dataset)
        return headers.what_if(Subject(person, dataset=dataset))
    except Quarantined as withheld:
        return withheld.reason
