"""What the command line shows: results on standard output, progress and errors on standard error."""

from __future__ import annotations

import json as to_text
import logging
import os
import shlex
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import typer

from medveil.errors import SettingsError

if TYPE_CHECKING:
    from medveil.release import Outcome
    from medveil.release.attack_report import AttackOutcome
    from medveil.release.protect.run import ModelOutcome
    from medveil.release.vqa.measuring import VqaOutcome
    from medveil.report.advice import Advice

Watch = Callable[[str, int, int], None]  # stage, done, total

SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def progress_bars(quiet: bool) -> Iterator[Watch]:
    """Progress on standard error: one bar a stage on a terminal, elsewhere a line now and then; nothing when asked."""
    if quiet:
        yield lambda stage, done, total: None
        return
    if not sys.stderr.isatty():
        with _progress_lines() as watch:
            yield watch
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:>12}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, Any] = {}
        adding = threading.Lock()  # several threads may tell of one stage

        def watch(stage: str, done: int, total: int) -> None:
            with adding:
                if stage not in tasks:
                    tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield watch


@contextmanager
def _progress_lines() -> Iterator[Watch]:
    """By the clock, not by the work: a stage that takes long over one step still shows that it is alive.

    Of stages side by side, the one that told last is shown, of those that are not done.
    """
    told: dict[str, tuple[int, int]] = {}
    telling, over = threading.Lock(), threading.Event()

    def watch(stage: str, done: int, total: int) -> None:
        with telling:
            told.pop(stage, None)
            told[stage] = done, total

    def show() -> None:
        while not over.wait(SECONDS_BETWEEN_LINES):
            with telling:
                latest = list(reversed(told.items()))
            for stage, (done, total) in [each for each in latest if each[1][0] < each[1][1]][:1] or latest[:1]:
                typer.echo(f"medveil: {stage}: {done:,} of {total:,}", err=True)

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()


def shell_command(*words: object) -> str:
    """A medveil command to copy and run, quoted for the shell of this system."""
    plain = ["medveil", *map(str, words)]
    return subprocess.list2cmdline(plain) if os.name == "nt" else shlex.join(plain)


def printable(text: str) -> str:
    """A name out of the data, with nothing in it that a terminal would obey."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def counted(number: int, what: str, several: str = "") -> str:
    """`1 file`, `1,519 files`."""
    return f"{number:,} {what if number == 1 else several or what + 's'}"


def start_logging(level: str) -> None:
    """medveil's own messages to standard error. Other libraries stay silent: their warnings quote the data."""
    number = logging.getLevelNamesMapping().get(level.upper())
    if number is None:
        raise SettingsError("the log level is one of debug, info, warning, error")
    from medveil.runtime.processes import silence_libraries

    silence_libraries()
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    own = logging.getLogger("medveil")
    own.handlers = [handler]
    own.setLevel(number)
    own.propagate = False


def show_json(content: Mapping[str, Any]) -> None:
    typer.echo(to_text.dumps(content, indent=1, ensure_ascii=False, allow_nan=False))


def read_json(path: Path) -> dict[str, Any]:
    """What a run wrote, to print it whole."""
    return dict(to_text.loads(path.read_bytes()))


def show_tree(content: Mapping[str, Any], *, indent: int = 0) -> None:
    """Nested counts as aligned lines."""
    width = max((len(name) for name in content), default=0)
    for name, value in content.items():
        pad = " " * indent
        if isinstance(value, Mapping) and value and all(not isinstance(v, Mapping) for v in value.values()):
            line = ", ".join(f"{key} {_number(item)}" for key, item in value.items())
            typer.echo(f"{pad}{name:<{width}}  {line}")
        elif isinstance(value, Mapping) and value:
            typer.echo(f"{pad}{name}")
            show_tree(value, indent=indent + 2)
        else:
            typer.echo(f"{pad}{name:<{width}}  {'none' if isinstance(value, Mapping) else _number(value)}")


def _number(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}".removesuffix(".0")
    return f"{value:,}" if isinstance(value, int) and not 1800 < value < 2200 else str(value)


