"""`medveil attack linkage`: can a radiograph be linked to its report?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from medveil import console
from medveil.commands.app import attacks
from medveil.commands.options import Config, Device, Json, Layout, LogLevel, Quiet, Seed
from medveil.errors import SettingsError

if TYPE_CHECKING:
    import pandas as pd

    from medveil.cohort import Cohort
    from medveil.encoders.extraction import Embeddings
    from medveil.release.attack_report import Input


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
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the report and the tables.")] = Path("linkage"),
    image_embeddings: Annotated[
        Path | None, typer.Option("--image-embeddings", help="Image vectors made elsewhere, instead of COHORT.")
    ] = None,
    report_embeddings: Annotated[
        Path | None, typer.Option("--report-embeddings", help="The report vectors that belong to them.")
    ] = None,
    ids: Annotated[
        Path | None, typer.Option("--ids", help="Table of their ids, patients, studies and labels (CSV, Parquet).")
    ] = None,
    pool: Annotated[
        list[str] | None, typer.Option("--pool", help="Size of a pool of candidates, or all; repeat for several.")
    ] = None,
    match: Annotated[
        Match | None, typer.Option("--match", help="Whose reports are no wrong answers; by default, the study's.")
    ] = None,
    ties: Annotated[Ties, typer.Option("--ties", help="How candidates that score the same are counted.")] = (
        Ties.expected
    ),
    unit: Annotated[Unit, typer.Option("--unit", help="What is redrawn for the intervals.")] = Unit.patient,
    sampled: Annotated[
        bool, typer.Option("--sampled", help="Draw the pools, as published, instead of exactly.")
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
    seed: Seed = 7,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Find out whether a radiograph can be linked to its report, with one encoder or several side by side."""
    from medveil.attacks.linkage.run import run_linkage, write_tables
    from medveil.attacks.linkage.settings import LinkageSettings
    from medveil.part_settings import to_json
    from medveil.release import Outcome
    from medveil.release.attack_report import report_attack

    console.start_logging(log_level)
    settings = LinkageSettings(
        encoders=tuple(encoder or LinkageSettings.encoders),
        pools=_pools(pool),
        match=match.value if match else None,
        ties=ties.value,
        unit=unit.value,
        sampled=sampled,
        database_size=database_size,
        threshold=threshold,
    )
    with console.progress_bars(quiet or json) as watch:
        if source is not None and (image_embeddings, report_embeddings, ids) == (None, None, None):
            subject, vectors, attacked = _encoded(source, encoder, layout, cache, device, watch, ray=ray)
        elif source is None and image_embeddings and report_embeddings and not encoder:
            subject, vectors, attacked = _precomputed(image_embeddings, report_embeddings, ids)
        else:
            raise SettingsError("give a COHORT, or --image-embeddings and --report-embeddings without an encoder")
        result = run_linkage(subject, vectors, seed=seed, settings=settings, device=device, progress=watch)
    write_tables(result, out)
    verdict, page = report_attack(
        result.finding,
        attacked,
        out,
        command=f"medveil attack linkage COHORT -o OUT --seed {seed}",
        seed=seed,
        settings={**to_json(settings), "encoders": list(vectors), "device": device},
    )
    if json:
        told = {"verdict": verdict, "answer": result.finding.answer, "encoder": result.strongest, "report": str(page)}
        console.show_json(told)
    elif not quiet:
        typer.echo(f"{verdict}: {result.finding.answer}")
        typer.echo(f"The report is {page}")
    raise typer.Exit(Outcome(verdict, 0, attacked.subject.withheld, page).exit_code)


def _pools(sizes: list[str] | None) -> tuple[int | Literal["all"], ...] | None:
    if not sizes:
        return None
    if not all(size == "all" or size.isdecimal() for size in sizes):
        raise SettingsError("a pool is a number of candidates, such as 1000, or all")
    return tuple("all" if size == "all" else int(size) for size in sizes)


def _encoded(
    source: Path,
    encoders: list[str] | None,
    layout: str | None,
    cache: Path | None,
    device: str,
    watch: console.Watch,
    *,
    ray: bool,
) -> tuple[Cohort | pd.DataFrame, dict[str, Embeddings], Input]:
    """The pairs of a data set, encoded now or by `medveil encode`."""
    from medveil.attacks.linkage.run import encode_by_all
    from medveil.attacks.linkage.settings import LinkageSettings
    from medveil.cohort.input import read_cohort
    from medveil.encoders.vectors.folder import is_embedding_folder, open_embeddings
    from medveil.release.attack_report import Input

    if is_embedding_folder(source):
        if encoders:
            raise SettingsError(f"{source} is encoded already; leave out the encoder, or give the data set itself")
        vectors, pairs, manifest = open_embeddings(source)
        return pairs, {manifest["encoder"]: vectors}, Input.of_embeddings(pairs, sorted(source.glob("*.npy")))
    cohort = read_cohort(source, layout=layout, progress=lambda done, total: watch("reading", done, total))
    names = encoders or LinkageSettings.encoders
    found = encode_by_all(cohort, names, device=device, cache=cache, ray=ray, progress=watch)
    return cohort, found, Input.of_cohort(cohort)


def _precomputed(images: Path, reports: Path, ids: Path | None) -> tuple[pd.DataFrame, dict[str, Embeddings], Input]:
    import numpy as np

    from medveil.encoders.extraction import Embeddings
    from medveil.encoders.precomputed import read_embeddings
    from medveil.release.attack_report import Input

    image_vectors, report_vectors, pairs = read_embeddings(images, reports, ids)
    vectors = Embeddings(image_vectors, report_vectors, np.arange(len(pairs)), {})
    return pairs, {"precomputed": vectors}, Input.of_embeddings(pairs, [images, reports])
