"""Tables with reports in them: which columns are cleaned, which are kept, and what became of the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from medveil.errors import Quarantined, SettingsError
from medveil.parts import Subject
from medveil.person.person import Person
from medveil.person.written_dates import DateOrder, order_of

BATCH = 64  # rows that go through the tagger together

PersonOf = Callable[[Mapping[str, str]], Person]
CleanMany = Callable[[Sequence[Subject]], list[Subject | Quarantined]]  # the reason in place of what is withheld


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
    """Nothing of what was found. Rows that could not be cleaned are not in the output."""

    rows: int = 0
    done: dict[str, Counter[str]] = field(default_factory=dict)  # by defense, as the subjects noted it
    withheld: dict[str, list[int]] = field(default_factory=dict)  # the numbers of rows by reason
    left_out: tuple[str, ...] = ()  # columns
    date_order: DateOrder | None = None  # of day and month in the reports, where most of them tell

    def withhold(self, number: int, reason: str) -> None:
        self.withheld.setdefault(reason, []).append(number)


Row = Mapping[str, str]


def order_in_table(rows: Iterable[Row], columns: Columns) -> DateOrder | None:
    """Of day and month in the reports of a table; those that do not tell by themselves have it too."""
    return order_of(text for row in rows for column in columns.text if (text := row.get(column)))


def clean_rows(
    numbered: Sequence[tuple[int, Row]], columns: Columns, clean: CleanMany, person_of: PersonOf, outcome: RowsCleaned
) -> list[dict[str, str] | None]:
    """Each row's new values by column, None for a row that must not be released."""
    rows = [row for _, row in numbered]
    persons = [_person(row, person_of, outcome.date_order) for row in rows]
    cells = [(column, column in columns.keep) for column in (*columns.text, *columns.keep)]
    subjects = [
        Subject(person, text=row.get(column, ""), phrase=phrase)
        for row, person in zip(rows, persons, strict=True)
        if isinstance(person, Person)
        for column, phrase in cells
    ]
    cleaned = iter(clean(subjects))
    results: list[dict[str, str] | None] = []
    for (number, _), person in zip(numbered, persons, strict=True):
        if isinstance(person, Quarantined):
            outcome.withhold(number, person.reason)
            results.append(None)
        else:
            values = {column: next(cleaned) for column, _ in cells}
            results.append(_row(number, values, columns, person, outcome))
    return results


def _person(row: Row, person_of: PersonOf, order: DateOrder | None) -> Person | Quarantined:
    try:
        person = person_of(row)
    except Quarantined as reason:
        return reason
    return replace(person, date_order=order) if order else person


def _row(
    number: int, values: Mapping[str, Subject | Quarantined], columns: Columns, person: Person, outcome: RowsCleaned
) -> dict[str, str] | None:
    reasons = sorted({value.reason for value in values.values() if isinstance(value, Quarantined)})
    if reasons:
        outcome.withhold(number, reasons[0])
        return None
    result: dict[str, str] = {}
    for column, value in values.items():
        if isinstance(value, Subject):
            result[column] = value.text or ""
            for defense, notes in value.done.items():
                outcome.done.setdefault(defense, Counter()).update(notes)
    if columns.patient:
        result[columns.patient] = person.pseudonym
    outcome.rows += 1
    return result
