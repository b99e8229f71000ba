"""`medveil attack identity`: do two radiographs show the same person?"""

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
    SplitBy,
    Splits,
    Views,
    out_folder,
)


@attacks.command(epilog="Example: medveil attack identity /data/to-publish -o /data/identity")
def identity(
    a: Annotated[Path, typer.Argument(metavar="A", help="The data set to attack.")],
    b: Annotated[
        Path | None, typer.Argument(metavar="[B]", help="A second data set, to look for the patients of A in.")
    ] = None,
    out: Annotated[Path, out_folder("Folder for the report and the links.")] = Path("identity"),
    false_match_rate: Annotated[
        float,
        typer.Option("--false-match-rate", help="Share of pairs of different people that may be called the same."),
    ] = 0.001,
    shared_ids: Annotated[
        bool, typer.Option("--shared-ids", help="A patient id means the same person in A and in B.")
    ] = False,
    prior: Annotated[
        float | None,
        typer.Option("--prior", help="How likely two images are to show the same person, before looking."),
    ] = None,
    named_links: Annotated[
        Path | None, typer.Option("--named-links", help="Also write the links with your own ids, readable only by you.")
    ] = None,
    show_images: Annotated[
        bool, typer.Option("--show-images", help="Lay attention maps over the X-rays; the report then shows patients.")
    ] = False,
    cache: Annotated[Path | None, typer.Option("--cache", help="Keep vectors in this folder for the next run.")] = None,
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights",
            help="A network to use instead of the bundled ones, for retrieval or verification; verification: the "
            "bundled verification network.",
        ),
    ] = None,
    split: Splits = None,
    split_by: SplitBy = "lists",
    view: Views = None,
    subset: Annotated[
        list[str] | None,
        typer.Option(
            "--subset", metavar="NAME=FILE", help="Measure the images that FILE lists apart too; repeat for several."
        ),
    ] = None,
    pair_redraws: Annotated[
        int,
        typer.Option("--pair-redraws", min=0, help="For verification, add intervals by pair; published: 10000."),
    ] = 0,
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
    """Find out whether two radiographs show the same person, within one data set or across two."""
    from medveil.attacks.identity.settings import IdentitySettings
    from medveil.attacks.identity.subsets import Subset
    from medveil.cohort.input import InputOptions
    from medveil.cohort.selection import Selection
    from medveil.release.attack_identity import attack_identity

    console.start_logging(log_level)
    settings = IdentitySettings(false_match_rate, prior, weights, show_images)
    with console.progress_bars(quiet or json) as watch:
        outcome = attack_identity(
            a,
            b,
            out,
            settings=settings,
            seed=seed,
            shared_ids=shared_ids,
            named_links=named_links,
            cache=cache,
            device=device,
            layout=layout,
            options=InputOptions.of(column_map, date_order),
            chosen=Selection.told(view, split, split_by),
            subsets=[Subset.told(text) for text in subset or ()],
            pair_redraws=pair_redraws,
            progress=watch,
        )
    console.show_attack(outcome, json=json, quiet=quiet)
    raise typer.Exit(outcome.exit_code)
