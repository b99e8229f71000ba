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
from medveil.encoders.identity.networks.model_file import Architecture, Kind, load_into, save_network
from medveil.encoders.identity.networks.retrieval_network import GridHead, RetrievalNetwork
from medveil.encoders.identity.training import images as images_module
from medveil.encoders.identity.training import train as training
from medveil.encoders.identity.training.images import FilmsOnDisk, TrainingImages, from_cohort
from medveil.encoders.identity.training.losses import Contrastive
from medveil.encoders.identity.training.objectives import OfflinePairs, Teachers
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


def test_the_published_retrieval_recipe() -> None:
    """Each number as the paper prints it (methods, "Patient re-identification")."""
    paper = published("reidentification", Path("resnet50.pth"))
    assert (paper.backbone, paper.start, paper.dim) == ("resnet50", Path("resnet50.pth"), 128)
    assert (paper.size, paper.head) == (1024, "grid")
    head = GridHead(2048, paper.dim)
    assert (head.grid, head.reduce.out_channels, head.reduce.kernel_size) == (5, 100, (1, 1))
    assert paper.losses == {"contrastive": 1.0}
    assert Contrastive().margin == 1.0
    assert paper.optimizer == "sgd"
    assert (paper.schedule, paper.rate) == ("one-cycle", 0.1584)
    assert (paper.rate * paper.first, paper.rate * paper.last) == pytest.approx((0.0063, 0.0063))
    assert (paper.momentum, paper.least_momentum) == (0.95, 0.85)
    assert paper.weight_decay == 1e-5
    assert paper.patients * paper.images == 32
    assert paper.memory == 128 == 4 * 32
    assert (paper.frozen_epochs, paper.epochs, paper.patience) == (30, 50, None)
    _has_nothing_the_paper_has_not(paper)


def test_the_published_verification_recipe() -> None:
    """Each number as the paper prints it (methods, "Patient verification")."""
    paper = published("verification")
    assert (paper.backbone, paper.head, paper.dim, paper.size) == ("resnet50", "global", 128, 256)
    assert (paper.mining, paper.pairs) == ("redrawn", None)
    assert (paper.optimizer, paper.schedule, paper.rate, paper.weight_decay) == ("adam", "constant", 1e-4, 0.0)
    assert paper.patients * paper.images == 32
    assert (paper.patience, paper.validate_every, paper.frozen_epochs) == (5, 1, 0)
    _has_nothing_the_paper_has_not(paper)


def _has_nothing_the_paper_has_not(paper: TrainingSettings) -> None:
    assert paper.augmentation is None
    assert not paper.mirror
    assert not paper.singles
    assert not paper.stretched
    assert paper.clip is None
    assert paper.teachers == ()
    assert paper.average == 0
    assert paper.backbone_share == 1


def _steps(
    kind: Kind, images: TrainingImages, settings: TrainingSettings, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[tuple[float, float | None]], list[object]]:
    """Rate and momentum of every step of a run, and the films the network was given."""
    paces: list[tuple[float, float | None]] = []
    seen: list[object] = []
    run = training._Training(kind, images, Path("unused"), settings, "cpu")
    step = run.optimizer.step

    def watched(*args: object) -> object:
        paces.append((run.optimizer.param_groups[0]["lr"], run.optimizer.param_groups[0].get("momentum")))
        return step(*args)

    monkeypatch.setattr(run.optimizer, "step", watched)
    run.network.register_forward_pre_hook(lambda _, given: seen.append(given[0].detach().clone()))
    clipped = []
    monkeypatch.setattr(training.nn.utils, "clip_grad_norm_", lambda *_: clipped.append(1))
    while not run.finished:
        run._one_epoch()
        run.epoch += 1
    assert bool(clipped) == (settings.clip is not None)
    return paces, seen


