"""The flags that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medveil import console

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bars, no closing words.")]
LogLevel = Annotated[str, typer.Option("--log-level", help="debug, info, warning or error.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Fixes everything that is drawn at random.")]
Workers = Annotated[int | None, typer.Option("--workers", min=1, help="Processes; all cores by default.")]
Key = Annotated[
    Path | None, typer.Option("--key-file", help="The site's secret; the one in your settings folder if not set.")
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        is_eager=True,
        callback=console.read_settings,
        help="TOML file with a section named after the command; a flag counts more than the file.",
    ),
]
Layout = Annotated[str | None, typer.Option("--layout", help="Name of the data set's layout, if not to be guessed.")]
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
Device = Annotated[str, typer.Option("--device", help="cpu, or cuda for the parts that can use it.")]
Defenses = Annotated[
    list[str] | None,
    typer.Option(
        "--defense",
        metavar="NAME[:KEY=VALUE,…]",
        help="Use this defense, set so; repeat for several. default: those used unasked.",
    ),
]
Attacks = Annotated[
    list[str] | None,
    typer.Option(
        "--attack",
        metavar="NAME[:KEY=VALUE,…]",
        help="Run this attack, set so; repeat for several. default: those run unasked.",
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        metavar="NAME[:KEY=VALUE,…]",
        help="Run this measure, set so; repeat for several. default: those run unasked.",
    ),
]
