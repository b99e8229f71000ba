"""Train networks, and encode with them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from medveil import console
from medveil.commands.app import app
from medveil.commands.options import ColumnMap, Config, DateOrder, Json, Layout, LogLevel, Quiet, Seed

if TYPE_CHECKING:
    from medveil.cohort.input import InputOptions
    from medveil.defenses.pixels.paint.training.train import TrainingResult


class Network(StrEnum):
    verification = "verification"
    reidentification = "reidentification"
    inpainting = "inpainting"


class Recipe(StrEnum):
    small = "small"
    published = "published"


@app.command(epilog="Example: medveil train reidentification /data/NIH -o /data/model --device cuda")
def train(
    network: Annotated[
        Network,
        typer.Argument(
            help="verification: same person or not; reidentification: one vector per image; inpainting: fills gaps."
        ),
    ],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="COHORT",
            help="A data set; to recognise patients, one with splits and several studies per patient.",
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the model.")],
    recipe: Annotated[
        Recipe,
        typer.Option("--recipe", help="small: for the bundled networks; published: for those of the papers."),
    ] = Recipe.small,
    start: Annotated[
        Path | None,
        typer.Option("--start", help="ImageNet weights for the backbone, or for the perceptual loss of inpainting."),
    ] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="Instead of the recipe's.")] = None,
    size: Annotated[
        int | None, typer.Option("--size", min=64, help="Pixels along each side; instead of the recipe's.")
    ] = None,
    device: Annotated[str, typer.Option("--device", help="cpu or cuda.")] = "cpu",
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Train a network that recognises patients or fills in removed text. An interrupted run can be continued."""
    from medveil.cohort.input import InputOptions, read_cohort

    console.start_logging(log_level)
    options = InputOptions.of(column_map, date_order)
    if network is Network.inpainting:
        with console.progress_bars(quiet or json) as watch:
            painter = _train_inpainting(source, out, recipe, start, epochs, size, device, layout, options, seed, watch)
        if json:
            console.show_json({"model": str(painter.model), "epochs": painter.epochs, "error": painter.error})
        elif not quiet:
            typer.echo(f"The model is {painter.model}")
        return
    from dataclasses import replace

    from medveil.encoders.identity.training.settings import TrainingSettings, published
    from medveil.encoders.identity.training.train import train as run

    kind: Literal["verification", "reidentification"] = (
        "verification" if network is Network.verification else "reidentification"
    )
    settings = published(kind, start) if recipe is Recipe.published else TrainingSettings(start=start)
    settings = replace(settings, seed=seed, epochs=epochs or settings.epochs, size=size or settings.size)
    with console.progress_bars(quiet or json) as watch:
        cohort = read_cohort(
            source, layout=layout, options=options, progress=lambda done, total: watch("reading", done, total)
        )
        result = run(
            kind,
            cohort,
            out,
            settings=settings,
            device=device,
            progress=lambda state: watch("epochs", state["epoch"], settings.epochs),
        )
    if json:
        console.show_json({"model": str(result.model), "epochs": result.epochs, "scores": vars(result.scores)})
    elif not quiet:
        typer.echo(f"The model is {result.model}")


def _train_inpainting(
    source: Path,
    out: Path,
    recipe: Recipe,
    features: Path | None,
    epochs: int | None,
    size: int | None,
    device: str,
    layout: str | None,
    options: InputOptions,
    seed: int,
    watch: console.Watch,
) -> TrainingResult:
    from dataclasses import replace

    from medveil.defenses.pixels.paint.training.images import read_images
    from medveil.defenses.pixels.paint.training.settings import InpaintingSettings, published
    from medveil.defenses.pixels.paint.training.train import train_inpainting

    settings = published(features) if recipe is Recipe.published else InpaintingSettings(features=features)
    settings = replace(settings, seed=seed, epochs=epochs or settings.epochs, size=size or settings.size)
    images = read_images(
        source, layout=layout, options=options, seed=seed, progress=lambda done, total: watch("reading", done, total)
    )
    return train_inpainting(
        images,
        out,
        settings=settings,
        device=device,
        progress=lambda state: watch("epochs", state["epoch"], settings.epochs),
    )


@app.command(epilog="Example: medveil encode /data/to-publish --encoder medveil-small -o /data/vectors")
def encode(
    source: Annotated[Path, typer.Argument(metavar="COHORT", help="A data set with reports.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the vectors.")],
    encoder: Annotated[
        str, typer.Option("--encoder", help="A name, a model's folder, or owner/model on the hub.")
    ] = "medveil-small",
    cache: Annotated[Path | None, typer.Option("--cache", help="Keep vectors in this folder for the next run.")] = None,
    device: Annotated[str, typer.Option("--device", help="cpu or cuda.")] = "cpu",
    ray: Annotated[bool, typer.Option("--ray", help="Encode on a Ray cluster.")] = False,
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Turn radiographs and reports into vectors that can be compared. With a cache, an interrupted run can continue."""
    from medveil.cohort.input import InputOptions, read_cohort
    from medveil.encoders.extraction import encode_cohort
    from medveil.encoders.loading import load_encoder
    from medveil.encoders.vectors.folder import save_embeddings

    console.start_logging(log_level)
    options = InputOptions.of(column_map, date_order)
    model = load_encoder(encoder, device=device)
    with console.progress_bars(quiet or json) as watch:
        cohort = read_cohort(
            source, layout=layout, options=options, progress=lambda done, total: watch("reading", done, total)
        )
        vectors = encode_cohort(
            cohort, model, cache=cache, progress=lambda done, total: watch("encoding", done, total), ray=ray
        )
    save_embeddings(vectors, cohort, out, encoder=model)
    if json:
        made = {"folder": str(out), "encoder": model.name, "pairs": len(vectors), "set aside": vectors.set_aside}
        console.show_json(made)
    elif not quiet:
        aside = sum(vectors.set_aside.values())
        typer.echo(f"{len(vectors):,} pairs encoded by {model.name} in {out}; {aside:,} images set aside")
