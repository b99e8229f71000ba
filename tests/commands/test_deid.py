from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from medveil.cohort.phantom.gold import load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.commands import deid  # noqa: F401
from medveil.commands.app import app
from medveil.errors import InputError, SettingsError
from medveil.person.keys import Keys
from medveil.release.clean import deid_defenses

pytestmark = pytest.mark.usefixtures("_own_settings")


@pytest.fixture
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    build_hospital(tmp_path / "hospital", patients=2, sites=1, size=64, seed=5, workers=1)
    return tmp_path / "hospital"


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["deid", *map(str, arguments)], catch_exceptions=False)
    return result.exit_code, result.stdout


def test_cleans_a_folder_and_says_so(hospital: Path, tmp_path: Path) -> None:
    code, shown = run(hospital, "-o", tmp_path / "out", "--fill", "black", "--workers", 1, "--json")
    told = json.loads(shown)
    assert told["released"] == told["summary"]["files"]["released"] > 0
    assert told["summary"] == json.loads((tmp_path / "out" / "deid.json").read_text())
    assert code == (1 if told["withheld"] else 0)
    assert (tmp_path / "config/medveil/key").exists()


def test_says_what_to_do_next(tmp_path: Path) -> None:
    source, out, key = tmp_path / "my archive", tmp_path / "out; new", tmp_path / "key"
    source.mkdir()
    (source / "report.txt").write_text("No effusion. Seen by Dr. Hartwell.")
    (source / "letter.pdf").write_bytes(b"%PDF-1.7")
    key.write_text("5a" * 32)
    code, shown = run(source, "-o", out, "--key-file", key, "--workers", 1)
    assert code == 1
    lines = shown.splitlines()
    assert lines[0] == "1 file cleaned, 1 withheld"
    assert f"{out / 'quarantine.csv'}" in lines[-3]
    end = ["--source", str(source), "--key-file", str(key)]
    assert shlex.split(lines[-2].partition(": ")[2]) == ["medveil", "quarantine", str(out), *end]
    assert shlex.split(lines[-1].partition(": ")[2]) == ["medveil", "verify", str(out), *end]


def test_what_if_writes_nothing_and_names_nobody(hospital: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    code, shown = run(hospital, "--what-if")
    assert code == 0
    assert re.search(
        r"(emptied|replaced) +\(0010,0010\) PatientName · Basic Application Confidentiality Profile", shown
    )
    assert "  removed   the attribute is not in the output (X)" in shown
    assert re.search(r"^\d+ files, 0 files withheld$", shown, re.MULTILINE)
    assert re.search(r"^  removed   [\d,]+ attributes$", shown, re.MULTILINE)
    assert not load_gold(hospital).leaks(shown)
    assert sorted(tmp_path.rglob("*")) == before
    _, as_json = run(hospital, "--what-if", "--json")
    told = json.loads(as_json)
    assert all({"path", "keyword", "action", "code", "does"} == set(done[0]) for done in told["files"].values())
    assert told["summary"]["files"] == len(told["files"])
    assert told["legend"]["Z"].startswith("emptied: ")


def test_what_if_tells_files_by_the_names_of_the_key_given(hospital: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("5a" * 32)
    code, shown = run(hospital, "--what-if", "--json", "--key-file", key)
    assert code == 0
    file = next(iter(load_gold(hospital).images.values())).path
    assert Keys(bytes.fromhex("5a" * 32)).pseudonym("file", file) in json.loads(shown)["files"]


def test_an_output_folder_is_needed(hospital: Path) -> None:
    with pytest.raises(SettingsError, match="-o"):
        run(hospital)


def test_a_named_key_must_exist(hospital: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no key at"):
        run(hospital, "-o", tmp_path / "out", "--key-file", tmp_path / "absent")
    assert not (tmp_path / "out").exists()


def test_no_key_is_made_for_an_input_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is nothing at"):
        run(tmp_path / "mistyped", "-o", tmp_path / "out")
    assert not (tmp_path / "config").exists()


def test_a_defense_is_set_by_name_and_flags_add_to_it() -> None:
    chosen = {one.name: one.settings for one in deid_defenses(fill="black", texts=("pixels:faces=keep",))}
    assert (chosen["pixels"].fill, chosen["pixels"].faces) == ("black", "keep")
    chosen = {one.name: one.settings for one in deid_defenses(texts=("pixels:fill=black",))}
    assert (chosen["pixels"].fill, chosen["reports"].style) == ("black", "surrogates")


@pytest.mark.parametrize("text", ["pixels:faces=blur", "pixels:face=keep", "nothing:a=b", "anatomy-of-others"])
def test_a_defense_that_cannot_be_set_so_is_told(text: str, hospital: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        run(hospital, "-o", tmp_path / "out", "--defense", text)
    assert not (tmp_path / "out").exists()
