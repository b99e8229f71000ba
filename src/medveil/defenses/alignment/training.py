"""Training the two heads on cached features, in one of several ways, with an honest statement of what it promises.

Nothing that was seen on the way (losses, lengths of gradients) is returned or written: it would tell about the data
outside the accountant's books.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.defenses.alignment import guarantee as wording
from medveil.defenses.alignment.accounting import Spending, epsilon, noise_for
from medveil.defenses.alignment.baselines import erase_shared_directions, with_noise
from medveil.defenses.alignment.coupling import PAIRS, Coupling, heads_coupling
from medveil.defenses.alignment.feature_pairs import Pairs, checked_pairs, checked_public, patient_codes
from medveil.defenses.alignment.group_privacy import patient_epsilon
from medveil.defenses.alignment.heads import Embedding, Features, Heads
from medveil.defenses.alignment.ledger import BudgetSpent, Ledger, fingerprint
from medveil.defenses.alignment.sampling import StepRandomness, Units
from medveil.defenses.alignment.settings import VARIANTS, Settings, Variant
from medveil.defenses.alignment.steps import (
    EntropyStep,
    SampledStep,
    Step,
    optimise,
    optimiser_of,
    sampled_steps,
    sampling_probability,
)
from medveil.defenses.alignment.training_run import TrainingRun
from medveil.errors import SettingsError
from medveil.parts import Guarantee

KEEP_EVERY = 500  # steps
Progress = Callable[[int, int], None]
PRIVATE: tuple[Variant, ...] = ("dp", "dp-groups")


@dataclass(frozen=True)
class TrainedHeads:
    """Heads, what they promise, and how they came about (fit for JSON)."""

    heads: Heads
    variant: Variant
    guarantee: Guarantee
    record: dict[str, Any]
    noise: float = 0.0

    def embed(
        self, image_features: Features, report_features: Features, *, seed: int = 0
    ) -> tuple[Embedding, Embedding]:
        """Embeddings as they would be released. `seed` draws the noise, where the variant has any."""
        images, reports = self.heads.embed_images(image_features), self.heads.embed_reports(report_features)
        if not self.noise:
            return images, reports
        rng = np.random.default_rng([seed, 0xA1])
        return with_noise(images, self.noise, rng), with_noise(reports, self.noise, rng)


def train_heads(
    image_features: Features,
    report_features: Features,
    *,
    patients: Sequence[Any] | NDArray[Any],
    start: Heads,
    out: Path,
    variant: Variant = "dp",
    settings: Settings | None = None,
    public: tuple[Features, Features] | None = None,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> TrainedHeads:
    """Train (or otherwise change) the heads; row i of the features is pair i of patient i.

    `public` are features of pairs that are nobody's: of a public or phantom set. A killed run goes on when called again
    with the same inputs and folder, a finished one is read back.
    """
    if variant not in VARIANTS:
        raise SettingsError(f"there is no variant of that name; choose one of {', '.join(VARIANTS)}")
    settings = settings or Settings.for_variant(variant)
    pairs = checked_pairs(image_features, report_features, start)
    others = None if public is None else checked_public(*public, start, pairs)
    codes = patient_codes(patients, len(pairs))
    if variant in ("dp", "plain") and others is None:
        raise SettingsError(
            f"{variant} holds every pair against public pairs; give features of a public or phantom set"
        )
    if variant == "erase" and settings.directions >= start.dim:
        raise SettingsError(f"fewer than {start.dim} directions can be erased, or nothing is left of an embedding")
    inputs = _inputs(pairs, others, codes, start, variant, settings)
    state = TrainingRun.open(out, inputs, settings.seed)
    if not state.done:
        _run(_Job(pairs, others, codes, start, variant, settings, ledger, state, progress or (lambda *_: None)))
    heads, record = state.result()
    noise = settings.noise if variant == "noise" else 0.0
    return TrainedHeads(heads, variant, Guarantee(**record["guarantee"]), record, noise)


@dataclass(frozen=True)
class _Job:
    pairs: Pairs
    public: Pairs | None
    patients: NDArray[np.intp]
    start: Heads
    variant: Variant
    settings: Settings
    ledger: Ledger | None
    state: TrainingRun
    progress: Progress

    @property
    def units(self) -> Units:
        return Units.of(self.patients if self.settings.unit == "patient" else np.arange(len(self.pairs)))

    @property
    def randomness(self) -> StepRandomness:
        assert self.state.seed is not None
        return StepRandomness(self.state.seed)


def _run(job: _Job) -> None:
    facts: dict[str, Any] = {}
    match job.variant:
        case "noise":
            heads, promise = job.start, wording.none("noise")
        case "erase":
            heads, promise = _erase(job), wording.none("erase")
        case "entropy":
            heads, promise, facts = _train_entropy(job)
        case _:
            heads, promise, facts = _train_sampled(job)
    record = {
        "variant": job.variant,
        "settings": job.settings.public(),
        "pairs": len(job.pairs),
        "patients": int(job.patients.max()) + 1,
        "parameters": job.start.parameter_count,
        **facts,
        "guarantee": asdict(promise),
        "versions": {name: version(name) for name in ("medveil", "torch", "numpy", "dp-accounting")},
    }
    job.state.finish(heads, record)


def _erase(job: _Job) -> Heads:
    return erase_shared_directions(
        job.start,
        job.pairs.images,
        job.pairs.reports,
        directions=job.settings.directions,
        strength=job.settings.strength,
    )


def _train_entropy(job: _Job) -> tuple[Heads, Guarantee, dict[str, Any]]:
    heads = job.start.copy()
    step = EntropyStep(heads, job.pairs, job.settings, job.randomness)
    steps = job.settings.epochs * step.batches
    _optimise(heads, step, steps, job)
    return heads, wording.none("entropy"), {"steps": steps}


def _train_sampled(job: _Job) -> tuple[Heads, Guarantee, dict[str, Any]]:
    settings, heads = job.settings, job.start.copy()
    steps, sampling = sampled_steps(len(job.pairs), settings), sampling_probability(len(job.pairs), settings)
    if job.variant == "plain":
        _optimise(heads, _sampled(job, heads, 0.0), steps, job)
        return heads, wording.none("plain"), {"steps": steps, "sampling": sampling}
    noise = noise_for(settings.epsilon, settings.delta, sampling, steps, settings.accountant)
    step = _sampled(job, heads, noise)
    coupled = _coupling(step)
    if coupled.found and job.variant in PRIVATE:
        raise SettingsError("the loss of one unit depends on others in its batch; no guarantee can be given for it")
    spending = Spending(noise, sampling, steps)
    budget = _book(job, spending)
    _optimise(heads, step, steps, job)
    most = Units.of(job.patients).largest
    facts = wording.Facts(job.variant, settings, spending, coupled, len(step.units), most, budget)
    return heads, wording.formal(facts), _accounts(job, step, spending, coupled, most)


def _sampled(job: _Job, heads: Heads, noise: float) -> SampledStep:
    return SampledStep(heads, job.pairs, job.units, job.public, job.variant, job.settings, noise, job.randomness)


def _coupling(step: SampledStep) -> Coupling:
    """Of this step's loss behind these heads, on random features; units of two pairs where a unit may have several."""
    units = torch.arange(PAIRS) // (1 if step.settings.unit == "pair" and step.variant != "dp-groups" else 2)
    return heads_coupling(step.heads, step.loss(np.random.default_rng(0), units), units)


