"""The attack as a whole: planted identities are found, what does not belong is set aside, nothing leaks."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from medveil.attacks.identity.attack import Identity
from medveil.attacks.identity.embedded_images import NOT_FRONTAL, OTHER_VIEW
from medveil.attacks.identity.exclusions import EXACT, NEAR
from medveil.attacks.identity.run import run_identity
from medveil.attacks.identity.settings import IdentitySettings
from medveil.cohort import Cohort
from medveil.errors import NotMeasurable, SettingsError
from medveil.parts import registered
from medveil.testing import check_attack

HEADLINE = "linkable patients"


def private(path: Path) -> bool:
    return stat.S_IMODE(path.stat().st_mode) == 0o600


def test_planted_identities_are_found_and_links_ranked(
    clinic: Any, cohort_of: Any, stand_in: Any, tmp_path: Path
) -> None:
    cohort = cohort_of(*clinic.visits(range(30)))
    result = run_identity(cohort, None, embedder=stand_in, seed=3, out=tmp_path / "out")
    found = result.finding.estimates
    assert found[HEADLINE].value == 1 and found["precision@1"].value == 1
    assert found["pair AUC"].value > 0.999
    assert found["mAP@R, by the network with all films taken together"].value == 1
    assert found[HEADLINE].chance < 0.05
    assert found["precision@1"].chance == pytest.approx(1 / 59)
    assert result.finding.verdict == "FAIL"
    links = result.links
    true = links["recorded_patient"] == "same"
    assert true.sum() == 30 and true[:30].all()
    assert links["probability"].is_monotonic_decreasing
    assert links.loc[true, "probability"].min() > 0.9 > 0.1 > links.loc[~true, "probability"].max()
    written = pd.read_csv(tmp_path / "out" / "links.csv")
    assert private(tmp_path / "out" / "links.csv")
    pairs = {(a, b) for a, b in zip(written["row_a"][:30], written["row_b"][:30], strict=True)}
    assert pairs == {(2 * k + 1, 2 * k + 2) for k in range(30)}


def test_images_of_one_study_are_not_linked(clinic: Any, cohort_of: Any, stand_in: Any) -> None:
    pictures, rows = clinic.visits(range(12), 4)
    rows = [{**row, "study_id": row["study_id"][:-1] + str(int(row["study_id"][-1]) // 2)} for row in rows]
    cohort = cohort_of(pictures, rows)
    links = run_identity(cohort, None, embedder=stand_in, seed=3).links
    studies = cohort.table["study_id"].to_numpy()
    assert (studies[links["left"]] != studies[links["right"]]).all()
    assert (links["recorded_patient"] == "same").sum() == 12 * 4


def test_people_without_a_mark_are_not_recognised(clinic: Any, cohort_of: Any, stand_in: Any) -> None:
    cohort = cohort_of(*clinic.visits(range(30), recognisable=0))
    found = run_identity(cohort, None, embedder=stand_in, seed=3).finding.estimates
    by = "by the network with all films taken together"
    for name in (HEADLINE, "precision@1", "pair AUC", *(f"{each}, {by}" for each in (HEADLINE, "mAP@R", "pair AUC"))):
        assert found[name].low <= found[name].chance <= found[name].high, name


def test_copies_link_whom_nobody_recognises(clinic: Any, cohort_of: Any, stand_in: Any) -> None:
    """The only link of ten patients is a copy, and nobody else is recognised: half of all who returned are linked."""
    pictures, rows = clinic.visits(range(20), recognisable=0)
    for k in range(10):  # the second visit of these is the first one's picture
        first = pictures[2 * k]
        pictures[2 * k + 1] = first.copy() if k < 5 else np.clip(first * 0.8 + 30, 0, 255).astype(np.uint8)
    result = run_identity(cohort_of(pictures, rows), None, embedder=stand_in, seed=1)
    assert (result.exact_copies, result.near_copies) == (5, 5)
    found = result.finding.estimates
    assert found["patients linked by copies"].value == 0.5
    assert found[HEADLINE].units == 20 and 0.5 <= found[HEADLINE].value < 0.8
    assert result.finding.verdict == "FAIL"
    told = dict(next(t for t in result.finding.tables if t.title.startswith("Set aside")).rows)
    assert told == {EXACT: 5, NEAR: 5}
    assert "50.0 % because one picture appears in two of their studies" in result.finding.answer


def test_other_views_and_other_things_are_set_aside_with_a_count(
    clinic: Any, cohort_of: Any, stand_in: Any, tmp_path: Path
) -> None:
    pictures, rows = clinic.visits(range(15))
    rng = np.random.default_rng(0)
    for number in range(4):
        pictures.append(np.rot90(clinic.chest(0, 50 + number)).copy())
        pictures.append(rng.integers(0, 255, (200, 180)).astype(np.uint8))
        pictures.append(clinic.chest(1, 60 + number))
        rows += [{"patient_id": "patient-000", "study_id": f"study-x-{number}", "view": None}] * 2
        rows.append({"patient_id": "patient-001", "study_id": f"study-y-{number}", "view": "LATERAL"})
    cohort = cohort_of(pictures, rows)
    (cohort.root / cohort.table["path"].iat[0]).write_bytes(b"no image at all")
    (cohort.root / cohort.table["path"].iat[2]).unlink()
    result = run_identity(cohort, None, embedder=stand_in, seed=1, out=tmp_path / "out")
    assert result.set_aside == {NOT_FRONTAL: 8, OTHER_VIEW: 4, "not an image": 1, "missing file": 1}
    assert any("not attacked: 14;" in limit for limit in result.finding.limits)
    assert result.finding.estimate.units == 13
    listed = pd.read_csv(tmp_path / "out" / "set-aside.csv")
    assert private(tmp_path / "out" / "set-aside.csv")
    assert set(listed.columns) == {"cohort", "row", "reason"} and len(listed) == 14
    assert listed["row"].min() == 1


def test_two_cohorts_with_known_patients(clinic: Any, cohort_of: Any, stand_in: Any, tmp_path: Path) -> None:
    a = cohort_of(*clinic.visits(range(20), 1), name="a")
    b = cohort_of(*clinic.visits(range(5, 25), 1, first=1), name="b")
    result = run_identity(
        a, b, embedder=stand_in, seed=1, shared_ids=True, named_links=tmp_path / "steward" / "links.csv"
    )
    found = result.finding.estimates
    assert found[HEADLINE].units == 15 and found[HEADLINE].value == 1
    assert found["precision@1"].chance == pytest.approx(1 / 20)
    named = pd.read_csv(tmp_path / "steward" / "links.csv")
    assert private(tmp_path / "steward" / "links.csv")
    assert (named["patient_id_a"][:15] == named["patient_id_b"][:15]).all()


def test_two_cohorts_nobody_has_matched(clinic: Any, cohort_of: Any, stand_in: Any) -> None:
    """The same ids mean nothing here; who is in both is told by probability alone."""
    a = cohort_of(*clinic.visits(range(30), 2), name="a")
    b = cohort_of(*clinic.visits(range(20, 50), 1, first=7), name="b")
    result = run_identity(a, b, embedder=stand_in, seed=1)
    assert set(result.links["recorded_patient"]) == {"unknown"}
    assert result.finding.estimate.value == pytest.approx(1 / 3)
    fewer = run_identity(a, b, embedder=stand_in, seed=1, settings=IdentitySettings(prior=1e-9)).links["probability"]
    assert (fewer <= result.links["probability"]).all() and fewer.max() < result.links["probability"].max()


def test_pictures_that_give_12_percent_of_the_patients_away_cannot_pass(
    clinic: Any, cohort_of: Any, stand_in: Any
) -> None:
    """Six of fifty patients can be recognised, or have one picture in two studies; nobody else can be told apart."""
    plain, rows = clinic.visits(range(50), recognisable=0)
    marked, copied = list(plain), list(plain)
    for person in range(6):
        marked[2 * person : 2 * person + 2] = clinic.visits([person], recognisable=14)[0]
        copied[2 * person + 1] = copied[2 * person]
    for name, pictures in {"marked": marked, "copied": copied}.items():
        finding = run_identity(cohort_of(pictures, rows, name=name), None, embedder=stand_in, seed=1).finding
        assert finding.estimate.units == 50 and finding.estimate.value >= 0.12, name
        assert finding.verdict != "PASS", name


def test_when_all_are_copies_all_are_linked(clinic: Any, cohort_of: Any, stand_in: Any) -> None:
    pictures, rows = clinic.visits(range(24), 2)
    a = cohort_of(pictures, rows, name="a")
    b = cohort_of(pictures, rows, name="b")
    for shared_ids in (True, False):
        finding = run_identity(a, b, embedder=stand_in, seed=1, shared_ids=shared_ids).finding
        assert finding.estimate.value == 1 and finding.verdict == "FAIL"
    alone = cohort_of([pictures[row // 2 * 2] for row in range(48)], rows, name="c")
    finding = run_identity(alone, None, embedder=stand_in, seed=1).finding
    assert finding.estimate.value == 1 and finding.estimate.units == 24 and finding.verdict == "FAIL"


def test_the_measured_false_match_rate_stands_in_the_answer(clinic: Any, cohort_of: Any, stand_in: Any) -> None:
    """One in a thousand cannot be told by so few patients, and what was let through is counted."""
    finding = run_identity(cohort_of(*clinic.visits(range(30))), None, embedder=stand_in, seed=3).finding
    table = next(table for table in finding.tables if table.title == "Attackers on identity")
    (_, _, _, aimed, measured, tried) = table.rows[0]
    assert f"let {measured} of {tried} pairs of strangers pass ({aimed} was aimed at)" in finding.answer
    assert aimed != "1 in 1,000" and "1 in 1,000" not in finding.answer
    assert any("too few to tell" in limit for limit in finding.limits)


def test_too_few_patients_to_know_is_said_and_cannot_pass(clinic: Any, cohort_of: Any, stand_in: Any) -> None:
    finding = run_identity(cohort_of(*clinic.visits(range(30))), None, embedder=stand_in, seed=3).finding
    assert finding.power is not None and not finding.power.enough
    assert "too few to know" in finding.power.shown_on


@pytest.mark.parametrize(
    "people, per_person, words",
    [(20, 1, "only one frontal study"), (1, 4, "two patients"), (1, 1, "two patients")],
    ids=["one image a patient", "a single patient", "a single image"],
)
def test_cohorts_without_anything_to_measure_say_so(
    people: int, per_person: int, words: str, clinic: Any, cohort_of: Any
) -> None:
    cohort = cohort_of(*clinic.visits(range(people), per_person))
    with pytest.raises(NotMeasurable, match=words):
        Identity().run(cohort, cohort, seed=1)


def test_a_remnant_does_not_speak_for_all(
    clinic: Any, cohort_of: Any, stand_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A defense that spoils most images must not pass because of the few it left alone."""
    monkeypatch.setattr("medveil.encoders.identity.embedder.load_embedder", lambda path, device: stand_in)
    pictures, rows = clinic.visits(range(20))
    spoiled = [np.rot90(p).copy() if k >= 18 else p for k, p in enumerate(pictures)]
    cohort = cohort_of(spoiled, rows)
    with pytest.raises(NotMeasurable, match="speak for too many"):
        Identity().run(cohort, cohort, seed=1)
    few = [np.rot90(p).copy() if k >= 30 else p for k, p in enumerate(pictures)]
    others = cohort_of(few, rows, name="few")
    assert Identity().run(others, others, seed=1).estimate.units == 15


