"""The command line: one thin command per verb. Heavy imports happen inside the commands, so that help is quick."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import click
import typer

from medveil import console
from medveil.errors import MedveilError

app = typer.Typer(
    name="medveil",
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


class Network(StrEnum):
    verification = "verification"
    reidentification = "reidentification"


class Recipe(StrEnum):
    small = "small"
    published = "published"


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bars, no closing words.")]
LogLevel = Annotated[str, typer.Option("--log-level", help="debug, info, warning or error.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Fixes everything that is drawn at random.")]
Workers = Annotated[int | None, typer.Option("--workers", min=1, help="Processes; all cores by default.")]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        is_eager=True,
        callback=console.read_settings,
        help="TOML file with a section named after the command; flags go before it.",
    ),
]
Layout = Annotated[str | None, typer.Option("--layout", help="Name of the data set's layout, if not to be guessed.")]


@app.command(epilog="Example: medveil phantom hospital --patients 200 --sites 3 --seed 7")
def phantom(
    out: Annotated[Path, typer.Argument(help="Folder to fill.")],
    patients: Annotated[int, typer.Option("--patients", help="How many invented patients.")] = 200,
    sites: Annotated[int, typer.Option("--sites", help="How many hospitals they go to.")] = 3,
    size: Annotated[int, typer.Option("--size", help="Pixels along each side.")] = 512,
    seed: Seed = 7,
    workers: Workers = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Invent a hospital: DICOM radiographs, reports, and the answer key to every identifier in them."""
    from medveil.cohort.phantom.hospital import build_hospital

    console.start_logging(log_level)
    with console.progress_bars(quiet or json) as watch:
        cohort = build_hospital(
            out,
            patients=patients,
            sites=sites,
            seed=seed,
            size=size,
            workers=workers,
            progress=lambda done, total: watch("patients", done, total),
        )
    made = {"folder": str(out), "patients": int(cohort.table["patient_id"].nunique()), "images": len(cohort)}
    if json:
        console.show_json(made)
    elif not quiet:
        typer.echo(
            f"{made['images']:,} images of {made['patients']:,} patients in {out}; the answer key is in {out / 'gold'}"
        )


