"""Ask a question on an image, behind the cleaning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medveil import console
from medveil.commands.app import app
from medveil.commands.options import Config, Device, Json, LogLevel, Quiet
from medveil.errors import InputError, Quarantined

if TYPE_CHECKING:
    from medveil.release.ask import Reply


@app.command(epilog="Example: medveil ask film.dcm 'Is the heart enlarged?' --note referral.txt")
def ask(
    image: Annotated[Path, typer.Argument(metavar="IMAGE", help="A DICOM file, or a picture such as PNG or JPEG.")],
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What to ask about it, in plain words.")],
    note: Annotated[
        Path | None, typer.Option("--note", metavar="FILE", help="A text that belongs to the image; it is cleaned too.")
    ] = None,
    frame: Annotated[
        int, typer.Option("--frame", min=1, help="Which frame of an image that has several, from 1 on.")
    ] = 1,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="Who answers: the bundled model, a folder with an image-text-to-text model, its name on the hub, or "
            "what the endpoint calls it.",
        ),
    ] = "medveil-answers",
    endpoint: Annotated[
        str | None,
        typer.Option("--endpoint", metavar="URL", help="Address of an OpenAI-compatible server that answers instead."),
    ] = None,
    consent: Annotated[
        str | None,
        typer.Option(
            "--consent",
            metavar="HOST",
            help="Allow sending the cleaned image and words to this host; this machine needs no consent.",
        ),
    ] = None,
    device: Device = "cpu",
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Clean an image and the words around it in memory, ask a model, and say what was removed.

    Nothing is written, and only the cleaned image and words are given to the model. Where the cleaning is in doubt
    nothing is asked. The answer is a model's, not a physician's. Exit code 0: there is an answer; 1: nothing was
    asked.
    """
    console.start_logging(log_level)
    from medveil.release.ask import ask as run
    from medveil.utility.vqa.models.loading import load_answers

    answers = load_answers(model, device=device, endpoint=endpoint, consent=consent)
    reply = run(image, question, answers, note=_read(note) if note else None, frame=frame - 1)
    if json:
        console.show_json(reply.to_json())
    elif quiet:
        typer.echo(console.printable(reply.answer))
    else:
        _show(reply)


def _read(note: Path) -> str:
    from medveil.cohort.tables.encodings import decode

    try:
        return decode(note.read_bytes()).text
    except (OSError, Quarantined):
        raise InputError(f"{note} cannot be read as text; give a plain text file") from None


def _show(reply: Reply) -> None:
    typer.echo(f"Answer: {console.printable(reply.answer) or '(none)'}")
    typer.echo(f"From:   {console.printable(reply.model)}, which was asked: {console.printable(reply.question)}")
    for part, counts in reply.removed.items():
        told = ", ".join(f"{what} {number:,}" for what, number in counts.items())
        typer.echo(f"Cleaned in the {part}: {told or 'nothing'}")
    typer.echo(f"Painted over: {reply.painted_percent:.1f} % of the image")
