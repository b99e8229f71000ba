"""What goes wrong with a file, and what goes wrong with the machine: only the first is withheld for good."""

from __future__ import annotations

import csv
import errno
import json
from pathlib import Path

import pytest

from medveil.errors import InputError, Quarantined, StorageError
from medveil.parts import Subject
from medveil.person.keys import Keys
from medveil.release import Settings, release
from medveil.release.clean import cleaning, deid_defenses, deidentify, people
from medveil.release.clean.dicom_writer import DicomWriter
from medveil.release.clean.engine import Engine

from .conftest import Write  # type: ignore[import-not-found]

KEYS = Keys.for_demonstration(5)
TRIES = 3
SETTINGS = Settings(defenses=("headers", "table"), attacks=("singling-out",), measures=("label-probe",))


@pytest.fixture
def source(tmp_path: Path, write_dicom: Write, in_this_process: None) -> Path:
    for name in ("a", "b"):
        write_dicom(tmp_path / f"in/{name}.dcm", SOPInstanceUID=f"1.2.3.{ord(name)}")
    return tmp_path / "in"


def withheld(out: Path) -> list[str]:
    return [row["reason"] for row in csv.DictReader((out / "quarantine.csv").read_text().splitlines())]


def run(source: Path, out: Path, writer: str) -> None:
    """By either writer."""
    if writer == "dicom":
        deidentify(source, out, keys=KEYS, defenses=deid_defenses(fill="black"), workers=1)
    else:
        release(source, out, keys=KEYS, settings=SETTINGS, workers=1)


class Failing:
    """Raises at its first calls, then does what it stands for."""

    def __init__(self, really: object, error: BaseException, times: int) -> None:
        self.really, self.error, self.times = really, error, times

    def __call__(self, *given: object) -> Subject:
        self.times -= 1
        if self.times >= 0:
            raise self.error
        return self.really(*given)  # type: ignore[operator, no-any-return]


@pytest.mark.parametrize("writer", ["dicom", "table"])
@pytest.mark.parametrize("error", [OSError(errno.EIO, "x"), OSError(errno.ETIMEDOUT, "x"), MemoryError()])
def test_what_is_unavailable_for_a_moment_is_tried_again(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str, error: Exception
) -> None:
    failing = Failing(Engine.clean, error, TRIES - 1)
    monkeypatch.setattr(Engine, "clean", lambda *given: failing(*given))
    run(source, tmp_path / "out", writer)
    assert withheld(tmp_path / "out") == []


@pytest.mark.parametrize("writer", ["dicom", "table"])
def test_what_stays_unavailable_is_withheld_but_not_for_good(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    failing = Failing(Engine.clean, OSError(errno.EIO, "x"), TRIES)
    with monkeypatch.context() as patched:
        patched.setattr(Engine, "clean", lambda *given: failing(*given))
        run(source, tmp_path / "out", writer)
    assert withheld(tmp_path / "out") == ["could not be processed (OSError)"]
    run(source, tmp_path / "out", writer)
    assert withheld(tmp_path / "out") == []
    assert json.loads((tmp_path / "out/deid.json").read_text())["files"]["released"] == 2


@pytest.mark.parametrize("writer", ["dicom", "table"])
def test_nothing_is_let_out_while_a_header_cannot_be_reached(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    """Its patient's other files are not cleaned without what it tells."""

    def unreachable(path: Path, *, pixels: bool) -> None:
        try:
            raise OSError(errno.EIO, "x")
        except OSError:
            raise Quarantined("unreadable file") from None

    with monkeypatch.context() as patched:
        patched.setattr(people, "open_dicom", unreachable)
        run(source, tmp_path / "out", writer)
    assert withheld(tmp_path / "out") == ["unreadable file"] * 2
    run(source, tmp_path / "out", writer)
    assert withheld(tmp_path / "out") == []


@pytest.mark.parametrize("writer", ["dicom", "table"])
def test_a_missing_model_stops_the_run_and_withholds_nothing(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    failing = Failing(None, InputError("a model is missing; reinstall medveil"), 100)
    monkeypatch.setattr(Engine, "clean", lambda *given: failing(*given))
    with pytest.raises(InputError, match="model is missing"):
        run(source, tmp_path / "out", writer)
    assert not (tmp_path / "out/quarantine.csv").exists()


@pytest.mark.parametrize("writer", ["dicom", "table"])
def test_a_surprise_withholds_one_file_by_its_kind(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    failing = Failing(Engine.clean, KeyError("Pemberton"), 1)
    monkeypatch.setattr(Engine, "clean", lambda *given: failing(*given))
    run(source, tmp_path / "out", writer)
    assert withheld(tmp_path / "out") == ["could not be processed (KeyError)"]


def test_a_disk_that_fails_stops_the_run(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object, **more: object) -> None:
        raise OSError(errno.EIO, "x")

    monkeypatch.setattr(cleaning, "write_bytes", fail)
    with pytest.raises(StorageError, match="cannot be written at the moment"):
        run(source, tmp_path / "out", DicomWriter.name)