def _book(job: _Job, spending: Spending) -> tuple[float, float] | None:
    if job.ledger is None or job.variant not in PRIVATE:
        return None
    if job.ledger.budget.unit != job.settings.unit:
        raise SettingsError(f"the ledger counts by {job.ledger.budget.unit}; train by {job.ledger.budget.unit} too")
    try:
        return job.ledger.book(job.state.name, spending), job.ledger.budget.epsilon
    except BudgetSpent:
        job.state.abandon()
        raise


def _accounts(job: _Job, step: SampledStep, spending: Spending, coupled: Coupling, most: int) -> dict[str, Any]:
    delta = job.settings.delta
    accounts = {
        "steps": spending.steps,
        "sampling": spending.sampling,
        "noise_multiplier": spending.noise,
        "sensitivity": step.sensitivity,
        "epsilon": {how: epsilon([spending], delta, how) for how in ("pld", "rdp")},
        "coupling": asdict(coupled),
    }
    if job.settings.unit == "pair":
        accounts["epsilon_of_patient"] = {"pairs": most, "epsilon": patient_epsilon(spending, most, delta)}
    return accounts


def _optimise(heads: Heads, step: Step, steps: int, job: _Job) -> None:
    """From where the run stands to its end."""
    optimiser = optimiser_of(heads, job.settings)

    def after(taken: int) -> None:
        if taken % KEEP_EVERY == 0:
            job.state.keep(heads, optimiser, taken)
        job.progress(taken, steps)

    optimise(heads, optimiser, step, range(job.state.restore(heads, optimiser), steps), after)


def _inputs(
    pairs: Pairs, public: Pairs | None, codes: NDArray[np.intp], start: Heads, variant: Variant, settings: Settings
) -> str:
    """A hash of everything that decides how a run ends, its seed apart where that is drawn."""
    weights = [parameter.detach().numpy() for parameter in start.parameters()]
    others = () if public is None else (public.images, public.reports)
    told = json.dumps([variant, asdict(settings), asdict(start.image.shape), asdict(start.report.shape)])
    words = np.frombuffer(told.encode(), dtype=np.uint8)
    return fingerprint(pairs.images, pairs.reports, codes, *others, *weights, words)
