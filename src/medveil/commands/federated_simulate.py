"""`medveil federated simulate`: a plan tried out on one machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import federated
from medveil.commands.federated_coordinator import show_record
from medveil.commands.options import ColumnMap, Config, DateOrder, Json, Layout, LogLevel, Quiet, Seed


@federated.command(epilog="Example: medveil federated simulate plan.toml hospital --clients 10 -o trial")
def simulate(
    plan_file: Annotated[
        Path, typer.Argument(metavar="PLAN", help="The plan; its sites and coordinator are replaced by simulated ones.")
    ],
    source: Annotated[Path, typer.Argument(metavar="COHORT", help="A data set, whose patients are dealt to sites.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the model and the record of the run.")],
    clients: Annotated[
        int | None,
        typer.Option("--clients", min=2, help="Deal the patients to so many sites; by the data set's own if not set."),
    ] = None,
    split: Annotated[
        str | None, typer.Option("--split", help="Train on this part of the data set alone; on all of it if not set.")
    ] = None,
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    seed: Seed = 7,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Try a plan on one machine: the same messages, sums and budgets between simulated sites.

    Whoever runs it sees all the data, so it protects nobody; it shows what a plan costs and what comes of it. A run
    that was stopped continues with the same command.
    """
    from medveil.cohort.input import InputOptions, read_cohort
    from medveil.federated.plan import read_table
    from medveil.federated.simulation import Parts, part_of, simulate_cohort

    console.start_logging(log_level)
    with console.progress_bars(quiet or json) as watch:
        cohort = part_of(
            read_cohort(
                source,
                layout=layout,
                options=InputOptions.of(column_map, date_order),
                progress=lambda done, total: watch("reading", done, total),
            ),
            split,
        )
        parts = Parts.dealt(cohort, clients, seed) if clients else Parts.by_site(cohort)
        record = simulate_cohort(
            read_table(plan_file),
            plan_file.parent,
            parts,
            out,
            noticed=lambda words: None if quiet or json else typer.echo(f"medveil: {words}", err=True),
            after=lambda record: watch("rounds", record.round, record.rounds),
        )
    show_record(record, out, json=json, quiet=quiet)
