"""Invent a hospital, and look at data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import app, cohorts
from medveil.commands.options import (
    ColumnMap,
    Config,
    DateOrder,
    Json,
    Layout,
    LogLevel,
    Quiet,
    Seed,
    SplitBy,
    Views,
    Workers,
)


@app.command(epilog="Example: medveil phantom hospital --patients 200 --sites 3 --seed 7")
def phantom(
    out: Annotated[Path, typer.Argument(help="Folder to fill.")],
    patients: Annotated[int, typer.Option("--patients", help="Number of invented patients.")] = 200,
    sites: Annotated[int, typer.Option("--sites", help="Number of hospitals they go to.")] = 3,
    size: Annotated[int, typer.Option("--size", help="Pixels along each side.")] = 512,
    seed: Seed = 7,
    workers: Workers = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Invent a hospital: DICOM radiographs, reports, and the answer key to every identifier in them."""
    from medveil.cohort.phantom.hospital import build_hospital

    console.start_logging(log_level)
    with console.progress_bars(quiet or json) as watch:
        cohort = build_hospital(
            out,
            patients=patients,
            sites=sites,
            seed=seed,
            size=size,
            workers=workers,
            progress=lambda done, total: watch("patients", done, total),
        )
    made = {"folder": str(out), "patients": int(cohort.table["patient_id"].nunique()), "images": len(cohort)}
    if json:
        console.show_json(made)
    elif not quiet:
        typer.echo(
            f"{made['images']:,} images of {made['patients']:,} patients in {out}; the answer key is in {out / 'gold'}"
        )


@cohorts.command(epilog="Example: medveil cohort describe /data/NIH")
def describe(
    path: Annotated[Path, typer.Argument(help="A data set's folder, a saved cohort, or a CSV file.")],
    split_by: SplitBy = "lists",
    view: Views = None,
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    list_problems: Annotated[
        Path | None,
        typer.Option(
            "--list-problems", help="Write the names of files that were set aside here, readable only by you."
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Count what a data set holds: patients, studies, views, ages, labels, report lengths, and files set aside."""
    from medveil.cohort.describe import describe as summarise
    from medveil.cohort.describe import write_problems
    from medveil.cohort.input import InputOptions, read_cohort
    from medveil.cohort.selection import Selection

    console.start_logging(log_level)
    with console.progress_bars(quiet or json) as watch:
        options = InputOptions.of(column_map, date_order)
        cohort = read_cohort(
            path, layout=layout, options=options, progress=lambda done, total: watch("reading", done, total)
        )
    if list_problems:
        write_problems(cohort, list_problems)
    chosen, left_out = Selection.told(view, None, split_by).of(cohort)
    summary = summarise(chosen)
    if left_out:
        summary["left out"] = left_out
    if json:
        console.show_json(summary)
    else:
        console.show_tree(summary)
