"""Everything that was released in films and reports, or withheld for a person, is there to be looked at."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from medveil.cohort.dicom.read import read_pixels
from medveil.defenses.pixels import removal
from medveil.defenses.pixels.objects.photographs import FACE
from medveil.person.keys import Keys
from medveil.release.clean import deid_defenses, deidentify
from medveil.release.review.carrying_out import carry_out
from medveil.release.review.worst_first import write_review

REGION = re.compile(r'class="region (\w+)" data-region="\d+" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"')


def shown(output: Any, keys: Keys, page: Path, most: int = 10) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """The file of each case with its regions, in the order of the page."""
    write_review(output.out, output.source, page, keys=keys, most=most)
    cases = page.read_text().split('<article class="case"')[1:]
    found = []
    for case in cases:
        before = case.split('<figure class="after">')[0]
        regions = [(kind, *map(int, box)) for kind, *box in REGION.findall(before)]
        (file,) = re.findall(r'data-file="(.*?)"', case)
        found.append((file, [(kind, [x, y, x + width, y + height]) for kind, x, y, width, height in regions]))
    return found


def test_what_was_withheld_for_a_person_comes_first_with_what_is_doubtful(
    output: Any, keys: Keys, tmp_path: Path
) -> None:
    (first, regions), *rest = shown(output, keys, tmp_path / "page.html")
    assert first == output.places["b"]
    assert regions == [("doubtful", output.box("b", "WIRE LOOP")), ("painted", output.box("b", "PEMBERTON"))]
    assert [file for file, _ in rest] == [output.places["a"], output.places["c"]]
    painted = {("painted", tuple(output.box("a", line))) for line in ("PEMBERTON", "FRAGILE GLASS")}
    assert {(kind, tuple(box)) for kind, box in rest[0][1]} == painted
    text = (tmp_path / "page.html").read_text()
    assert text.count("data-withheld") >= 1 and "As it would be released" in text
    assert (tmp_path / "page.html").stat().st_mode & 0o077 == 0


def test_what_was_decided_before_is_shown_as_decided(
    dicom: Any, keys: Keys, chosen: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    kept, drawn = dicom.box("a", "FRAGILE GLASS"), [100, 200, 180, 230]
    decided = {"a": chosen(keep=[kept], remove=[drawn]), "b": {"decision": "reject"}}
    decisions = dicom.decide(tmp_path / "d.json", **decided)
    carry_out(dicom.out, decisions, keys=keys, source=dicom.source, workers=1)
    films = dict(shown(dicom, keys, tmp_path / "page.html"))
    assert dicom.places["b"] not in films
    assert sorted(films[dicom.places["a"]]) == [("kept", kept), ("painted", dicom.box("a", "PEMBERTON"))]
    text = (tmp_path / "page.html").read_text()
    assert f'data-drawn="[{drawn}]"' in text and "reviewed before" in text


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


def test_every_report_is_shown_with_its_film(source: Path, keys: Keys, tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "review.html"
    deidentify(source, out, keys=keys, defenses=deid_defenses(), workers=1)
    assert write_review(out, source, page, keys=keys, most=10) == (2, 0)
    text = page.read_text()
    for name in ("Hartwell", "Pemberton", "Larkspur"):
        assert f"<del>{name}</del>" in text
    assert "a report without an image" in text
    cases = re.findall(r'data-file="(.*?)" data-reports="(.*?)"', text)
    (_, beside), (alone, itself) = sorted(cases, key=lambda case: case[0].endswith(".txt"))
    assert len(beside.split()) == 2 and itself in ("", alone)


def test_a_turned_colour_picture_is_shown_and_decided_about_as_a_viewer_shows_it(
    keys: Keys, chosen: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    from PIL import Image

    picture = np.zeros((40, 80, 3), np.uint8)
    picture[5:10, 10:30] = (255, 0, 0)
    (tmp_path / "in").mkdir()
    exif = Image.Exif()
    exif[0x0112] = 6  # turned clockwise by the viewer
    Image.fromarray(picture).save(tmp_path / "in" / "a.png", exif=exif)
    out = tmp_path / "out"
    deidentify(tmp_path / "in", out, keys=keys, defenses=deid_defenses(fill="black"), workers=1)
    assert write_review(out, tmp_path / "in", tmp_path / "page.html", keys=keys, most=10) == (1, 0)
    assert 'viewBox="0 0 40 80"' in (tmp_path / "page.html").read_text()


def test_a_photograph_waits_for_a_person_too(
    dicom: Any, keys: Keys, chosen: Callable[..., dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal.TextRemover, "reason", FACE)
    shutil.rmtree(dicom.out)
    dicom.repeat()
    (first, _), *_ = shown(dicom, keys, tmp_path / "page.html")
    assert first == dicom.places["b"] and FACE in (tmp_path / "page.html").read_text()
    box = dicom.box("b", "WIRE LOOP")
    decisions = dicom.decide(tmp_path / "d.json", b=chosen(remove=[box], accept=True))
    assert carry_out(dicom.out, decisions, keys=keys, source=dicom.source, workers=1).exit_code == 0
    assert dicom.is_released("b")


def test_frames_are_shown_and_decided_about_one_by_one(
    dicom: Any, keys: Keys, write: Callable[..., None], tmp_path: Path
) -> None:
    frames = np.stack([read_pixels(dicom.source / f"{name}.dcm") for name in "cba"])
    shutil.rmtree(dicom.source)
    shutil.rmtree(dicom.out)
    write(dicom.source / "m.dcm", frames, "1.2.3.99")
    dicom.repeat()
    page = tmp_path / "page.html"
    assert write_review(dicom.out, dicom.source, page, keys=keys, most=10) == (1, 0)
    assert re.findall(r'data-frame="(\d)"', page.read_text()) == ["1"]  # the one that is doubtful
    (place,) = re.findall(r'data-file="(.*?)"', page.read_text())
    frame = {"keep": [dicom.box("b", "WIRE LOOP")], "remove": [], "accept": True}
    for number, expected in (("0", False), ("1", True)):
        told = {"decision": "accept", "frames": {number: frame}}
        decisions = dicom.decide(tmp_path / f"{number}.json", **{place: told})
        done = carry_out(dicom.out, decisions, keys=keys, source=dicom.source, workers=1)
        assert ((dicom.out / "data" / place).exists(), not done.withheld) == (expected, expected)
    write_review(dicom.out, dicom.source, page, keys=keys, most=10)
    assert re.findall(r'data-frame="(\d)"', page.read_text()) == ["2", "1", "0"]  # most painted first, and the chosen
