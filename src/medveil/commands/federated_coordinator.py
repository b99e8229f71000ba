"""`medveil federated coordinate` and `status`: the coordinator's part."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medveil import console
from medveil.commands.app import federated
from medveil.commands.options import Config, Json, LogLevel, Quiet, out_folder

if TYPE_CHECKING:
    from medveil.federated.record import Record


@federated.command(epilog="Example: medveil federated coordinate plan.toml -o run --credentials /srv/coordinator")
def coordinate(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan of the federation, a TOML file.")],
    out: Annotated[Path, out_folder("Folder for the model and the record of the run.")],
    credentials: Annotated[
        Path | None, typer.Option("--credentials", help="Folder with the certificate that the plan names.")
    ] = None,
    host: Annotated[
        str | None, typer.Option("--host", help="Address to listen on; all of this machine's if not set.")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65535, help="Port to listen on; the plan's if not set.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Train one model with the sites of a plan: ask them round by round, add up their updates, keep the model.

    A run that was stopped continues with the same command. Without a certificate in the plan only this machine is
    served.
    """
    from medveil.federated.coordinator import coordinate as serve
    from medveil.federated.plan import read_plan

    console.start_logging(log_level)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # to tell the sites before it goes
    with console.progress_bars(quiet or json) as watch:
        record = serve(
            read_plan(plan_file),
            out,
            credentials=credentials,
            host=host,
            port=port,
            noticed=lambda words: None if quiet or json else typer.echo(f"medveil: {words}", err=True),
            after=lambda record: watch("rounds", record.round, record.rounds),
        )
    show_record(record, out, json=json, quiet=quiet)


@federated.command(epilog="Example: medveil federated status run")
def status(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder of `medveil federated coordinate`.")],
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Tell where a federation stands: rounds, who is absent, bytes sent, and privacy spent where a site tells it."""
    from medveil.federated.coordinator import at_work
    from medveil.federated.record import read_record

    console.start_logging(log_level)
    record = read_record(out)
    if json:
        console.show_json(record.to_json())
    elif not quiet:
        for line in record.in_words(at_work=at_work(out)):
            typer.echo(console.printable(line))


def show_record(record: Record, out: Path, *, json: bool, quiet: bool) -> None:
    """Exits with 1 if nothing came of it."""
    from medveil.federated.record import MODEL

    trained = any(one.counted for one in record.history)
    if json:
        console.show_json(record.to_json())
    elif not quiet:
        for line in record.in_words():
            typer.echo(console.printable(line))
        typer.echo(f"The model is {out / MODEL}{'' if trained else ', as it began: no round was completed'}")
    if not trained:
        raise typer.Exit(1)
