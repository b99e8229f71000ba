"""`medveil protect alignment`: weaken the link between image and report in a model's heads, and keep the diagnosis."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from medveil import console
from medveil.commands.app import protects
from medveil.commands.options import Config, Json, Layout, LogLevel, Quiet
from medveil.errors import SettingsError

if TYPE_CHECKING:
    from medveil.cohort import Cohort
    from medveil.defenses.alignment.ledger import Ledger
    from medveil.release.attack_report import Input
    from medveil.release.protect.candidates import Candidate


class Variant(StrEnum):
    dp = "dp"
    dp_groups = "dp-groups"
    dp_nominal = "dp-nominal"
    entropy = "entropy"
    plain = "plain"
    noise = "noise"
    erase = "erase"


class Unit(StrEnum):
    patient = "patient"
    pair = "pair"


@protects.command(epilog="Example: medveil protect alignment /data/pairs --encoder biovil-t -o /data/protected")
def alignment(
    source: Annotated[Path, typer.Argument(metavar="COHORT", help="Images with reports and findings, to train on.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the heads and the report.")],
    encoder: Annotated[
        str, typer.Option("--encoder", help="The model to protect: a name, a folder, or owner/model on the hub.")
    ] = "medveil-small",
    variant: Annotated[
        list[Variant] | None, typer.Option("--variant", help="How to protect; dp if not set, with --sweep all.")
    ] = None,
    epsilon: Annotated[
        list[float] | None,
        typer.Option("--epsilon", help="Privacy to spend; 0.34 if not set. Repeat with --sweep."),
    ] = None,
    delta: Annotated[float | None, typer.Option("--delta", help="Chance to exceed epsilon; 6e-6 if not set.")] = None,
    clip: Annotated[
        float | None, typer.Option("--clip", help="Longest gradient of one person; 1.5 if not set.")
    ] = None,
    epochs: Annotated[
        int | None, typer.Option("--epochs", help="Passes over the pairs; 5 if not set, entropy 500.")
    ] = None,
    batch: Annotated[
        int | None, typer.Option("--batch", help="Pairs expected in a step; 128 if not set, entropy 512.")
    ] = None,
    unit: Annotated[Unit, typer.Option("--unit", help="Who is protected: a patient with all pairs, or a pair.")] = (
        Unit.patient
    ),
    noise: Annotated[
        list[float] | None, typer.Option("--noise", help="Length of the noise of variant noise; 0.5 if not set.")
    ] = None,
    directions: Annotated[
        list[int] | None, typer.Option("--directions", help="How many variant erase removes; 16 if not set.")
    ] = None,
    public: Annotated[
        Path | None, typer.Option("--public", help="Pairs that need no protection, instead of phantoms.")
    ] = None,
    transfer: Annotated[
        list[Path] | None, typer.Option("--transfer", help="Also measure the heads on this data set; repeat.")
    ] = None,
    sweep: Annotated[bool, typer.Option("--sweep", help="Compare all variants at several strengths.")] = False,
    budget: Annotated[
        float | None, typer.Option("--budget", help="The most epsilon all runs on this data may spend together.")
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="Where runs add up; in your settings folder if not set.")
    ] = None,
    canaries: Annotated[
        int, typer.Option("--canaries", min=0, help="Planted pairs that audit a private run; 0 for no audit.")
    ] = 1000,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="Highest acceptable share of linked images; 0.09 if not set.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Keep features in this folder for the next run.")
    ] = None,
    device: Annotated[str, typer.Option("--device", help="To encode on: cpu or cuda.")] = "cpu",
    layout: Layout = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Of the noise; keep it secret. Drawn and forgotten if not set.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Train the two projection heads of a model so that images lead to their reports no more, with a guarantee.

    The encoders stay as they are. What was found is measured on patients who took no part. A killed run goes on.
    """
    from medveil.encoders.encoder import load_encoder
    from medveil.finding import Threshold
    from medveil.release import Outcome
    from medveil.release.attack_report import Input
    from medveil.release.protect.model import protect_model
    from medveil.release.protect.model_report import summary

    console.start_logging(log_level)
    changes = {"unit": unit.value, "seed": seed, "delta": delta, "clip": clip, "epochs": epochs, "batch": batch}
    tried = _candidates(
        sweep=sweep, variants=variant, epsilons=epsilon, noises=noise, directions=directions, changes=changes
    )
    with console.progress_bars(quiet or json) as watch:
        elsewhere = _elsewhere(source, transfer or [], watch)
        cohort = _read(source, layout, watch)
        model = load_encoder(encoder, device=device)
        protected = Input.of_cohort(cohort)
        outcome = protect_model(
            cohort,
            model,
            out,
            tried=tried,
            protected=protected,
            public=None if public is None else _read(public, None, watch),
            transfer=elsewhere,
            cache=cache,
            canaries=canaries,
            ledger=_ledger(budget, ledger, protected, tried),
            threshold=None if threshold is None else Threshold(f"{threshold:g} (chosen)", threshold, "set by the user"),
            watch=watch,
        )
    points, answer = outcome.result.points, summary(outcome.result)
    if json:
        settings = {point.name: vars(point.guarantee) | {"epsilon": point.epsilon} for point in points[1:]}
        told = {"verdict": outcome.verdict, "answer": answer, "settings": settings, "report": str(outcome.report)}
        console.show_json(told)
    elif not quiet:
        typer.echo(f"{outcome.verdict}: {answer}")
        for point in points[1:] if not sweep else ():
            typer.echo(point.guarantee.statement)
        typer.echo(f"The report is {outcome.report}")
    raise typer.Exit(Outcome(outcome.verdict, 0, protected.subject.withheld, outcome.report).exit_code)