def test_nothing_frontal_left(clinic: Any, cohort_of: Any, stand_in: Any, tmp_path: Path) -> None:
    pictures, rows = clinic.visits(range(4))
    cohort = cohort_of([np.rot90(picture).copy() for picture in pictures], rows)
    with pytest.raises(NotMeasurable, match="no frontal chest X-ray is left"):
        run_identity(cohort, None, embedder=stand_in, seed=1, out=tmp_path / "out")
    assert len(pd.read_csv(tmp_path / "out" / "set-aside.csv")) == 8  # nothing is lost


@pytest.mark.parametrize("wrong", [{"false_match_rate": 0.0}, {"false_match_rate": 1.5}, {"prior": 1.0}])
def test_settings_that_make_no_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(SettingsError):
        IdentitySettings(**wrong)


def test_pictures_show_no_xray_unless_asked(clinic: Any, cohort_of: Any, stand_in: Any) -> None:
    cohort = cohort_of(*clinic.visits(range(12)))
    maps = run_identity(cohort, None, embedder=stand_in, seed=1).finding.pictures
    other = cohort_of(*clinic.visits(range(20, 32)), name="other")
    elsewhere = run_identity(other, None, embedder=stand_in, seed=1).finding.pictures
    assert [p.png for p in maps] == [p.png for p in elsewhere]  # the same maps, whoever is in the images
    asked = IdentitySettings(show_images=True)
    shown = run_identity(cohort, None, embedder=stand_in, seed=1, settings=asked).finding.pictures
    assert len(maps) == len(shown) == 2 and maps[0].png != shown[0].png
    assert max(len(p.png) for p in maps) < 4000


