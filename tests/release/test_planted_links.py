"""Planted links, found by the attackers themselves: with one, no setting gives a PASS; without, one is given.

A hospital in which everybody is drawn twice and has two reports; in what is released, films are of strangers who were
drawn for nothing else. Where a link is planted, some patients keep their own films.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from medveil.cohort import Cohort
from medveil.cohort.phantom.chart import make_demographics
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.cohort.phantom.reports import write_report
from medveil.cohort.phantom.sites import make_site
from medveil.commands import releases  # noqa: F401
from medveil.commands.app import app
from medveil.errors import InputError, NotMeasurable
from medveil.finding import ONE_IN_ELEVEN, Finding, Verdict
from medveil.parts import Choice, choose, registered
from medveil.person.keys import Keys
from medveil.release import examine as examining
from medveil.release.clean.engine import Engine
from medveil.release.released import Released
from medveil.release.settings import Settings
from medveil.report.content import Comparison, ReportContent
from tests.release.test_gaps import ALONE, ENOUGH, NOTHING_FOUND, WEAKER

SEED, SIZE, PEOPLE = 23, 128, 100
PLANTED = 0.12  # of the patients
TOLD = 0.2  # of the X-rays: about six in ten of those that show what their report says are linked to it
REAL = ("identity", "linkage", "pixel-similarity", "singling-out")

pytestmark = pytest.mark.slow


def film(folder: Path, name: str, number: int, visit: int) -> str:
    patient = plan_patient(SEED, number, 3)
    pixels = draw(patient, patient.visits[visit], sites_seed=SEED, size=SIZE).pixels.astype(np.float64)
    low, high = np.percentile(pixels, [0.5, 99.5])
    cv2.imwrite(str(folder / name), np.clip((pixels - low) / (high - low) * 255, 0, 255).astype(np.uint8))
    return name


def report(number: int, visit: int) -> str:
    patient = plan_patient(SEED, number, 3)
    site = make_site(SEED, patient.site)
    return write_report(SEED, patient, patient.visits[visit], make_demographics(SEED, patient, site), site)[0].text


def drawn(folder: Path, people: int) -> pd.DataFrame:
    """Two visits of everybody; `other` is a stranger's film, a new one for each."""
    returning = [number for number in range(4 * people) if len(plan_patient(SEED, number, 3).visits) > 1][:people]
    rows = [
        {
            "image_id": f"image-{place}-{visit}",
            "patient_id": f"patient-{place}",
            "study_id": f"study-{place}-{visit}",
            "view": "PA",
            "report": report(number, visit),
            "path": film(folder, f"own-{place}-{visit}.png", number, visit),
            "other": film(folder, f"other-{place}-{visit}.png", 10_000 + 2 * place + visit, 0),
        }
        for place, number in enumerate(returning)
        for visit in (0, 1)
    ]
    return pd.DataFrame(rows)


def with_own_films(rows: pd.DataFrame, keeping: pd.Series) -> pd.DataFrame:
    return rows.assign(path=rows["path"].where(keeping, rows["other"])).drop(columns="other")


def keeping(rows: pd.DataFrame, pictures: float = 0.0, reports: float = 0.0) -> pd.Series:
    """The first patients keep the films of both visits, the last ones that of one, which their report describes."""
    place, visit = pd.Series(rows.index // 2), pd.Series(rows.index % 2)
    people = len(rows) // 2
    return (place < round(pictures * people)) | ((place >= people - round(2 * reports * people)) & (visit == 0))


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pd.DataFrame]:
    folder = tmp_path_factory.mktemp("films")
    return folder, drawn(folder, PEOPLE)


Attacked = dict[str, Comparison]


@pytest.fixture(scope="module")
def attacked(hospital: tuple[Path, pd.DataFrame]) -> Callable[[str], tuple[Cohort, Attacked]]:
    """What the attackers find in a release, beside what they find in the originals; each release is attacked once."""
    folder, rows = hospital
    originals = Cohort.of(rows.drop(columns="other"), folder)
    parts = {name: choose("attacks", [name])[0].build() for name in REAL}
    before = {name: part.run(originals, originals, seed=7) for name, part in parts.items()}
    known: dict[str, Attacked] = {}
    ways = {"nothing": {}, "pictures": {"pictures": PLANTED}, "reports": {"reports": TOLD}}

    def found(planted: str) -> tuple[Cohort, Attacked]:
        if planted not in known:
            released = Cohort.of(with_own_films(rows, keeping(rows, **ways[planted])), folder)
            after = {name: part.run(released, originals, seed=7) for name, part in parts.items()}
            known[planted] = {name: Comparison(before[name], after[name]) for name in parts}
        return originals, known[planted]

    return found


def examined(
    asked: dict[str, Any], originals: Cohort, found: Attacked, monkeypatch: pytest.MonkeyPatch
) -> ReportContent:
    """The attackers' own findings under these settings. Attacks set weaker, and those that were not run for this test,
    find nothing and claim all power: nobody can hope for more."""
    settings = Settings(**asked).resolved()

    def compare(choice: Choice, before: Cohort, after: Cohort, asked: Settings, progress: Any) -> Comparison:
        if choice.kind == "measures":
            raise NotMeasurable("nothing is measured here")
        if choice.name in found and not choice.weakened:
            real = found[choice.name]
            return Comparison(*(examining.judged(each, asked) for each in (real.before, real.after) if each))
        own = getattr(choice.settings, "threshold", None)
        nothing = Finding(
            choice.name,
            "attack",
            "Can it?",
            "No.",
            "share",
            {"share": NOTHING_FOUND},
            "By looking.",
            threshold=replace(ONE_IN_ELEVEN, value=own) if own else ONE_IN_ELEVEN,
            power=ENOUGH,
        )
        return Comparison(examining.judged(nothing, asked), examining.judged(nothing, asked))

    monkeypatch.setattr(examining, "_compare", compare)
    engine = Engine(Keys.for_demonstration(1), settings.chosen("defenses"))
    released = Released(originals, list(range(len(originals))))
    return examining.examine(originals, released, settings, engine, "2026-01-01", lambda *_: None, check=lambda: None)


