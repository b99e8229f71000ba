"""Training learns, resumes as if nothing had happened, and never sees a validation patient."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from medveil.cohort import Cohort
from medveil.encoders.identity.inference import as_input
from medveil.encoders.identity.networks.model_file import Architecture, load_into, save_network
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork
from medveil.encoders.identity.training import train as training
from medveil.encoders.identity.training.images import TrainingImages
from medveil.encoders.identity.training.objectives import Teachers
from medveil.encoders.identity.training.settings import TrainingSettings, published
from medveil.encoders.identity.training.train import MODEL, train, train_on
from medveil.errors import InputError, SettingsError
from medveil.training.loop import STATE
from medveil.weights.bundled import bundled

SMALL = TrainingSettings(
    size=64, patients=4, images=2, frozen_epochs=1, epochs=3, validate_every=1, patience=None, rate=2e-3, memory=8
)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> None:
    torch.set_num_threads(1)


def weights(out: Path) -> dict[str, torch.Tensor]:
    return load_file(out / MODEL)


def test_a_killed_run_goes_on_to_the_same_weights(
    phantoms: TrainingImages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_on("reidentification", phantoms, tmp_path / "whole", settings=SMALL)

    class Killed(Exception):
        pass

    def kill(line: dict[str, object]) -> None:
        if line["epoch"] == 2:
            raise Killed

    with pytest.raises(Killed):
        train_on("reidentification", phantoms, tmp_path / "killed", settings=SMALL, progress=kill)
    seen: list[object] = []
    train_on(
        "reidentification",
        phantoms,
        tmp_path / "killed",
        settings=SMALL,
        progress=lambda line: seen.append(line["epoch"]),
    )
    assert seen == [3, 4]
    whole, again = weights(tmp_path / "whole"), weights(tmp_path / "killed")
    assert all(torch.equal(whole[name], again[name]) for name in whole)
    with pytest.raises(InputError, match="other settings"):
        train_on("reidentification", phantoms, tmp_path / "killed", settings=replace(SMALL, seed=9))


def test_training_improves_on_phantoms(phantoms: TrainingImages, tmp_path: Path) -> None:
    # the head alone, on the bundled backbone: from chance, a test would have to wait long
    settings = replace(
        SMALL,
        size=96,
        continue_from=bundled("reidentification-1"),
        frozen_epochs=12,
        epochs=1,
        average=0.0,
        mirror=False,
    )
    run = training._Training("reidentification", phantoms, tmp_path, settings, "cpu")
    pixels, codes = phantoms.part(validation=False)
    before = training.score(run._similarity(pixels), codes)
    rounds = [run.train_round() for _ in range(12)]
    after = training.score(run._similarity(pixels), codes)
    assert after.pair_auc > before.pair_auc
    assert rounds[-1].told["loss"] < rounds[0].told["loss"]


@pytest.mark.parametrize("mining", ["online", "redrawn", "fixed"])
def test_verification_trains_with_every_mining(phantoms: TrainingImages, tmp_path: Path, mining: str) -> None:
    settings = replace(SMALL, mining=mining, epochs=1, frozen_epochs=0, memory=0)  # type: ignore[arg-type]
    result = train_on("verification", phantoms, tmp_path, settings=settings)
    assert 0 <= result.scores.pair_auc <= 1
    assert result.model.is_file()


def test_a_student_learns_from_teachers_and_a_verifier_goes_on_from_it(
    phantoms: TrainingImages, tmp_path: Path
) -> None:
    short = replace(SMALL, epochs=1, frozen_epochs=0)
    teacher = train_on("reidentification", phantoms, tmp_path / "t", settings=short).model
    student = train_on(
        "reidentification", phantoms, tmp_path / "s", settings=replace(short, teachers=(teacher,), seed=1)
    )
    verifier = train_on(
        "verification", phantoms, tmp_path / "v", settings=replace(short, continue_from=student.model, rate=1e-9)
    )
    came, went = load_file(student.model), load_file(verifier.model)
    assert torch.allclose(came["head.fc.weight"].float(), went["branch.head.fc.weight"].float(), atol=1e-3)


def test_teachers_take_turns_and_look_at_their_own_size(phantoms: TrainingImages, tmp_path: Path) -> None:
    gray = as_input(torch.from_numpy(phantoms.pixels[:4]), 64)
    network = RetrievalNetwork("efficientnet-lite0", "gem", 128).eval()
    load_into(network, bundled("reidentification-1"))
    paths, expected = [], []
    for size in (64, 96):
        paths.append(tmp_path / f"{size}.safetensors")
        save_network(paths[-1], network, Architecture("reidentification", head="gem", size=size))
        inputs = torch.nn.functional.interpolate(gray, (size, size), mode="bilinear", align_corners=False)
        with torch.no_grad():
            unit = [torch.nn.functional.normalize(network(view), dim=1) for view in (inputs, inputs.flip(3))]
        expected += [each @ each.T for each in unit]
    teachers, rng = Teachers(paths, "cpu"), np.random.default_rng(1)
    told = [teachers.similarities(gray, rng) for _ in range(16)]
    equal = [[torch.allclose(one, other, atol=1e-3) for other in expected] for one in told]
    assert np.sum(equal, axis=1).tolist() == [1] * len(told)
    assert np.any(equal, axis=0).all()


def test_early_stopping_keeps_the_best(
    phantoms: TrainingImages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    aucs = iter([0.6, 0.9, 0.5, 0.5, 0.5, 0.5])
    monkeypatch.setattr(training, "score", lambda *_: training.Scores(0.0, next(aucs)))
    result = train_on(
        "reidentification", phantoms, tmp_path, settings=replace(SMALL, epochs=50, frozen_epochs=0, patience=2)
    )
    assert result.epochs == 4
    assert result.scores.pair_auc == 0.9


def test_the_rate_is_searched_when_none_is_given(phantoms: TrainingImages, tmp_path: Path) -> None:
    settings = replace(SMALL, rate=None, epochs=1, frozen_epochs=0)
    result = train_on("reidentification", phantoms, tmp_path, settings=settings)
    assert 1e-6 <= result.rate <= 1


def test_a_frozen_backbone_does_not_move(phantoms: TrainingImages, tmp_path: Path) -> None:
    run = training._Training("reidentification", phantoms, tmp_path, replace(SMALL, frozen_epochs=2), "cpu")
    before = [value.clone() for value in run._backbone().state_dict().values()]
    head = run.network.head.fc.weight.detach().clone()  # type: ignore[union-attr]
    run._one_epoch()
    assert all(torch.equal(a, b) for a, b in zip(before, run._backbone().state_dict().values(), strict=True))
    assert not torch.equal(head, run.network.head.fc.weight)  # type: ignore[union-attr]


def test_shared_patients_are_refused(phantoms: TrainingImages) -> None:
    validation = phantoms.validation.copy()
    validation[0] = True
    with pytest.raises(InputError, match="split the cohort by patient"):
        TrainingImages(phantoms.pixels, phantoms.patients, validation)
    with pytest.raises(InputError, match="'val'"):
        TrainingImages(phantoms.pixels, phantoms.patients, np.zeros_like(validation))


def test_a_cohort_whose_splits_share_patients_is_refused(hospital: Cohort, tmp_path: Path) -> None:
    table = hospital.table.head(6).copy()
    table["split"] = ["train", "val"] * 3
    table["patient_id"] = "one"
    with pytest.raises(InputError, match="by patient"):
        train("reidentification", replace(hospital, table=table), tmp_path, settings=SMALL)
    assert not (tmp_path / STATE).exists()


def test_the_published_settings() -> None:
    retrieval, verification = published("reidentification"), published("verification")
    assert (retrieval.backbone, retrieval.head, retrieval.size, retrieval.memory) == ("resnet50", "grid", 1024, 128)
    assert (retrieval.frozen_epochs, retrieval.epochs, retrieval.rate) == (30, 50, 0.1584)
    assert retrieval.patients * retrieval.images == verification.patients * verification.images == 32
    assert (verification.mining, verification.rate, verification.patience) == ("redrawn", 1e-4, 5)
    with pytest.raises(SettingsError):
        TrainingSettings(images=1)
