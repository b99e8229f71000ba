"""What the report will say: every attack and measure before and after, and what was left open."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import medveil
from medveil.cohort import Cohort
from medveil.defenses.anatomy.defense import HiddenAnatomy
from medveil.errors import NothingToAttack, NotMeasurable
from medveil.finding import Finding, Threshold
from medveil.parts import Attack, Choice, Measure
from medveil.person.keys import Keys
from medveil.release.clean.engine import Engine
from medveil.release.provenance import command_given, package_versions
from medveil.release.released import Released
from medveil.release.settings import Progress, Settings
from medveil.report.content import Comparison, Gap, OutputCheck, Provenance, Removal, ReportContent, ReportSubject

PLACES = {
    "headers": "File headers",
    "table": "Identifiers in the table",
    "pixels": "Text burned into the image",
    "reports": "Report text",
    "anatomy": "The anatomy itself",
}
log = logging.getLogger("medveil.release")


def examine(
    cohort: Cohort,
    released: Released,
    settings: Settings,
    engine: Engine,
    created: str,
    progress: Progress,
    *,
    check: Callable[[], OutputCheck | None],
) -> ReportContent:
    comparisons, gaps = _measured(cohort, released, settings, progress)
    gaps += _gaps(settings, engine)
    table = cohort.table
    return ReportContent(
        subject=ReportSubject(
            name=cohort.name,
            patients=table["patient_id"].nunique(),
            studies=table["study_id"].nunique(),
            images=len(cohort) + len(cohort.problems),
            released=len(released.rows),
            quarantined=dict(sorted(released.quarantined.items())),
        ),
        removals=tuple(
            Removal(defense.name, defense.title, released.done.get(defense.name, {}), defense.guarantee, defense.limits)
            for defense in engine.chain
        ),
        comparisons=tuple(comparisons),
        gaps=tuple(gaps),
        provenance=_provenance(settings, engine.keys, created, released),
        check=check(),
    )


def _measured(
    cohort: Cohort, released: Released, settings: Settings, progress: Progress
) -> tuple[list[Comparison], list[Gap]]:
    """Every attack and measure before and after, on the images that were released; and those that could not run."""
    if released.cohort is None:
        return [], [Gap("Everything", "no image could be released, so nothing was measured.", blocking=True)]
    comparisons: list[Comparison] = []
    gaps: list[Gap] = []
    before = replace(cohort, table=cohort.table.iloc[released.rows].reset_index(drop=True))
    stages = [*settings.chosen("attacks"), *settings.chosen("measures")]
    for at, choice in enumerate(stages):
        progress("measuring", at, len(stages))
        try:
            comparisons.append(_compare(choice, before, released.cohort, settings, progress))
        except NotMeasurable as reason:
            missed = choice.kind == "attacks" and not isinstance(reason, NothingToAttack)
            gaps.append(Gap(choice.name, str(reason), blocking=missed))
    progress("measuring", len(stages), len(stages))
    return comparisons, gaps


def _compare(choice: Choice, originals: Cohort, released: Cohort, settings: Settings, progress: Progress) -> Comparison:
    part: Attack | Measure = choice.build(device=settings.device, progress=partial(progress, choice.name))
    before = part.run(originals, originals, seed=settings.seed)
    after = part.run(released, originals, seed=settings.seed)
    log.info("%s: done", choice.name)
    return Comparison(_judged(before, settings), _judged(after, settings), after.estimate.minus(before.estimate))


def _judged(finding: Finding, settings: Settings) -> Finding:
    """With the user's threshold, which is of re-identification, in place of an attack's own."""
    if settings.threshold is None or finding.threshold is None or finding.kind != "attack":
        return finding
    chosen = Threshold(f"{settings.threshold:g} (chosen for this release)", settings.threshold, "set by the user")
    return replace(finding, threshold=chosen)


def _gaps(settings: Settings, engine: Engine) -> list[Gap]:
    """What the chosen parts leave open. Only a proof or a measurement covers a place."""
    gaps = []
    for place in settings.judged:
        title = PLACES[place]
        covering = [defense for defense in engine.chain if place in (defense.place, *_made_anew(defense))]
        if not covering:
            gaps.append(Gap(title, "no defense covers it, so it may identify people.", blocking=True))
        elif all(defense.guarantee.kind == "none" for defense in covering):
            gaps.append(Gap(title, covering[0].guarantee.statement, blocking=True))
    if all(choice.part.baseline for choice in settings.chosen("attacks")):
        why = "only simple attacks were tried; a network trained to recognise patients finds more."
        gaps.append(Gap("Trained attackers", why, blocking=True))
    return gaps


def _made_anew(defense: object) -> tuple[str, ...]:
    """A film that is drawn from a code alone holds no text that was burned into the old one."""
    return ("pixels",) if isinstance(defense, HiddenAnatomy) and defense.bits is not None else ()


def _provenance(settings: Settings, keys: Keys, created: str, released: Released) -> Provenance:
    return Provenance(
        medveil=medveil.__version__,
        created=created,
        command=command_given(f"medveil release IN -o OUT --seed {settings.seed}"),
        seed=settings.seed,
        input_sha256=released.source_digest,
        key_fingerprint=keys.fingerprint,
        packages=package_versions(),
        settings=settings.to_json(),
    )
