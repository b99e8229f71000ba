"""Clean, attack, measure and report: the whole process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from medveil import console
from medveil.commands.app import app
from medveil.commands.options import (
    Attacks,
    ColumnMap,
    Config,
    DateOrder,
    Defenses,
    Device,
    Json,
    Layout,
    LogLevel,
    Measures,
    Quiet,
    Ray,
    Seed,
    Workers,
    out_folder,
)

if TYPE_CHECKING:
    from medveil.release import Outcome
    from medveil.release.protect.run import ModelOutcome
    from medveil.release.protection import Protect

DEMO_PATIENTS, DEMO_SIDE = 70, 256  # more of them, or larger films, would take too long
DEMO_RISK, DEMO_ACCEPTED = 0.15, 0.2  # what is protected for, and what so few patients can show of it
DEMO_BITS = 3  # a film; with a longer code the verdict on so few patients would be left to chance
MODEL_PATIENTS = 200  # a fifth is measured on; fewer have too few findings for that


@app.command(epilog="Example: medveil release /data/to-publish -o /data/checked --threshold 0.05")
def release(
    source: Annotated[Path, typer.Argument(metavar="IN", help="What is to be released: a folder or a table.")],
    out: Annotated[Path, out_folder("Folder for the cleaned data and the report.")],
    title: Annotated[
        str | None, typer.Option("--title", help="What the release is called on the sheet to sign.")
    ] = None,
    questionnaire: Annotated[
        Path | None,
        typer.Option(
            "--questionnaire", help="TOML file for the sheet: purpose, recipient, legal basis, who signs, and so on."
        ),
    ] = None,
    recipient: Annotated[
        str | None,
        typer.Option(
            "--recipient", help="Who gets it, which sets the threshold: public (if not set), researcher or secure-room."
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", help="Highest acceptable chance of re-identification; the recipient's if not set."),
    ] = None,
    protect: Annotated[
        str,
        typer.Option("--protect", help="Also hide what is needed to keep the risk: none, table, anatomy or all."),
    ] = "none",
    risk: Annotated[
        float | None,
        typer.Option(
            "--risk", help="What --protect keeps below: a chance of re-identification; the threshold if not set."
        ),
    ] = None,
    advise: Annotated[
        bool,
        typer.Option(
            "--advise", help="Release nothing; try on a sample what would change the verdict, and what it costs."
        ),
    ] = False,
    defense: Defenses = None,
    attack: Attacks = None,
    measure: Measures = None,
    device: Device = "cpu",
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    written_as: Annotated[
        str, typer.Option("--as", help="What comes out: table (images and a table), or dicom (DICOM files and texts).")
    ] = "table",
    key_file: Annotated[
        Path | None,
        typer.Option(
            "--key-file", help="The site's secret key, an existing file; the one in your settings folder if not set."
        ),
    ] = None,
    crosswalk: Annotated[
        Path | None,
        typer.Option("--crosswalk", help="Also write whom each pseudonym stands for, readable only by you."),
    ] = None,
    seed: Seed = 7,
    workers: Workers = None,
    ray: Ray = False,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Clean a data set, attack it before and after, and write a report with a verdict.

    OUT/data is what may be published, once a person has read OUT/report.html and agrees. An interrupted run continues
    when the same command is run again.
    """
    from medveil.cohort.input import InputOptions
    from medveil.release import Settings
    from medveil.release import release as run
    from medveil.release.advise import advise as try_ways
    from medveil.release.folder import check_places, site_key
    from medveil.release.questionnaire import questionnaire_of
    from medveil.runtime.cluster import runner_on

    console.start_logging(log_level)
    answers = questionnaire_of(questionnaire, title=title, recipient=recipient)
    check_places(source, out, crosswalk)  # before a key is made
    keys = site_key(key_file, out, may_make=True)
    settings = Settings(
        seed=seed,
        threshold=threshold,
        recipient=recipient or (answers.recipient if answers else "") or None,
        layout=layout,
        input=InputOptions.of(column_map, date_order),
        writer=cast("Literal['table', 'dicom']", written_as),
        device=device,
        defenses=tuple(defense or ()),
        attacks=tuple(attack or ()),
        measures=tuple(measure or ()),
        protect=cast("Protect", protect),
        risk=risk,
    )
    paths = {"IN": source, "OUT": out, "NEW": out.with_name(f"{out.name}-2"), "REVIEW.html": "REVIEW.html"}
    paths |= {"KEY_FILE": key_file, "QUESTIONNAIRE": questionnaire, "CROSSWALK": crosswalk}
    if advise:
        with console.progress_bars(quiet or json) as watch:
            advice = try_ways(source, out, keys=keys, settings=settings, workers=workers, progress=watch)
        console.show_advice(advice, out, paths, json=json, quiet=quiet)
        raise typer.Exit(0 if advice.best else 1)
    with console.progress_bars(quiet or json) as watch, runner_on(ray, source, out) as runner:
        outcome = run(
            source,
            out,
            keys=keys,
            settings=settings,
            workers=workers,
            runner=runner,
            crosswalk=crosswalk,
            questionnaire=answers,
            progress=watch,
        )
    console.show_outcome(outcome, json=json, quiet=quiet)
    if not json and not quiet:
        if outcome.verdict != "PASS":
            console.show_remedies(outcome.report, paths)
        console.show_next_steps(out, source, key_file, withheld=outcome.withheld)
    raise typer.Exit(outcome.exit_code)


