"""Training the two heads on cached features, in one of several ways, with an honest statement of what it promises.

Nothing that was seen on the way (losses, lengths of gradients) is returned or written: it would tell about the data
outside the accountant's books.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.defenses.alignment import guarantee as wording
from medveil.defenses.alignment.accounting import Spending, epsilon, noise_for
from medveil.defenses.alignment.baselines import erase_shared_directions, keep_findings, with_noise
from medveil.defenses.alignment.coupling import LARGE, PAIRS, Coupling, heads_coupling, joining
from medveil.defenses.alignment.feature_pairs import Pairs, checked_pairs, checked_public, patient_codes
from medveil.defenses.alignment.guarantee import Origin
from medveil.defenses.alignment.heads import Embedding, Features, Heads
from medveil.defenses.alignment.ledger import BudgetSpent, Ledger, fingerprint
from medveil.defenses.alignment.losses import Loss
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
from medveil.errors import InputError, SettingsError
from medveil.parts import Guarantee

KEEP_EVERY = 500  # steps
Progress = Callable[[int, int], None]
PRIVATE: tuple[Variant, ...] = ("dp", "dp-groups")
CLAIMED: tuple[Variant, ...] = (*PRIVATE, "dp-nominal")  # an epsilon is printed, if only nominally


@dataclass(frozen=True)
class TrainedHeads:
    """Heads, what they promise, and how they came about (fit for JSON)."""

    heads: Heads
    variant: Variant
    guarantee: Guarantee
    record: dict[str, Any]
    noise: float = 0.0

    def embed(
        self, image_features: Features, report_features: Features, *, seed: int | None = None
    ) -> tuple[Embedding, Embedding]:
        """Embeddings as they would be released. The noise, where the variant has any, is drawn anew every time; a
        `seed` is for measuring only, since who knows it can take the noise off."""
        images, reports = self.heads.embed_images(image_features), self.heads.embed_reports(report_features)
        if not self.noise:
            return images, reports
        rng = np.random.default_rng(None if seed is None else [seed, 0xA1])
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
    public_are: Origin = "declared",
    findings: NDArray[Any] | None = None,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> TrainedHeads:
    """Train (or otherwise change) the heads; row i of the features is pair i of patient i.

    `public` are features of pairs that need no protection: `declared` public by the caller, or `phantoms`. `findings`
    are directions of the image embeddings (dimensions × directions), for the variant that keeps those alone. A killed
    run goes on when called again with the same inputs and folder, a finished one is read back; with a ledger, both are
    booked, whether they were begun with one or not.
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
    units = _units(pairs, codes, settings)
    if variant in CLAIMED and settings.delta * len(units) >= 1:
        raise SettingsError(
            f"δ must be below one in {len(units):,}, the number of {settings.unit}s: at {settings.delta:g}, publishing"
            " somebody outright would keep the promise; ask for a smaller delta"
        )
    if ledger is not None and variant in PRIVATE and ledger.budget.unit != settings.unit:
        raise SettingsError(f"the ledger counts by {ledger.budget.unit}; train by {ledger.budget.unit} too")
    if variant == "erase" and settings.directions >= start.dim:
        raise SettingsError(f"fewer than {start.dim} directions can be erased, or nothing is left of an embedding")
    directions = _checked_directions(findings, variant, start)
    inputs = _inputs(pairs, others, public_are, codes, start, variant, settings, directions)
    state = TrainingRun.open(out, inputs, settings.seed)
    if not state.done:
        _run(
            _Job(
                pairs,
                others,
                public_are,
                codes,
                units,
                start,
                variant,
                settings,
                directions,
                ledger,
                state,
                progress or (lambda *_: None),
            )
        )
    heads, record = state.result()
    if ledger is not None and variant in PRIVATE:
        record = _booked(record, settings, ledger, state)
    noise = settings.noise if variant == "noise" else 0.0
    return TrainedHeads(heads, variant, Guarantee(**record["guarantee"]), record, noise)


def facts_of(record: dict[str, Any], settings: Settings) -> wording.Facts:
    """What was run, from the record of a run with noise."""
    public, budget = record["public"], record["budget"]
    return wording.Facts(
        record["variant"],
        settings,
        Spending(record["noise_multiplier"], record["sampling"], record["steps"]),
        Coupling(**record["coupling"]),
        record["units"],
        record["most_pairs"],
        budget=None if budget is None else (budget[0], budget[1]),
        public=None if public is None else (public["pairs"], public["are"]),
    )


def _booked(record: dict[str, Any], settings: Settings, ledger: Ledger, state: TrainingRun) -> dict[str, Any]:
    """The record as the ledger stands now: others may have been booked since, or this one never was."""
    facts = facts_of(record, settings)
    try:
        budget = ledger.book(state.name, facts.spending), ledger.budget.epsilon
    except BudgetSpent:
        raise BudgetSpent(
            "the run that was found finished is not in the ledger, and with it the budget would be exceeded; its heads"
            " must not be released under this budget; give a larger one, or train anew with a smaller epsilon"
        ) from None
    told = {**record, "budget": list(budget), "guarantee": asdict(wording.formal(replace(facts, budget=budget)))}
    if told != record:
        state.tell(told)
    return told


@dataclass(frozen=True)
class _Job:
    pairs: Pairs
    public: Pairs | None
    public_are: Origin
    patients: NDArray[np.intp]
    units: Units
    start: Heads
    variant: Variant
    settings: Settings
    findings: NDArray[np.float64] | None
    ledger: Ledger | None
    state: TrainingRun
    progress: Progress

    @property
    def randomness(self) -> StepRandomness:
        assert self.state.seed is not None
        return StepRandomness(self.state.seed)


