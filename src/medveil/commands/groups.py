"""The command line's groups; each command joins one where it is defined."""

from __future__ import annotations

import click
import typer
from typer.core import TyperGroup


class _MainFirst(TyperGroup):
    """The two commands a newcomer needs come first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(super().list_commands(ctx), key=lambda name: name not in ("demo", "release"))


app = typer.Typer(
    name="medveil",
    cls=_MainFirst,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Can this be released? Finds what identifies people in chest X-rays and reports, removes it, attacks what is "
    "left, and writes a report with a verdict.\n\nTry it: [bold]medveil demo[/bold]",
    epilog="Exit codes: 0 all is well, 1 a check failed, 2 the input or the settings cannot be used.",
)
cohorts = typer.Typer(no_args_is_help=True, help="Look at data sets.")
app.add_typer(cohorts, name="cohort")
attacks = typer.Typer(no_args_is_help=True, help="Attack data as they are.")
app.add_typer(attacks, name="attack")
protects = typer.Typer(no_args_is_help=True, help="Protect a model before it is released.")
app.add_typer(protects, name="protect")
