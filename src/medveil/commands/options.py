"""The flags that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from medveil import console
from medveil.errors import StorageError


def out_folder(said: str, metavar: str | None = None) -> Any:
    """The folder that a command writes: refused before the work where a file stands in its place."""
    return typer.Option("-o", "--out", callback=_no_file, metavar=metavar, help=said)


def _no_file(path: Path | None) -> Path | None:
    if path and any(each.is_file() for each in (path, *path.parents)):
        raise StorageError(f"{path} is a file, or lies in one; name a folder for the output")
    return path


Json = Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, no closing words.")]
LogLevel = Annotated[str, typer.Option("--log-level", help="debug, info, warning or error.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Fixes everything that is random.")]
Workers = Annotated[int | None, typer.Option("--workers", min=1, help="Number of processes; one per core by default.")]
Key = Annotated[
    Path | None, typer.Option("--key-file", help="The site's secret key; the one in your settings folder if not set.")
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        is_eager=True,
        callback=console.read_settings,
        help="TOML file with a section named after the command; flags override it.",
    ),
]
Layout = Annotated[str | None, typer.Option("--layout", help="Name of the data set's layout; recognised if not set.")]
ColumnMap = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="COLUMN=NAME",
        help="What a column is called in your table, such as patient_id=Patientennummer; repeat for several.",
    ),
]
DateOrder = Annotated[
    str | None,
    typer.Option("--date-order", help="day-first or month-first, where the dates of a table do not show it."),
]
Views = Annotated[
    list[str] | None,
    typer.Option("--view", help="Only images of this view, AP or PA; repeat. Every frontal or untold one if not set."),
]
Splits = Annotated[
    list[str] | None,
    typer.Option("--split", help="Only patients of this part: train, val or test; repeat. All if not set."),
]
SplitBy = Annotated[
    str,
    typer.Option(
        "--split-by",
        help="Who is in which part: the data set's own lists, or shares of patients for train/val/test as 72/8/20.",
    ),
]
Device = Annotated[str, typer.Option("--device", help="cpu, or cuda for the parts that can use it.")]
Defenses = Annotated[
    list[str] | None,
    typer.Option(
        "--defense",
        metavar="NAME[:KEY=VALUE,…]",
        help="Use this defense, with these settings; repeat for several. default: the usual ones.",
    ),
]
Attacks = Annotated[
    list[str] | None,
    typer.Option(
        "--attack",
        metavar="NAME[:KEY=VALUE,…]",
        help="Run this attack, with these settings; repeat for several. default: the usual ones.",
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        metavar="NAME[:KEY=VALUE,…]",
        help="Run this measure, with these settings; repeat for several. default: the usual ones.",
    ),
]
Ray = Annotated[
    bool, typer.Option("--ray", help="Spread the work over a Ray cluster, whose machines share the folders.")
]
