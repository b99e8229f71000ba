"""`medveil attack membership`: does a model tell who it was trained on?"""

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


@attacks.command(epilog="Example: medveil attack membership my-model/ /data/cohort -o /data/membership --epsilon 3")
def membership(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="An encoder by name, folder or owner/model, or a federated model."),
    ],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="COHORT", help="Members (split: train) and others (test, val); all members with OTHERS."
        ),
    ],
    others: Annotated[
        Path | None, typer.Argument(metavar="[OTHERS]", help="Patients of the same kind who were not trained on.")
    ] = None,
    out: Annotated[Path, out_folder("Folder for the report.")] = Path("membership"),
    reference: Annotated[
        list[str] | None,
        typer.Option("--reference", help="An encoder trained on none of these patients; repeat for several."),
    ] = None,
    shadows: Annotated[
        int, typer.Option("--shadows", min=4, help="Models trained by the recipe of a federated one, to compare with.")
    ] = 8,
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=1, help="Of a federated model without the record of its run.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--start", help="The weights that a federated model began with, if it did.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Keep what shadow models say here; a killed run goes on from it.")
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", help="The ε that the training promised for a patient.")
    ] = None,
    delta: Annotated[float, typer.Option("--delta", help="The δ that belongs to it.")] = 1e-5,
    cache: Annotated[Path | None, typer.Option("--cache", help="Keep vectors in this folder for the next run.")] = None,
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
    """Find out whether a model tells which patients it was trained on, beside the limit that its ε sets."""
    from medveil.attacks.membership.settings import MembershipSettings
    from medveil.cohort.input import InputOptions
    from medveil.release.attack_membership import attack_membership

    console.start_logging(log_level)
    settings = MembershipSettings(tuple(reference or ()), shadows, epsilon, delta, keep)
    with console.progress_bars(quiet or json) as watch:
        outcome = attack_membership(
            model,
            source,
            others,
            out,
            settings=settings,
            seed=seed,
            rounds=rounds,
            start=start,
            cache=cache,
            device=device,
            layout=layout,
            options=InputOptions.of(column_map, date_order),
            progress=watch,
        )
    console.show_attack(outcome, json=json, quiet=quiet)
    raise typer.Exit(outcome.exit_code)
