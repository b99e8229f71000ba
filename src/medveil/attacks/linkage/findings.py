"""What a linkage audit found, in the words of the report."""

from __future__ import annotations

from medveil.attacks.linkage.cases import Cases
from medveil.attacks.linkage.estimates import MEDIAN, Estimates
from medveil.attacks.linkage.extrapolation import Extrapolation
from medveil.attacks.linkage.fitting.cross_fit import FINDINGS, FUSED, HEADS
from medveil.attacks.linkage.power import linkage_power
from medveil.attacks.linkage.settings import LinkageSettings
from medveil.finding import ONE_IN_ELEVEN, Figure, Finding, Table, Threshold, percent
from medveil.stats.estimate import Estimate

NAME = "linkage"
HEADLINE = "Recall@1"
SCENARIO = (
    "Nothing was measured in a database of that size: this is a scenario, and how much of it holds is for a person to "
    "judge."
)
_MATCH = {
    "pair": "Every other report competes, also those of the same study or with the same words.",
    "study": "Reports of the same study do not compete: its images share them.",
    "patient": "Reports of the same patient do not compete.",
    "text": "Reports with the same words, white space aside, do not compete: they are no wrong answers.",
}
_TIES = {
    "expected": "Candidates that score exactly the same count by expectation over their random order.",
    "best": "Candidates that score exactly the same count as found after the right one.",
    "worst": "Candidates that score exactly the same count as found before the right one.",
}


TAUGHT = {
    HEADS: "Heads learn which directions of the X-rays (the encoders' vectors and what a network for findings sees) "
    "and of the reports (vectors and words) go together.",
    FINDINGS: "A classifier learns to see the findings that rules read in the reports, negations minded, and a report "
    "is ranked by how much likelier its findings are on the film.",
    FUSED: "The sum of all scores, weighed by what they are worth on pairs held back in the teaching half.",
}


def linkage_finding(
    estimates: Estimates,
    *,
    encoder: str,
    attackers: tuple[str, ...],
    fitted: tuple[str, ...],
    database: str,
    cases: Cases,
    settings: LinkageSettings,
    fit: Extrapolation | None,
    set_aside: dict[str, int],
    figures: list[Figure],
    tables: list[Table],
) -> Finding:
    """`encoder` is the strongest of `attackers`, some of which are `fitted` to these pairs, and `database` how many
    candidates the headline is about.

    `fit` is the curve that the headline was read from, if it was.
    """
    return Finding(
        part=NAME,
        kind="attack",
        question="Can an X-ray be linked to its own report, although the two are kept apart?",
        answer=_answer(estimates[HEADLINE], encoder, database, fit=fit, labelled=cases.profiles is not None),
        headline=HEADLINE,
        estimates=estimates,
        threshold=ONE_IN_ELEVEN if settings.threshold is None else Threshold.chosen(settings.threshold),
        method=_method(encoder, attackers, fitted, cases, settings, fit),
        limits=_limits(cases, set_aside, extrapolated=fit is not None, several=len(attackers) > 1, fitted=bool(fitted)),
        figures=tuple(figures),
        tables=(*tables, *_set_aside_table(set_aside)),
        glossary=GLOSSARY,
        concerns=() if fit is None else (SCENARIO,),
        power=linkage_power(
            estimates[HEADLINE],
            encoder,
            fitted=bool(fitted),
            wanted=settings.fitted,
            labelled=cases.profiles is not None,
        ),
    )


def _answer(found: Estimate, encoder: str, database: str, *, fit: Extrapolation | None, labelled: bool) -> str:
    known = f", knowing the findings alone in {percent(found.control)}" if labelled else ""
    how = "would be" if fit else "was"
    return (
        f"Comparing X-rays with reports by {_named(encoder)}, the first of {database} reports {how} the right one in "
        f"{percent(found.value)} of {found.n:,} tries; blind guessing succeeds in {percent(found.chance)}{known}."
    )


def _method(
    encoder: str,
    attackers: tuple[str, ...],
    fitted: tuple[str, ...],
    cases: Cases,
    settings: LinkageSettings,
    fit: Extrapolation | None,
) -> str:
    parts = [
        "Every frontal X-ray and every report becomes a vector; reports are ranked by cosine similarity to the X-ray."
    ]
    if fitted:
        parts.append(
            "Further attackers are fitted to these data: pairs of one half of the patients teach them, X-rays of the "
            f"other half are attacked, and the reverse. {' '.join(TAUGHT[name] for name in fitted)}"
        )
    if len(attackers) > 1:
        parts.append(
            f"Of {len(attackers)} attackers, the strongest ({encoder}) is judged; the upper end is the highest of any, "
            "the lower end is corrected for choosing."
        )
    parts.append(_MATCH[cases.match])
    if settings.sampled:
        parts.append("Pools were drawn 20 times at random and 10 times by findings, and averaged by query.")
    else:
        parts.append("Pools of every size are averaged exactly over all possible draws.")
    parts.append(_TIES[settings.ties])
    if cases.profiles is not None:
        parts.append(
            "Pathology-matched pools take the reports with the same findings first, then those with ever more that "
            "differ; a finding counts as present only where it is labelled so, not where it is uncertain or unknown. "
            "The control attack ranks by agreement of the findings alone."
        )
    if fit is not None:
        parts.append(
            f"Beyond the {fit.largest:,} candidates at hand, a fitted curve ({fit.model}) was used; its upper end is "
            "what was measured at hand, for cases that resemble no other stay linkable in any database."
        )
    return " ".join(parts)


def _named(attacker: str) -> str:
    return f"an attacker fitted to these data ({attacker})" if attacker in TAUGHT else attacker


def _limits(
    cases: Cases, set_aside: dict[str, int], *, extrapolated: bool, several: bool, fitted: bool
) -> tuple[str, ...]:
    limits = ["A stronger encoder, or one trained on many more pairs like these, would link more."]
    if not fitted:
        limits.append("No attacker was fitted to these data.")
    if several:
        limits.append("Choosing the strongest attacker after the fact makes its share a little too large.")
    if extrapolated:
        limits.append("The curve may bend where nobody has looked.")
    if cases.profiles is None:
        limits.append("Findings are not labelled, so the control attack knows nothing and scores as chance.")
    if cases.patients is None:
        limits.append("Patients are not known, so intervals take every pair as a person of its own and are too narrow.")
    aside = sum(set_aside.values())
    if aside:
        limits.append(f"Images set aside and not attacked: {aside:,}; the table says why.")
    return tuple(limits)


def _set_aside_table(counts: dict[str, int]) -> list[Table]:
    rows = tuple((reason, images) for reason, images in sorted(counts.items()) if images)
    return [Table("Set aside before the linkage attack", ("reason", "images"), rows)] if rows else []


GLOSSARY = {
    HEADLINE: "The share of tries in which the right answer comes first.",
    "Recall@5": "The share of tries in which the right answer is among the first five.",
    "Recall@10": "The share of tries in which the right answer is among the first ten.",
    "MRR": "Mean reciprocal rank: 1 for a right answer at the first place, 1/2 at the second, and so on, on average.",
    MEDIAN: "Half of the right answers are expected at this place or before it.",
    "pathology-matched": "Among candidates with the same or nearly the same findings, so that knowing the findings "
    "helps little.",
    "encoder": "A model that turns X-rays and reports into vectors that can be compared.",
}