def _units(pairs: Pairs, patients: NDArray[np.intp], settings: Settings) -> Units:
    return Units.of(patients if settings.unit == "patient" else np.arange(len(pairs)))


def _run(job: _Job) -> None:
    facts: dict[str, Any] = {}
    match job.variant:
        case "noise":
            heads, promise = job.start, wording.none("noise")
        case "erase":
            heads, promise = _erase(job), wording.none("erase")
        case "findings":
            assert job.findings is not None
            heads, promise = keep_findings(job.start, job.findings), wording.none("findings")
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
    noise = settings.noise_multiplier or noise_for(
        settings.epsilon, settings.delta, sampling, steps, settings.accountant
    )
    step = _sampled(job, heads, noise)
    coupled = _coupling(step)
    if coupled.found and job.variant in PRIVATE:
        raise SettingsError("the loss of one unit depends on others in its batch; no guarantee can be given for it")
    spending = Spending(noise, sampling, steps)
    budget = _book(job, spending)
    _optimise(heads, step, steps, job)
    public = None if job.public is None or job.variant != "dp" else (len(job.public), job.public_are)
    # by patient it is of no use, and it would be told outside the books
    most = Units.of(job.patients).largest if settings.unit == "pair" else 0
    facts = wording.Facts(job.variant, settings, spending, coupled, len(step.units), most, budget, public)
    return heads, wording.formal(facts), _accounts(facts, step)


def _sampled(job: _Job, heads: Heads, noise: float) -> SampledStep:
    return SampledStep(heads, job.pairs, job.units, job.public, job.variant, job.settings, noise, job.randomness)


def _coupling(step: SampledStep) -> Coupling:
    """Of this step's loss behind these heads, on random features; units of two pairs where a unit may have several."""
    unit = 1 if step.settings.unit == "pair" else 2
    units = torch.arange(PAIRS) // (2 if step.variant == "dp-groups" else unit)
    found = heads_coupling(step.heads, _loss_of(step, units), units)
    together = torch.arange(LARGE) // unit
    if step.variant == "dp-groups":
        drawn = torch.randint(
            LARGE // step.settings.group_size + 1, (LARGE,), generator=torch.Generator().manual_seed(1)
        )
        together = drawn[together]
    moved = joining(
        step.heads,
        partial(_loss_of, step),
        together,
        step.settings.clip,
        sensitivity=step.sensitivity,
        pairs=unit,
    )
    return replace(found, joining=moved)


def _loss_of(step: SampledStep, together: torch.Tensor) -> Loss:
    return step.loss(np.random.default_rng(0), together)


def _book(job: _Job, spending: Spending) -> tuple[float, float] | None:
    if job.ledger is None or job.variant not in PRIVATE:
        return None
    try:
        return job.ledger.book(job.state.name, spending), job.ledger.budget.epsilon
    except BudgetSpent:
        job.state.abandon()
        raise


def _accounts(facts: wording.Facts, step: SampledStep) -> dict[str, Any]:
    spending, delta = facts.spending, facts.settings.delta
    accounts = {
        "steps": spending.steps,
        "sampling": spending.sampling,
        "noise_multiplier": spending.noise,
        "sensitivity": step.sensitivity,
        "units": facts.units,
        "most_pairs": facts.most_pairs,
        "public": None if facts.public is None else {"pairs": facts.public[0], "are": facts.public[1]},
        "budget": None if facts.budget is None else list(facts.budget),
        "epsilon": {how: epsilon([spending], delta, how) for how in ("pld", "rdp")},
        "stated_epsilon": wording.stated_epsilon(facts),
        "stated_epsilon_of_patient": wording.epsilon_of_patient(facts),
        "coupling": asdict(facts.coupling),
    }
    if facts.settings.unit == "pair":
        cost = wording.epsilon_of_patient(facts)
        accounts["epsilon_of_patient"] = {"pairs": facts.most_pairs, "epsilon": cost}
    return accounts


def _optimise(heads: Heads, step: Step, steps: int, job: _Job) -> None:
    """From where the run stands to its end."""
    optimiser = optimiser_of(heads, job.settings)

    def after(taken: int) -> None:
        if taken % KEEP_EVERY == 0:
            job.state.keep(heads, optimiser, taken)
        job.progress(taken, steps)

    optimise(heads, optimiser, step, range(job.state.restore(heads, optimiser), steps), after)
    if not all(parameter.isfinite().all() for parameter in heads.parameters()):
        raise InputError(
            "training ended in heads that are not numbers, and nothing was kept of them; look for features of no"
            " ordinary size, or train with a smaller learning rate or clip"
        )


def _inputs(
    pairs: Pairs,
    public: Pairs | None,
    public_are: Origin,
    codes: NDArray[np.intp],
    start: Heads,
    variant: Variant,
    settings: Settings,
    directions: NDArray[np.float64] | None,
) -> str:
    """A hash of everything that decides how a run ends, its seed apart where that is drawn."""
    weights = [parameter.detach().numpy() for parameter in start.parameters()]
    others = () if public is None else (public.images, public.reports)
    told = json.dumps([variant, public_are, asdict(settings), asdict(start.image.shape), asdict(start.report.shape)])
    words = np.frombuffer(told.encode(), dtype=np.uint8)
    kept = () if directions is None else (directions,)
    return fingerprint(pairs.images, pairs.reports, codes, *others, *weights, *kept, words)


def _checked_directions(findings: NDArray[Any] | None, variant: Variant, start: Heads) -> NDArray[np.float64] | None:
    if variant != "findings":
        return None
    if findings is None or findings.ndim != 2 or len(findings) != start.dim or not findings.any():
        raise SettingsError(
            f"findings keeps directions of the embeddings; give some of {start.dim} numbers each, which a probe of the"
            " findings reads from"
        )
    return np.ascontiguousarray(findings, dtype=np.float64)
