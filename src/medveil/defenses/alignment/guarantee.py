"""What a run promises, in words the report prints: every number and every condition of the claim."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from medveil.defenses.alignment.accounting import ACCOUNTANTS, Spending, epsilon
from medveil.defenses.alignment.coupling import Coupling
from medveil.defenses.alignment.group_privacy import patient_epsilon
from medveil.defenses.alignment.settings import VARIANTS, Settings, Variant
from medveil.parts import Guarantee

Origin = Literal["declared", "phantoms"]
SENSITIVITY: dict[str, str] = {
    "dp": "each {unit}'s gradient depends on its own pairs, public pairs and the current heads only {checked} and is"
    " clipped to C = {clip:g}, so adding one {unit} adds one vector of at most that length: C",
    "dp-groups": "each {unit} draws its group by itself, groups share nothing {checked} and each group's gradient is"
    " clipped to C = {clip:g}, so adding one {unit} turns one vector of at most that length into another: 2C",
}
CHECKED = "(argued, and spot-checked by derivative, by exchange and by adding one {unit} to the sum)"
PUBLIC: dict[Origin, str] = {
    "declared": "Public pairs: {count:,}, declared public by the user; nothing is promised to those in them, nor to"
    " anyone to be protected who is among them.",
    "phantoms": "Public pairs: {count:,} phantoms, who are nobody.",
}
UNCOVERED = (
    "Not covered: the frozen encoders, the heads training started from, a person under two ids, and choices made by"
    " looking at results. The numbers of pairs and patients count as public, and by pair the most pairs"
    " of one patient. The noise is pseudo-random and in floating point;"
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
    most_pairs: int  # of one patient, where the unit is a pair
    budget: tuple[float, float] | None = None  # spent and allowed, where a ledger was kept
    public: tuple[int, Origin] | None = None  # public pairs, and who says that they are
    audit: Spending | None = None  # a second run on the same people, whose outcome is printed too

    @property
    def spendings(self) -> tuple[Spending, ...]:
        """All that was run on these people to make what is handed over."""
        return (self.spending,) if self.audit is None else (self.spending, self.audit)


def at_most(value: float) -> str:
    """Three digits, rounded up: an ε that is printed is never below the one that holds."""
    if value <= 0:
        return "0"
    step = 10.0 ** (math.floor(math.log10(value)) - 2)
    return f"{math.ceil(round(value / step, 6)) * step:.3g}"


def stated_epsilon(facts: Facts) -> float:
    """ε of one unit, the audit's own cost included."""
    return epsilon(facts.spendings, facts.settings.delta, facts.settings.accountant)


def epsilon_of_patient(facts: Facts) -> float:
    """ε of the patient with the most pairs, the audit's own cost included."""
    if facts.settings.unit == "patient":
        return stated_epsilon(facts)
    return patient_epsilon(facts.spendings, facts.most_pairs, facts.settings.delta)


def formal(facts: Facts) -> Guarantee:
    """The statement of a private run; no such statement can be had for a loss that couples the batch."""
    if facts.coupling.found or facts.variant not in SENSITIVITY:
        return nominal(facts)
    settings, spending, unit = facts.settings, facts.spending, facts.settings.unit
    whole = "a patient with all pairs, known by one id" if unit == "patient" else "one image-report pair"
    sentences = [
        f"{_what(facts)} differentially private with ε = {at_most(stated_epsilon(facts))} at δ = {settings.delta:g},"
        f" accounted for by {ACCOUNTANTS[settings.accountant]}.",
        *_alone(facts),
        f"Unit: {whole}; neighbouring data sets differ by one {unit} that is there or not.",
        *_for_patients(facts),
        f"Sampler: Poisson; each of {facts.units:,} {unit}s takes part in each of {spending.steps:,} steps with"
        f" probability {spending.sampling:.3g}, independently.",
        f"Sensitivity: {_sensitivity(facts)}.",
        f"Noise: Gaussian, {spending.noise:.4g} (σ) times the sensitivity.",
        *([] if facts.public is None else [PUBLIC[facts.public[1]].format(count=facts.public[0])]),
        _ledger(facts.budget),
        UNCOVERED + SEEDS[settings.seed is not None],
    ]
    return Guarantee("formal", " ".join(sentences))


def _sensitivity(facts: Facts) -> str:
    unit = facts.settings.unit
    checked = CHECKED.format(unit=unit)
    return SENSITIVITY[facts.variant].format(unit=unit, clip=facts.settings.clip, checked=checked)


def _what(facts: Facts) -> str:
    if facts.audit is None:
        return "The training of the two heads is"
    return "The training of the two heads and its audit, a second run whose outcome is printed, are together"


def _alone(facts: Facts) -> list[str]:
    if facts.audit is None:
        return []
    cost = epsilon([facts.spending], facts.settings.delta, facts.settings.accountant)
    return [f"The heads alone: ε = {at_most(cost)}."]


def _for_patients(facts: Facts) -> list[str]:
    if facts.settings.unit == "patient":
        return []
    cost = epsilon_of_patient(facts)
    return [f"For a patient it is less: the patient with the most pairs ({facts.most_pairs}) has ε = {at_most(cost)}."]


def _ledger(budget: tuple[float, float] | None) -> str:
    if budget is None:
        return "No ledger was kept: other runs on the same people add to this ε."
    return f"All runs in the ledger on any one of these patients together: ε = {at_most(budget[0])} of {budget[1]:.3g}."


def nominal(facts: Facts) -> Guarantee:
    """A run with noise whose sensitivity has no bound."""
    cost, unit = epsilon([facts.spending], facts.settings.delta, facts.settings.accountant), facts.settings.unit
    return Guarantee(
        "none",
        f"No guarantee. An accountant would print ε = {cost:.3g} at δ = {facts.settings.delta:g}"
        f" (σ = {facts.spending.noise:.4g}, {facts.spending.steps:,} steps), but a {unit}'s loss depends on the"
        f" others in its batch (derivative up to {facts.coupling.derivative:.2g}), so clipping does not bound what one"
        f" {unit} changes: with a batch of 128, one pair can move the sum by more than 50 times the"
        f" clipping norm.{_even_for_patients(facts)}",
    )


def _even_for_patients(facts: Facts) -> str:
    """What the nominal number would be for whoever has the most pairs."""
    if facts.settings.unit == "patient" or facts.most_pairs < 2:
        return ""
    cost = epsilon_of_patient(facts)
    return (
        f" Even if it did, ε would be that of a pair: the patient with the most ({facts.most_pairs}) would have"
        f" {at_most(cost)}."
    )


def refuted(claimed: float, proved: float) -> Guarantee:
    """A claim that an audit disproved."""
    return Guarantee(
        "none",
        f"No guarantee. ε = {claimed:.3g} was claimed, and an audit proved at least {proved:.3g} (95 % sure):"
        " the argument or the program is wrong. Do not release these heads.",
    )


def none(variant: Variant) -> Guarantee:
    """A run without privacy."""
    return Guarantee("none", f"No guarantee: {VARIANTS[variant]}. What it does to linkage is a matter of measurement.")
