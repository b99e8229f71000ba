"""Let a person look at the output of a run, and carry out what that person decided."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medveil import console
from medveil.commands.app import app
from medveil.commands.options import Config, Json, Key, LogLevel, Quiet, Workers
from medveil.errors import SettingsError

if TYPE_CHECKING:
    from medveil.release.review.carrying_out import CarriedOut


@app.command(epilog="Example: medveil review /data/clean --source /data/archive --page /secure/review.html")
def review(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The output folder of medveil deid or medveil release.")],
    source: Annotated[Path | None, typer.Option("--source", metavar="IN", help="The originals.")] = None,
    page: Annotated[
        Path | None,
        typer.Option("--page", help="Where to write the page. It shows patients, so it must not be inside OUT."),
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="How many cases to show, worst first.")] = 200,
    decisions: Annotated[
        Path | None,
        typer.Option("--decisions", help="Decisions downloaded from the page; they are carried out in OUT."),
    ] = None,
    reviewer: Annotated[
        str, typer.Option("--reviewer", help="Who decided, for the record: a label such as initials or a role.")
    ] = "",
    key: Key = None,
    workers: Workers = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Show films and reports before and after, for a person to restore, remove, accept or reject.

    First write the page and decide there, with the mouse: films that were withheld because something in them may be
    text come first, then the worst cases. Download the decisions, then run the command again with them: films are
    cleaned again as decided, and checked. Exit code 0: all was done as decided; 1: something was not.
    """
    from medveil.release.folder import site_key
    from medveil.release.review.carrying_out import carry_out
    from medveil.release.review.worst_first import write_review

    console.start_logging(log_level)
    keys = site_key(key, out)
    if decisions is not None:
        if page is not None:
            raise SettingsError("give --page to write the page or --decisions to carry them out, one at a time")
        with console.progress_bars(quiet or json) as watch:
            done = carry_out(
                out, decisions, keys=keys, source=source, reviewer=reviewer, workers=workers, progress=watch
            )
        _show(done, out, source, key, json=json, quiet=quiet)
        raise typer.Exit(done.exit_code)
    if source is None or page is None:
        raise SettingsError("name the originals with --source and the page with --page, or give --decisions")
    with console.progress_bars(quiet or json) as watch:
        shown, hidden = write_review(out, source, page, keys=keys, most=most, progress=watch)
    if json:
        console.show_json({"page": str(page), "shown": shown, "not_shown": hidden})
    elif not quiet:
        typer.echo(f"{console.counted(shown, 'case')} in {page}, {hidden:,} more not shown")
        typer.echo("The page shows patients: keep it where the originals are kept, and delete it after the review")
        named = ("--key-file", key) if key else ()
        command = console.shell_command("review", out, "--source", source, "--decisions", "decisions.json", *named)
        typer.echo(f"When you have decided: {command}")


def _show(done: CarriedOut, out: Path, source: Path | None, key: Path | None, *, json: bool, quiet: bool) -> None:
    """What was done; and in any case what was not done as decided, film by film."""
    if json:
        console.show_json(
            {
                "output": str(out),
                "carried_out_before": done.again,
                "accepted": len(done.accepted),
                "rejected": len(done.rejected),
                "cleaned_again": list(done.changed),
                "newly_released": list(done.released),
                "refused": list(done.refused),
                "withheld": dict(done.withheld),
                "leaks": [one.to_json() for one in done.leaks],
            }
        )
        return
    for path in done.refused:
        typer.echo(f"{path}: not done, for a region to be kept says something that is known of the patient", err=True)
    for path, reason in done.withheld.items():
        typer.echo(f"{path}: withheld, {reason}", err=True)
    for path in sorted({one.file for one in done.leaks}):
        typer.echo(f"{path}: the check finds something in it that may identify someone", err=True)
    if quiet:
        return
    if done.again:
        typer.echo("These decisions had been carried out before; nothing was changed")
        return
    typer.echo(f"{console.counted(len(done.accepted), 'file')} accepted, {len(done.rejected):,} removed from {out}")
    if done.changed or done.refused:
        typer.echo(
            f"{console.counted(len(done.changed), 'film')} cleaned again as decided, "
            f"{len(done.released):,} of them released now, {len(done.refused):,} refused"
        )
        if source is not None:
            given = ("--source", source, *(("--key-file", key) if key else ()))
            typer.echo(f"Check it next: {console.shell_command('verify', out, *given)}")
    if (out / "report.html").exists() and (done.changed or done.rejected):
        typer.echo("The report is of the time before the review: run the same medveil release command again")
