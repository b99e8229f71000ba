"""`medveil federated keys`: what a site and a coordinator need to know each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import federated
from medveil.commands.options import Config, Json, LogLevel, Quiet


@federated.command(epilog="Example: medveil federated keys /srv/federation --host fed.example.org")
def keys(
    folder: Annotated[Path, typer.Argument(help="Folder for the keys, which only you can read.")],
    host: Annotated[
        list[str] | None,
        typer.Option("--host", help="Make a coordinator's certificate, for this name or address; repeat for several."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Make a site's node key or, with --host, a coordinator's certificate; prints the line that goes into the plan.

    Each site makes its own: the private key never leaves the folder. Where there is one already, its line is printed
    again.
    """
    from medveil.federated.credentials import authority_line, node_line

    console.start_logging(log_level)
    what, line = ("authority", authority_line(folder, host)) if host else ("key", node_line(folder))
    if json:
        console.show_json({what: line})
        return
    if not quiet:
        where = "under [coordinator]" if host else "under [sites], after the site's name"
        typer.echo(f"The key is in {folder}. Put this into the plan {where}; all else stays here:", err=True)
    typer.echo(f'{what} = "{line}"' if host else f'"{line}"')
