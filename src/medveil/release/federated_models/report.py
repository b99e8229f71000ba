"""The release report of a federated model: what left each site, what is promised, what the model can do and tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from medveil.attacks.membership.groups import Groups
from medveil.attacks.membership.settings import MembershipSettings
from medveil.cohort import Cohort
from medveil.federated.evaluation.comparison import TestFilms, against, macro_auc
from medveil.federated.plan import Plan
from medveil.federated.record import Record
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.steps import predicted
from medveil.finding import Finding, Table, Verdict
from medveil.parts import Guarantee
from medveil.release.attack_report import Input, how_to_repeat
from medveil.release.federated_models.attack import Progress, attack_federated
from medveil.release.federated_models.model import FederatedModel
from medveil.release.protect.model_report import EPSILON_SOURCE, STRONG_EPSILON, WITHHELD
from medveil.report import write_report
from medveil.report.content import Comparison, Gap, Removal, ReportContent
from medveil.stats.estimate import Estimate

HEADLINE = "macro AUROC"
GLOSSARY = {
    HEADLINE: "How well the model ranks films with a finding before films without it, averaged over the findings: 1 is "
    "always, 0.5 is by chance.",
}


def report_federation(
    plan: Plan,
    record: Record,
    model: FederatedModel,
    trained: Cohort,
    test: Cohort,
    out: Path,
    *,
    beside: Mapping[str, FederatedModel],
    settings: MembershipSettings,
    command: str,
    seed: int,
    device: str = "cpu",
    progress: Progress = lambda stage, done, total: None,
) -> tuple[Verdict, Path]:
    """Write report.html and report.json into `out`. `beside` are other models to compare with, such as one that a site
    trained alone."""
    membership = attack_federated(
        model, Groups.of_two(trained, test, seed=seed), settings, seed=seed, device=device, progress=progress
    )
    content = ReportContent(
        subject=replace(Input.of_cohort(test).subject, name=plan.title, kind="model"),
        removals=tuple(_promises(plan, record)),
        comparisons=(
            Comparison(None, membership),
            Comparison(None, utility(model, beside, test, record, device=device)),
        ),
        gaps=tuple(_gaps(plan, record)),
        provenance=how_to_repeat(command, seed, {"plan": plan.digest}, input_sha256=WITHHELD),
    )
    return content.verdict, write_report(content, out)


def utility(
    model: FederatedModel, beside: Mapping[str, FederatedModel], test: Cohort, record: Record, *, device: str = "cpu"
) -> Finding:
    """On films that were not trained on; every model is asked for the same findings of the same patients."""
    films = Films.of(test, model.recipe)
    known = TestFilms(films.targets == 1, films.known, np.array(films.people)[films.patients])
    own = macro_auc([predicted(model.network.to(device), films.pixels, device=device)], known)
    others = {name: _of_other(one, test, model, known, device) for name, one in beside.items()}
    ahead = against(own, others) if others else {}
    said = "; ".join(
        f"{100 * ahead[name].delta.value:+.1f} points against {name} ({100 * ahead[name].delta.low:+.1f} to "
        f"{100 * ahead[name].delta.high:+.1f})"
        for name in others
    )
    return Finding(
        part="federated-diagnosis",
        kind="measure",
        question="How well does the model tell the findings on films it was not trained on?",
        answer=f"Its {HEADLINE} is {own.value:.3f} ({own.low:.3f} to {own.high:.3f}) on {own.units:,} patients; chance "
        f"is 0.5{f'. Paired by patient: {said}' if said else ''}.",
        headline=HEADLINE,
        estimates={HEADLINE: own, **{f"{HEADLINE} of {name}": one for name, one in others.items()}},
        scale="score",
        method="Log odds of the findings by film alone, on frontal films; findings that at least ten patients have and "
        "ten have not. Redrawn by patient, the same draws for every model.",
        tables=(_what_left(record),),
        glossary=GLOSSARY,
    )


def _of_other(one: FederatedModel, test: Cohort, model: FederatedModel, known: TestFilms, device: str) -> Estimate:
    """What another model says of the same films; a finding that it does not know has no score."""
    films = Films.of(test, one.recipe)
    scores = predicted(one.network.to(device), films.pixels, device=device)
    told = np.full((len(scores), len(model.recipe.findings)), np.nan, np.float32)
    for place, name in enumerate(model.recipe.findings):
        if name in one.recipe.findings:
            told[:, place] = scores[:, one.recipe.findings.index(name)]
    return macro_auc([told], known)


def _what_left(record: Record) -> Table:
    rows = tuple(
        (name, sum(name in one.took_part for one in record.history), site.bytes_sent, site.bytes_received, site.epsilon)
        for name, site in sorted(record.sites.items())
    )
    columns = ("Site", "Rounds it took part in", "Bytes it sent", "Bytes it received", "ε it told")
    return Table("What left each site", columns, rows)


def _promises(plan: Plan, record: Record) -> Iterator[Removal]:
    done = {"rounds": record.round, "sites": len(record.sites)}
    if plan.secure_sums:
        yield Removal(
            "secure-sums",
            "Updates leave a site under masks",
            done,
            Guarantee(
                "by construction",
                f"The coordinator sees sums of at least {plan.summands} sites, as long as fewer than a third of them "
                "work with it; nothing is promised about what the sums and the model tell.",
            ),
        )
    if (privacy := plan.recipe.privacy) is not None:
        yield Removal(
            "differential-privacy",
            "Training by patient, with clipped gradients and noise",
            done,
            Guarantee(
                "formal",
                f"ε = {privacy.epsilon:g} at most, δ = {privacy.delta:g}, for every patient of a site with all films "
                "and reports, over all rounds, against whoever sees everything that leaves the site, as long as its "
                "noise stays secret. A patient of two sites spends at both.",
            ),
        )


def _gaps(plan: Plan, record: Record) -> Iterator[Gap]:
    privacy = plan.recipe.privacy
    if privacy is None:
        yield Gap("Privacy", "training had no budget, so nothing bounds what the model remembers.", blocking=True)
    elif privacy.epsilon > STRONG_EPSILON:
        yield Gap(
            "Epsilon",
            f"a patient's may be {privacy.epsilon:g}; above {STRONG_EPSILON:g} a guarantee is not taken for strong "
            f"({EPSILON_SOURCE}).",
            blocking=True,
        )
    if record.state != "finished":
        yield Gap("The run", "it ended before its last round, or goes on still.", blocking=True)
    if not plan.coordinator.authority:
        yield Gap(
            "The sites",
            "it was on one machine, where whoever ran it could see every film; and simulated sites count what this run "
            "spends, not what their patients have spent before.",
            blocking=True,
        )
    if not plan.secure_sums:
        yield Gap(
            "Updates",
            "the coordinator saw those of every site; what could be drawn out of them was not measured here.",
            blocking=privacy is None,
        )
    if plan.by_patients:
        yield Gap(
            "How many patients a site has",
            "sites counted by them, under the masks; the coordinator can tell the number of a site that missed a round "
            "by how much the sum fell.",
            blocking=False,
        )
    yield Gap(
        "The figures of this report",
        "they were computed from films without noise; an epsilon is about the model, not about this page.",
        blocking=False,
    )
