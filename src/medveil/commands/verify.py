"""Check the output of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import app
from medveil.commands.options import Config, Json, Key, LogLevel, Quiet, Ray, Workers

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
    worst: Annotated[
        Path | None,
        typer.Option(
            "--worst",
            metavar="FOLDER",
            help="Draw the films that were harmed most, before and after. They show patients: not inside OUT.",
        ),
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

    Every header and row is compared with the original, every image is read again, and every byte is searched for what
    is known of anyone. Films are compared with their originals as well: what was changed inside the lungs, and which
    markers are gone. Exit code 0: nothing identifying was found; 1: something was.
    """
    console.start_logging(log_level)
    if source is None:
        _check_signature(out, key, json=json, quiet=quiet)
        return
    from medveil.defenses.headers.profile import Profile
    from medveil.release.folder import site_key
    from medveil.release.verify.pixel_check import read_by
    from medveil.release.verify.run import verify as run
    from medveil.runtime.cluster import runner_on

    with console.progress_bars(quiet or json) as watch, runner_on(ray, source, out) as runner:
        outcome = run(
            out,
            source,
            keys=site_key(key, out),
            profile=Profile.read(profile) if profile else None,
            answers=answers,
            worst=worst,
            workers=workers,
            runner=runner,
            progress=watch,
        )
    if json:
        told = {"discrepancies": [one.to_json() for one in outcome.discrepancies], "output": str(out)}
        console.show_json(console.read_json(outcome.summary) | told)
    elif not quiet:
        typer.echo(f"{console.counted(outcome.files, 'file')} checked: {console.counted(outcome.leaks, 'leak')}")
        seen = console.counted(outcome.losses, "loss", "losses")
        unknown = "" if outcome.answer_key else "not measured, for there is no answer key; seen: "
        typer.echo(f"Losses: {unknown}{seen}.")
        typer.echo(read_by())
        if outcome.damage is not None:
            typer.echo(f"Pixel damage, {outcome.damage.verdict}: {outcome.damage.answer}")
        if outcome.kept_by_review:
            typer.echo(
                f"Text that a person let stay: {console.counted(outcome.kept_by_review, 'place')}, kept by review"
            )
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
