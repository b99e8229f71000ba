from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from medveil.attacks.membership.settings import MembershipSettings
from medveil.cohort import Cohort
from medveil.cohort.input import read_cohort
from medveil.cohort.phantom.hospital import build_hospital
from medveil.errors import SettingsError
from medveil.federated.local_training import LocalTraining, assemble
from medveil.federated.plan import Plan
from medveil.federated.record import Record, RoundRecord, SiteRecord
from medveil.federated.rounds import federate
from medveil.federated.simulation import plan_of_run, simulated_plan
from medveil.finding import Verdict
from medveil.release.federated_models.model import FederatedModel
from medveil.release.federated_models.report import _promises, report_federation

NAMES = ("north", "south", "west")
PLAN = {
    "title": "Findings on chest films",
    "data": "phantom films",
    "rounds": 2,
    "recipe": {"side": 32, "channels": 8, "words": 16, "buckets": 64, "text_width": 16, "local_steps": 2, "batch": 8},
}


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Cohort, Cohort]:
    folder = tmp_path_factory.mktemp("hospital")
    build_hospital(folder, patients=90, size=64, seed=5)
    cohort = read_cohort(folder)
    number = cohort.table["patient_id"].astype("category").cat.codes.to_numpy()
    return cohort.where(number % 3 == 0), cohort.where(number % 3 != 0)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return simulated_plan(PLAN, NAMES, tmp_path_factory.mktemp("run"))


def record_of(plan: Plan) -> Record:
    sent = dict.fromkeys(NAMES, 1000)
    rounds = [RoundRecord(number, NAMES, {}, sent, sent, 1.0) for number in (1, 2)]
    sites = {name: SiteRecord(True, bytes_sent=2000, bytes_received=2000) for name in NAMES}
    return Record(plan.digest, plan.title, 2, True, "mean", sites, state="finished", history=rounds)


def test_the_page_tells_what_left_what_is_promised_and_what_the_model_does(
    plan: Plan, parts: tuple[Cohort, Cohort], tmp_path: Path
) -> None:
    trained, test = parts
    shared = federate(plan.recipe, {"all": LocalTraining(plan.recipe, trained, None)}, 2).shared
    model = FederatedModel(plan.recipe, assemble(plan.recipe, shared), 2)
    other = FederatedModel(plan.recipe, assemble(plan.recipe, [np.zeros_like(part) for part in shared]), 2)
    verdict, page = report_federation(
        plan,
        record_of(plan),
        model,
        trained,
        test,
        tmp_path,
        beside={"a blank model": other},
        settings=MembershipSettings(shadows=4),
        command="medveil federated report PLAN RUN",
        seed=7,
    )
    told = json.loads((tmp_path / "report.json").read_text())
    assert verdict is not Verdict.PASS  # no budget bounds what it remembers
    assert any("nothing bounds what the model remembers" in gap["why"] for gap in told["gaps"])
    by_part = {one["part"]: one["after"] for one in told["comparisons"]}
    assert any("it was on one machine" in gap["why"] and gap["blocking"] for gap in told["gaps"])
    assert by_part["membership"]["verdict"] is not None or by_part["membership"]["estimates"]
    diagnosis = by_part["federated-diagnosis"]
    blank = diagnosis["estimates"]["macro AUROC of a blank model"]
    assert blank["value"] == pytest.approx(0.5)
    [table] = diagnosis["tables"]
    assert [row[:3] for row in table["rows"]] == [[name, 2, 2000] for name in NAMES]
    html = page.read_text()
    assert "What left each site" in html and "Updates leave a site under masks" in html
    assert "The model as it is" in html and "data as they are" not in html
    assert not any(str(patient) in html for patient in trained.table["patient_id"].unique())


def test_a_run_is_reported_under_its_own_plan_alone(tmp_path: Path) -> None:
    text = 'title = "Films"\ndata = "phantoms"\nrounds = {}\n[recipe]\nside = 32\nchannels = 8\ntext = "none"\n'
    (tmp_path / "plan.toml").write_text(text.format(2))
    plan = simulated_plan({**PLAN, "title": "Films"}, NAMES, tmp_path / "run")
    (tmp_path / "other.toml").write_text(text.format(3))
    with pytest.raises(SettingsError, match="another plan"):
        plan_of_run(tmp_path / "other.toml", tmp_path / "run", record_of(plan))


def test_sums_in_groups_are_promised_for_a_group_and_not_for_all(tmp_path: Path) -> None:
    plan = simulated_plan(PLAN | {"group": 6}, [f"site {number}" for number in range(12)], tmp_path)
    promised = next(_promises(plan, record_of(plan))).guarantee.statement
    assert plan.summands == 5 and "sums of at least 5 sites" in promised
