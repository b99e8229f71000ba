"""`medveil protect anatomy`: hide the body of those on the films, and keep what the films show."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import protects
from medveil.commands.options import (
    ColumnMap,
    Config,
    DateOrder,
    Device,
    Json,
    Key,
    Layout,
    LogLevel,
    Quiet,
    Seed,
    Workers,
    out_folder,
)


class Effort(StrEnum):
    small = "small"
    full = "full"


@protects.command(epilog="Example: medveil protect anatomy /data/films -o /data/protected --risk 0.1")
def anatomy(
    source: Annotated[Path, typer.Argument(metavar="COHORT", help="Chest films with their table.")],
    out: Annotated[Path, out_folder("Folder for the protected films and the report.")],
    risk: Annotated[
        float | None,
        typer.Option("--risk", help="The strongest attacker may succeed so often at most; 0.09 if not set."),
    ] = None,
    bits: Annotated[
        int | None, typer.Option("--bits", help="Make every film anew from so many bits, whatever the risk.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option("--method", help="coded, dcm-deid, blur, …; coded if not set, all with --sweep. Repeat there."),
    ] = None,
    level: Annotated[
        float | None, typer.Option("--level", help="How strongly another method hides, in its own unit.")
    ] = None,
    draws: Annotated[
        int | None, typer.Option("--draws", help="Films drawn from each code, of which each is an image.")
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option("--weights", help="Networks of your own: a file, or with --sweep a folder of METHOD.safetensors."),
    ] = None,
    sweep: Annotated[bool, typer.Option("--sweep", help="Compare methods at all their levels.")] = False,
    fit: Annotated[
        str | None, typer.Option("--fit", help="With --sweep: the split that attackers and classifiers learn from.")
    ] = None,
    measure: Annotated[str | None, typer.Option("--measure", help="With --sweep: the split to measure on.")] = None,
    effort: Annotated[
        Effort, typer.Option("--effort", help="With --sweep: small (two cores) or full (a graphics card).")
    ] = Effort.small,
    show_images: Annotated[
        bool, typer.Option("--show-images", help="With --sweep: put films before and after into the page.")
    ] = False,
    device: Device = "cpu",
    key_file: Key = None,
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    seed: Seed = 7,
    workers: Workers = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Make every film anew from a short code, so that the body no longer tells whose it is, and measure what is left.

    OUT/data holds the films and their table; nothing but the films is changed. With --sweep nothing is protected: the
    page shows what each way of hiding costs and gains. An interrupted run continues with the same command.
    """
    from medveil.cohort.input import InputOptions
    from medveil.errors import SettingsError
    from medveil.release.folder import check_places, site_key
    from medveil.release.protect_anatomy import protect_cohort, sweep_cohort

    console.start_logging(log_level)
    options = InputOptions.of(column_map, date_order)
    if sweep:
        if any(one is not None for one in (risk, bits, level, draws)):
            raise SettingsError("a sweep tries every level; leave out --risk, --bits, --level and --draws, or --sweep")
        with console.progress_bars(quiet or json) as watch:
            swept = sweep_cohort(
                source,
                out,
                methods=tuple(method or ()),
                weights=weights,
                fit=fit,
                measure=measure,
                effort=effort.value,
                layout=layout,
                options=options,
                device=device,
                seed=seed,
                show_images=show_images,
                progress=watch,
            )
        if json:
            console.show_json(console.read_json(out / "frontier.json"))
        elif not quiet:
            for name, why in swept.swept.left_out.items():
                typer.echo(f"{name} was not tried: {why}")
            typer.echo(f"The report is {swept.report}")
        return
    if len(method or ()) > 1:
        raise SettingsError("films are protected in one way; name one method, or add --sweep to compare several")
    check_places(source, out, None)
    keys = site_key(key_file, out, may_make=True)
    with console.progress_bars(quiet or json) as watch:
        outcome = protect_cohort(
            source,
            out,
            keys=keys,
            method=method[0] if method else None,
            bits=bits,
            level=level,
            draws=draws,
            weights=weights,
            risk=risk,
            layout=layout,
            options=options,
            device=device,
            seed=seed,
            workers=workers,
            progress=watch,
        )
    console.show_outcome(outcome, json=json, quiet=quiet)
    raise typer.Exit(outcome.exit_code)