def read_settings(context: typer.Context, path: Path | None) -> Path | None:
    """Take a command's settings from its section of a TOML file; flags go before, unknown keys are refused."""
    if path is None:
        return None
    try:
        sections = tomllib.loads(path.read_text())
    except OSError:
        raise SettingsError(f"{path} cannot be read; check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from None
    strange = _unknown_keys(context.find_root().command, sections)
    if strange:
        raise SettingsError(f"{path} has unknown keys: {', '.join(strange)}; see medveil --help")
    own = _own_section(context, sections)
    names = {option.removeprefix("--"): param.name or "" for param in context.command.params for option in param.opts}
    context.default_map = {names[key]: _as_texts(key, value) for key, value in own.items()}
    return path


def _as_texts(flag: str, value: Any) -> Any:
    """A table of parts as that flag's texts: those that run unasked, and these, set so. Anything else as it is."""
    if not isinstance(value, dict):
        return value
    from medveil.part_settings import write_table
    from medveil.parts import DEFAULT

    for name, table in value.items():
        if not isinstance(table, dict) or any(isinstance(each, dict) for each in table.values()):
            raise SettingsError(f"under {flag} belong tables named after parts, with their settings; {name} is not one")
    return [DEFAULT, *(write_table(name, table) for name, table in value.items())]


def _own_section(context: click.Context, sections: dict[str, Any]) -> dict[str, Any]:
    """The part of the file that belongs to this command, within its group's."""
    if context.parent is None:
        return sections
    return dict(_own_section(context.parent, sections).get(context.info_name or "", {}))


def _unknown_keys(command: click.Command, section: Any, path: str = "") -> list[str]:
    """Keys of the file that name no command and no flag, wherever they stand."""
    if not isinstance(section, dict):
        return [path]
    if isinstance(command, click.Group):
        known = command.commands
        return [
            strange
            for name, inner in section.items()
            for strange in (_unknown_keys(known[name], inner, f"{path}{name}.") if name in known else [path + name])
        ]
    flags = {option.removeprefix("--") for param in command.params for option in param.opts} - {"config", "help"}
    return [path + name for name in section if name not in flags]


def whole_result(page: Path) -> dict[str, Any]:
    """What report.json beside the page says, every estimate with its interval, and where the page is."""
    return read_json(page.with_suffix(".json")) | {"page": str(page)}


def show_outcome(outcome: Outcome, *, json: bool, quiet: bool) -> None:
    """The verdict, and where the report is."""
    if json:
        show_json(whole_result(outcome.report))
    elif not quiet:
        typer.echo(f"{outcome.verdict}: {outcome.released:,} images cleaned, {outcome.withheld:,} withheld")
        typer.echo(f"The report is {outcome.report}")


def show_demo(as_it_is: Outcome, protected: Outcome, model: ModelOutcome, *, json: bool, quiet: bool) -> None:
    """Both answers, what the second cost, and the model's."""
    if json:
        more = {"protected": whole_result(protected.report), "model": whole_result(model.report)}
        show_json(whole_result(as_it_is.report) | more)
    elif not quiet:
        typer.echo(
            f"As it is: {as_it_is.verdict}: {as_it_is.released:,} images cleaned, {as_it_is.withheld:,} withheld"
        )
        typer.echo(f"The report is {as_it_is.report}")
        typer.echo(f"Protected: {protected.verdict}: {protected.released:,} released, {protected.withheld:,} withheld")
        cost = _cost(protected.report)
        if cost:
            typer.echo(f"What it cost: {cost}")
        typer.echo(f"Its report is {protected.report}")
        typer.echo(f"{model.verdict}: a model with privately trained heads. {model.answer}")
        if model.no_effect:
            typer.echo(f"The effect: {model.no_effect}")
        typer.echo(f"Its report is {model.report}")


def _cost(report: Path) -> str:
    """What the films are worth after they were protected, in the measure's own words."""
    told = whole_result(report)["comparisons"]
    return next((each["after"]["answer"] for each in told if each["part"] == "diagnosis"), "")


def show_next_steps(out: Path, source: Path, key: Path | None, *, withheld: int) -> None:
    """Where to look after a run, and the commands for it, ready to be copied."""
    given = ("--source", source, *(("--key-file", key) if key else ()))
    if withheld:
        typer.echo(f"What was withheld, and why, is in {out / 'quarantine.csv'}, by pseudonym")
        typer.echo(f"To see the file names, on screen only: {shell_command('quarantine', out, *given)}")
    typer.echo(f"Check it next: {shell_command('verify', out, *given)}")


def show_attack(outcome: AttackOutcome, *, json: bool, quiet: bool) -> None:
    """What one attack achieved, and where the report is."""
    if json:
        told = {"answer": outcome.answer, "within_threshold": outcome.within}
        show_json(whole_result(outcome.report) | told | outcome.details)
    elif not quiet:
        typer.echo(outcome.answer)
        typer.echo("This is one attack alone: it says nothing on whether the data can be released.")
        typer.echo(f"The report is {outcome.report}")


def show_measure(outcome: VqaOutcome, *, json: bool, quiet: bool) -> None:
    """What one measure found, and where the report is."""
    if json:
        show_json(whole_result(outcome.report) | {"answer": outcome.answer, "holds": outcome.holds})
    elif not quiet:
        typer.echo(outcome.answer)
        typer.echo(f"The report is {outcome.report}")


def show_remedies(report: Path, paths: Mapping[str, object]) -> None:
    """What would change the verdict, each command once, with the paths that were given; and how to try it first."""
    from medveil.release.remedies import advising, with_paths

    told = whole_result(report)
    commands: dict[str, list[str]] = {}
    for remedy in told["remedies"]:
        if remedy["command"]:
            commands.setdefault(remedy["command"], []).append(remedy["about"].lower())
    for command, about in commands.items():
        typer.echo(f"Against {', '.join(about)}: {shell_command(*with_paths(command, paths)[1:])}")
    if any(" --protect " in command for command in commands):
        words = with_paths(advising(told["provenance"]["command"]), paths)
        typer.echo(f"Try that first, on a sample: {shell_command(*words[1:])}")


def show_advice(advice: Advice, out: Path, paths: Mapping[str, object], *, json: bool, quiet: bool) -> None:
    """The table of risk and utility, and the command of the mildest setting that keeps the risk."""
    if json:
        show_json(advice.to_json())
        return
    if quiet:
        return
    from rich.console import Console
    from rich.table import Table

    from medveil.release.remedies import with_paths
    from medveil.report import wording

    table = Table(box=None, pad_edge=False, padding=(0, 2, 1, 0))
    for column in ("Setting", "Risk by the table", "Risk by the films", "AUROC kept", "Images"):
        table.add_column(column)
    for trial in advice.trials:
        if not trial.failed:
            risks = [wording.tried(trial.strongest(place)) for place in ("table", "films")]
            named = f"{trial.title} ({trial.setting})" if trial.setting else trial.title
            table.add_row(named, *risks, wording.kept(trial), f"{trial.released:,}")
    patients = f"{advice.patients:,} of {advice.of_patients:,} patients, {advice.images:,} images"
    accepted = wording.limit(advice.accepted, "share")
    typer.echo(f"Tried on {patients}, by attackers with little effort; accepted is a risk of {accepted}, the upper end")
    Console(width=None if sys.stdout.isatty() else 110).print(table)
    for trial in advice.trials:
        if trial.failed:
            typer.echo(f"{trial.title}: not possible on the sample: {trial.failed}")
        elif trial.name != "asked":
            typer.echo(f"{trial.title}: {shell_command(*with_paths(trial.command, paths)[1:])}")
    if advice.best:
        typer.echo(f"The mildest that keeps it: {shell_command(*with_paths(advice.best, paths)[1:])}")
    else:
        typer.echo(
            "Nothing that was tried keeps the accepted risk on this sample; with more patients the bounds come closer"
        )
    if advice.nearest:
        typer.echo(f"What came nearest: {shell_command(*with_paths(advice.nearest, paths)[1:])}")
    typer.echo(f"All figures are in {out / 'advice.json'}")
