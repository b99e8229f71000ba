from __future__ import annotations

import json
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from medveil.defenses.alignment import training
from medveil.defenses.alignment.accounting import Spending, epsilon
from medveil.defenses.alignment.coupling import Coupling
from medveil.defenses.alignment.guarantee import Facts, at_most, formal
from medveil.defenses.alignment.heads import Heads, HeadShape, biovil_t_heads, random_heads
from medveil.defenses.alignment.ledger import Budget, BudgetSpent, Ledger, fingerprint
from medveil.defenses.alignment.settings import VARIANTS, Settings, Variant
from medveil.defenses.alignment.training import TrainedHeads, train_heads
from medveil.errors import InputError, MedveilError, SettingsError

PAIRS = 120
START = random_heads(HeadShape(10, 6, hidden=8, groups=4), HeadShape(12, 6, hidden=8, bias=True), seed=0)
QUICK = {
    "batch": 24,
    "epochs": 6,
    "negatives": 16,
    "epsilon": 3.0,
    "delta": 1e-4,
    "accountant": "rdp",
    "group_size": 6,
    "directions": 2,
}


def features(pairs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Images and reports that share four hidden causes."""
    rng, maps = np.random.default_rng(seed), np.random.default_rng(99)
    causes = rng.standard_normal((pairs, 4))
    return tuple(  # type: ignore[return-value]
        (causes @ maps.standard_normal((4, n)) + 0.3 * rng.standard_normal((pairs, n))).astype(np.float32)
        for n in (10, 12)
    )


IMAGES, REPORTS = features(PAIRS, 1)
PUBLIC = features(40, 2)
PATIENTS = [f"patient {number // 3}" for number in range(PAIRS)]


def train(out: Path, variant: Variant = "dp", *, patients: Any = PATIENTS, **changes: Any) -> TrainedHeads:
    names = ("ledger", "progress", "public", "public_are", "findings")
    passed = {name: changes.pop(name) for name in names if name in changes}
    settings = Settings.for_variant(variant, **{**QUICK, "seed": 5, **changes})
    arguments = {"public": PUBLIC, "findings": np.eye(6)[:, :2], **passed}
    return train_heads(
        IMAGES, REPORTS, patients=patients, start=START, variant=variant, settings=settings, out=out, **arguments
    )


def weights(heads: Heads) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in heads.parameters()])


def linkage(images: np.ndarray, reports: np.ndarray) -> float:
    """How often a report fits its own image better than another's."""
    scores = images @ reports.T
    return float((np.diag(scores)[:, None] > scores).mean())


@pytest.mark.parametrize("directions", [None, np.eye(5)[:, :2], np.zeros((6, 2)), np.ones(6)])
def test_findings_need_directions_of_the_embeddings(tmp_path: Path, directions: np.ndarray | None) -> None:
    with pytest.raises(SettingsError, match="of 6 numbers each"):
        train(tmp_path, "findings", findings=directions)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_leaves_heads_a_guarantee_and_a_record(tmp_path: Path, variant: Variant) -> None:
    trained = train(tmp_path, variant)
    assert trained.guarantee.kind == ("formal" if variant in ("dp", "dp-groups") else "none")
    images, reports = trained.embed(IMAGES, REPORTS)
    np.testing.assert_allclose(np.linalg.norm(np.concatenate([images, reports]), axis=1), 1, atol=1e-5)
    changed = not torch.equal(weights(trained.heads), weights(START))
    assert changed == (variant != "noise")
    assert json.loads((tmp_path / "record.json").read_text()) == trained.record
    assert torch.equal(weights(Heads.load(tmp_path / "heads.safetensors")), weights(trained.heads))


def test_the_statement_names_every_condition(tmp_path: Path) -> None:
    trained = train(tmp_path)
    steps, noise = trained.record["steps"], trained.record["noise_multiplier"]
    cost = epsilon([Spending(noise, 24 / PAIRS, steps)], 1e-4, "rdp")
    assert cost <= 3.0 and trained.record["epsilon"]["rdp"] == cost
    for words in (
        f"ε = {at_most(cost)} at δ = 0.0001",
        "Rényi",
        "a patient with all pairs",
        "differ by one patient that is there or not",
        "Poisson; each of 40 patients takes part in each of 30 steps with probability 0.2",
        "clipped to C = 1.5",
        f"{noise:.4g} (σ) times the sensitivity",
        "Not covered: the frozen encoders",
        "only while that seed stays secret",
        "No ledger was kept",
    ):
        assert words in trained.guarantee.statement
    assert "adds one vector" in trained.guarantee.statement
    assert "2C" in train(tmp_path / "groups", "dp-groups").guarantee.statement


def test_the_statement_says_who_declared_the_public_pairs_public(tmp_path: Path) -> None:
    statement = train(tmp_path / "declared").guarantee.statement
    assert "40, declared public by the user" in statement and "spot-checked" in statement
    phantoms = train(tmp_path / "phantoms", public_are="phantoms").guarantee.statement
    assert "40 phantoms, who are nobody" in phantoms and "declared" not in phantoms


@pytest.mark.parametrize("variant", ["dp", "dp-groups", "dp-nominal"])
def test_a_delta_of_one_in_the_number_of_people_is_refused(tmp_path: Path, variant: Variant) -> None:
    with pytest.raises(SettingsError, match="below one in 40, the number of patients"):
        train(tmp_path, variant, delta=1 / 40)
    with pytest.raises(SettingsError, match="below one in 120, the number of pairs"):
        train(tmp_path, variant, delta=1 / 100, unit="pair")
    assert not list(tmp_path.iterdir())
    assert train(tmp_path, "plain", delta=0.5).guarantee.kind == "none"


@pytest.mark.parametrize("variant", ["dp", "dp-groups"])
@pytest.mark.parametrize("size", [1e20, 3e38])
def test_features_of_no_ordinary_size_leave_heads_that_are_numbers(
    tmp_path: Path, variant: Variant, size: float
) -> None:
    images = IMAGES.copy()
    images[7] = size
    settings = Settings.for_variant(variant, **{**QUICK, "seed": 5})
    trained = train_heads(
        images, REPORTS, patients=PATIENTS, start=START, variant=variant, settings=settings, out=tmp_path, public=PUBLIC
    )
    assert torch.isfinite(weights(trained.heads)).all()
    assert all(np.isfinite(part).all() for part in trained.embed(images, REPORTS))


def test_heads_that_are_not_numbers_are_never_kept(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not numbers, and nothing was kept"):
        train(tmp_path, learning_rate=1e38)
    assert not (tmp_path / "heads.safetensors").exists()


def test_noise_on_embeddings_has_no_default_seed(tmp_path: Path) -> None:
    trained = train(tmp_path, "noise")
    first, second = (trained.embed(IMAGES, REPORTS)[0] for _ in range(2))
    assert not np.allclose(first, second)
    assert np.array_equal(*(trained.embed(IMAGES, REPORTS, seed=3)[0] for _ in range(2)))


def test_by_pair_the_worst_patient_is_told(tmp_path: Path) -> None:
    patients = np.asarray([0] * 7 + list(range(1, PAIRS - 6)))
    trained = train(tmp_path, unit="pair", patients=patients)
    worst = trained.record["epsilon_of_patient"]
    assert worst["pairs"] == 7 and worst["epsilon"] > 2 * trained.record["epsilon"]["pld"]
    assert f"the patient with the most pairs (7) has ε = {at_most(worst['epsilon'])}" in trained.guarantee.statement


def test_an_epsilon_in_words_is_never_below_the_one_that_holds() -> None:
    assert [at_most(value) for value in (0.34, 0.3401, 1.0001, 12.34, 0.0, 99.95)] == [
        "0.34", "0.341", "1.01", "12.4", "0", "100"
    ]  # fmt: skip


def test_the_most_pairs_of_a_patient_are_not_told_where_patients_are_protected(tmp_path: Path) -> None:
    assert train(tmp_path).record["most_pairs"] == 0


def test_nominal_is_labelled(tmp_path: Path) -> None:
    trained = train(tmp_path, "dp-nominal")
    assert trained.guarantee.statement.startswith("No guarantee. An accountant would print ε =")
    assert trained.record["coupling"]["derivative"] > 0


def test_no_formal_words_for_a_coupled_loss() -> None:
    facts = Facts("dp", Settings(), Spending(1.0, 0.1, 5), Coupling(1e-9, 0.0), 10, 1, None)
    assert formal(facts).kind == "none"


def test_same_seed_same_heads(tmp_path: Path) -> None:
    for variant in ("dp", "dp-groups", "entropy"):
        runs = [train(tmp_path / f"{variant}{number}", variant, epochs=3) for number in range(2)]
        assert torch.equal(weights(runs[0].heads), weights(runs[1].heads))
        other = train(tmp_path / f"{variant} other", variant, epochs=3, seed=6)
        assert not torch.equal(weights(runs[0].heads), weights(other.heads))


def test_without_a_seed_one_is_drawn_and_forgotten(tmp_path: Path) -> None:
    runs = [train(tmp_path / str(number), seed=None) for number in range(2)]
    assert not torch.equal(weights(runs[0].heads), weights(runs[1].heads))
    assert "drawn from the operating system and not kept" in runs[0].guarantee.statement
    assert json.loads((tmp_path / "0" / "run.json").read_text())["seed"] is None
    assert not list(tmp_path.rglob("checkpoint*"))


def test_noise_is_never_used_twice(tmp_path: Path) -> None:
    """The same seed with other settings must not give noise that subtraction takes off."""
    seeds = []

    def peek(folder: Path, **changes: Any) -> None:
        def stop(*_: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train(folder, progress=stop, **changes)
        seeds.append(json.loads((folder / "run.json").read_text())["seed"])

    peek(tmp_path / "a")
    peek(tmp_path / "b", clip=1.0)
    assert seeds[0] != seeds[1]


@pytest.mark.parametrize("variant", ["dp", "entropy"])
@pytest.mark.parametrize("stops", [[3], [11, 12, 29]])
def test_interrupted_runs_end_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: Variant, stops: list[int]
) -> None:
    monkeypatch.setattr(training, "KEEP_EVERY", 5)
    whole = train(tmp_path / "whole", variant)
    for stop in stops:

        def interrupt(done: int, total: int, stop: int = stop) -> None:
            if done == stop:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "parts", variant, progress=interrupt)
    parts = train(tmp_path / "parts", variant)
    assert torch.equal(weights(whole.heads), weights(parts.heads))
    assert whole.record == parts.record


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {folder!r})
import test_training as here
here.training.KEEP_EVERY = 5
account = here.account(Path({out!r}) / "ledger.json")
here.train(Path({out!r}) / "run", ledger=account, progress=lambda done, total: print(done, flush=True))
"""


def account(path: Path, budget: float = 5.0) -> Ledger:
    return Ledger.of(path, PATIENTS, Budget(budget, 1e-4, "patient"))


def test_killed_and_restarted(tmp_path: Path) -> None:
    script = SCRIPT.format(folder=str(Path(__file__).parent), out=str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 12:
            process.send_signal(signal.SIGKILL)
            break
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL
    assert not (tmp_path / "run" / "heads.safetensors").exists()
    steps: list[int] = []
    again = train(
        tmp_path / "run", ledger=account(tmp_path / "ledger.json"), progress=lambda done, total: steps.append(done)
    )
    assert steps[0] > 10  # it went on, it did not begin anew
    whole = train(tmp_path / "whole", ledger=account(tmp_path / "other.json"))
    assert torch.equal(weights(whole.heads), weights(again.heads))
    assert whole.record == again.record
    assert len(json.loads((tmp_path / "ledger.json").read_text())["runs"]) == 1


def test_a_finished_run_is_read_back(tmp_path: Path) -> None:
    first = train(tmp_path)
    steps: list[int] = []
    second = train(tmp_path, progress=lambda done, total: steps.append(done))
    assert not steps and torch.equal(weights(first.heads), weights(second.heads))
    assert second.guarantee == first.guarantee
    with pytest.raises(SettingsError, match="other data or settings"):
        train(tmp_path, clip=1.0)


def test_the_ledger_stops_a_run_before_it_starts(tmp_path: Path) -> None:
    ledger = account(tmp_path / "ledger.json", budget=5.0)
    first = train(tmp_path / "first", ledger=ledger)
    assert f"ε = {at_most(ledger.spent())} of 5" in first.guarantee.statement
    steps: list[int] = []
    with pytest.raises(BudgetSpent):
        for number in range(5):
            train(tmp_path / str(number), ledger=ledger, seed=number, progress=lambda done, total: steps.append(done))
    assert ledger.spent() <= 5.0
    refused = tmp_path / str(len(steps) // 30)
    assert len(steps) % 30 == 0 and not list(refused.iterdir())
    assert train(refused, ledger=ledger, epsilon=0.05).guarantee.kind == "formal"
    with pytest.raises(SettingsError, match="counts by patient"):
        train(tmp_path / "pair", ledger=ledger, unit="pair")


def test_a_run_killed_between_its_booking_and_its_first_step_is_booked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = account(tmp_path / "ledger.json")

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(training, "optimise", killed)
        train(tmp_path / "run", ledger=ledger)
    spent, book = ledger.spent(), (tmp_path / "ledger.json").read_bytes()
    assert spent > 0
    with pytest.raises(SettingsError, match="other data or settings"):  # files that were changed in the meantime
        train_heads(
            IMAGES * np.float32(1.01), REPORTS, patients=PATIENTS, start=START, out=tmp_path / "run", public=PUBLIC,
            settings=Settings(**QUICK, seed=5), ledger=ledger,
        )  # fmt: skip
    others = Ledger.of(ledger.path, [f"{name}, renamed" for name in PATIENTS], ledger.budget)
    with pytest.raises(SettingsError, match="other patients"):
        train(tmp_path / "run", ledger=others)
    assert (tmp_path / "ledger.json").read_bytes() == book
    assert train(tmp_path / "run", ledger=ledger).guarantee.kind == "formal"
    assert ledger.spent() == spent


def test_who_declared_the_public_pairs_public_cannot_change_afterwards(tmp_path: Path) -> None:
    train(tmp_path, public_are="phantoms")
    with pytest.raises(SettingsError, match="other data or settings"):
        train(tmp_path)


@pytest.mark.parametrize("variant", ["dp", "dp-groups"])
@pytest.mark.parametrize(
    "of", ["two pairs", "one patient", "everybody in every step", "one person many times", "zeros", "denormals"]
)
def test_odd_data_leave_heads_that_are_numbers_and_a_guarantee(tmp_path: Path, variant: Variant, of: str) -> None:
    images, reports, patients = IMAGES.copy(), REPORTS.copy(), np.arange(PAIRS)
    batch = 24
    match of:
        case "two pairs":
            images, reports, patients = images[:2], reports[:2], patients[:2]
        case "one patient":
            patients = np.zeros(PAIRS, int)
        case "everybody in every step":
            batch = 10 * PAIRS
        case "one person many times":
            images[:], reports[:] = images[0], reports[0]
        case "zeros":
            images[::2], reports[1::2] = 0, 0
        case "denormals":
            images, reports = images * np.float32(1e-42), reports * np.float32(1e-42)
    trained = train_heads(
        images, reports, patients=patients, start=START, out=tmp_path, variant=variant, public=PUBLIC,
        settings=Settings(**{**QUICK, "batch": batch, "epochs": 2, "seed": 5}),
    )  # fmt: skip
    assert trained.guarantee.kind == "formal" and trained.record["coupling"]["joining"] <= 1 + 1e-9
    assert torch.isfinite(weights(trained.heads)).all()
    assert all(np.isfinite(part).all() for part in trained.embed(images, reports))


def test_a_finished_run_is_booked_too(tmp_path: Path) -> None:
    unbooked = train(tmp_path / "run")
    assert "No ledger was kept" in unbooked.guarantee.statement
    ledger = account(tmp_path / "ledger.json")
    booked = train(tmp_path / "run", ledger=ledger)
    assert ledger.spent() == pytest.approx(epsilon([Spending(booked.record["noise_multiplier"], 0.2, 30)], 1e-4))
    assert f"ε = {at_most(ledger.spent())} of 5" in booked.guarantee.statement
    assert json.loads((tmp_path / "run" / "record.json").read_text()) == booked.record
    train(tmp_path / "other", ledger=ledger, epsilon=0.5)
    later = train(tmp_path / "run", ledger=ledger)
    assert f"ε = {at_most(ledger.spent())} of 5" in later.guarantee.statement != booked.guarantee.statement
    assert len(json.loads((tmp_path / "ledger.json").read_text())["runs"]) == 2


def test_a_finished_run_that_does_not_fit_into_the_budget_is_refused(tmp_path: Path) -> None:
    train(tmp_path / "run")
    ledger = account(tmp_path / "ledger.json", budget=1.0)
    with pytest.raises(BudgetSpent, match="must not be released"):
        train(tmp_path / "run", ledger=ledger)
    assert ledger.spent() == 0
    assert train(tmp_path / "run").guarantee.kind == "formal"  # it is still there


def test_what_others_read_tells_nothing_of_the_data(tmp_path: Path) -> None:
    train(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"heads.safetensors", "record.json", "run.json"}
    assert stat.S_IMODE((tmp_path / "run.json").stat().st_mode) == 0o600
    published = (tmp_path / "record.json").read_text() + str((tmp_path / "heads.safetensors").read_bytes()[:2000])
    inputs = json.loads((tmp_path / "run.json").read_text())["inputs"]
    for secret in ("patient 7", inputs, fingerprint(IMAGES, REPORTS), '"seed": 5', "loss"):
        assert secret not in published


def test_steps_write_the_checkpoint_for_their_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "KEEP_EVERY", 5)

    def stop(done: int, total: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, progress=stop)
    assert stat.S_IMODE((tmp_path / "checkpoint.safetensors").stat().st_mode) == 0o600


def test_training_without_noise_learns_the_link(tmp_path: Path) -> None:
    held_out = features(200, 3)
    before = linkage(START.embed_images(held_out[0]), START.embed_reports(held_out[1]))
    trained = train(tmp_path, "plain", epochs=60, temperature=0.2)
    after = linkage(*trained.embed(*held_out))
    assert before < 0.65 and after > 0.85


def test_default_settings_are_the_published_ones() -> None:
    settings = Settings.for_variant("dp")
    assert (settings.learning_rate, settings.weight_decay, settings.clip) == (5e-3, 0.01, 1.5)
    assert (settings.epochs, settings.batch, settings.delta, settings.epsilon) == (5, 128, 6e-6, 0.34)
    entropy = Settings.for_variant("entropy")
    assert (entropy.epochs, entropy.batch) == (500, 512)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"image_features": IMAGES[:-1]}, "same number of rows"),
        ({"image_features": IMAGES[:, :4]}, "10 columns"),
        ({"image_features": np.where(np.arange(PAIRS)[:, None] == 77, 1e300, IMAGES.astype(float))}, "not numbers"),
        ({"report_features": np.where(np.arange(PAIRS)[:, None] == 77, np.nan, REPORTS)}, "not numbers"),
        ({"image_features": IMAGES[:0], "report_features": REPORTS[:0]}, "at least one"),
        ({"patients": PATIENTS[:-1]}, "every pair needs its patient"),
        ({"patients": [None, *PATIENTS[1:]]}, "none of them missing"),
        ({"public": None}, "public or phantom"),
        ({"public": (np.concatenate([PUBLIC[0], IMAGES[77:78]]), np.tile(PUBLIC[1], (2, 1))[:41])}, "to protect"),
        ({"public": (np.concatenate([PUBLIC[0], IMAGES[77:78] * 1.0001]), np.tile(PUBLIC[1], (2, 1))[:41])}, "protect"),
        ({"public": (PUBLIC[0], PUBLIC[1][:, :3])}, "public report features"),
        ({"variant": "magic"}, "choose one of"),
        ({"variant": "erase"}, "fewer than 6 directions"),
    ],
)
def test_bad_inputs_are_told_in_one_sentence(tmp_path: Path, arguments: dict[str, Any], words: str) -> None:
    given = {"image_features": IMAGES, "report_features": REPORTS, "patients": PATIENTS, "public": PUBLIC, **arguments}
    with pytest.raises(MedveilError, match=words) as refusal:
        train_heads(given.pop("image_features"), given.pop("report_features"), start=START, out=tmp_path, **given)
    assert isinstance(refusal.value, InputError | SettingsError) and "77" not in str(refusal.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "bad", [{"clip": 0}, {"epsilon": -1}, {"delta": 0}, {"unit": "image"}, {"strength": 2}, {"epsilon": 101}]
)
def test_bad_settings_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        Settings(**bad)
    with pytest.raises(SettingsError, match="must be one of"):
        Settings.for_variant("dp", colour="blue")


def test_biovil_t_heads_train_privately(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    images, reports = (rng.standard_normal((69, n), dtype=np.float32) for n in (512, 768))
    settings = Settings(batch=20, epochs=1, seed=1, accountant="rdp", epsilon=1.0)
    trained = train_heads(
        images[9:],
        reports[9:],
        patients=np.arange(60) // 2,
        start=biovil_t_heads(seed=0),
        out=tmp_path,
        settings=settings,
        public=(images[:9], reports[:9]),
    )
    assert trained.record["parameters"] == 197_504 and trained.guarantee.kind == "formal"
    assert all(torch.isfinite(parameter).all() for parameter in trained.heads.parameters())
