"""Headers are compared with the profile the run was made with, unless another is given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medveil.cohort.phantom.hospital import build_hospital
from medveil.defenses.headers.profile import Profile
from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.release.clean import deid_defenses, deidentify
from medveil.release.verify.run import verify
from medveil.release.verify.run_record import RunRecord

KEYS = Keys(b"\x07" * 32)
PROFILE = """
options = ["Clean Descriptors", "Retain Longitudinal Temporal Information Modified Dates",
           "Retain Patient Characteristics", "Retain Safe Private"]
safe_private = ["ACME 1.1 (0019,xx05)", "OTHER"]
[attributes]
InstitutionalDepartmentName = "K"
"(0018,0060)" = "X"
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("recorded")
    build_hospital(folder / "in", patients=1, sites=1, seed=3, size=256, workers=1)
    (folder / "profile.toml").write_text(PROFILE)
    settings = deid_defenses(profile=folder / "profile.toml", fill="black", keep_columns=("view",))
    (folder / "in" / "reports.csv").write_text("report,view\nLungs are clear.,PA\n")
    deidentify(folder / "in", folder / "out", keys=KEYS, defenses=settings, workers=1)
    assert list((folder / "out" / "data").rglob("*.dcm"))
    return folder / "in", folder / "out"


def test_the_run_notes_what_it_was_made_with(made: tuple[Path, Path]) -> None:
    recorded = RunRecord.of(made[1])
    assert recorded.profile == Profile.read(made[1].parent / "profile.toml")
    assert recorded.columns.keep_columns == ("view",)


def test_the_noted_profile_is_used_and_told(made: tuple[Path, Path]) -> None:
    source, out = made
    outcome = verify(out, source, keys=KEYS, workers=1)
    told = json.loads(outcome.summary.read_text())
    assert not any(found.startswith("header") for found in told["by_finding"])
    assert outcome.profile == told["profile"]["from"] == "the one of the run"
    assert told["profile"]["attributes"] == {"(0008,1040)": "K", "(0018,0060)": "X"}


def test_another_profile_may_be_given(made: tuple[Path, Path]) -> None:
    source, out = made
    outcome = verify(out, source, keys=KEYS, profile=Profile.default(), workers=1)
    told = json.loads(outcome.summary.read_text())
    assert told["by_finding"]["header: as in the source"]  # the department
    assert told["by_finding"]["header: missing"]  # the voltage
    assert outcome.profile == told["profile"]["from"] == "the one given"


def test_a_run_that_does_not_say_is_refused(made: tuple[Path, Path], tmp_path: Path) -> None:
    for note in ("{}", '{"settings": {"profile": null}}', '{"settings": 3}'):
        (tmp_path / "run.json").write_text(note)
        with pytest.raises(InputError, match="into a new folder"):
            RunRecord.of(tmp_path)
