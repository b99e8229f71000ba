"""What the report will say: every attack and measure before and after, and what was left open."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import medveil
from medveil.cohort import Cohort
from medveil.errors import NotMeasurable
from medveil.finding import ONE_IN_ELEVEN, Finding
from medveil.parts import Attack, Choice, Measure
from medveil.person.keys import Keys
from medveil.release.clean.engine import Engine
from medveil.release.gaps import Bound, anatomy_bound, gaps_of, unmeasured
from medveil.release.provenance import command_given, package_versions
from medveil.release.released import Released
from medveil.release.remedies import remedies
from medveil.release.settings import Progress, Settings
from medveil.report.content import Comparison, Gap, OutputCheck, Provenance, Removal, ReportContent, ReportSubject
from medveil.report.sheet import Sheet
from medveil.runtime.side_by_side import heeding, side_by_side

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
    sheet: Sheet | None = None,
    workers: int | None = None,
) -> ReportContent:
    bound = anatomy_bound(engine, cohort, released)
    comparisons, gaps = _measured(cohort, released, settings, bound, workers, progress)
    gaps += gaps_of(settings, engine, cohort, released, comparisons, bound)
    table = cohort.table
    content = ReportContent(
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
        sheet=sheet,
    )
    return replace(content, remedies=remedies(content, settings))


def _measured(
    cohort: Cohort,
    released: Released,
    settings: Settings,
    bound: Bound | None,
    workers: int | None,
    progress: Progress,
) -> tuple[list[Comparison], list[Gap]]:
    """Every attack and measure before and after, on the images that were released; and those that could not run.

    They run side by side, `workers` at once; what they find does not depend on it.
    """
    if released.cohort is None:
        return [], [Gap("Everything", "no image could be released, so nothing was measured.", blocking=True)]
    before = replace(cohort, table=cohort.table.iloc[released.rows].reset_index(drop=True))
    stages = [*settings.chosen("attacks"), *settings.chosen("measures")]
    counted = _Counted(progress, len(stages))

    def measured(choice: Choice, after: Cohort) -> Comparison | Gap:
        try:
            return _compare(choice, before, after, settings, heeding(progress))
        except NotMeasurable as reason:
            return unmeasured(choice, reason, settings, bound)
        finally:
            counted.one_more()

    at_once = workers if settings.device == "cpu" else 1  # on an accelerator they would share its memory
    found: dict[Choice, Comparison | Gap] = {}
    for alone in (False, True):
        some = [choice for choice in stages if choice.alone is alone]
        tasks = [partial(measured, choice, released.cohort) for choice in some]
        found |= zip(some, side_by_side(tasks, workers=1 if alone else at_once), strict=True)
    in_order = [found[choice] for choice in stages]
    comparisons = [one for one in in_order if isinstance(one, Comparison)]
    return comparisons, [one for one in in_order if isinstance(one, Gap)]


class _Counted:
    """How many of the attacks and measures are done, told by whichever thread."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0
        self._counting = threading.Lock()
        progress("measuring", 0, total)

    def one_more(self) -> None:
        with self._counting:
            self._done += 1
            self._progress("measuring", self._done, self._total)


def _compare(choice: Choice, originals: Cohort, released: Cohort, settings: Settings, progress: Progress) -> Comparison:
    part: Attack | Measure = choice.build(device=settings.device, progress=partial(progress, choice.name))
    before = part.run(originals, originals, seed=settings.seed)
    after = part.run(released, originals, seed=settings.seed)
    log.info("%s: done", choice.name)
    return Comparison(judged(before, settings), judged(after, settings), after.estimate.minus(before.estimate))


def judged(finding: Finding, settings: Settings) -> Finding:
    """With the threshold that was set, or that goes with the recipient, in place of the usual one; one that was set
    for this attack alone gives way to the first only."""
    if finding.threshold is None or finding.kind != "attack":
        return finding
    if settings.threshold is None and finding.threshold != ONE_IN_ELEVEN:
        return finding
    return replace(finding, threshold=settings.accepted)


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
