"""`medveil attack linkage`: can a radiograph be linked to its report?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

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
from medveil.errors import SettingsError


class Match(StrEnum):
    pair = "pair"
    study = "study"
    patient = "patient"
    text = "text"


class Ties(StrEnum):
    expected = "expected"
    best = "best"
    worst = "worst"


class Unit(StrEnum):
    patient = "patient"
    query = "query"


@attacks.command(epilog="Example: medveil attack linkage /data/to-publish --encoder medveil-small -o /data/linkage")
def linkage(
    source: Annotated[
        Path | None, typer.Argument(metavar="[COHORT]", help="The data set to attack, or what `medveil encode` wrote.")
    ] = None,
    encoder: Annotated[
        list[str] | None,
        typer.Option("--encoder", help="A name, a model's folder, or owner/model on the hub; repeat to compare."),
    ] = None,
    out: Annotated[Path, out_folder("Folder for the report and the tables.")] = Path("linkage"),
    image_embeddings: Annotated[
        Path | None, typer.Option("--image-embeddings", help="Image vectors made elsewhere, instead of COHORT.")
    ] = None,
    report_embeddings: Annotated[
        Path | None, typer.Option("--report-embeddings", help="The report vectors that belong to them.")
    ] = None,
    ids: Annotated[
        Path | None, typer.Option("--ids", help="Table of their ids, patients, studies and labels (CSV, Parquet).")
    ] = None,
    split: Splits = None,
    split_by: SplitBy = "lists",
    view: Views = None,
    pool: Annotated[
        list[str] | None, typer.Option("--pool", help="Size of a pool of candidates, or all; repeat for several.")
    ] = None,
    match: Annotated[
        Match | None,
        typer.Option("--match", help="Whose reports do not count as wrong; by default, the study's."),
    ] = None,
    ties: Annotated[Ties, typer.Option("--ties", help="How candidates with equal scores are counted.")] = (
        Ties.expected
    ),
    unit: Annotated[Unit, typer.Option("--unit", help="What is resampled for the intervals.")] = Unit.patient,
    sampled: Annotated[
        bool, typer.Option("--sampled", help="Draw pools at random, as published, instead of computing them exactly.")
    ] = False,
    encoders_only: Annotated[
        bool,
        typer.Option("--encoders-only", help="No attackers who learn from half of the patients, as published."),
    ] = False,
    database_size: Annotated[
        int | None,
        typer.Option("--database-size", help="Reports in the attacker's database; COHORT's if not set."),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="Highest acceptable share of linked images; 0.09 if not set.")
    ] = None,
    cache: Annotated[Path | None, typer.Option("--cache", help="Keep vectors in this folder for the next run.")] = None,
    device: Device = "cpu",
    ray: Annotated[bool, typer.Option("--ray", help="Encode on a Ray cluster.")] = False,
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    seed: Seed = 7,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Find out whether a radiograph can be linked to its report, with one encoder or several side by side."""
    from medveil.attacks.linkage.settings import LinkageSettings
    from medveil.cohort.input import InputOptions
    from medveil.cohort.selection import Selection
    from medveil.release.attack_linkage import attack_linkage, encoded_pairs, precomputed_pairs

    console.start_logging(log_level)
    options, chosen = InputOptions.of(column_map, date_order), Selection.told(view, split, split_by)
    settings = LinkageSettings(
        encoders=tuple(encoder or LinkageSettings.encoders),
        pools=_pools(pool),
        match=match.value if match else None,
        ties=ties.value,
        unit=unit.value,
        sampled=sampled,
        fitted=not encoders_only,
        database_size=database_size,
        threshold=threshold,
    )
    with console.progress_bars(quiet or json) as watch:
        if source is not None and (image_embeddings, report_embeddings, ids) == (None, None, None):
            pairs = encoded_pairs(
                source,
                tuple(encoder or ()),
                chosen=chosen,
                layout=layout,
                options=options,
                cache=cache,
                device=device,
                ray=ray,
                progress=watch,
            )
        elif source is None and image_embeddings and report_embeddings and not encoder:
            pairs = precomputed_pairs(image_embeddings, report_embeddings, ids, options, chosen)
        else:
            raise SettingsError("give a COHORT, or --image-embeddings and --report-embeddings without an encoder")
        outcome = attack_linkage(pairs, out, settings=settings, seed=seed, device=device, progress=watch)
    console.show_attack(outcome, json=json, quiet=quiet)
    raise typer.Exit(outcome.exit_code)


def _pools(sizes: list[str] | None) -> tuple[int | Literal["all"], ...] | None:
    if not sizes:
        return None
    if not all(size == "all" or size.isdecimal() for size in sizes):
        raise SettingsError("a pool is a number of candidates, such as 1000, or all")
    return tuple("all" if size == "all" else int(size) for size in sizes)
