"""Train networks, and encode with them."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from medveil import console
from medveil.commands.app import app
from medveil.commands.options import ColumnMap, Config, DateOrder, Json, Layout, LogLevel, Quiet, Seed, out_folder
from medveil.errors import SettingsError

if TYPE_CHECKING:
    from medveil.cohort.input import InputOptions

WORDS = 24  # written on unseen images while inpainting is trained


class Network(StrEnum):
    verification = "verification"
    reidentification = "reidentification"
    inpainting = "inpainting"
    anatomy = "anatomy"


class AnatomyMethod(StrEnum):
    id_adversarial = "id-adversarial"
    privacy_net = "privacy-net"
    deformation = "deformation"
    k_same = "k-same"
    dcm_deid = "dcm-deid"


class Recipe(StrEnum):
    small = "small"
    published = "published"


class Mining(StrEnum):
    online = "online"
    redrawn = "redrawn"
    fixed = "fixed"


class Pictures(StrEnum):
    crops = "crops"
    whole = "whole"


class MaskSource(StrEnum):
    drawn = "drawn"
    detector = "detector"


@app.command(epilog="Example: medveil train reidentification /data/NIH -o /data/model --device cuda")
def train(
    network: Annotated[
        Network,
        typer.Argument(
            help="verification: same person or not; reidentification: one vector per image; inpainting: fills gaps; "
            "anatomy: what a way of hiding the body itself needs."
        ),
    ],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="COHORT",
            help="A data set; to recognise patients, one with splits and several studies per patient.",
        ),
    ],
    out: Annotated[Path, out_folder("Folder for the model.")],
    recipe: Annotated[
        Recipe,
        typer.Option("--recipe", help="small: for the bundled networks; published: for those of the papers."),
    ] = Recipe.small,
    start: Annotated[
        Path | None,
        typer.Option("--start", help="ImageNet weights for the backbone, or for the perceptual loss of inpainting."),
    ] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="Instead of the recipe's.")] = None,
    frozen_epochs: Annotated[
        int | None,
        typer.Option(
            "--frozen-epochs",
            min=0,
            help="To recognise patients, epochs before those in which the head alone learns; instead of the recipe's.",
        ),
    ] = None,
    size: Annotated[
        int | None, typer.Option("--size", min=64, help="Pixels along each side; instead of the recipe's.")
    ] = None,
    mining: Annotated[
        Mining | None,
        typer.Option(
            "--mining",
            help="For verification, the pairs of a batch, or listed ones with strangers redrawn every epoch or fixed.",
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option("--pairs", min=2, help="For verification, how many listed pairs to train on; all if not set."),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option("--rate", help="To recognise patients, the learning rate; instead of the recipe's."),
    ] = None,
    images: Annotated[
        Pictures | None,
        typer.Option("--images", help="For inpainting, crops or whole images; instead of the recipe's."),
    ] = None,
    masks: Annotated[
        MaskSource | None,
        typer.Option("--masks", help="For inpainting, drawn at random or where the detector finds text."),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option("--samples", min=1, help="For inpainting, steps between sheets of samples; else the recipe's."),
    ] = None,
    words: Annotated[
        int | None,
        typer.Option("--words", min=0, help="For inpainting, words written and filled at every validation: 24."),
    ] = None,
    method: Annotated[AnatomyMethod | None, typer.Option("--method", help="For anatomy, the way of hiding it.")] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes",
            min=0,
            help="Stop after this long with the model so far; run again to continue. For anatomy, how long it learns.",
        ),
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
    """Train a network that recognises patients, fills in removed text or hides anatomy. An interrupted run can be
    continued."""
    from medveil.cohort.input import InputOptions

    console.start_logging(log_level)
    options = InputOptions.of(column_map, date_order)
    chosen = Chosen(recipe is Recipe.published, start, epochs, size, seed)
    painting = Painting(images, masks, samples, words)
    if network is not Network.inpainting and any(value is not None for value in painting):
        raise SettingsError("--images, --masks, --samples and --words are for inpainting; leave them out")
    if (network is Network.anatomy) != (method is not None):
        raise SettingsError("--method is for anatomy, which needs it; give both or neither")
    if network is Network.anatomy and any(value is not None for value in (start, epochs, size)):
        raise SettingsError("--start, --epochs and --size are not for anatomy; leave them out")
    recognising = Recognising(mining, pairs, rate, frozen_epochs)
    if network not in (Network.verification, Network.reidentification) and any(v is not None for v in recognising):
        raise SettingsError("--mining, --pairs, --rate and --frozen-epochs are to recognise patients; leave them out")
    if network is Network.reidentification and (mining is not None or pairs is not None):
        raise SettingsError("--mining and --pairs are for verification; leave them out")
    seconds = None if minutes is None else 60 * minutes
    with console.progress_bars(quiet or json) as watch:
        if method is not None:
            trained = partial(_anatomy, method)
        else:
            inpainting = network is Network.inpainting
            trained = partial(_inpainting, painting) if inpainting else partial(_identity, network, recognising)
        model, told, finished = trained(source, layout, options, out, chosen, device, seconds, watch)
    if json:
        console.show_json({"model": str(model), "finished": finished, **told})
    elif not quiet:
        typer.echo(f"The model is {model}")
        if "note" in told:
            typer.echo(told["note"])
        if not finished:
            typer.echo("Time is up before the last epoch; run the same command again to continue.")


class Chosen(NamedTuple):
    """What the command line sets of a network's settings."""

    published: bool
    start: Path | None
    epochs: int | None
    size: int | None
    seed: int


