"""The results as tables: every number for CSV, and the published form for the report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from medveil.attacks.linkage.cases import Cases
from medveil.attacks.linkage.estimates import MEDIAN, Estimates
from medveil.attacks.linkage.extrapolation import Extrapolation
from medveil.attacks.linkage.measurement import Protocol, Setting
from medveil.attacks.linkage.settings import DIRECTIONS, Unit
from medveil.finding import Table
from medveil.runtime.storage import write_bytes
from medveil.stats.estimate import Estimate
from medveil.stats.pools import METRICS, PoolScores

CASES = "linkable-cases"  # the one table that speaks of single cases
MOST_CASES = 100
PM = "\u00a0±\u00a0"  # keeps both numbers on one line
TITLES: dict[Protocol, str] = {
    "random": "Image to report in random pools",
    "matched": "Image to report in pathology-matched pools",
}


def size_name(size: int | None, candidates: int) -> str:
    """`1,000`, or `all (43,793)`."""
    return f"all ({candidates:,})" if size is None else f"{size:,}"


def every_number(by_unit: dict[Unit, dict[str, dict[Setting, Estimates]]]) -> pd.DataFrame:
    """One line for each encoder, direction, protocol, pool, metric and unit of resampling."""
    lines = [
        {
            "encoder": encoder,
            "direction": setting.direction,
            "protocol": setting.protocol,
            "pool": "all" if setting.size is None else str(setting.size),
            "metric": metric,
            "unit": unit,
            **numbers(found),
        }
        for unit, results in by_unit.items()
        for encoder, each in results.items()
        for setting, metrics in each.items()
        for metric, found in metrics.items()
    ]
    return pd.DataFrame(lines)


def numbers(found: Estimate) -> dict[str, float | int | None]:
    """The columns of an estimate; `mean` is the redraws', which some papers report as the value."""
    return {
        "value": found.value,
        "mean": None if found.replicates is None else float(np.nanmean(found.replicates)),
        "sd": found.sd,
        "low": found.low,
        "high": found.high,
        "chance": found.chance,
        "fold_above_chance": found.value / found.chance if found.chance else None,
        "control": found.control,
        "n": found.n,
        "units": found.units,
    }


def group_numbers(groups: dict[str, Estimate]) -> pd.DataFrame:
    return pd.DataFrame([{"group": name, **numbers(found)} for name, found in groups.items()])


def database_numbers(fits: dict[str, Extrapolation], sizes: tuple[int, ...]) -> pd.DataFrame:
    """What the fitted curves foretell for larger databases, with the error of their check."""
    lines = []
    for encoder, fit in fits.items():
        for size in sizes:
            check = {"model": fit.model, "check_error": fit.errors[fit.model], "measured_up_to": fit.largest}
            lines.append({"encoder": encoder, "database": size, **check, **numbers(fit.at(size))})
    return pd.DataFrame(lines)


def linkable_cases(cases: Cases, scores: PoolScores) -> pd.DataFrame:
    """The pairs that are linked most easily, by row of the cohort's table (from 1): nobody else can read that."""
    order = np.lexsort((cases.rows, scores.rank, -scores.values[:, 0]))[:MOST_CASES]
    return pd.DataFrame(
        {
            "row": cases.rows[order] + 1,
            "recall_at_1": scores.values[order, 0],
            "expected_rank": scores.rank[order],
            "candidates": scores.size[order],
        }
    )


def published(results: dict[str, dict[Setting, Estimates]], protocol: Protocol, sizes: tuple[int | None, ...]) -> Table:
    """As in the literature: percent ± standard deviation [95 % ends], one line an encoder, and what chance and labels
    reach."""
    rows: list[tuple[str, ...]] = []
    for size in sizes:
        setting = Setting(DIRECTIONS[0], protocol, size)
        compared: Estimates = {}
        for encoder, each in results.items():
            compared = each[setting]
            name = size_name(size, int(2 * (compared[MEDIAN].chance or 0) - 1))
            told = [_share_told(compared[metric]) for metric in METRICS]
            rows.append((name, encoder, *told, f"{compared[MEDIAN].value:,.1f}{PM}{compared[MEDIAN].sd:,.1f}"))
        for label, side in (("labels only", "control"), ("chance", "chance")):
            known = [getattr(compared[metric], side) for metric in (*METRICS, MEDIAN)]
            rows.append((name, label, *(f"{100 * value:.3f}" for value in known[:-1]), f"{known[-1]:,.1f}"))
    columns = ("candidates", "encoder", *(f"{metric}, %" for metric in METRICS), MEDIAN)
    return Table(TITLES[protocol], columns, tuple(rows))


def _share_told(found: Estimate) -> str:
    value, sd, low, high = (f"{100 * number:.3f}" for number in (found.value, found.sd, found.low, found.high))
    return f"{value}{PM}{sd} [{low}, {high}]"


def write_tables(tables: dict[str, pd.DataFrame], out: Path) -> list[Path]:
    """Each as CSV into `out`; the one that speaks of single cases is its owner's only."""
    paths = []
    for name, table in tables.items():
        path = Path(out) / f"{name}.csv"
        text = table.to_csv(index=False, lineterminator="\n", float_format="%.8g")
        write_bytes(path, text.encode(), private=name == CASES)
        paths.append(path)
    return paths
