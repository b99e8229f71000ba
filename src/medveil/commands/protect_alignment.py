"""`medveil protect alignment`: weaken the link between image and report in a model's heads, and keep the diagnosis."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import protects
from medveil.commands.options import (
    ColumnMap,
    Config,
    DateOrder,
    Json,
    Layout,
    LogLevel,
    Quiet,
    SplitBy,
    Views,
    out_folder,
)


class Variant(StrEnum):
    dp = "dp"
    dp_groups = "dp-groups"
    dp_nominal = "dp-nominal"
    entropy = "entropy"
    plain = "plain"
    noise = "noise"
    erase = "erase"
    findings = "findings"


class Unit(StrEnum):
    patient = "patient"
    pair = "pair"


class Accountant(StrEnum):
    pld = "pld"
    rdp = "rdp"


class Preset(StrEnum):
    published = "published"


@protects.command(epilog="Example: medveil protect alignment /data/pairs --encoder biovil-t -o /data/protected")
def alignment(
    source: Annotated[Path, typer.Argument(metavar="COHORT", help="Images with reports and findings, to train on.")],
    out: Annotated[Path, out_folder("Folder for the heads and the report.")],
    encoder: Annotated[
        str, typer.Option("--encoder", help="The model to protect: a name, a folder, or owner/model on the hub.")
    ] = "medveil-small",
    variant: Annotated[
        list[Variant] | None, typer.Option("--variant", help="How to protect; dp if not set, or all with --sweep.")
    ] = None,
    epsilon: Annotated[
        list[float] | None,
        typer.Option("--epsilon", help="Privacy budget; 0.34 if not set. May be repeated with --sweep."),
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(
            "--delta", help="Probability of exceeding epsilon, below one in the number of patients; 6e-6 if not set."
        ),
    ] = None,
    clip: Annotated[
        float | None, typer.Option("--clip", help="Largest gradient norm of one person; 1.5 if not set.")
    ] = None,
    epochs: Annotated[
        int | None, typer.Option("--epochs", help="Passes over the pairs; 5 if not set, entropy 500.")
    ] = None,
    batch: Annotated[
        int | None, typer.Option("--batch", help="Pairs expected in a step; 128 if not set, entropy 512.")
    ] = None,
    learning_rate: Annotated[
        float | None, typer.Option("--learning-rate", help="Of the optimiser, AdamW; 0.005 if not set.")
    ] = None,
    weight_decay: Annotated[float | None, typer.Option("--weight-decay", help="Of AdamW; 0.01 if not set.")] = None,
    temperature: Annotated[
        float | None, typer.Option("--temperature", help="Of the contrastive loss; 0.07 if not set.")
    ] = None,
    entropy_weight: Annotated[
        float | None, typer.Option("--lambda", help="Weight of the entropy in variant entropy; 0.1 if not set.")
    ] = None,
    unit: Annotated[
        Unit | None,
        typer.Option("--unit", help="Who is protected: a patient with all their pairs (if not set), or a pair."),
    ] = None,
    accountant: Annotated[
        Accountant | None,
        typer.Option("--accountant", help="Who adds up epsilon: pld (if not set), or rdp, as published."),
    ] = None,
    noise_multiplier: Annotated[
        float | None,
        typer.Option("--noise-multiplier", help="Noise of private training over its sensitivity, instead of epsilon."),
    ] = None,
    preset: Annotated[
        Preset | None,
        typer.Option("--preset", help="published: the linkage paper's run, with its settings and no guarantee."),
    ] = None,
    noise: Annotated[
        list[float] | None, typer.Option("--noise", help="Strength of the noise in variant noise; 0.5 if not set.")
    ] = None,
    directions: Annotated[
        list[int] | None,
        typer.Option("--directions", help="Directions that variant erase removes; 16 if not set."),
    ] = None,
    public: Annotated[
        Path | None,
        typer.Option("--public", help="Pairs of other people that you declare public, instead of phantoms."),
    ] = None,
    transfer: Annotated[
        list[Path] | None, typer.Option("--transfer", help="Also measure the heads on this data set; repeat.")
    ] = None,
    transfer_split: Annotated[
        list[str] | None,
        typer.Option("--transfer-split", help="Only this part of those data sets: train, val or test; repeat."),
    ] = None,
    transfer_split_by: Annotated[
        str, typer.Option("--transfer-split-by", help="Who is in which part there, as --split-by says it of COHORT.")
    ] = "lists",
    split_by: SplitBy = "lists",
    view: Views = None,
    sweep: Annotated[bool, typer.Option("--sweep", help="Compare all variants at several strengths.")] = False,
    budget: Annotated[
        float | None,
        typer.Option("--budget", help="The most epsilon that all runs on the same patients may spend together."),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option("--ledger", help="File that adds up runs by patient; in your settings folder if not set."),
    ] = None,
    canaries: Annotated[
        int,
        typer.Option(
            "--canaries", min=0, help="Pairs planted in a second run to audit a private one, at its cost; 0 for none."
        ),
    ] = 1000,
    trials: Annotated[
        int,
        typer.Option("--trials", min=0, help="Steps taken on made-up, worst data to audit a private run; 0 for none."),
    ] = 1000,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="Highest acceptable share of linked images; 0.09 if not set.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Keep features in this folder for the next run.")
    ] = None,
    device: Annotated[str, typer.Option("--device", help="Where to encode: cpu or cuda.")] = "cpu",
    layout: Layout = None,
    column_map: ColumnMap = None,
    date_order: DateOrder = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Of the noise; keep it secret. Drawn and forgotten if not set."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Train the two projection heads of a model so that images are harder to link to their reports, with a guarantee.

    The encoders do not change. Everything is measured on patients who took no part in training. An interrupted run can
    be continued with the same command.
    """
    from medveil.cohort.input import InputOptions
    from medveil.cohort.selection import Selection
    from medveil.release.protect.candidates import chosen_candidates
    from medveil.release.protect.run import AS_PUBLISHED, protect_data_set

    console.start_logging(log_level)
    tried = chosen_candidates(
        [one.value for one in variant or ()],
        sweep=sweep,
        epsilons=epsilon or (),
        noises=noise or (),
        directions=directions or (),
        preset=preset.value if preset else None,
        unit=unit.value if unit else None,
        accountant=accountant.value if accountant else None,
        noise_multiplier=noise_multiplier,
        seed=seed,
        delta=delta,
        clip=clip,
        epochs=epochs,
        batch=batch,
        learning_rate=learning_rate,
        weight_decay=weight_decay,
        temperature=temperature,
        entropy_weight=entropy_weight,
    )
    with console.progress_bars(quiet or json) as watch:
        outcome = protect_data_set(
            source,
            out,
            encoder=encoder,
            tried=tried,
            device=device,
            layout=layout,
            options=InputOptions.of(column_map, date_order),
            public=public,
            transfer=transfer or (),
            chosen=Selection.told(view, None, split_by),
            chosen_elsewhere=Selection.told(view, transfer_split, transfer_split_by),
            budget=budget,
            ledger=ledger,
            cache=cache,
            canaries=canaries,
            trials=trials,
            threshold=threshold,
            measuring=AS_PUBLISHED if preset else None,
            watch=watch,
        )
    if json:
        told = {"answer": outcome.answer, "settings": outcome.guarantees}
        console.show_json(console.whole_result(outcome.report) | told)
    elif not quiet:
        typer.echo(f"{outcome.verdict}: {outcome.answer}")
        for guarantee in outcome.guarantees.values() if not sweep else ():
            typer.echo(guarantee["statement"])
        for audit in outcome.audits:
            typer.echo(audit)
        if outcome.no_effect:
            typer.echo(f"The effect: {outcome.no_effect}")
        typer.echo(f"The report is {outcome.report}")
    raise typer.Exit(outcome.exit_code)
