from __future__ import annotations

import json
from pathlib import Path

import pytest

from medveil.errors import InputError, StorageError
from medveil.person.keys import Keys
from medveil.release.folder import begin, check_places, check_run, held

KEYS = Keys(b"\x07" * 32)


def test_one_run_at_a_time(tmp_path: Path) -> None:
    with held(tmp_path / "out"):
        with pytest.raises(InputError, match="another run is at work"), held(tmp_path / "out"):
            pass
        with held(tmp_path / "other"):
            pass
    with held(tmp_path / "out"):
        pass


def test_a_folder_of_another_version_or_other_settings_is_told_apart(tmp_path: Path) -> None:
    begin(tmp_path, "dicom", {"fill": "black", "profile": {}}, KEYS)
    with pytest.raises(InputError, match="other settings; repeat those"):
        check_run(tmp_path, "dicom", {"fill": "classical", "profile": {}}, KEYS)
    note = json.loads((tmp_path / "run.json").read_text())
    for earlier in ({**note, "medveil": "0.0.1"}, {**note, "settings": {"fill": "black"}}, {**note, "settings": 3}):
        (tmp_path / "run.json").write_text(json.dumps(earlier))
        with pytest.raises(InputError, match="another version of medveil; run this one into a new folder"):
            check_run(tmp_path, "dicom", {"fill": "black", "profile": {}}, KEYS)


def test_an_output_or_a_crosswalk_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    check_places(tmp_path / "in", tmp_path / "out", tmp_path / "deep" / "crosswalk.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    with pytest.raises(StorageError, match="the crosswalk cannot be written"):
        check_places(tmp_path / "in", tmp_path / "out", Path("/proc/crosswalk.csv"))  # where nobody may write
    with pytest.raises(StorageError, match="the output cannot be written"):
        check_places(tmp_path / "in", Path("/proc/out"), None)
