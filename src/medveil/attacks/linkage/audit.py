"""One audit from vectors to finding: encoders measured one after another, then resampled and told together."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from medveil.attacks.linkage.cases import Cases
from medveil.attacks.linkage.control import Control
from medveil.attacks.linkage.estimates import MEDIAN, Estimates, Places, Units, estimate, units_of
from medveil.attacks.linkage.extrapolation import DATABASES, Extrapolation, curve_sizes
from medveil.attacks.linkage.figures import (
    curve_figures,
    database_figure,
    group_figure,
    hierarchy_figure,
    matched_figures,
    reduction,
)
from medveil.attacks.linkage.findings import HEADLINE, linkage_finding
from medveil.attacks.linkage.measurement import (
    Measured,
    Setting,
    Sides,
    measure,
    measure_sampled,
    pool_settings,
    rank_cases,
)
from medveil.attacks.linkage.settings import DIRECTIONS, LinkageSettings
from medveil.attacks.linkage.subgroups import by_group, case_groups
from medveil.attacks.linkage.tables import (
    CASES,
    database_numbers,
    every_number,
    group_numbers,
    linkable_cases,
    published,
    size_name,
)
from medveil.errors import NotMeasurable, SettingsError
from medveil.finding import Figure, Finding, Table
from medveil.runtime.threads import one_core_a_product
from medveil.stats.estimate import Estimate
from medveil.stats.pools import draws_of
from medveil.stats.ranks import Ranks
from medveil.stats.shares import strongest as strongest_share

Progress = Callable[[str, int, int], None]  # stage, done, of how many
Results = dict[str, dict[Setting, Estimates]]
EVERYONE = Setting(DIRECTIONS[0], "random", None)
REVERSE = EVERYONE._replace(direction=DIRECTIONS[1])


@dataclass(frozen=True)
class LinkageResult:
    """What was found: the finding for the report, tables for CSV by name, and the encoder that is judged."""

    finding: Finding
    tables: dict[str, pd.DataFrame]
    strongest: str


class Audit:
    """The pairs of a cohort under attack by one or more encoders."""

    def __init__(self, cases: Cases, settings: LinkageSettings, seed: int, *, device: str = "cpu") -> None:
        self._cases, self._settings, self._seed, self._device = cases, settings, seed, device
        fewest = int(cases.candidates.min())
        self._all = int(np.median(cases.candidates))
        self._sizes = settings.sizes(fewest)
        for size in self._sizes:
            draws_of(cases.candidates - 1, size)  # refuses what is too large before anything is ranked
        self._curve = () if settings.sampled else curve_sizes(fewest)
        self._database = settings.database_size or self._all
        self._about = "" if settings.database_size or fewest == cases.candidates.max() else "about "
        self._beyond = settings.database_size is not None and settings.database_size > fewest
        if self._beyond and settings.sampled:
            raise SettingsError("a database larger than the cohort needs exact pools; leave out sampling")
        self._judged = EVERYONE._replace(size=None if self._beyond else settings.database_size)
        self._asked = list(dict.fromkeys([*pool_settings(cases, self._sizes), self._judged, EVERYONE, REVERSE]))
        along = [EVERYONE._replace(size=size) for size in self._curve]
        self._wanted = list(dict.fromkeys([*self._asked, *along]))
        self._measured: dict[str, Measured] = {}
        self._control: Control | None = None
        self._fitted: list[str] = []

    def add(self, encoder: str, sides: Sides, progress: Progress | None = None, *, fitted: bool = False) -> None:
        """Measure one more encoder, or an attacker `fitted` to these pairs."""
        told = None if progress is None else partial(progress, f"ranking by {encoder}")
        ranks = rank_cases(sides, self._cases, device=self._device, progress=told)
        with ThreadPoolExecutor(1) as beside:
            control = beside.submit(self._controlled, ranks[DIRECTIONS[0]])
            if self._settings.sampled:
                told = None if progress is None else partial(progress, f"drawing pools for {encoder}")
                found = measure_sampled(
                    sides, self._cases, self._wanted, self._settings, seed=self._seed, progress=told
                )
            else:
                found = measure(ranks, self._wanted, self._settings)
            self._control = control.result()
        self._measured[encoder] = found
        self._fitted += [encoder] * fitted

    def _controlled(self, ranks: Ranks) -> Control:
        """What labels alone reach, whatever the encoder."""
        return self._control or Control(ranks.others, self._cases, self._wanted)

    def result(self, set_aside: dict[str, int]) -> LinkageResult:
        """Intervals, curves, groups and words."""
        assert self._control is not None, "an audit measures at least one encoder"
        control = self._control
        all_units = units_of(self._cases)
        shown = next((units for units in all_units if units.name == self._settings.unit), all_units[0])
        places = Places(self._measured)

        def resampled(units: Units) -> Results:
            return self._resampled(units, control, places, curve=units is shown)

        with one_core_a_product(), ThreadPoolExecutor(len(all_units)) as pool:
            by_unit = dict(zip((units.name for units in all_units), pool.map(resampled, all_units), strict=True))
        results = by_unit[shown.name]
        fits = self._fits(results)
        judged = {encoder: self._headline(each, fits.get(encoder), control) for encoder, each in results.items()}
        strongest, headline = strongest_share(judged)
        scores, first = self._measured[strongest][self._judged], control.first(self._judged)
        with one_core_a_product():
            groups = by_group(case_groups(self._cases, shown), scores, first, shown, self._settings, self._seed)
        finding = linkage_finding(
            self._estimates(results, judged, strongest, headline, fits),
            encoder=strongest,
            attackers=tuple(results),
            fitted=tuple(self._fitted),
            database=f"{self._about}{self._database:,}",
            cases=self._cases,
            settings=self._settings,
            fit=fits.get(strongest) if self._beyond else None,
            set_aside=set_aside,
            figures=self._figures(results, fits, groups),
            tables=self._tables(results),
        )
        numbers = {
            "linkage": every_number(by_unit),
            "groups": group_numbers(groups),
            "larger-databases": database_numbers(fits, self._databases),
            CASES: linkable_cases(self._cases, scores),
        }
        return LinkageResult(finding, {name: table for name, table in numbers.items() if len(table)}, strongest)

    @property
    def _databases(self) -> tuple[int, ...]:
        """Sizes beyond the cohort that are told of."""
        asked = {self._database} if self._beyond else set()
        return tuple(sorted(asked | {size for size in DATABASES if size > self._all}))

    def _resampled(self, units: Units, control: Control, places: Places, *, curve: bool) -> Results:
        """Estimates of the pools asked for, and of those the curve goes through where it is wanted."""
        wanted = self._wanted if curve else self._asked
        measured = {encoder: {setting: each[setting] for setting in wanted} for encoder, each in self._measured.items()}
        return estimate(measured, control, places, units, self._settings, self._seed)

    def _fits(self, results: Results) -> dict[str, Extrapolation]:
        """A curve for every encoder, where the cohort is large enough for one."""
        if not self._curve:
            return {}
        fits = {}
        for encoder, each in results.items():
            found = [each[EVERYONE._replace(size=size)][HEADLINE] for size in (*self._curve, None)]
            fit = Extrapolation.fit((*self._curve, self._all), found)
            if fit is not None:
                fits[encoder] = fit
        return fits

    def _headline(self, results: dict[Setting, Estimates], fit: Extrapolation | None, control: Control) -> Estimate:
        """Recall@1 in the database that the verdict is about."""
        if not self._beyond:
            return results[self._judged][HEADLINE]
        if fit is None:
            raise NotMeasurable(
                "the cohort is too small, or links too little, to tell of larger databases; "
                "leave the size of the database out"
            )
        return replace(fit.at(self._database), control=control.beyond(self._database))

    def _estimates(
        self,
        results: Results,
        judged: dict[str, Estimate],
        strongest: str,
        headline: Estimate,
        fits: dict[str, Extrapolation],
    ) -> Estimates:
        best = results[strongest]
        found: Estimates = {HEADLINE: headline}
        if not self._beyond:
            found |= {metric: best[self._judged][metric] for metric in ("Recall@5", "Recall@10", "MRR")}
        found[f"{HEADLINE}, report to image"] = best[REVERSE][HEADLINE]
        for size in filter(None, self._sizes):
            found[f"{HEADLINE} in pools of {size:,}"] = best[EVERYONE._replace(size=size)][HEADLINE]
            matched = best.get(Setting(DIRECTIONS[0], "matched", size))
            if matched:
                found[f"{HEADLINE} in pathology-matched pools of {size:,}"] = matched[HEADLINE]
                alike = best[EVERYONE._replace(size=size)][HEADLINE]
                found[f"share of {HEADLINE} lost to pathology matching in pools of {size:,}"] = reduction(
                    alike, matched[HEADLINE]
                )
        found[f"{MEDIAN}, of all candidates"] = _relative(best[EVERYONE][MEDIAN], self._all)
        if strongest in fits:
            found |= {f"{HEADLINE} among {size:,}, scenario": fits[strongest].at(size) for size in self._databases}
        if len(results) > 1:
            found |= {f"{HEADLINE} by {encoder}": each for encoder, each in judged.items()}
        return found

    def _figures(self, results: Results, fits: dict[str, Extrapolation], groups: dict[str, Estimate]) -> list[Figure]:
        limited = [size for size in self._sizes if size is not None]
        figures: list[Figure] = []
        if len(results) > 1:
            figures.append(hierarchy_figure(results, min(limited, default=None), self._all))
        along = self._curve or tuple(sorted(limited))  # drawn pools are few, and all of them are on the curve
        figures += curve_figures(results, along, self._all)
        if limited and self._cases.profiles is not None:
            figures += matched_figures(results, max(limited))
        figures += database_figure(results, fits, self._curve, self._all)
        return figures + group_figure(groups, size_name(self._judged.size, self._all))

    def _tables(self, results: Results) -> list[Table]:
        found = [published(results, "random", self._sizes)]
        limited = tuple(size for size in self._sizes if size is not None)
        if limited and self._cases.profiles is not None:
            found.append(published(results, "matched", limited))
        return found


def _relative(found: Estimate, size: int) -> Estimate:
    """A rank as a share of the candidates."""
    assert found.replicates is not None and found.chance is not None and found.control is not None
    return replace(
        found,
        **{name: getattr(found, name) / size for name in ("value", "sd", "low", "high", "chance", "control")},
        replicates=found.replicates / size,
    )