@app.command(epilog="Example: medveil demo --out medveil-demo")
def demo(
    out: Annotated[Path, out_folder("Folder to work in.")] = Path("medveil-demo"),
    patients: Annotated[int, typer.Option("--patients", min=60, help="Number of invented patients.")] = DEMO_PATIENTS,
    seed: Seed = 7,
    workers: Workers = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Invent a hospital, release it as it is and protected, and protect a model. Exit code 0 whatever the verdicts."""
    from medveil.cohort.phantom.hospital import build_hospital
    from medveil.parts import DEFAULT
    from medveil.person.keys import Keys
    from medveil.release import Settings
    from medveil.release import release as run
    from medveil.release.questionnaire import Questionnaire
    from medveil.runtime.side_by_side import heeding, side_by_side
    from medveil.runtime.threads import available_cores

    console.start_logging(log_level)
    workers = workers or available_cores()
    with console.progress_bars(quiet or json) as watch:
        build_hospital(
            out / "hospital",
            patients=patients,
            seed=seed,
            size=DEMO_SIDE,
            workers=workers,
            progress=lambda done, total: watch("patients", done, total),
        )
        keys, asked = Keys.for_demonstration(seed), Settings(seed=seed, threshold=DEMO_ACCEPTED, demonstration=True)
        stated = Questionnaire(
            title="Phantom hospital: a demonstration",
            data="Invented chest X-rays of invented patients, each with its report.",
            purpose="To show what medveil does; nobody can be harmed by it.",
        )
        whole = partial(run, keys=keys, questionnaire=stated, workers=workers, progress=heeding(watch))

        def both() -> tuple[Outcome, Outcome]:
            as_it_is = whole(out / "hospital", out / "release", settings=asked)
            protected = replace(asked, protect="all", risk=DEMO_RISK, defenses=(DEFAULT, f"anatomy:bits={DEMO_BITS}"))
            return as_it_is, whole(out / "hospital", out / "protected", settings=protected)

        tasks: list[Callable[[], Any]] = [both, lambda: _protected_model(out / "model", seed, workers, heeding(watch))]
        (as_it_is, protected), model = side_by_side(tasks, workers=workers)
    console.show_demo(as_it_is, protected, model, json=json, quiet=quiet)


def _protected_model(out: Path, seed: int, workers: int | None, watch: console.Watch) -> ModelOutcome:
    """The bundled encoder with private heads, trained on a second hospital: larger, because only some patients of it
    are measured on, and of small images, which are drawn quickly and need no cleaning."""
    from medveil.cohort.phantom.hospital import build_hospital
    from medveil.encoders.loading import load_encoder
    from medveil.release.attack_report import Input
    from medveil.release.protect.candidates import candidates
    from medveil.release.protect.run import protect_model

    hospital = build_hospital(
        out / "hospital",
        patients=MODEL_PATIENTS,
        seed=seed,
        size=224,
        workers=workers,
        progress=lambda done, total: watch("patients of the model", done, total),
    )
    return protect_model(
        hospital,
        load_encoder("medveil-small"),
        out,
        tried=candidates(["dp"], epsilons=(0.34,), seed=seed),
        protected=Input.of_cohort(hospital),
        canaries=0,
        watch=watch,
    )
