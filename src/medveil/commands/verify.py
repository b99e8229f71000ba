"""Check the output of a run, and let a person look at it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import app
from medveil.commands.options import Config, Json, Key, LogLevel, Quiet, Ray, Workers
from medveil.errors import SettingsError

Out = Annotated[Path, typer.Argument(metavar="OUT", help="The output folder of medveil deid or medveil release.")]


@app.command(epilog="Example: medveil verify /data/clean --source /data/archive")
def verify(
    out: Out,
    source: Annotated[
        Path | None,
        typer.Option("--source", metavar="IN", help="The originals; without them, only the signature is checked."),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option("--profile", help="Compare headers with this profile instead of the one the run used."),
    ] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", help="Folder with an answer key; not needed for a phantom hospital.")
    ] = None,
    key: Key = None,
    workers: Workers = None,
    ray: Ray = False,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Check the output independently: read, search and compare every file again, and sign the result.

    Every header and row is compared with the original, every image is read by a network that had no part in cleaning
    it, and every byte is searched for what is known of anyone. Films are compared with their originals as well: what
    was changed inside the lungs, and which markers are gone. Exit code 0: nothing identifying was found; 1: something
    was.
    """
    console.start_logging(log_level)
    if source is None:
        _check_signature(out, key, json=json, quiet=quiet)
        return
    from medveil.defenses.headers.profile import Profile
    from medveil.release.folder import site_key
    from medveil.release.verify.run import verify as run
    from medveil.runtime.cluster import runner_on

    with console.progress_bars(quiet or json) as watch, runner_on(ray, source, out) as runner:
        outcome = run(
            out,
            source,
            keys=site_key(key, out),
            profile=Profile.read(profile) if profile else None,
            answers=answers,
            workers=workers,
            runner=runner,
            progress=watch,
        )
    if json:
        told = {"discrepancies": [one.to_json() for one in outcome.discrepancies], "output": str(out)}
        console.show_json(console.read_json(outcome.summary) | told)
    elif not quiet:
        found = f"{console.counted(outcome.leaks, 'leak')}, {console.counted(outcome.losses, 'loss', 'losses')}"
        typer.echo(f"{console.counted(outcome.files, 'file')} checked: {found}")
        if outcome.damage is not None:
            typer.echo(f"Pixel damage, {outcome.damage.verdict}: {outcome.damage.answer}")
        typer.echo(f"Profile that headers were compared with: {outcome.profile}")
        typer.echo(f"The counts are in {outcome.summary}, each case in {out / 'discrepancies.csv'}")
        if outcome.discrepancies:
            named = ("--key-file", key) if key else ()
            look = console.shell_command("review", out, "--source", source, "--page", "review.html", *named)
            typer.echo(f"To look at the worst cases first: {look}")
    raise typer.Exit(outcome.exit_code)


def _check_signature(out: Path, key: Path | None, *, json: bool, quiet: bool) -> None:
    """By the key in the manifest or, where the site's own is named, by that alone."""
    from medveil.release.folder import site_key
    from medveil.release.verify.manifest import check_manifest, public_key_of

    problems = check_manifest(out, public_key=public_key_of(site_key(key, out)) if key else None)
    if json:
        console.show_json({"problems": problems})
    elif not quiet:
        for problem in problems:
            typer.echo(problem)
        if not problems:
            typer.echo("The files have not changed since the manifest was signed.")
    raise typer.Exit(1 if problems else 0)


@app.command(epilog="Example: medveil review /data/clean --source /data/archive --page /secure/review.html")
def review(
    out: Out,
    source: Annotated[Path | None, typer.Option("--source", metavar="IN", help="The originals.")] = None,
    page: Annotated[
        Path | None,
        typer.Option("--page", help="Where to write the page. It shows patients, so it must not be inside OUT."),
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="How many cases to show, worst first.")] = 200,
    decisions: Annotated[
        Path | None,
        typer.Option("--decisions", help="Decisions saved from the page; whatever was rejected is removed from OUT."),
    ] = None,
    key: Key = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Show images and reports before and after, worst cases first, for a person to accept or reject.

    First write the page, decide there and save the decisions; then run the command again with the saved decisions.
    """
    from medveil.release.folder import site_key
    from medveil.release.verify.review import apply_decisions, write_review

    console.start_logging(log_level)
    keys = site_key(key, out)
    if decisions is not None:
        rejected = apply_decisions(out, decisions, keys)
        if json:
            console.show_json({"removed": rejected, "output": str(out)})
        elif not quiet:
            typer.echo(f"{console.counted(rejected, 'file')} removed from {out}")
        return
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
        command = console.shell_command("review", out, "--decisions", "decisions.json", *named)
        typer.echo(f"When you have decided and saved: {command}")
