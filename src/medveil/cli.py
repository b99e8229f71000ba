"""The command line: one thin command per verb. Heavy imports happen inside the commands, so that help is quick."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
import typer

from medveil import console
from medveil.commands import (
    about,
    ask,
    attack_identity,
    attack_inversion,
    attack_linkage,
    attack_membership,
    attack_secure_sum,
    cohorts,
    deid,
    federated_coordinator,
    federated_keys,
    federated_report,
    federated_simulate,
    federated_site,
    measure_vqa,
    models,
    protect_alignment,
    protect_anatomy,
    quarantine,
    releases,
    review,
    study_identity,
    verify,
)
from medveil.commands.app import app
from medveil.errors import MedveilError

# importing a verb makes it known
__all__ = [
    "about",
    "app",
    "ask",
    "attack_identity",
    "attack_inversion",
    "attack_linkage",
    "attack_membership",
    "attack_secure_sum",
    "cohorts",
    "deid",
    "federated_coordinator",
    "federated_keys",
    "federated_report",
    "federated_simulate",
    "federated_site",
    "main",
    "measure_vqa",
    "models",
    "protect_alignment",
    "protect_anatomy",
    "quarantine",
    "releases",
    "review",
    "study_identity",
    "verify",
]

# What a second run of the command finds done; other commands begin anew.
_KEPT = {
    ("demo",): "what is finished is kept",
    ("release",): "what is finished is kept",
    ("deid",): "what is finished is kept",
    ("verify",): "patients already checked are kept, and the search of all files starts again",
    ("measure", "vqa"): "questions already answered are kept",
    ("protect", "alignment"): "settings already measured are kept",
    ("train",): "finished epochs are kept",
    ("study", "training"): "finished networks and epochs are kept",
    ("federated", "coordinate"): "finished rounds are kept",
    ("federated", "simulate"): "finished rounds are kept",
    ("federated", "join"): "what this site has answered is kept",
    ("phantom",): "finished patients are kept",
}
_INTERRUPTED = 130  # the exit code, as shells have it
_KEPT_WITH_CACHE = "vectors already encoded are in the cache"


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
        code = _INTERRUPTED
    except Exception as surprise:  # its message may quote the data, so only its kind and place are shown
        last = surprise.__traceback__
        while last and last.tb_next:
            last = last.tb_next
        place = f"{Path(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno}" if last else "unknown place"
        typer.echo(f"medveil: unexpected {type(surprise).__name__} in {place}; please report it", err=True)
        code = 2
    if code == _INTERRUPTED:  # Typer, too, makes this of an interrupt
        typer.echo(f"medveil: interrupted; {_what_next(sys.argv[1:])}", err=True)
        from medveil.runtime.side_by_side import left_at_work

        if left_at_work():  # deep in a computation, which cannot be ended in order; workers see that they are alone
            sys.stdout.flush()
            os._exit(code)
    sys.exit(code or 0)


def _what_next(words: list[str]) -> str:
    """What is kept of the work so far, truthfully, and the very command to go on with."""
    command = console.shell_command(*words)
    kept = next((kept for path, kept in _KEPT.items() if tuple(words[: len(path)]) == path), None)
    if kept is None and any(word.partition("=")[0] == "--cache" for word in words):
        kept = _KEPT_WITH_CACHE
    return f"{kept}; to continue, run {command}" if kept else f"nothing is kept; to start again, run {command}"
