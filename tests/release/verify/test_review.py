"""Everything that was released in images and reports is there to be looked at, and leaves when it is rejected."""

from __future__ import annotations

import json
import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from medveil.person.keys import Keys
from medveil.release.clean import deid_defenses, deidentify
from medveil.release.verify.review import apply_decisions, write_review

KEYS = Keys.for_demonstration(4)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A picture with two reports of its patient, and a report of somebody else."""
    folder = tmp_path / "in" / "files" / "p10" / "p10000001" / "s50000001"
    folder.mkdir(parents=True)
    cv2.imwrite(str(folder / "a.png"), np.full((64, 64), 90, np.uint8))
    (folder / "first.txt").write_text("No effusion. Seen by Dr. Hartwell.")
    (folder / "second.txt").write_text("Addendum. Discussed with Dr. Pemberton.")
    other = tmp_path / "in" / "files" / "p10" / "p10000002"
    other.mkdir()
    (other / "s50000002.txt").write_text("Clear lungs. Read by Dr. Larkspur.")
    return tmp_path / "in"


def test_every_report_is_shown_and_leaves_with_its_image(source: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "review.html"
    deidentify(source, out, keys=KEYS, defenses=deid_defenses(), workers=1)
    shown, hidden = write_review(out, source, page, keys=KEYS, most=10)
    text = page.read_text()
    assert (shown, hidden) == (2, 0)
    for name in ("Hartwell", "Pemberton", "Larkspur"):
        assert f"<del>{name}</del>" in text
    assert "a report without an image" in text
    cases = re.findall(r'data-file="(.*?)" data-reports="(.*?)"', text)
    (image, beside), (alone, nothing) = sorted(cases, key=lambda case: case[0].endswith(".txt"))
    assert len(beside.split()) == 2 and nothing == ""
    run = re.search(r'data-run="(.*?)"', text)
    assert run is not None
    decisions = tmp_path / "decisions.json"
    rejected = dict.fromkeys([image, *beside.split()], "reject")
    decisions.write_text(json.dumps({"run": run[1], "decisions": rejected}))
    assert apply_decisions(out, decisions, KEYS) == 3
    left = [path.relative_to(out / "data").as_posix() for path in (out / "data").rglob("*") if path.is_file()]
    assert left == [alone]
