from __future__ import annotations

import pytest

from medveil.cohort.readers.listing import MAX_REPORT_BYTES, by_name, list_files, read_report
from medveil.errors import Quarantined


def test_links_lead_nowhere_outside(tmp_path):
    root = tmp_path / "root"
    (root / "a" / "deep").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.png").touch()
    (root / "a" / "one.png").touch()
    (root / "a" / "deep" / "two.png").touch()
    (root / "a" / "inside.png").symlink_to("one.png")
    (root / "a" / "loop").symlink_to(root)
    (root / "out").symlink_to(tmp_path / "outside")
    listing = list_files(root)
    assert listing.files == {"a/one.png", "a/deep/two.png", "a/inside.png"}
    assert sorted((problem.path, problem.reason) for problem in listing.problems) == [
        ("a/loop", "link not followed"),
        ("out", "link not followed"),
    ]
    for folder in ("out", "../outside"):
        named = list_files(root, [folder])
        assert named.files == set()
        assert named.problems[0].reason == "link not followed"


def test_an_absent_folder_is_empty(tmp_path):
    assert list_files(tmp_path, ["nowhere"]).files == set()


def test_names_lead_to_the_first_place():
    assert by_name({"b/x.png", "a/x.png"}) == {"x.png": "a/x.png"}


def test_reports_are_kept_exactly_or_refused(tmp_path):
    (tmp_path / "a.txt").write_bytes("\ufefffinal\r\n\tReport é ".encode())
    (tmp_path / "b.txt").write_bytes(b"x" * (MAX_REPORT_BYTES + 1))
    assert read_report(tmp_path, "a.txt") == "final\r\n\tReport é "
    with pytest.raises(Quarantined, match="report too long"):
        read_report(tmp_path, "b.txt")
    with pytest.raises(Quarantined, match="unreadable report"):
        read_report(tmp_path, "c.txt")
