"""`medveil study`: the published studies of recognition on one's own data."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medveil import console
from medveil.commands.app import studies
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

if TYPE_CHECKING:
    from medveil.release.identity_studies import Data

Cohort = Annotated[Path, typer.Argument(metavar="COHORT", help="A data set with several studies per patient.")]
SIZES = (1024, 800, 512, 224)  # the paper's
RATES = (1e-4,)


class Handling(StrEnum):
    fixed = "fixed"
    redrawn = "redrawn"


@studies.command(
    epilog="Example: medveil study training /data/NIH -o /data/study --mining fixed --pairs 100000 --pairs 200000"
)
def training(
    source: Cohort,
    out: Annotated[Path, out_folder("Folder for the report and the models.")],
    mining: Annotated[
        list[Handling] | None,
        typer.Option("--mining", help="Strangers fixed (FTS) or redrawn every epoch (RNP); repeat for both. redrawn."),
    ] = None,
    pairs: Annotated[
        list[int] | None,
        typer.Option("--pairs", min=2, help="Size of the training set in pairs; repeat for several. All if not set."),
    ] = None,
    rate: Annotated[
        list[float] | None, typer.Option("--rate", help="Learning rate; repeat for several. The paper's if not set.")
    ] = None,
    start: Annotated[Path | None, typer.Option("--start", help="ImageNet weights for the ResNet-50.")] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="At most so many; instead of 100.")] = None,
    size: Annotated[int | None, typer.Option("--size", min=64, help="Pixels along each side; instead of 256.")] = None,
    split: Annotated[
        list[str] | None,
        typer.Option("--split", help="Judge on patients of this part; repeat for several. test if not set."),
    ] = None,
    split_by: SplitBy = "lists",
    view: Views = None,
    pair_redraws: Annotated[
        int, typer.Option("--pair-redraws", min=0, help="Intervals by pair instead of by patient; published: 10000.")
    ] = 0,
    device: Device = "cpu",
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Train verification networks by size of the training set, learning rate and handling of pairs, and compare them on
    patients none of them saw."""
    from dataclasses import replace

    from medveil.encoders.identity.training.settings import published
    from medveil.release.identity_studies import study_training

    console.start_logging(log_level)
    settings = published("verification", start)
    settings = replace(settings, epochs=epochs or settings.epochs, size=size or settings.size)
    with console.progress_bars(quiet or json) as watch:
        outcome = study_training(
            _data(source, layout, column_map, date_order, view, split or ["test"], split_by),
            out,
            settings=settings,
            minings=[each.value for each in mining or [Handling.redrawn]],
            pairs=pairs or [None],
            rates=rate or RATES,
            seed=seed,
            pair_redraws=pair_redraws,
            device=device,
            progress=watch,
        )
    console.show_attack(outcome, json=json, quiet=quiet)


@studies.command(epilog="Example: medveil study resolution /data/NIH -o /data/study --weights MODEL --split test")
def resolution(
    source: Cohort,
    out: Annotated[Path, out_folder("Folder for the report.")],
    size: Annotated[
        list[int] | None,
        typer.Option("--size", min=64, help="Pixels along each side; repeat. 1024, 800, 512 and 224 if not set."),
    ] = None,
    weights: Annotated[
        Path | None, typer.Option("--weights", help="A retrieval network to use instead of the bundled ones.")
    ] = None,
    cache: Annotated[Path | None, typer.Option("--cache", help="Keep vectors in this folder for the next run.")] = None,
    split: Splits = None,
    split_by: SplitBy = "lists",
    view: Views = None,
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
    """Recognise patients with images of several sizes, and compare."""
    from medveil.release.identity_studies import study_resolution

    console.start_logging(log_level)
    with console.progress_bars(quiet or json) as watch:
        outcome = study_resolution(
            _data(source, layout, column_map, date_order, view, split, split_by),
            out,
            sizes=size or SIZES,
            weights=weights,
            seed=seed,
            cache=cache,
            device=device,
            progress=watch,
        )
    console.show_attack(outcome, json=json, quiet=quiet)


@studies.command(epilog="Example: medveil study examples -o /data/examples")
def examples(
    out: Annotated[Path, out_folder("Folder for the report.")],
    source: Annotated[
        Path | None,
        typer.Argument(metavar="[COHORT]", help="A data set with several studies per patient; phantoms if not set."),
    ] = None,
    weights: Annotated[
        Path | None, typer.Option("--weights", help="A verification network to use instead of the bundled one.")
    ] = None,
    show_images: Annotated[
        bool, typer.Option("--show-images", help="Show the X-rays too; the report then shows patients.")
    ] = False,
    split: Splits = None,
    split_by: SplitBy = "lists",
    view: Views = None,
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
    """Show pairs that a verification network judged right and wrong, and what it looked at."""
    from medveil.release.identity_studies import study_examples

    console.start_logging(log_level)
    with console.progress_bars(quiet or json) as watch:
        outcome = study_examples(
            None if source is None else _data(source, layout, column_map, date_order, view, split, split_by),
            out,
            weights=weights,
            show_images=show_images,
            seed=seed,
            device=device,
            progress=watch,
        )
    console.show_attack(outcome, json=json, quiet=quiet)


def _data(
    source: Path,
    layout: str | None,
    column_map: list[str] | None,
    date_order: str | None,
    view: list[str] | None,
    split: list[str] | None,
    split_by: str,
) -> Data:
    from medveil.cohort.input import InputOptions
    from medveil.cohort.selection import Selection
    from medveil.release.identity_studies import Data

    return Data(source, layout, InputOptions.of(column_map, date_order), Selection.told(view, split, split_by))
