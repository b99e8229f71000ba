"""`medveil federated simulate`: a plan tried out on one machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medveil import console
from medveil.commands.app import federated
from medveil.commands.federated_coordinator import show_record
from medveil.commands.options import ColumnMap, Config, DateOrder, Json, Layout, LogLevel, Quiet, Seed, out_folder
from medveil.errors import SettingsError

if TYPE_CHECKING:
    from medveil.federated.rounds import Federation


@federated.command(epilog="Example: medveil federated simulate plan.toml hospital --clients 10 -o trial")
def simulate(
    plan_file: Annotated[
        Path, typer.Argument(metavar="PLAN", help="The plan; its sites and coordinator are replaced by simulated ones.")
    ],
    source: Annotated[Path, typer.Argument(metavar="COHORT", help="A data set, whose patients are dealt to sites.")],
    out: Annotated[Path, out_folder("Folder for the model and the record of the run.")],
    clients: Annotated[
        int | None,
        typer.Option("--clients", min=2, help="Deal the patients to so many sites; by the data set's own if not set."),
    ] = None,
    pooled: Annotated[
        bool, typer.Option("--pooled", help="No federation: train on all films together, to compare one with.")
    ] = False,
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
    from medveil.federated.simulation import Parts, part_of, simulate_cohort, train_pooled

    if pooled and clients:
        raise SettingsError("--pooled deals nobody out; leave --clients away")
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
        table, folder = read_table(plan_file), plan_file.parent
        if pooled:
            done = train_pooled(table, folder, cohort, out, after=lambda done, total: watch("rounds", done, total))
        else:
            record = simulate_cohort(
                table,
                folder,
                Parts.dealt(cohort, clients, seed) if clients else Parts.by_site(cohort),
                out,
                noticed=lambda words: None if quiet or json else typer.echo(f"medveil: {words}", err=True),
                after=lambda record: watch("rounds", record.round, record.rounds),
            )
    if pooled:
        show_pooled(done, out, json=json, quiet=quiet)
    else:
        show_record(record, out, json=json, quiet=quiet)


def show_pooled(done: Federation, out: Path, *, json: bool, quiet: bool) -> None:
    """Exits with 1 if nothing came of it."""
    from medveil.federated.record import MODEL

    rounds = len(done.rounds)
    if json:
        console.show_json({"rounds": rounds, "ended": done.ended, "model": str(out / MODEL)})
    elif not quiet:
        why = f"; {done.ended}" if done.ended else ""
        typer.echo(f"Trained on all films together, for comparison alone: {rounds:,} rounds{why}")
        typer.echo(f"The model is {out / MODEL}")
    if not rounds:
        raise typer.Exit(1)
