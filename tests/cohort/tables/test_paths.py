"""Which file a table means, and when it means none."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from medveil.cohort.tables.paths import MISSING, OUTSIDE, SEVERAL, FileFinder


def found(written: str | list[str], files: set[str], folder: str = "") -> list[tuple[str | None, str | None]]:
    paths = pd.Series([written] if isinstance(written, str) else written, dtype="str")
    places, reasons = FileFinder(Path("/data"), files, folder).find(paths)
    return [(None if pd.isna(a) else a, None if pd.isna(b) else b) for a, b in zip(places, reasons, strict=True)]


@pytest.mark.parametrize(
    ("written", "files", "place"),
    [
        ("img/a.png", {"img/a.png", "a.png"}, "img/a.png"),
        ("/data/img/a.png", {"img/a.png"}, "img/a.png"),
        ("C:\\x\\img\\a.png", {"img/a.png", "old/a.png"}, "img/a.png"),
        ("C:\\x\\deep\\img\\a.png", {"now/img/a.png", "now/old/a.png"}, "now/img/a.png"),
        ("IMG/A.PNG", {"img/a.png"}, "img/a.png"),
        ("a.dcm", {"img/a.png"}, "img/a.png"),
        ("1.2.3", {"img/1.2.3.dcm"}, "img/1.2.3.dcm"),
    ],
)
def test_a_file_is_found_again(written, files, place):
    assert found(written, files) == [(place, None)]


@pytest.mark.parametrize(
    ("written", "files", "reason"),
    [
        ("a.png", {"b.png"}, MISSING),
        ("a.png", {"x/a.png", "y/a.png"}, SEVERAL),
        ("p2/a.png", {"p3/a.png"}, MISSING),  # another patient's folder
        ("C:\\x\\a.png", {"b.png"}, MISSING),
        ("C:\\p2\\a.png", {"p3/a.png", "p4/a.png"}, MISSING),
        (__file__, {"b.png"}, OUTSIDE),
        ("../a.png", {"a.png"}, OUTSIDE),
        ("a\x00.png", {"a.png"}, MISSING),
    ],
)
def test_in_doubt_it_is_none(written, files, reason):
    assert found(written, files) == [(None, reason)]


def test_two_rows_do_not_share_a_guess():
    both = found(["C:\\p1\\a.png", "C:\\p2\\a.png"], {"a.png"})
    assert both == [(None, SEVERAL)] * 2
    assert found(["a.png", "C:\\p2\\a.png"], {"a.png"}) == [("a.png", None), (None, SEVERAL)]


def test_the_folder_of_the_table_comes_first():
    files = {"a.png", "deep/a.png", "deep/img/b.png", "img/b.png"}
    assert found(["a.png", "D:\\old\\img\\b.png"], files, "deep") == [("deep/a.png", None), ("deep/img/b.png", None)]