def test_published_retrieval_cycles_rate_and_momentum(
    phantoms: TrainingImages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against PyTorch's own 1cycle, which counts steps from one and ends one step earlier."""
    paper = replace(
        published("reidentification"), backbone="resnet-small", size=64, patients=2, images=2, frozen_epochs=3, epochs=5
    )
    paces, _ = _steps("reidentification", phantoms, paper, monkeypatch)
    each = len(phantoms.patients[~phantoms.validation]) // 4
    for cycle, epochs in ((paces[: 3 * each], 3), (paces[3 * each :], 5)):
        rates, momenta = np.array(cycle).T
        steps = epochs * each
        assert len(rates) == steps
        assert rates[0] == pytest.approx(0.0063)
        assert rates.max() == pytest.approx(0.1584)
        assert rates.argmax() == momenta.argmin() == round(0.3 * steps)
        assert (momenta[0], momenta.min()) == pytest.approx((0.95, 0.85))
        assert rates.min() == rates[0]
        scheduled = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
        turn = round(0.3 * steps)
        torchs = torch.optim.lr_scheduler.OneCycleLR(
            scheduled,
            max_lr=0.1584,
            total_steps=steps + 1,
            pct_start=(turn + 1) / (steps + 1),
            div_factor=0.1584 / 0.0063,
            final_div_factor=1.0,
        )
        told = []
        for _ in range(steps):
            group = scheduled.param_groups[0]
            told.append((group["lr"], group["momentum"]))
            scheduled.step()
            torchs.step()
        assert np.allclose(np.array(cycle), np.array(told), rtol=1e-6)


def test_published_verification_keeps_its_rate_and_the_films_as_they_are(
    phantoms: TrainingImages, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = replace(published("verification"), backbone="resnet-small", size=64, patients=2, images=2, epochs=2)
    paces, seen = _steps("verification", phantoms, paper, monkeypatch)
    assert {pace for pace, _ in paces} == {1e-4}
    films, _ = phantoms.part(validation=False)
    there = {film.numpy().tobytes() for film in as_input(torch.from_numpy(np.asarray(films)), 64)}
    assert all(film.numpy().tobytes() in there for batch in seen for film in batch)


def test_films_on_disk_train_as_those_in_memory(
    hospital: Cohort, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(
        SMALL, frozen_epochs=0, epochs=2, size=96, stretched=False, backbone="resnet-small", mirror=False
    )
    train("reidentification", hospital, tmp_path / "memory", settings=settings)
    monkeypatch.setattr(images_module, "MOST_IN_MEMORY", 0)
    assert isinstance(from_cohort(hospital, settings.preparation).pixels, FilmsOnDisk)
    train("reidentification", hospital, tmp_path / "disk", settings=settings)
    came, went = weights(tmp_path / "memory"), weights(tmp_path / "disk")
    assert all(torch.equal(came[name], went[name]) for name in came)


def test_a_film_that_vanishes_is_one_sentence(hospital: Cohort, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images_module, "MOST_IN_MEMORY", 0)
    films = from_cohort(hospital).pixels
    assert isinstance(films, FilmsOnDisk)
    gone = replace(films, places=(("nowhere.dcm", 0), *films.places[1:]))
    with pytest.raises(InputError, match="put it back"):
        gone[np.array([0, 1])]


def test_films_are_not_blown_up(phantoms: TrainingImages, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="prepared at 256"):
        train_on("reidentification", phantoms, tmp_path, settings=replace(SMALL, size=512))


def test_so_many_pairs_as_asked_for_or_as_there_are(phantoms: TrainingImages) -> None:
    codes = np.repeat(np.arange(30), 4)
    for mining, redrawn in (("fixed", False), ("redrawn", True)):
        settings = TrainingSettings(mining=mining, pairs=100)  # type: ignore[arg-type]
        few = OfflinePairs(settings, codes)
        assert few.pairs == 100
        assert (few.batches.fixed is None) == redrawn
        assert OfflinePairs(replace(settings, pairs=10_000), codes).pairs == 2 * 30 * 6
    with pytest.raises(SettingsError, match="redrawn or fixed"):
        TrainingSettings(pairs=100)


def test_many_validation_images_are_scored_like_few(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(200), 3)
    vectors = 3 * rng.normal(size=(200, 8))[codes] + rng.normal(size=(600, 8))
    whole = training.score(lambda rows: vectors[rows] @ vectors.T, codes)
    monkeypatch.setattr(training, "MOST_SQUARE", 100)
    drawn = training.score(lambda rows: vectors[rows] @ vectors.T, codes)
    assert drawn.precision_at_1 == whole.precision_at_1
    assert drawn.pair_auc == pytest.approx(whole.pair_auc, abs=0.02)
    assert drawn == training.score(lambda rows: vectors[rows] @ vectors.T, codes)


def test_settings_that_cannot_be() -> None:
    with pytest.raises(SettingsError):
        TrainingSettings(images=1)
    for rate in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(SettingsError, match="above 0"):
            TrainingSettings(rate=rate)
