from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
import warnings
from pathlib import Path

import click
import pydicom
import pytest
import typer
from typer.testing import CliRunner

from medveil import cli, console
from medveil.cli import app
from medveil.errors import StorageError
from medveil.person.keys import Keys

MEDVEIL = [sys.executable, "-c", "from medveil.cli import main; main()"]


def medveil(*arguments: object, **rest: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MEDVEIL, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **rest,  # type: ignore[call-overload]
    )


def commands(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    found = []
    for name, command in group.commands.items():
        found += commands(command, (*path, name)) if isinstance(command, click.Group) else [((*path, name), command)]
    return found


ALL = commands(typer.main.get_command(app))  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [path for path, _ in ALL], ids=" ".join)
def test_every_command_has_help_with_an_example_that_parses(path: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(app, [*path, "--help"], terminal_width=200)
    assert shown.exit_code == 0
    command = dict(ALL)[path]
    example = re.fullmatch(r"Example: medveil (.+)", command.epilog or "")
    assert example, "the epilog is one example"
    words = shlex.split(example[1])
    assert tuple(words[: len(path)]) == path
    command.make_context(path[-1], words[len(path) :], parent=click.Context(click.Group()))


@pytest.mark.parametrize("name", ["release", "phantom", "demo"])
def test_long_commands_share_the_same_flags(name: str) -> None:
    flags = {flag for path, command in ALL if path == (name,) for p in command.params for flag in p.opts}
    assert {"--json", "--quiet", "--log-level", "--seed", "--config", "--workers"} <= flags


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; sys.argv = ['medveil', '--help']; from medveil.cli import main\n"
    code += "try: main()\nexcept SystemExit: pass\n"
    heavy = {"numpy", "pandas", "cv2", "sklearn", "pydicom", "scipy", "pyarrow"}
    code += f"print('HEAVY', sorted({heavy} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "HEAVY []" in shown
    assert "release" in shown


def test_bad_input_is_one_sentence_and_exit_code_2(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    cases = [
        ("release", tmp_path / "absent", "-o", tmp_path / "out"),
        ("cohort", "describe", tmp_path / "empty"),
        ("cohort", "describe", tmp_path / "absent"),
        ("phantom", tmp_path / "p", "--patients", 0),
        ("release", tmp_path / "empty", "-o", tmp_path / "out", "--log-level", "shout"),
    ]
    for case in cases:
        done = medveil(*case, env={"XDG_CONFIG_HOME": str(tmp_path), "PATH": "/usr/bin"})
        assert done.returncode == 2, case
        assert done.stderr.startswith("medveil: ")
        assert done.stderr.count("\n") == 1
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("path", [path for path, _ in ALL], ids=" ".join)
def test_a_file_is_no_folder_for_what_is_written(path: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = dict(ALL)[path]
    for out in (each for each in command.params if "--out" in each.opts):
        for place in (tmp_path / "file", tmp_path / "file" / "within"):
            with pytest.raises(StorageError, match="is a file"):
                out.process_value(click.Context(command), str(place))


def test_an_unexpected_error_shows_its_kind_and_place_but_not_its_words() -> None:
    code = "import medveil.cli as cli\ndef broken(*a, **k): raise KeyError('Jane Doe')\ncli.app = broken\ncli.main()\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "KeyError" in done.stderr
    assert "Doe" not in done.stderr


class TestInterrupted:
    def said(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> str:
        app = typer.Typer()

        @app.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
        def interrupt() -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(cli, "app", app)
        monkeypatch.setattr(sys, "argv", ["/somewhere/bin/medveil", *words])
        with pytest.raises(SystemExit) as end:
            cli.main()
        assert end.value.code == 130
        return capsys.readouterr().err

    def test_says_the_very_command_quoted(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ("deid", "/data/my archive", "-o", "/data/clean; new")
        said = self.said(monkeypatch, capsys, *words)
        assert "what is finished is kept" in said
        assert shlex.split(said.partition("run ")[2]) == ["medveil", *words]

    @pytest.mark.parametrize(
        ("words", "kept"),
        [
            (("verify", "out", "--source", "in"), "patients already checked are kept"),
            (("protect", "alignment", "in", "-o", "out"), "settings already measured are kept"),
            (("attack", "identity", "in"), "nothing is kept; to start again"),
            (("attack", "identity", "in", "--cache", "c"), "vectors already encoded are in the cache"),
            (("attack", "linkage", "in", "--cache=c"), "vectors already encoded are in the cache"),
            (("review", "out", "--source", "in", "--page", "p"), "nothing is kept; to start again"),
        ],
    )
    def test_says_truthfully_what_is_kept(
        self,
        words: tuple[str, ...],
        kept: str,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        assert kept in self.said(monkeypatch, capsys, *words)


class TestProgress:
    def test_off_a_terminal_a_line_now_and_then_although_nothing_moves(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(console, "SECONDS_BETWEEN_LINES", 0.005)
        said = ""
        with console.progress_bars(False) as watch:
            watch("cleaning", 1200, 3000)
            while said.count("\n") < 2:
                said += capsys.readouterr().err
        assert said.startswith("medveil: cleaning: 1,200 of 3,000\n" * 2)

    def test_quiet_is_quiet(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.setattr(console, "SECONDS_BETWEEN_LINES", 0.001)
        with console.progress_bars(True) as watch:
            watch("cleaning", 1, 3)
            time.sleep(0.02)
        assert capsys.readouterr().err == ""


def test_describe_as_json_and_as_text(hospital_folder: Path) -> None:
    found = json.loads(CliRunner().invoke(app, ["cohort", "describe", str(hospital_folder), "--json"]).stdout)
    assert found["patients"] == 30
    assert found["labels"]["Edema"].keys() == {"positive", "negative", "uncertain", "not mentioned"}
    text = CliRunner().invoke(app, ["cohort", "describe", str(hospital_folder)]).stdout
    assert re.search(r"patients +30\n", text)


class TestSettingsFile:
    def run(self, tmp_path: Path, toml: str, *more: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "medveil.toml").write_text(toml)
        return medveil("phantom", tmp_path / "out", "--config", tmp_path / "medveil.toml", "--json", *more)

    def test_values_are_used_and_flags_go_before(self, tmp_path: Path) -> None:
        others = "[release]\nseed = 3\n[cohort.describe]\njson = true\n"
        toml = f"{others}[phantom]\npatients = 2\nsize = 256\nworkers = 1\n"
        done = self.run(tmp_path, toml, "--patients", "1")
        assert json.loads(done.stdout)["patients"] == 1, done.stderr
        assert json.loads((tmp_path / "out" / "phantom.json").read_text())["size"] == 256

    @pytest.mark.parametrize(
        ("toml", "message"),
        [
            ("[phantom]\npatiens = 3\n", "unknown keys: phantom.patiens"),
            ("[fantom]\npatients = 3\n", "unknown keys: fantom"),
            ("patients = 3\n", "unknown keys: patients"),
            ("phantom = 3\n", "unknown keys: phantom"),
            ("[release]\nsede = 3\n", "unknown keys: release.sede"),
            ("[cohort.describe]\nsede = 3\n", "unknown keys: cohort.describe.sede"),
            ("[phantom\n", "not valid TOML"),
        ],
    )
    def test_mistakes_are_refused(self, tmp_path: Path, toml: str, message: str) -> None:
        done = self.run(tmp_path, toml)
        assert done.returncode == 2
        assert message in done.stderr
        assert not (tmp_path / "out").exists()


def test_nothing_said_on_the_way_names_a_patient(tmp_path: Path) -> None:
    """Files that make libraries complain, at the most talkative log level."""
    (tmp_path / "in").mkdir()
    for number in range(3):
        dataset = pydicom.Dataset()
        dataset.file_meta = pydicom.dataset.FileMetaDataset()
        dataset.file_meta.TransferSyntaxUID = pydicom.uid.ImplicitVRLittleEndian
        dataset.file_meta.MediaStorageSOPClassUID = dataset.SOPClassUID = pydicom.uid.ComputedRadiographyImageStorage
        dataset.file_meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID = f"2.25.{number + 1}"
        dataset.StudyInstanceUID = f"2.25.{number + 10}"
        dataset.PatientID, dataset.PatientName = "ZEBRANUMBER", "Zebraname^Jane"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dataset.add_new(0x00101010, "AS", "ZEBRAAGE")
            dataset.add_new(0x00080020, "DA", "ZEBRADATE")
            dataset.add_new(0x00080005, "CS", "ZEBRACHARSET")
        dataset.Rows = dataset.Columns = 8
        dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 16, 12, 11, 0
        dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
        dataset.PixelData = bytes(128 if number else 60)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dataset.save_as(tmp_path / "in" / f"ZEBRAFILE{number}.dcm", enforce_file_format=True)
    (tmp_path / "in" / "ZEBRANOTE.txt").write_text("Zebraname was here")
    for command in (["release", tmp_path / "in", "-o", tmp_path / "out"], ["cohort", "describe", tmp_path / "in"]):
        done = medveil(*command, "--log-level", "debug", env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)})
        assert done.returncode in (0, 1), done.stderr
        assert "zebra" not in (done.stdout + done.stderr).lower()
    assert "zebra" not in (tmp_path / "out" / "report.html").read_text().lower()
    assert "zebra" not in (tmp_path / "out" / "journal.sqlite").read_bytes().decode("latin-1").lower()


@pytest.mark.slow
def test_a_full_disk_is_one_sentence_and_a_later_run_goes_on(hospital_folder: Path, tmp_path: Path) -> None:
    """The kernel refuses files over 40 kB, as a full disk would; the images are larger."""
    limit = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY));"
    )
    command = ["release", hospital_folder, "-o", tmp_path / "out", "--attack", "singling-out", "--workers", "1"]
    command += ["--measure", "label-probe", "--key-file", tmp_path / "key", "--quiet"]
    Keys.load_or_create(tmp_path / "key")
    full = subprocess.run(
        [sys.executable, "-c", limit + "from medveil.cli import main; main()", *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert full.returncode == 2
    assert full.stderr == "medveil: the disk is full; free some space and run the same command again\n"
    assert not list((tmp_path / "out").rglob("*.partial"))
    later = medveil(*command, "--json")
    assert later.returncode == 1
    assert json.loads(later.stdout)["subject"]["released"] > 0


def test_a_table_sets_a_part_and_leaves_the_choice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from medveil.finding import Verdict
    from medveil.release import Outcome

    seen: list[object] = []

    def run(source: Path, out: Path, **rest: object) -> Outcome:
        seen.append(rest["settings"])
        return Outcome(Verdict.PASS, 1, 0, out / "report.html")

    monkeypatch.setattr("medveil.release.release", run)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "medveil.toml"
    file.write_text('[release.attack.singling-out]\nfacts = ["age", "sex"]\n[release.measure.label-probe]\nfolds = 4\n')
    (tmp_path / "data").mkdir()
    arguments = ["release", str(tmp_path / "data"), "-o", str(tmp_path / "out"), "--config", str(file)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    (settings,) = seen
    assert settings.attacks == ("default", "singling-out:facts=age,facts=sex")
    assert settings.measures == ("default", "label-probe:folds=4")
    told = settings.resolved().to_json()
    assert told["attacks"]["singling-out"] == {"facts": ["age", "sex"]}
    assert told["measures"]["label-probe"]["folds"] == 4 and "identity" in told["attacks"]


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "medveil.toml").write_text("[release.attack]\nidentity = 3\n")
    done = medveil("release", "data", "-o", tmp_path / "out", "--config", tmp_path / "medveil.toml")
    assert done.returncode == 2 and "tables named after parts" in done.stderr


def test_parts_are_listed_with_what_they_can_be_set_to() -> None:
    shown = CliRunner().invoke(app, ["parts"]).stdout
    assert "false_match_rate = 0.001  (a number)" in shown
    told = json.loads(CliRunner().invoke(app, ["parts", "--json"]).stdout)
    assert told["attacks"]["identity"]["settings"]["prior"] == {"is": "a number or none", "default": None}
