"""What a round costs with 10, 100 and 1,000 simulated sites: seconds, and bytes that leave all of them.

    python benchmarks/federated_scale.py --clients 10 100 1000

Sites do not train, so that what is measured is the federation: Ray's processes, the messages, the secure sums in
groups of at most 32 sites, and the coordinator. Keys and the start of Ray are not counted, and of the rounds the first
is not, in which every process loads its code. Beside the clock stands the processor time of all processes, which a busy
machine does not change. It fails where bytes or processor time a site grow with the number of sites by more than
--slack, from each count to the next.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from medveil.federated.participant import Arrays
from medveil.federated.plan import Plan
from medveil.federated.recipe import Recipe
from medveil.federated.simulation import simulate, simulated_plan


class Untrained:
    """An update that costs nothing to make."""

    weight, epsilon = 1.0, None

    def update(self, shared: Arrays, round_number: int) -> Arrays:
        return [np.full_like(one, 0.001) for one in shared]


def untrained(plan: Plan, name: str, folder: Path) -> Untrained:
    return Untrained()


def measured(clients: int, *, secure: bool, rounds: int, channels: int) -> dict[str, Any]:
    """The median round after the first."""
    table = {
        "title": "scale",
        "data": "none",
        "rounds": rounds + 1,
        "secure_sums": secure,
        "patience": 3600,
        "recipe": {"side": 32, "channels": channels, "text": "none", "findings": ["Edema"], "weighting": "equal"},
    }
    digits = len(str(clients))
    names = [f"site {number:0{digits}}" for number in range(clients)]
    with tempfile.TemporaryDirectory() as held:
        out = Path(held)
        began = time.perf_counter()
        plan = simulated_plan(table, names, out)
        worked: list[float] = []
        record = simulate(plan, out, untrained, after=lambda record: worked.append(processor_seconds()))
        whole = time.perf_counter() - began
    later = record.history[1:]
    if any(len(one.took_part) != clients for one in record.history):
        raise SystemExit("not all sites took part")
    seconds = float(np.median([one.seconds for one in later]))
    processor = float(np.median(np.diff(worked)))
    sent = float(np.median([sum(one.bytes_sent.values()) for one in later]))
    received = float(np.median([sum(one.bytes_received.values()) for one in later]))
    return {
        "clients": clients,
        "secure_sums": secure,
        "groups": len({tuple(one) for one in plan.groups.values()}) if secure else 0,
        "seconds_a_round": round(seconds, 2),
        "processor_seconds_a_round": round(processor, 2),
        "processor_milliseconds_a_site": round(1000 * processor / clients, 1),
        "megabytes_sent": round(sent / 1e6, 2),
        "bytes_a_site": round(sent / clients),
        "bytes_to_a_site": round(received / clients),
        "seconds_in_all": round(whole, 1),
    }


def processor_seconds() -> float:
    """Of this process, and of Ray's below it."""
    total = 0.0
    for one in (psutil.Process(), *psutil.Process().children(recursive=True)):
        with suppress(psutil.Error):
            spent = one.cpu_times()
            total += spent.user + spent.system
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--rounds", type=int, default=2, help="beside the first")
    parser.add_argument("--channels", type=int, default=8, help="width of the model")
    parser.add_argument("--slack", type=float, default=1.5)
    parser.add_argument("--sums", choices=["plain", "secure", "both"], default="both")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    recipe = Recipe.of({"side": 32, "channels": chosen.channels, "text": "none", "findings": ["Edema"]})
    from medveil.federated.local_training import initial

    print(f"{sum(one.size for one in initial(recipe)):,} numbers in an update")
    found, good = [], True
    for secure in {"plain": [False], "secure": [True], "both": [False, True]}[chosen.sums]:
        before: dict[str, Any] | None = None
        for clients in chosen.clients:
            if secure and clients < 3:
                continue
            one = measured(clients, secure=secure, rounds=chosen.rounds, channels=chosen.channels)
            found.append(one)
            print(json.dumps(one), flush=True)
            for cost in ("processor_milliseconds_a_site", "bytes_a_site") if before else ():
                if one[cost] > chosen.slack * before[cost]:
                    good = False
                    print(
                        f"{cost} grows by more than {chosen.slack:g} times from {before['clients']} to {clients} sites"
                    )
            before = one
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
