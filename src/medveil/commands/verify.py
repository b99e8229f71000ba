"""Check what came out, and let a person look at it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import app
from medveil.commands.options import Config, Json, Key, LogLevel, Quiet, Workers
from medveil.errors import SettingsError

Out = Annotated[Path, typer.Argument(metavar="OUT", help="What medveil deid put out.")]


@app.command(epilog="Example: medveil verify /data/clean --source /data/archive")
def verify(
    out: Out,
    source: Annotated[
        Path | None,
        typer.Option("--source", metavar="IN", help="The originals; without them only a manifest is checked."),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option("--profile", help="Compare headers with this profile, not with the one the run noted."),
    ] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", help="Folder with an answer key; found by itself in a phantom hospital.")
    ] = None,
    key: Key = None,
    workers: Workers = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Read, search and compare the de-identified files afresh, and sign what was found.

    Every header is compared with the original's, every image read by a network that had no part in cleaning it, every
    byte searched for what is known of anyone. Exit code 0: nothing identifying was found; 1: something was.
    """
    console.start_logging(log_level)
    if source is None:
        _check_signature(out, key, json=json, quiet=quiet)
        return
    from medveil.defenses.headers.profile import Profile
    from medveil.release.clean.site_key import site_key
    from medveil.release.verify.run import verify as run

    with console.progress_bars(quiet or json) as watch:
        outcome = run(
            out,
            source,
            keys=site_key(key, out),
            profile=Profile.read(profile) if profile else None,
            answers=answers,
            workers=workers,
            progress=watch,
        )
    if json:
        told = {"files": outcome.files, "leaks": outcome.leaks, "losses": outcome.losses, "profile": outcome.profile}
        console.show_json(told)
    elif not quiet:
        typer.echo(f"{outcome.files:,} files checked: {outcome.leaks:,} leaks, {outcome.losses:,} losses")
        typer.echo(f"The profile that headers were compared with: {outcome.profile}")
        typer.echo(f"Counts are in {outcome.summary}, each case in {out / 'discrepancies.csv'}")
    raise typer.Exit(outcome.exit_code)


def _check_signature(out: Path, key: Path | None, *, json: bool, quiet: bool) -> None:
    """By the key in the manifest or, where the site's own is named, by that alone."""
    from medveil.release.clean.site_key import site_key
    from medveil.release.verify.manifest import check_manifest, public_key_of

    problems = check_manifest(out, public_key=public_key_of(site_key(key, out)) if key else None)
    if json:
        console.show_json({"problems": problems})
    elif not quiet:
        for problem in problems:
            typer.echo(problem)
        if not problems:
            typer.echo("The files are as they were when the manifest was signed.")
    raise typer.Exit(1 if problems else 0)


@app.command(epilog="Example: medveil review /data/clean --source /data/archive --page /secure/review.html")
def review(
    out: Out,
    source: Annotated[Path | None, typer.Option("--source", metavar="IN", help="The originals.")] = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="Where to write the page; it shows patients, so not below OUT.")
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="How many cases to show, worst first.")] = 200,
    decisions: Annotated[
        Path | None, typer.Option("--decisions", help="Decisions saved from the page: what was rejected leaves OUT.")
    ] = None,
    key: Key = None,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Show before and after, worst cases first, for a person to accept or reject; then apply the decisions."""
    from medveil.release.clean.site_key import site_key
    from medveil.release.verify.review import apply_decisions, write_review

    console.start_logging(log_level)
    keys = site_key(key, out)
    if decisions is not None:
        rejected = apply_decisions(out, decisions, keys)
        if not quiet:
            typer.echo(f"{rejected:,} files left the release")
        return
    if source is None or page is None:
        raise SettingsError("name the originals with --source and the page with --page, or give --decisions")
    with console.progress_bars(quiet) as watch:
        shown, hidden = write_review(out, source, page, keys=keys, most=most, progress=watch)
    if not quiet:
        typer.echo(f"{shown:,} cases are in {page}, {hidden:,} more are not shown. It shows patients: keep it safe")
