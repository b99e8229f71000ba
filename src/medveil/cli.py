"""The command line: one thin command per verb. Heavy imports happen inside the commands, so that help is quick."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import typer

from medveil.commands import (
    about,
    attack_identity,
    attack_linkage,
    cohorts,
    deid,
    models,
    protect_alignment,
    releases,
    verify,
)
from medveil.commands.app import app
from medveil.errors import MedveilError

# importing a verb makes it known
__all__ = [
    "about",
    "app",
    "attack_identity",
    "attack_linkage",
    "cohorts",
    "deid",
    "main",
    "models",
    "protect_alignment",
    "releases",
    "verify",
]


def main() -> None:
    """Run a command; errors come out as one sentence, never as a traceback that could quote the data."""
    try:
        code = app(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as shown:
        shown.show()
        code = 2
    except click.ClickException as usage:
        usage.show()
        code = usage.exit_code
    except MedveilError as error:
        typer.echo(f"medveil: {error}", err=True)
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        typer.echo("medveil: interrupted; run the same command again to go on", err=True)
        code = 130
    except Exception as surprise:  # its message may quote the data, so only its kind and place are shown
        last = surprise.__traceback__
        while last and last.tb_next:
            last = last.tb_next
        place = f"{Path(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno}" if last else "unknown place"
        typer.echo(f"medveil: unexpected {type(surprise).__name__} in {place}; please report it", err=True)
        code = 2
    sys.exit(code or 0)