def test_without_a_link_a_pass_is_given_and_its_power_is_told(
    attacked: Callable[[str], tuple[Cohort, Attacked]], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = examined({}, *attacked("nothing"), monkeypatch)
    assert content.verdict is Verdict.PASS, content.reasons
    for name in ("identity", "linkage"):
        (finding,) = (each.after for each in content.comparisons if each.after.part == name)
        assert finding.power is not None and finding.power.enough and "untouched" in finding.power.shown_on
        (before,) = (each.before for each in content.comparisons if each.after.part == name)
        assert before is not None and before.estimate.low > 0.3, "it recognises those whose films are their own"


ASKED: list[dict[str, Any]] = [
    *({"attacks": ("default", "refit", each)} for each in WEAKER),
    *({"attacks": each} for each in ALONE),
    *({"attacks": (one, other)} for one in registered("attacks") for other in WEAKER[::4]),
    *({"threshold": each} for each in (0.01, 0.0899, 0.09, 0.1, 0.2, 0.5, 0.99)),
    *({"recipient": each} for each in ("public", "researcher", "secure-room")),
    *({"recipient": each, "threshold": 0.09} for each in ("researcher", "secure-room")),
    *({"attacks": each, "threshold": 0.99, "recipient": "secure-room"} for each in ALONE),
    *({"defenses": ("default", f"anatomy:method={each},level=8")} for each in ("blur", "deformation")),
    *({"defenses": (each,)} for each in ("default", "headers", "table", "pixels", "reports")),
    *({"measures": (each,)} for each in ("label-probe", "pixel-damage")),
    *({"writer": "dicom", "attacks": each} for each in (("default",), ("linkage",), ("identity",))),
    *({"seed": each} for each in (0, 1, 2**31)),
    *({"protect": "table", "risk": each} for each in (0.01, 0.99)),
    {"attacks": ("default", "linkage:database_size=1000000")},
    {"attacks": ("default", "linkage:database_size=10,threshold=0.99")},
    {"attacks": ("default", "identity:false_match_rate=0.5")},
    {"attacks": ("default", "identity:prior=0.000001,show_images=yes")},
]


@pytest.mark.parametrize("planted", ["pictures", "reports"])
def test_with_a_link_no_setting_gives_a_pass(
    planted: str, attacked: Callable[[str], tuple[Cohort, Attacked]], monkeypatch: pytest.MonkeyPatch
) -> None:
    originals, found = attacked(planted)
    seen = found["identity" if planted == "pictures" else "linkage"].after.estimate
    assert seen.value >= PLANTED - 0.04 and seen.high > ONE_IN_ELEVEN.value, "the attacker finds what was planted"
    passed = [asked for asked in ASKED if examined(asked, originals, found, monkeypatch).verdict is Verdict.PASS]
    assert not passed
    assert examined({}, originals, found, monkeypatch).reasons


FEW = 64


@pytest.fixture(scope="module")
def folder_to_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of films; of some patients both are their own, and of some the report describes the film."""
    folder = tmp_path_factory.mktemp("to-release")
    rows = drawn(folder, FEW)
    own = keeping(rows, pictures=PLANTED)
    table = with_own_films(rows, own)
    for path in set(rows["path"]) | set(rows["other"]):
        if path not in set(table["path"]):
            (folder / path).unlink()
    table.to_csv(folder / "table.csv", index=False)
    (folder.parent / "key").write_text("5a" * 32)
    return folder


def released(folder: Path, out: Path, *flags: str) -> dict[str, Any]:
    given = ["release", folder, "-o", out, "--key-file", folder.parent / "key", "--workers", "1", "--quiet", *flags]
    result = CliRunner().invoke(app, [str(each) for each in given], catch_exceptions=False)
    assert result.exit_code == 1, result.output
    return dict(json.loads((out / "report.json").read_text()))


@pytest.mark.parametrize(
    "flags",
    [
        ("--attack", "linkage", "--threshold", "0.5"),
        ("--attack", "default", "--attack", "identity:false_match_rate=0.00000001", "--recipient", "secure-room"),
    ],
    ids=" ".join,
)
def test_no_command_line_gives_a_pass(flags: tuple[str, ...], folder_to_release: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = released(folder_to_release, out, *flags)
    assert told["verdict"] in ("REVIEW", "FAIL") and told["remedies"]
    again = tmp_path / "questionnaire.toml"
    again.write_text('title = "Safe"\npurpose = "All is well"\nnext_review = 2030-01-01\n')
    assert released(folder_to_release, out, *flags, "--questionnaire", str(again))["verdict"] == told["verdict"]
    for other in (("--threshold", "0.9"), ("--seed", "8")):
        with pytest.raises(InputError, match="other settings"):
            released(folder_to_release, out, *flags, *other)
    assert json.loads((out / "report.json").read_text())["verdict"] == told["verdict"]