def test_the_same_finding_whatever_people_are_called(clinic: Any, cohort_of: Any, stand_in: Any) -> None:
    """Redraws of patients are paired before and after a defense, which renames everybody."""
    pictures, rows = clinic.visits(range(12))
    renamed = [{"patient_id": f"z{99 - int(r['patient_id'][-3:])}", "study_id": r["study_id"][::-1]} for r in rows]
    one = run_identity(cohort_of(pictures, rows), None, embedder=stand_in, seed=1).finding
    two = run_identity(cohort_of(pictures, renamed, name="b"), None, embedder=stand_in, seed=1).finding
    assert json.dumps(one.to_json()) == json.dumps(two.to_json())
    assert one.estimate.minus(two.estimate).sd == 0


def test_conforms(hospital: Cohort, stand_in: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medveil.encoders.identity.embedder.load_embedder", lambda path, device: stand_in)
    finding = check_attack(Identity(), hospital)
    assert finding.headline == HEADLINE and finding.estimate.units <= 30
    assert registered("attacks")["identity"] is Identity and not Identity.baseline


def test_a_release_may_be_attacked_by_a_verification_network(hospital: Cohort) -> None:
    finding = Identity(IdentitySettings(weights=Path("verification"))).run(hospital, hospital, seed=1)
    assert finding.headline == "linkable patients"
    assert finding.power is not None and "accuracy at 0.5" in finding.estimates


@pytest.mark.real_data
def test_real_patients_are_told_from_copies(real_data: Path, stand_in: Any) -> None:
    """Different visits of NIH patients are no copies; the copies in the COVID-19 collection are found."""
    from medveil.cohort.input import read_cohort

    nih = read_cohort(real_data / "nih14")
    validation = nih.where(nih.table["split"] == "val")
    result = run_identity(validation, None, embedder=stand_in, seed=0)
    assert (result.exact_copies, result.near_copies) == (0, 0)
    assert sum(result.set_aside.values()) <= 0.02 * len(validation)
