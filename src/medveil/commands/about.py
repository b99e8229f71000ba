"""What is installed."""

from __future__ import annotations

import typer

from medveil import console
from medveil.commands.app import app
from medveil.commands.options import Json


@app.command(epilog="Example: medveil parts --json")
def parts(json: Json = False) -> None:
    """List the attacks, measures, defenses and encoders that are installed."""
    from medveil.parts import Kind, registered

    kinds: tuple[Kind, ...] = ("attacks", "measures", "defenses", "encoders")
    found: dict[str, dict[str, str]] = {
        kind: {name: (part.__doc__ or "").strip().partition("\n")[0] for name, part in registered(kind).items()}
        for kind in kinds
    }
    if json:
        console.show_json(found)
        return
    for kind, named in found.items():
        typer.echo(kind)
        for name, what in named.items():
            typer.echo(f"  {name:<18} {what}")


@app.command(epilog="Example: medveil version")
def version() -> None:
    """Print the version."""
    from medveil import __version__

    typer.echo(__version__)
