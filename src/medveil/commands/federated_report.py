"""`medveil federated report`: may the model of a federation be released?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import federated
from medveil.commands.options import ColumnMap, Config, DateOrder, Json, Layout, LogLevel, Quiet, Seed, out_folder
from medveil.errors import SettingsError


@federated.command(
    epilog="Example: medveil federated report plan.toml run --trained /data/members --test /data/others -o report"
)
def report(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan of the federation, a TOML file.")],
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of `medveil federated coordinate` or `simulate`.")],
    trained: Annotated[Path, typer.Option("--trained", help="A data set that was trained on, or a part of one.")],
    test: Annotated[Path, typer.Option("--test", help="A data set of other patients.")],
    out: Annotated[Path, out_folder("Folder for report.html and report.json.")],
    beside: Annotated[
        list[str] | None,
        typer.Option("--beside", help="Another model to compare with, as NAME=FOLDER; repeat for several."),
    ] = None,
    shadows: Annotated[
        int, typer.Option("--shadows", min=4, help="Models trained by the recipe, to tell members from others with.")
    ] = 8,
    start: Annotated[Path | None, typer.Option("--start", help="The weights that training began with, if any.")] = None,
    device: Annotated[str, typer.Option("--device", help="Where to compute: cpu or cuda.")] = "cpu",
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    seed: Seed = 7,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Report on a federated model: what left each site, what is promised, what it can do, whom it remembers."""
    from functools import partial

    from medveil.attacks.membership.settings import MembershipSettings
    from medveil.cohort.input import InputOptions, read_cohort
    from medveil.federated.record import MODEL, read_record
    from medveil.federated.simulation import plan_of_run
    from medveil.finding import Verdict
    from medveil.release.federated_models.model import federated_file, read_model
    from medveil.release.federated_models.report import report_federation
    from medveil.runtime.storage import check_writable
    from medveil.training.device import check_device

    console.start_logging(log_level)
    check_device(device)
    check_writable(out)
    record = read_record(run)
    plan = plan_of_run(plan_file, run, record)
    others = {}
    for entry in beside or ():
        name, _, folder = entry.partition("=")
        path = federated_file(folder) if folder else None
        if path is None:
            raise SettingsError(f"--beside {entry} names no federated model; write NAME=FOLDER")
        others[name] = read_model(path, rounds=1, start=start)
    with console.progress_bars(quiet or json) as watch:
        reading = partial(
            read_cohort,
            layout=layout,
            options=InputOptions.of(column_map, date_order),
            progress=lambda done, total: watch("reading", done, total),
        )
        verdict, page = report_federation(
            plan,
            record,
            read_model(run / MODEL, start=start),
            reading(trained),
            reading(test),
            out,
            beside=others,
            settings=MembershipSettings(shadows=shadows),
            command=f"medveil federated report PLAN RUN --trained COHORT --test COHORT -o OUT --seed {seed}",
            seed=seed,
            device=device,
            progress=watch,
        )
    if json:
        console.show_json({"verdict": verdict, "report": str(page)})
    elif not quiet:
        typer.echo(f"{verdict}: {page}")
    raise typer.Exit(0 if verdict is Verdict.PASS else 1)
