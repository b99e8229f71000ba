"""What the membership attack found, in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass

from medveil.attacks.membership.evidence import CONFIDENCE, LIRA, RMIA, SIMILARITY, Evidence
from medveil.attacks.membership.limits import PrivacyLimit
from medveil.attacks.membership.success import FALSE_ALARMS, Floats, Success, success_of
from medveil.finding import ONE_IN_ELEVEN, Figure, Finding, Power, Series, Table, percent
from medveil.stats.estimate import Estimate
from medveil.stats.shares import strongest

FEW = FALSE_ALARMS[1]
MEANS = {
    SIMILARITY: "a threshold on how alike image and report are to the model",
    CONFIDENCE: "a threshold on how sure the model is of what belongs to the patient",
    LIRA: "LiRA, which compares that with what reference models say of the same patient",
    RMIA: "RMIA, which compares it with reference models and with other people at once",
}


@dataclass(frozen=True)
class Preparation:
    """How the attacker prepared, in sentences: `references` of which models, `shown_on` what power was tried on."""

    references: str
    shown_on: str
    asked: str  # what the model was asked about each patient


def successes(evidence: Evidence, *, seed: int, blind: Floats | None = None) -> dict[str, Success]:
    """Of every attack; the control guesses without the model."""
    control = None if blind is None else success_of(blind, evidence.member, seed=seed)
    found = {
        name: success_of(scores, evidence.member, seed=seed, control=control)
        for name, scores in evidence.guesses().items()
    }
    return dict(sorted(found.items(), key=lambda item: list(MEANS).index(item[0])))


def membership_finding(
    evidence: Evidence,
    blind: Floats,
    known: Evidence,
    prepared: Preparation,
    *,
    limit: PrivacyLimit | None,
    seed: int,
) -> Finding:
    """`known` is the evidence about a model of which it is certain that it remembers."""
    found = successes(evidence, seed=seed, blind=blind)
    control = success_of(blind, evidence.member, seed=seed)
    name, best = strongest({each: one.hits[FEW] for each, one in found.items()})
    members, others = int(evidence.member.sum()), int((~evidence.member).sum())
    headline = f"Members told at {percent(FEW)} false alarms"
    return Finding(
        part="membership",
        kind="attack",
        question="Can somebody who holds a patient's images and reports tell that the model was trained on them?",
        answer=(
            f"Of {members:,} patients whom the model was trained on, {percent(best.value)} were told from others by "
            f"{name} at {percent(FEW)} false alarms; blind guessing tells {percent(FEW)}, and without the model "
            f"{percent(best.control)} are told."
        ),
        headline=headline,
        estimates={headline: best, **_estimates(found)},
        threshold=ONE_IN_ELEVEN,
        method=(
            f"{prepared.asked} Guesses are made by {_listed([MEANS[each] for each in found])}. {prepared.references} "
            f"All of a patient's images count together. {members:,} members and {others:,} non-members are guessed "
            "about; for the advantage, the line between them is drawn on one half of the patients and tried on the "
            "other. The strongest attack counts, with a lower end that allows for the choice."
        ),
        limits=_limits(found, others, limit),
        figures=(_figure(found, limit),),
        tables=(_table(found, control, limit),),
        glossary={
            headline: "The share of patients in the training data who score above all but the stated share of others.",
            "Advantage": "Hits less false alarms: 0 by blind guessing, 1 if everybody is told.",
        },
        concerns=_concerns(found, control, limit),
        power=_power(known, tuple(found), prepared.shown_on, seed=seed),
    )


def _estimates(found: dict[str, Success]) -> dict[str, Estimate]:
    told = {}
    for name, one in found.items():
        told[f"{name}: advantage"] = one.advantage
        for rate, hits in one.hits.items():
            told[f"{name}: members told at {percent(rate)} false alarms"] = hits
        told[f"{name}: AUC"] = one.auc
    return told


def _power(known: Evidence, tried: tuple[str, ...], shown_on: str, *, seed: int) -> Power:
    """Of the attacks that were tried: enough if, where there is something to see, one of them surely sees it."""
    found = {name: one for name, one in successes(known, seed=seed).items() if name in tried}
    name = max(found, key=lambda each: found[each].advantage.value)
    best = found[name].advantage
    works = best.low > 0
    ends = f"({best.low:.2f} to {best.high:.2f})"
    told = f"{shown_on} the attack ({name}) reaches an advantage of {best.value:.2f} {ends}"
    told += "." if works else ": it was not seen to work."
    return Power(told, "By blind guessing the advantage is 0.", works)


def _concerns(found: dict[str, Success], control: Success, limit: PrivacyLimit | None) -> tuple[str, ...]:
    told = []
    if control.advantage.low > 0:
        told.append(
            "Members and non-members can be told apart without the model "
            f"(advantage {control.advantage.value:.2f}): they differ in who they are, so the attack may have told that "
            "and not membership. Give non-members of the same time and place."
        )
    if limit is not None:
        over = [name for name, one in found.items() if refutes(one, limit)]
        if over:
            told.append(
                f"{_listed(over)} told more members than {limit.words} allows: the promise does not hold, or it is not "
                "about patients."
            )
    return tuple(told)


def refutes(found: Success, limit: PrivacyLimit) -> bool:
    """Whether more was surely told than the promise allows to anybody."""
    return found.advantage.low > limit.advantage or any(one.low > limit.hits(rate) for rate, one in found.hits.items())


def _limits(found: dict[str, Success], others: int, limit: PrivacyLimit | None) -> tuple[str, ...]:
    told = ["An attacker with more reference models, or better ones, would tell more."]
    if LIRA not in found:
        told.append("No reference model was there, so LiRA and RMIA were not tried.")
    coarse = [rate for rate in FALSE_ALARMS if others * rate < 1]
    if coarse:
        told.append(
            f"With {others:,} non-members no false alarm is allowed at {_listed([percent(rate) for rate in coarse])}; "
            f"to measure there takes {round(1 / min(coarse)):,}."
        )
    if limit is None:
        told.append("No ε was stated, so nothing limits what a stronger attack may tell.")
    return tuple(told)


def _table(found: dict[str, Success], control: Success, limit: PrivacyLimit | None) -> Table:
    rows: list[tuple[str | float | int | None, ...]] = [
        (name, *map(_shown, one.hits.values()), _shown(one.advantage), _shown(one.auc))
        for name, one in {**found, "without the model": control}.items()
    ]
    rows.append(("blind guessing", *map(percent, FALSE_ALARMS), "0.000", "0.500"))
    if limit is not None:
        most = (f"{limit.hits(rate):.3f}" for rate in FALSE_ALARMS)
        rows.append((f"the most that {limit.words} allows", *most, f"{limit.advantage:.3f}", None))
    told = (f"told at {percent(rate)} false alarms" for rate in FALSE_ALARMS)
    return Table("Membership, by attack", ("attack", *told, "advantage", "AUC"), tuple(rows))


def _shown(one: Estimate) -> str:
    return f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})"


def _figure(found: dict[str, Success], limit: PrivacyLimit | None) -> Figure:
    names = tuple(found)
    got = [one.advantage for one in found.values()]
    series = [
        Series("advantage", names, tuple(e.value for e in got), tuple(e.low for e in got), tuple(e.high for e in got))
    ]
    if limit is not None:
        series.append(Series("the most that ε allows", names, (limit.advantage,) * len(names)))
    return Figure("Membership advantage by attack", "interval", "attack", "hits less false alarms", tuple(series))


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
