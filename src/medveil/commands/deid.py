"""Remove identifiers from headers, pixels and reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medveil import console
from medveil.commands.app import app
from medveil.commands.options import (
    ColumnMap,
    Config,
    DateOrder,
    Json,
    Layout,
    LogLevel,
    Quiet,
    Ray,
    Workers,
    out_folder,
)
from medveil.errors import SettingsError

if TYPE_CHECKING:
    from medveil.cohort.input import InputOptions
    from medveil.release.clean.settings import Chosen


@app.command(
    epilog="Example: medveil deid /data/archive -o /data/clean --key-file /secure/site.key --reports placeholders"
)
def deid(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="A folder of DICOM files, images and reports in any mixture, or one file."),
    ],
    out: Annotated[
        Path | None,
        out_folder("New folder for the cleaned files and the records of the run.", metavar="OUT"),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            "--key-file", help="The site's secret key, an existing file; the one in your settings folder if not set."
        ),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option("--profile", help="How to treat headers: a TOML or YAML file in the words of the standard."),
    ] = None,
    reports: Annotated[
        str,
        typer.Option(
            "--reports",
            help="How reports come out: surrogates, placeholders, safe-harbor (surrogates; of dates the year alone) or "
            "rewritten (without gaps, by the bundled rewriter or your own).",
        ),
    ] = "surrogates",
    rewriter: Annotated[
        str | None,
        typer.Option("--rewriter", help="A model of your own that rewrites reports: a folder, or a name on the hub."),
    ] = None,
    tagger: Annotated[
        str | None,
        typer.Option("--tagger", metavar="DIR", help="A token classifier of your own in place of the bundled tagger."),
    ] = None,
    fill: Annotated[
        str,
        typer.Option(
            "--fill",
            help="What replaces removed text: classical (interpolated, with grain), generator (a network) or black.",
        ),
    ] = "classical",
    all_text: Annotated[
        bool, typer.Option("--all-text", help="Remove clinical markers too: sides, views, positions, exposures.")
    ] = False,
    defense: Annotated[
        list[str] | None,
        typer.Option(
            "--defense",
            metavar="NAME:KEY=VALUE,…",
            help="Set one of the defenses, such as pixels:faces=keep; repeat for several.",
        ),
    ] = None,
    report_column: Annotated[
        list[str] | None,
        typer.Option("--report-column", help="Column of a table that holds reports; repeat for several."),
    ] = None,
    patient_column: Annotated[
        str | None,
        typer.Option("--patient-column", help="Column of a table that says which patient a report is about."),
    ] = None,
    keep_column: Annotated[
        list[str] | None,
        typer.Option("--keep-column", help="Another column of a table to keep and clean; repeat for several."),
    ] = None,
    what_if: Annotated[
        bool, typer.Option("--what-if", help="Print what would be done to each header, and write nothing.")
    ] = False,
    crosswalk: Annotated[
        Path | None,
        typer.Option("--crosswalk", help="Also write whom each pseudonym stands for, readable only by you."),
    ] = None,
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    workers: Workers = None,
    ray: Ray = False,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Remove what identifies people from DICOM headers, burned-in text and reports, consistently for each patient.

    OUT/data holds the cleaned files under pseudonyms; whatever could not be cleaned is withheld and listed in
    OUT/quarantine.csv. Exit code 0: everything is clean; 1: something was withheld. An interrupted run continues when
    the same command is run again.
    """
    from medveil.cohort.input import InputOptions
    from medveil.release.clean.run import deidentify
    from medveil.release.clean.settings import deid_defenses
    from medveil.release.folder import check_places, site_key
    from medveil.runtime.cluster import runner_on

    console.start_logging(log_level)
    options = InputOptions.of(column_map, date_order)
    mapped = dict(options.columns)
    if "report" in mapped and not report_column:
        report_column = [mapped["report"]]
    defenses = deid_defenses(
        reports=reports,
        fill=fill,
        all_text=all_text,
        rewriter=rewriter,
        tagger=tagger,
        profile=profile,
        report_columns=tuple(report_column or ()),
        patient_column=patient_column or mapped.get("patient_id"),
        keep_columns=tuple(keep_column or ()),
        texts=tuple(defense or ()),
    )
    if what_if:
        _show_what_if(source, defenses, key, layout, options, json=json)
        return
    if out is None:
        raise SettingsError("name a folder for the output with -o, or use --what-if to write nothing")
    check_places(source, out, crosswalk)  # before a key is made
    keys = site_key(key, out, may_make=True)
    with console.progress_bars(quiet or json) as watch, runner_on(ray, source, out) as runner:
        outcome = deidentify(
            source,
            out,
            keys=keys,
            defenses=defenses,
            layout=layout,
            options=options,
            workers=workers,
            runner=runner,
            crosswalk=crosswalk,
            progress=watch,
        )
    if json:
        counts = {"released": outcome.released, "withheld": outcome.withheld, "not_rewritten": outcome.not_rewritten}
        console.show_json(counts | {"output": str(out), "summary": console.read_json(outcome.summary)})
    elif not quiet:
        typer.echo(f"{console.counted(outcome.released, 'file')} cleaned, {outcome.withheld:,} withheld")
        if outcome.not_rewritten:
            typer.echo(f"{outcome.not_rewritten:,} texts have surrogates: they could not be rewritten without loss")
        typer.echo(f"What was found and done is in {outcome.summary}")
        console.show_next_steps(out, source, key, withheld=outcome.withheld)
    raise typer.Exit(outcome.exit_code)


def _show_what_if(
    source: Path, defenses: Chosen, key: Path | None, layout: str | None, options: InputOptions, *, json: bool
) -> None:
    """Nothing is written, so the key need not last: pseudonyms are of the key given, or of one made for this."""
    import secrets

    from medveil.commands.what_if import show_what_if
    from medveil.person.keys import Keys
    from medveil.release.clean.what_if import what_if
    from medveil.release.folder import site_key

    keys = site_key(key, None) if key else Keys(secrets.token_bytes(32))
    show_what_if(what_if(source, keys=keys, defenses=defenses, layout=layout, options=options), json=json)