class Painting(NamedTuple):
    """The same for what only inpainting has; none is the recipe's."""

    images: Pictures | None
    masks: MaskSource | None
    samples: int | None
    words: int | None


class Recognising(NamedTuple):
    """The same for what only networks that recognise patients have."""

    mining: Mining | None
    pairs: int | None
    rate: float | None
    frozen_epochs: int | None


def _identity(
    network: Network,
    recognising: Recognising,
    source: Path,
    layout: str | None,
    options: InputOptions,
    out: Path,
    chosen: Chosen,
    device: str,
    seconds: float | None,
    watch: console.Watch,
) -> tuple[Path, dict[str, Any], bool]:
    from medveil.cohort.input import read_cohort
    from medveil.encoders.identity.training.settings import TrainingSettings, published
    from medveil.encoders.identity.training.train import train as run

    kind: Literal["verification", "reidentification"] = (
        "verification" if network is Network.verification else "reidentification"
    )
    settings = published(kind, chosen.start) if chosen.published else TrainingSettings(start=chosen.start)
    settings = replace(
        settings,
        seed=chosen.seed,
        epochs=chosen.epochs or settings.epochs,
        frozen_epochs=settings.frozen_epochs if recognising.frozen_epochs is None else recognising.frozen_epochs,
        size=chosen.size or settings.size,
        mining=settings.mining if recognising.mining is None else recognising.mining.value,
        pairs=recognising.pairs,
        rate=settings.rate if recognising.rate is None else recognising.rate,
    )
    cohort = read_cohort(
        source, layout=layout, options=options, progress=lambda done, total: watch("reading", done, total)
    )
    result = run(
        kind,
        cohort,
        out,
        settings=settings,
        device=device,
        seconds=seconds,
        progress=lambda state: watch("epochs", state["epoch"], settings.all_epochs),
        reading=lambda done, total: watch("preparing", done, total),
    )
    told: dict[str, Any] = {"epochs": result.epochs, "scores": vars(result.scores), "set aside": result.set_aside}
    if result.pairs is not None:
        told["pairs"] = result.pairs
    if chosen.published and chosen.start is None:
        told["note"] = "The paper starts from ImageNet weights; without --start the backbone began from chance."
    return result.model, told, result.finished


def _inpainting(
    painting: Painting,
    source: Path,
    layout: str | None,
    options: InputOptions,
    out: Path,
    chosen: Chosen,
    device: str,
    seconds: float | None,
    watch: console.Watch,
) -> tuple[Path, dict[str, Any], bool]:
    from medveil.defenses.pixels.paint.training.images import read_images
    from medveil.defenses.pixels.paint.training.settings import InpaintingSettings, published
    from medveil.defenses.pixels.paint.training.train import train_inpainting

    settings = published(chosen.start) if chosen.published else InpaintingSettings(features=chosen.start)
    settings = replace(
        settings,
        seed=chosen.seed,
        epochs=chosen.epochs or settings.epochs,
        size=chosen.size or settings.size,
        whole=settings.whole if painting.images is None else painting.images is Pictures.whole,
        masks=settings.masks if painting.masks is None else painting.masks.value,
        sample_every=painting.samples or settings.sample_every,
        words=WORDS if painting.words is None else painting.words,
    )
    images = read_images(
        source,
        layout=layout,
        options=options,
        seed=chosen.seed,
        progress=lambda done, total: watch("reading", done, total),
    )
    result = train_inpainting(
        images,
        out,
        settings=settings,
        device=device,
        seconds=seconds,
        progress=lambda state: watch("epochs", state["epoch"], settings.epochs),
        looking=lambda done, total: watch("looking for text", done, total),
    )
    told = {"epochs": result.epochs, "error": result.error, "frechet": result.frechet, "read": result.read}
    return result.model, told, result.finished


def _anatomy(
    method: AnatomyMethod,
    source: Path,
    layout: str | None,
    options: InputOptions,
    out: Path,
    chosen: Chosen,
    device: str,
    seconds: float | None,
    watch: console.Watch,
) -> tuple[Path, dict[str, Any], bool]:
    from medveil.cohort.input import read_cohort
    from medveil.defenses.anatomy.train import MINUTES, train_method

    minutes = MINUTES[method.value] if seconds is None else seconds / 60
    cohort = read_cohort(
        source, layout=layout, options=options, progress=lambda done, total: watch("reading", done, total)
    )
    model, told = train_method(
        method.value,
        cohort,
        out,
        minutes=minutes,
        published=chosen.published,
        device=device,
        seed=chosen.seed,
        progress=lambda state: watch("seconds", min(state["seconds"], round(60 * minutes)), round(60 * minutes)),
    )
    return model, told, True


@app.command(epilog="Example: medveil encode /data/to-publish --encoder medveil-small -o /data/vectors")
def encode(
    source: Annotated[Path, typer.Argument(metavar="COHORT", help="A data set with reports.")],
    out: Annotated[Path, out_folder("Folder for the vectors.")],
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
    from medveil.encoders.vectors.embedding_folder import save_embeddings

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
