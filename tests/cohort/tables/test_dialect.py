"""CSV as programs write it: what goes out in a dialect comes back from it."""

from __future__ import annotations

import csv
import io

from hypothesis import given, settings
from hypothesis import strategies as st

from medveil.cohort.tables.dialect import BROKEN, OPEN_QUOTE, Dialect, named_rows
from medveil.cohort.tables.reading import read_table

CELLS = st.text("aZ9éß€ '=\n\",;|\t", max_size=8)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp1252")


def written(rows, delimiter, encoding, line_end, first) -> bytes:
    text = io.StringIO(newline="")
    text.write(f"sep={delimiter}{line_end}" if first else "")
    csv.writer(text, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    return text.getvalue().encode(encoding)


@settings(deadline=None)
@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=5),
    st.sampled_from(",;\t|"),
    st.sampled_from(ENCODINGS),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_every_dialect_comes_back(tmp_path_factory, rows, delimiter, encoding, line_end, first):
    header = ("patient_id", "report, or text", "x;y|z")
    rows = [(f"é{number}", *row[1:]) for number, row in enumerate(rows)]
    data = written([header, *rows], delimiter, encoding, line_end, first)
    source = io.BytesIO(data)
    dialect = Dialect.of(source)
    assert (dialect.delimiter, dialect.line_end, bool(dialect.first_line)) == (delimiter, line_end, first)
    assert [tuple(record) for record in dialect.records(source)] == [header, *rows]
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_bytes(data)
    cells = read_table(path).cells
    assert [tuple(row) for row in cells.fillna("").itertuples(index=False)] == rows
    assert list(cells.index) == list(range(2, len(rows) + 2))


def test_a_broken_record_costs_itself_alone():
    data = b'a,b\n1,2\n3\n8,"9"x\n\n"4,5\n6,7\n'
    source = io.BytesIO(data)
    records = Dialect.of(source).records(source)
    assert next(records) == ["a", "b"]
    assert list(named_rows(records, 2)) == [
        (2, ["1", "2"]),
        (3, BROKEN),
        (4, BROKEN),
        (6, OPEN_QUOTE),
        (7, ["6", "7"]),
    ]


def test_a_quote_inside_a_field_is_no_quote():
    source = io.BytesIO(b'a,b\n5" tube,1\nx,2\n')
    assert list(Dialect.of(source).records(source)) == [["a", "b"], ['5" tube', "1"], ["x", "2"]]
