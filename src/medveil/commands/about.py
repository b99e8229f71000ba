"""What is installed."""

from __future__ import annotations

from typing import Any

import typer

from medveil import console
from medveil.commands.app import app
from medveil.commands.options import Json


@app.command(epilog="Example: medveil parts --json")
def parts(json: Json = False) -> None:
    """List the attacks, measures, defenses and encoders that are installed, and what each can be set to."""
    from medveil.part_settings import in_words
    from medveil.parts import KINDS, catalogue

    found: dict[str, dict[str, dict[str, Any]]] = {kind: catalogue(kind) for kind in KINDS}
    if json:
        console.show_json(found)
        return
    for kind, named in found.items():
        typer.echo(kind)
        for name, part in named.items():
            unasked = "" if part["default"] else " (only where it is asked for)"
            typer.echo(f"  {name:<18} {part['what']}{unasked}")
            for key, setting in part["settings"].items():
                typer.echo(f"    {key} = {in_words(setting['default'])}  ({setting['is']})")


@app.command(epilog="Example: medveil version")
def version() -> None:
    """Print the version."""
    from medveil import __version__

    typer.echo(__version__)
