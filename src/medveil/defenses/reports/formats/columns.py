"""Tables with reports in them: which columns are cleaned, which are kept, and what became of the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from medveil.defenses.reports.cleaner import CleanedText, ReportCleaner
from medveil.errors import Quarantined, SettingsError
from medveil.person.identifiers import Category
from medveil.person.person import Person

BATCH = 64  # rows that go through the tagger together

PersonOf = Callable[[Mapping[str, str]], Person]
CleanMany = ReportCleaner


@dataclass(frozen=True)
class Columns:
    """`text` is cleaned as reports, `patient` becomes the pseudonym, `keep` is cleaned as phrases.

    Every other column is left out.
    """

    text: tuple[str, ...]
    patient: str | None = None
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.text:
            raise SettingsError("no column with report text is named; name at least one")
        if len(set(self.named)) < len(self.named):
            raise SettingsError("a column is named twice; name each once, as text, patient or kept")

    @property
    def named(self) -> tuple[str, ...]:
        return (*self.text, *((self.patient,) if self.patient else ()), *self.keep)


@dataclass
class RowsCleaned:
    """Counts alone. Rows that could not be cleaned are not in the output."""

    rows: int = 0
    found: Counter[Category] = field(default_factory=Counter)
    quarantined: Counter[str] = field(default_factory=Counter)
    left_out: tuple[str, ...] = ()  # columns
    not_rewritten: int = 0  # texts that the rewriting model would have changed in content


Row = Mapping[str, str]


def clean_rows(
    rows: Sequence[Row], columns: Columns, cleaner: ReportCleaner, person_of: PersonOf, outcome: RowsCleaned
) -> list[dict[str, str] | None]:
    """Each row's new values by column, None for a row that must not be released."""
    results: list[dict[str, str] | None] = []
    persons: list[Person | Quarantined] = [_person(row, person_of) for row in rows]
    good = [(row, person) for row, person in zip(rows, persons, strict=True) if isinstance(person, Person)]
    texts = [row.get(column, "") for row, _ in good for column in columns.text]
    cleaned = iter(cleaner.attempt_many(texts, [person for _, person in good for _ in columns.text]))
    for row, person in zip(rows, persons, strict=True):
        if isinstance(person, Quarantined):
            outcome.quarantined[person.reason] += 1
            results.append(None)
            continue
        values: dict[str, CleanedText | Quarantined] = {column: next(cleaned) for column in columns.text}
        values |= {column: _phrase(cleaner, row.get(column, ""), person) for column in columns.keep}
        results.append(_row(values, columns, person, outcome))
    return results


def _person(row: Row, person_of: PersonOf) -> Person | Quarantined:
    try:
        return person_of(row)
    except Quarantined as reason:
        return reason


def _phrase(cleaner: ReportCleaner, text: str, person: Person) -> CleanedText | Quarantined:
    try:
        return cleaner.clean_phrase(text, person)
    except Quarantined as reason:
        return reason


def _row(
    values: Mapping[str, CleanedText | Quarantined], columns: Columns, person: Person, outcome: RowsCleaned
) -> dict[str, str] | None:
    reasons = sorted({value.reason for value in values.values() if isinstance(value, Quarantined)})
    if reasons:
        outcome.quarantined[reasons[0]] += 1
        return None
    result = {column: value.text for column, value in values.items() if isinstance(value, CleanedText)}
    for value in values.values():
        if isinstance(value, CleanedText):
            outcome.found.update(found.category for found in value.found)
            outcome.not_rewritten += value.not_rewritten
    if columns.patient:
        result[columns.patient] = person.pseudonym
    outcome.rows += 1
    return result
