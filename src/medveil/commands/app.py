"""The command line's groups; each command joins one where it is defined."""

from __future__ import annotations

from typing import Annotated

import click
import typer
from typer.core import TyperGroup

_ORDER = (
    *("demo", "release", "deid", "verify", "review", "quarantine", "ask"),
    *("cohort", "attack", "measure", "study", "protect", "encode", "train", "phantom"),
)


class _MainFirst(TyperGroup):
    """What a newcomer needs comes first, what belongs together stands together."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        known = super().list_commands(ctx)
        return sorted(known, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))


app = typer.Typer(
    name="medveil",
    cls=_MainFirst,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="Can this be released? Finds what identifies people in chest X-rays and reports, removes it, attacks what is "
    "left, and writes a report with a verdict.\n\nTry it: **medveil demo**",
    epilog="Exit codes: 0 all is well, 1 a check failed or something was withheld, 2 the input or the settings cannot "
    "be used, 130 interrupted.",
)


def _show_version(asked: bool) -> None:
    if asked:
        from medveil import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def medveil(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


cohorts = typer.Typer(no_args_is_help=True, help="Look at data sets.")
app.add_typer(cohorts, name="cohort")
attacks = typer.Typer(no_args_is_help=True, help="Attack a data set as it is.")
app.add_typer(attacks, name="attack")
measures = typer.Typer(no_args_is_help=True, help="Measure what a data set is still good for.")
app.add_typer(measures, name="measure")
protects = typer.Typer(no_args_is_help=True, help="Protect a model before it is released.")
app.add_typer(protects, name="protect")
studies = typer.Typer(no_args_is_help=True, help="Repeat the published studies of recognition.")
app.add_typer(studies, name="study")
federated = typer.Typer(no_args_is_help=True, help="Train one model across hospitals, whose data stay where they are.")
app.add_typer(federated, name="federated")
