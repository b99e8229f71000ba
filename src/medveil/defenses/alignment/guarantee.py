"""What a run promises, in words the report prints: every number and every condition of the claim."""

from __future__ import annotations

from dataclasses import dataclass

from medveil.defenses.alignment.accounting import ACCOUNTANTS, Spending, epsilon
from medveil.defenses.alignment.coupling import Coupling
from medveil.defenses.alignment.group_privacy import patient_epsilon
from medveil.defenses.alignment.settings import VARIANTS, Settings, Variant
from medveil.parts import Guarantee

SENSITIVITY: dict[str, str] = {
    "dp": "each {unit}'s gradient depends on its own pairs, public pairs and the current heads only (checked by"
    " derivative) and is clipped to C = {clip:g}, so adding one {unit} adds one vector of at most that length: C",
    "dp-groups": "each {unit} draws its group by itself, groups share nothing (checked by derivative) and each group's"
    " gradient is clipped to C = {clip:g}, so adding one {unit} turns one vector of at most that length into"
    " another: 2C",
}
UNCOVERED = (
    "Not covered: the frozen encoders, the heads training started from, and choices made by looking at results. The"
    " numbers of pairs and patients count as public. The noise is pseudo-random and in floating point;"
)
SEEDS = {
    True: " its seed was given by the caller, and the guarantee holds only while that seed stays secret.",
    False: " its seed was drawn from the operating system and not kept.",
}


@dataclass(frozen=True)
class Facts:
    """What was run."""

    variant: Variant
    settings: Settings
    spending: Spending
    coupling: Coupling
    units: int
    most_pairs: int  # of one patient
    budget: tuple[float, float] | None  # spent and allowed, where a ledger was kept


def formal(facts: Facts) -> Guarantee:
    """The statement of a private run; no such statement can be had for a loss that couples the batch."""
    if facts.coupling.found or facts.variant not in SENSITIVITY:
        return nominal(facts)
    settings, spending, unit = facts.settings, facts.spending, facts.settings.unit
    cost = epsilon([spending], settings.delta, settings.accountant)
    whole = "a patient with all pairs" if unit == "patient" else "one image-report pair"
    sentences = [
        f"The training of the two heads is differentially private with ε = {cost:.3g} at δ = {settings.delta:g},"
        f" accounted for by {ACCOUNTANTS[settings.accountant]}.",
        f"Unit: {whole}; neighbouring data sets differ by one {unit} that is there or not.",
        *_for_patients(facts),
        f"Sampler: Poisson; each of {facts.units:,} {unit}s takes part in each of {spending.steps:,} steps with"
        f" probability {spending.sampling:.3g}, independently.",
        f"Sensitivity: {SENSITIVITY[facts.variant].format(unit=unit, clip=settings.clip)}.",
        f"Noise: Gaussian, {spending.noise:.4g} (σ) times the sensitivity.",
        _ledger(facts.budget),
        UNCOVERED + SEEDS[settings.seed is not None],
    ]
    return Guarantee("formal", " ".join(sentences))


def _for_patients(facts: Facts) -> list[str]:
    if facts.settings.unit == "patient":
        return []
    cost = patient_epsilon(facts.spending, facts.most_pairs, facts.settings.delta)
    return [f"For a patient it is less: the patient with the most pairs ({facts.most_pairs}) has ε = {cost:.3g}."]


def _ledger(budget: tuple[float, float] | None) -> str:
    if budget is None:
        return "No ledger was kept: other runs on the same data add to this ε."
    return f"All runs in the ledger on this data together: ε = {budget[0]:.3g} of {budget[1]:.3g}."


def nominal(facts: Facts) -> Guarantee:
    """A run with noise whose sensitivity has no bound."""
    cost, unit = epsilon([facts.spending], facts.settings.delta, facts.settings.accountant), facts.settings.unit
    return Guarantee(
        "none",
        f"No guarantee. An accountant would print ε = {cost:.3g} at δ = {facts.settings.delta:g}"
        f" (σ = {facts.spending.noise:.4g}, {facts.spending.steps:,} steps), but a {unit}'s loss depends on the"
        f" others in its batch (derivative up to {facts.coupling.derivative:.2g}), so clipping does not bound what one"
        f" {unit} changes: with a batch of 128, one pair can move the sum by more than 50 times the"
        " clipping norm.",
    )


def none(variant: Variant) -> Guarantee:
    """A run without privacy."""
    return Guarantee("none", f"No guarantee: {VARIANTS[variant]}. What it does to linkage is a matter of measurement.")
