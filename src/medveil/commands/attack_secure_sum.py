"""`medveil attack secure-sum`: can whoever adds up the sites' updates see one of them?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import attacks
from medveil.commands.options import Config, Json, LogLevel, Quiet, Seed


@attacks.command("secure-sum", epilog="Example: medveil attack secure-sum --sites 3 --sites 10")
def secure_sum(
    sites: Annotated[
        list[int] | None, typer.Option("--sites", min=2, help="How many hospitals; repeat for several. 3 and 10.")
    ] = None,
    size: Annotated[int, typer.Option("--size", min=64, help="Numbers in a hospital's update.")] = 10_000,
    seed: Seed = 7,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Try Flower's secure aggregation and medveil's, by the same means: does the server see a hospital's own update?

    With three hospitals it searches for the masks, which takes minutes and two gigabytes of memory.
    """
    from medveil.attacks.secure_sum.trials import OURS, trials

    found = []
    with console.progress_bars(quiet or json) as watch:
        for count in sites or [3, 10]:
            found += trials(count, size, seed=seed, progress=watch)
    if json:
        console.show_json({"trials": [asdict(one) for one in found]})
    elif not quiet:
        for one in found:
            why = f": {one.why}" if one.why else ""
            among = f"{one.sites} sites" + (f", {one.lost} lost" if one.lost else "")
            seen = f"{one.seen} of {one.sites - one.lost} updates seen"
            typer.echo(f"{one.protocol}, {among}, {one.means}: {seen} in {one.seconds:g} s{why}")
    raise typer.Exit(1 if any(one.seen for one in found if one.protocol == OURS) else 0)
