"""`medveil federated approve` and `join`: a site's part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medveil import console
from medveil.commands.app import federated
from medveil.commands.options import ColumnMap, Config, DateOrder, Json, Layout, LogLevel, Quiet
from medveil.errors import SettingsError

if TYPE_CHECKING:
    from medveil.federated.participant import Training

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan of the federation, a TOML file.")]
SiteFolder = Annotated[
    Path, typer.Option("--folder", help="The site's own folder, with its node key; nothing in it is for others.")
]
_SHORTEST = 8  # letters of a plan's digest


@federated.command(epilog="Example: medveil federated approve plan.toml --folder /srv/federation")
def approve(
    plan_file: PlanFile,
    folder: SiteFolder,
    digest: Annotated[
        str | None,
        typer.Option("--digest", help="Approve without being asked: the first letters of the plan's digest."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Show a plan and, if you agree, sign it with the site's node key. A site takes part in no other."""
    from dataclasses import asdict

    from medveil.federated import approval
    from medveil.federated.credentials import read_node_key
    from medveil.federated.plan import read_plan

    console.start_logging(log_level)
    plan = read_plan(plan_file)
    key = read_node_key(folder)
    signed = approval.approve(plan, key)
    if digest is None or not (quiet or json):  # nobody is asked about what is not shown
        for line in plan.in_words():
            typer.echo(console.printable(line), err=quiet or json)
    if digest is None:
        if not typer.confirm(f"Does {signed.site} take part under this plan?", err=True):
            typer.echo("Nothing was signed", err=True)
            raise typer.Exit(1)
    elif len(digest) < _SHORTEST or not plan.digest.startswith(digest):
        raise SettingsError(
            f"the plan's digest is {plan.digest}; --digest takes its first letters, at least {_SHORTEST}"
        )
    approval.write_approval(folder, signed)
    if json:
        console.show_json(asdict(signed))
    elif not quiet:
        typer.echo(f"{signed.site} has approved plan {plan.digest[:12]}")


@federated.command(epilog="Example: medveil federated join plan.toml /data/films --folder /srv/federation")
def join(
    plan_file: PlanFile,
    source: Annotated[Path, typer.Argument(metavar="COHORT", help="The site's data set, to train on.")],
    folder: SiteFolder,
    split: Annotated[
        str | None, typer.Option("--split", help="Train on this part of the data set alone; on all of it if not set.")
    ] = None,
    tell_epsilon: Annotated[
        bool,
        typer.Option(
            "--tell-epsilon",
            help="Tell the coordinator what is spent of the privacy budget, from which the number of patients follows.",
        ),
    ] = False,
    ledger: Annotated[
        Path | None,
        typer.Option("--ledger", help="File that adds up runs by patient; in your settings folder if not set."),
    ] = None,
    device: Annotated[str, typer.Option("--device", help="Where to train: cpu or cuda.")] = "cpu",
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Take part in a federation, under the plan that the site has approved, until the coordinator says it is over.

    A run that was stopped continues with the same command. The trained model is written to the site's folder.
    """
    from medveil.cohort.input import InputOptions, read_cohort
    from medveil.federated.approval import read_approval
    from medveil.federated.joining import how_long_it_lasts, local_training
    from medveil.federated.joining import join as take_part
    from medveil.federated.participant import ENDS
    from medveil.federated.plan import read_plan
    from medveil.federated.refusals import REFUSALS
    from medveil.federated.simulation import part_of

    console.start_logging(log_level)
    plan = read_plan(plan_file)
    read_approval(folder, plan)
    with console.progress_bars(quiet or json) as watch:
        cohort = read_cohort(
            source,
            layout=layout,
            options=InputOptions.of(column_map, date_order),
            progress=lambda done, total: watch("reading", done, total),
        )

    def noticed(words: str) -> None:
        if not (quiet or json):
            typer.echo(f"medveil: {words}", err=True)

    def training() -> Training:
        mine = local_training(plan.recipe, part_of(cohort, split), folder, ledger, device)
        if plan.recipe.privacy is not None:
            noticed(how_long_it_lasts(plan, mine))
        return mine

    how = take_part(plan, folder, training, tell_epsilon=tell_epsilon, noticed=noticed)
    if json:
        console.show_json({"ended": how})
    elif not quiet:
        typer.echo(f"The federation is over for this site: {ENDS.get(how) or f'it {REFUSALS[how]}'}")
    raise typer.Exit(0 if how in ("finished", "budget") else 1)