def _candidates(
    *,
    sweep: bool,
    variants: list[Variant] | None,
    epsilons: list[float] | None,
    noises: list[float] | None,
    directions: list[int] | None,
    changes: dict[str, Any],
) -> list[Candidate]:
    """One setting, or with `sweep` as many as the lists have."""
    from medveil.defenses.alignment.settings import VARIANTS, Settings
    from medveil.release.protect.candidates import DIRECTIONS, EPSILONS, NOISES, candidates

    given = (variants, epsilons, noises, directions)
    if not sweep and any(len(values or ()) > 1 for values in given):
        raise SettingsError("several variants or strengths at once are a sweep; add --sweep, or give one of each")
    usual = Settings()
    chosen = {variant.value for variant in variants or (Variant if sweep else [Variant.dp])}
    return candidates(
        [variant for variant in VARIANTS if variant in chosen],
        epsilons=epsilons or (EPSILONS if sweep else (usual.epsilon,)),
        noises=noises or (NOISES if sweep else (usual.noise,)),
        directions=directions or (DIRECTIONS if sweep else (usual.directions,)),
        **{name: value for name, value in changes.items() if value is not None},
    )


def _read(source: Path, layout: str | None, watch: console.Watch) -> Cohort:
    from medveil.cohort.input import read_cohort

    return read_cohort(source, layout=layout, progress=lambda done, total: watch("reading", done, total))


def _elsewhere(source: Path, others: list[Path], watch: console.Watch) -> dict[str, Cohort]:
    """Data sets to measure on, by name; a name that comes again gets a number."""
    found: dict[str, Cohort] = {}
    for path in others:
        if path.resolve() == source.resolve():
            raise SettingsError("heads are transferred to another data set than the one they are trained on")
        cohort = _read(path, None, watch)
        again = sum(name.startswith(cohort.name) for name in found)
        found[f"{cohort.name} {again + 1}" if again else cohort.name] = cohort
    return found


def _ledger(budget: float | None, path: Path | None, protected: Input, tried: list[Candidate]) -> Ledger | None:
    from medveil.defenses.alignment.ledger import Budget, Ledger, default_ledger_file
    from medveil.defenses.alignment.training import PRIVATE

    if budget is None:
        if path is not None:
            raise SettingsError("a ledger needs a budget; add --budget")
        return None
    if not all(candidate.variant in PRIVATE for candidate in tried):
        raise SettingsError(f"only {' and '.join(PRIVATE)} can keep to a budget; leave it out, or the other variants")
    settings = tried[0].settings
    # by the images, not by features of them: runs on other encoders spend the same people's privacy
    return Ledger(path or default_ledger_file(), protected.sha256, Budget(budget, settings.delta, settings.unit))