@cohorts.command(epilog="Example: medveil cohort describe /data/NIH")
def describe(
    path: Annotated[Path, typer.Argument(help="A data set's folder, a saved cohort, or a CSV file.")],
    layout: Layout = None,
    list_problems: Annotated[
        Path | None,
        typer.Option("--list-problems", help="Write the names of files set aside here (readable by you only)."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Show what is there: patients, studies, views, ages, labels, report lengths, missing and unreadable files."""
    from medveil.cohort.describe import describe as summarise
    from medveil.cohort.problems import write_problems
    from medveil.cohort.readers import read_cohort

    console.start_logging(log_level)
    with console.progress_bars(quiet or json) as watch:
        cohort = read_cohort(path, layout=layout, progress=lambda done, total: watch("reading", done, total))
    if list_problems:
        write_problems(cohort, list_problems)
    summary = summarise(cohort)
    if json:
        console.show_json(summary)
    else:
        console.show_tree(summary)


@app.command(epilog="Example: medveil release /data/to-publish -o /data/checked --threshold 0.05")
def release(
    source: Annotated[Path, typer.Argument(metavar="IN", help="What is to be released: a folder or a CSV file.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the cleaned data and the report.")],
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", help="Highest acceptable chance of re-identification; 0.09 if not set."),
    ] = None,
    defense: Annotated[
        list[str] | None, typer.Option("--defense", help="Use this defense; repeat for several.")
    ] = None,
    attack: Annotated[list[str] | None, typer.Option("--attack", help="Run this attack; repeat for several.")] = None,
    measure: Annotated[
        list[str] | None, typer.Option("--measure", help="Run this measure; repeat for several.")
    ] = None,
    layout: Layout = None,
    key_file: Annotated[
        Path | None, typer.Option("--key-file", help="The site's secret; made at first use in your settings folder.")
    ] = None,
    crosswalk: Annotated[
        Path | None, typer.Option("--crosswalk", help="Also write which pseudonym is who, readable by you only.")
    ] = None,
    seed: Seed = 7,
    workers: Workers = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Clean a data set, attack it before and after, and write a report with a verdict.

    OUT/data is what may be published, once OUT/report.html says so. A killed run continues where it was.
    """
    from medveil.defenses.keys import Keys, default_key_file
    from medveil.release import Settings
    from medveil.release import release as run

    console.start_logging(log_level)
    keys = Keys.load_or_create(key_file or default_key_file())
    settings = Settings(
        seed=seed,
        threshold=threshold,
        layout=layout,
        defenses=tuple(defense or ()),
        attacks=tuple(attack or ()),
        measures=tuple(measure or ()),
    )
    with console.progress_bars(quiet or json) as watch:
        outcome = run(source, out, keys=keys, settings=settings, workers=workers, crosswalk=crosswalk, progress=watch)
    console.show_outcome(outcome, json=json, quiet=quiet)
    raise typer.Exit(outcome.exit_code)


@app.command(epilog="Example: medveil demo --out medveil-demo")
def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder to work in.")] = Path("medveil-demo"),
    patients: Annotated[int, typer.Option("--patients", help="How many invented patients.")] = 100,
    seed: Seed = 7,
    workers: Workers = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Invent a hospital and take it through a release: phantom, then release. Ends well whatever the verdict."""
    from medveil.cohort.phantom.hospital import build_hospital
    from medveil.defenses.keys import Keys
    from medveil.release import Settings
    from medveil.release import release as run

    console.start_logging(log_level)
    with console.progress_bars(quiet or json) as watch:
        build_hospital(
            out / "hospital",
            patients=patients,
            seed=seed,
            workers=workers,
            progress=lambda done, total: watch("patients", done, total),
        )
        outcome = run(
            out / "hospital",
            out / "release",
            keys=Keys.for_demonstration(seed),
            settings=Settings(seed=seed),
            workers=workers,
            progress=watch,
        )
    console.show_outcome(outcome, json=json, quiet=quiet)


@attacks.command(epilog="Example: medveil attack identity /data/to-publish -o /data/identity")
def identity(
    a: Annotated[Path, typer.Argument(metavar="A", help="The data set to attack.")],
    b: Annotated[Path | None, typer.Argument(metavar="[B]", help="Another, to find A's patients in.")] = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the report and the links.")] = Path("identity"),
    false_match_rate: Annotated[
        float, typer.Option("--false-match-rate", help="Share of pairs of two persons that may be called the same.")
    ] = 0.001,
    shared_ids: Annotated[bool, typer.Option("--shared-ids", help="A patient id means one person in A and B.")] = False,
    prior: Annotated[
        float | None, typer.Option("--prior", help="How likely two images show one person, before looking.")
    ] = None,
    named_links: Annotated[
        Path | None, typer.Option("--named-links", help="Also write the links with your ids, readable by you only.")
    ] = None,
    show_images: Annotated[
        bool, typer.Option("--show-images", help="Lay attention maps over X-rays: the report then shows patients.")
    ] = False,
    cache: Annotated[Path | None, typer.Option("--cache", help="Keep vectors in this folder for the next run.")] = None,
    weights: Annotated[Path | None, typer.Option("--weights", help="Another network than the bundled one.")] = None,
    layout: Layout = None,
    seed: Seed = 7,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Find out whether two radiographs show the same person, within one data set or across two."""
    from medveil.attacks.identity.attack import run_identity
    from medveil.cohort.readers import read_cohort
    from medveil.encoders.identity.embedder import load_embedder
    from medveil.release import Outcome
    from medveil.release.alone import report_attack

    console.start_logging(log_level)
    with console.progress_bars(quiet or json) as watch:
        cohorts = [
            read_cohort(path, layout=layout, progress=lambda done, total: watch("reading", done, total))
            for path in (a, b)
            if path
        ]
        result = run_identity(
            cohorts[0],
            cohorts[1] if b else None,
            embedder=load_embedder(weights),
            seed=seed,
            false_match_rate=false_match_rate,
            shared_ids=shared_ids,
            prior=prior,
            show_images=show_images,
            out=out,
            named_links=named_links,
            cache=cache,
            progress=watch,
        )
    verdict, page = report_attack(
        result.finding,
        cohorts[0],
        out,
        command=f"medveil attack identity A{' B' if b else ''} -o OUT --seed {seed}",
        seed=seed,
        settings={"false_match_rate": false_match_rate, "shared_ids": shared_ids, "prior": prior},
    )
    if json:
        console.show_json(
            {
                "verdict": verdict,
                "answer": result.finding.answer,
                "links": len(result.links),
                "set aside": result.set_aside,
                "exact copies": result.exact_copies,
                "near copies": result.near_copies,
                "report": str(page),
            }
        )
    elif not quiet:
        typer.echo(f"{verdict}: {result.finding.answer}")
        typer.echo(f"The report is {page}")
    raise typer.Exit(Outcome(verdict, 0, sum(len(cohort.problems) for cohort in cohorts), page).exit_code)


@app.command(epilog="Example: medveil train reidentification /data/NIH -o /data/model --device cuda")
def train(
    network: Annotated[Network, typer.Argument(help="Whether two images show one person, or a vector an image.")],
    source: Annotated[Path, typer.Argument(metavar="COHORT", help="Data with several studies a patient and splits.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the model.")],
    recipe: Annotated[
        Recipe, typer.Option("--recipe", help="small: the bundled networks'; published: the paper's ResNet-50.")
    ] = Recipe.small,
    start: Annotated[
        Path | None, typer.Option("--start", help="ImageNet weights of the backbone (safetensors or .pth).")
    ] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="Instead of the recipe's.")] = None,
    size: Annotated[
        int | None, typer.Option("--size", min=64, help="Pixels along each side; instead of the recipe's.")
    ] = None,
    device: Annotated[str, typer.Option("--device", help="cpu or cuda.")] = "cpu",
    layout: Layout = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Train a network that recognises patients, choosing on validation patients. A killed run goes on where it was."""
    from dataclasses import replace

    from medveil.cohort.readers import read_cohort
    from medveil.encoders.identity.settings import TrainingSettings, published
    from medveil.encoders.identity.training import train as run

    console.start_logging(log_level)
    kind: Literal["verification", "reidentification"] = (
        "verification" if network is Network.verification else "reidentification"
    )
    settings = published(kind, start) if recipe is Recipe.published else TrainingSettings(start=start)
    settings = replace(settings, seed=seed, epochs=epochs or settings.epochs, size=size or settings.size)
    with console.progress_bars(quiet or json) as watch:
        cohort = read_cohort(source, layout=layout, progress=lambda done, total: watch("reading", done, total))
        result = run(
            kind,
            cohort,
            out,
            settings=settings,
            device=device,
            progress=lambda state: watch("epochs", state["epoch"], settings.epochs),
        )
    if json:
        console.show_json({"model": str(result.model), "epochs": result.epochs, "scores": vars(result.scores)})
    elif not quiet:
        typer.echo(f"The model is {result.model}")


@app.command(epilog="Example: medveil parts --json")
def parts(json: Json = False) -> None:
    """List the attacks, measures and defenses that are installed."""
    from medveil.parts import Kind, registered

    kinds: tuple[Kind, ...] = ("attacks", "measures", "defenses")
    found: dict[str, dict[str, str]] = {
        kind: {name: (part.__doc__ or "").strip() for name, part in registered(kind).items()} for kind in kinds
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
