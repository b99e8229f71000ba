"""`medveil attack inversion`: can films be drawn out of what a site sends?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import attacks
from medveil.commands.options import (
    ColumnMap,
    Config,
    DateOrder,
    Device,
    Json,
    Layout,
    LogLevel,
    Quiet,
    Seed,
    out_folder,
)


@attacks.command(epilog="Example: medveil attack inversion /data/cohort -o /data/inversion --recipe plan.toml")
def inversion(
    source: Annotated[
        Path, typer.Argument(metavar="COHORT", help="Patients who came more than once, to draw and to recognise.")
    ],
    out: Annotated[Path, out_folder("Folder for the report.")] = Path("inversion"),
    recipe: Annotated[
        Path | None, typer.Option("--recipe", help="TOML file with the table [recipe]; medveil's own if not set.")
    ] = None,
    secure_sums: Annotated[
        bool, typer.Option("--secure-sums", help="The plan has secure sums: judge what is seen then.")
    ] = False,
    updates: Annotated[int, typer.Option("--updates", min=2, help="How many updates are attacked.")] = 8,
    films: Annotated[int, typer.Option("--films", min=1, help="Films of a site in each.")] = 1,
    sites: Annotated[int, typer.Option("--sites", min=3, help="Sites that a secure sum goes over.")] = 3,
    steps: Annotated[int, typer.Option("--steps", min=1, help="Steps of each search.")] = 400,
    starts: Annotated[int, typer.Option("--starts", min=1, help="Starts of each search.")] = 1,
    device: Device = "cpu",
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    seed: Seed = 7,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Draw patients' films out of a site's update: unprotected, under secure sums, under privacy, and under both."""
    from medveil.attacks.inversion.settings import InversionSettings
    from medveil.cohort.input import InputOptions
    from medveil.release.attack_inversion import attack_inversion

    console.start_logging(log_level)
    with console.progress_bars(quiet or json) as watch:
        outcome = attack_inversion(
            source,
            recipe,
            out,
            settings=InversionSettings(updates, films, sites, steps, starts),
            seed=seed,
            secure_sums=secure_sums,
            device=device,
            layout=layout,
            options=InputOptions.of(column_map, date_order),
            progress=watch,
        )
    console.show_attack(outcome, json=json, quiet=quiet)
    raise typer.Exit(outcome.exit_code)
