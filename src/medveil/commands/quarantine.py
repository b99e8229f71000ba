"""Say which files were withheld, by their own names, to whoever has the originals and the key."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import app
from medveil.commands.options import Config, Key, LogLevel, Quiet

_MOST_ROWS = 20
_EXAMPLE = "medveil quarantine /data/clean --source /data/archive"


@app.command(epilog=f"Example: {_EXAMPLE}")
def quarantine(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The output folder of medveil deid or medveil release.")],
    source: Annotated[Path, typer.Option("--source", metavar="IN", help="The originals.")],
    key: Key = None,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Show which files were withheld and why, by their real names.

    In OUT a withheld file goes by a pseudonym. This command finds its name again, with the originals and the key, and
    shows it here only: nothing is written. File names may identify patients, so take care where you paste them.
    """
    from medveil.release.folder import site_key
    from medveil.release.review.worst_first import FOR_A_PERSON
    from medveil.release.verify.quarantine import name_withheld

    console.start_logging(log_level)
    with console.progress_bars(quiet) as watch:
        withheld = name_withheld(out, source, keys=site_key(key, out), progress=watch)
    if not withheld:
        typer.echo("Nothing was withheld.")
        return
    if not sys.stdout.isatty():
        typer.echo("medveil: file names may identify patients; keep this output as safe as the originals", err=True)
    for reason, entries in groupby(withheld, key=lambda one: one.reason):
        several = list(entries)
        typer.echo(f"{reason} ({len(several):,})")
        for one in several:
            name = "not in this source" if one.file is None else console.printable(one.file)
            typer.echo(f"  {_rows(one.rows)}{name}  [{one.id}]")
        if reason in FOR_A_PERSON:
            named = ("--key-file", key) if key else ()
            look = console.shell_command("review", out, "--source", source, "--page", "review.html", *named)
            typer.echo(f"  To look at these and decide: {look}")


def _rows(numbers: tuple[int, ...]) -> str:
    """As the spreadsheet shows them; a table may have thousands."""
    if not numbers:
        return ""
    shown = ", ".join(map(str, numbers[:_MOST_ROWS]))
    more = f" and {len(numbers) - _MOST_ROWS:,} more" if len(numbers) > _MOST_ROWS else ""
    return f"{'row' if len(numbers) == 1 else 'rows'} {shown}{more} of "
