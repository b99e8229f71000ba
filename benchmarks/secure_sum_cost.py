"""What a secure sum costs against a plain one, in one run: processor seconds of the busiest site and of the server, and
bytes.

    python benchmarks/secure_sum_cost.py --sites 3 10

A site's training is measured on invented films, with the default recipe and its model; `--local-steps 1` is a round of
one step, as where AdamW is the coordinator's. Sites work side by side, so a round lasts as long as the busiest of them
and the server. A plain site sends the numbers as they are, and the server takes their mean. With --sockets whole
rounds are timed as well, over TLS on this machine, where sites wait as long as they would train: by the clock, and by
processor time. All of them and the coordinator then share one process, which hospitals do not: it is an upper end.
"""

from __future__ import annotations

import argparse
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cryptography.hazmat.primitives.asymmetric import ec

from medveil.federated.local_training import LocalTraining, initial
from medveil.federated.node_keys import CURVE, public_pem
from medveil.federated.participant import Arrays
from medveil.federated.recipe import Recipe
from medveil.federated.secure_sum.quantising import Grid
from medveil.federated.secure_sum.server import Server
from medveil.federated.secure_sum.session import Session
from medveil.federated.secure_sum.site import Site
from medveil.federated.vision_language.films import Films

PATIENTS = 64  # invented, of one site
ROUNDS = 3  # over sockets, beside the first


def training_seconds(recipe: Recipe) -> float:
    """Of one site in a round, the second one: in the first everything is built."""
    rng = np.random.default_rng(0)
    films = Films(
        rng.integers(0, 255, (PATIENTS, recipe.side, recipe.side)).astype(np.uint8),
        rng.integers(1, recipe.buckets, (PATIENTS, recipe.words)).astype(np.int32),
        rng.integers(0, 2, (PATIENTS, len(recipe.findings))).astype(np.float32),
        np.ones((PATIENTS, len(recipe.findings)), bool),
        np.arange(PATIENTS),
        tuple(map(str, range(PATIENTS))),
    )
    training, shared = LocalTraining(recipe, films, None), initial(recipe)
    training.update(shared, 1)
    began = time.process_time()
    training.update(shared, 2)
    return time.process_time() - began


def secure(updates: list[np.ndarray], lost: int) -> tuple[float, float, int]:
    """Seconds of the busiest site, of the server, and bytes a site sends."""
    keys = {f"{number:03}": ec.generate_private_key(CURVE) for number in range(len(updates))}
    session = Session("plan", 1, len(updates[0]), {name: public_pem(key) for name, key in keys.items()})
    sites = {name: Site(name, key, session) for name, key in keys.items()}
    server, grid, spent = Server(session), Grid(1.0, len(updates)), dict.fromkeys(sites, 0.0)

    def by(name: str, work: Callable[[], Any]) -> Any:
        began = time.process_time()
        done = work()
        spent[name] += time.process_time() - began
        return done

    began = time.process_time()
    told = server.everybodys_keys([by(name, site.keys) for name, site in sites.items()])
    given = server.shares_for([by(name, lambda site=site: site.shares(told)) for name, site in sites.items()])
    there = list(sites)[lost:]
    chance = np.random.default_rng(0)
    for name, update in zip(there, updates[lost:], strict=True):
        whole = by(name, lambda update=update: grid.whole(update, chance))
        server.add(by(name, lambda name=name, whole=whole: sites[name].masked(given[name], whole)))
    listed = server.survivors()
    signed = server.signed([by(name, lambda name=name: sites[name].agreed(listed)) for name in there])
    grid.numbers(server.total([by(name, lambda name=name: sites[name].opened(signed)) for name in there]))
    serving = time.process_time() - began - sum(spent.values())
    sent = 4 * len(updates[0]) + sum(len(one) for one in given[there[0]].values()) + 66 * len(sites) + 500
    return max(spent.values()), serving, sent


def plain(updates: list[np.ndarray]) -> float:
    """Seconds of the server."""
    began = time.process_time()
    total = np.zeros(len(updates[0]))
    for one in updates:
        total += one
    return time.process_time() - began


class Waiting:
    """A site that trains elsewhere, as far as the clock can tell."""

    weight, epsilon = 1.0, None

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def update(self, shared: Arrays, round_number: int) -> Arrays:
        time.sleep(self._seconds)
        return [np.full_like(one, 0.001) for one in shared]


def over_sockets(count: int, seconds: float, *, secure_sums: bool) -> tuple[float, float]:
    """Seconds by the clock of the median round but for the first, and processor time of everybody in a round."""
    import medveil.federated.apps  # noqa: F401, Flower's parts cannot be loaded by several threads at once
    from medveil.federated.approval import approve, write_approval
    from medveil.federated.coordinator import coordinate
    from medveil.federated.credentials import make_identity, make_node_key, read_node_key
    from medveil.federated.joining import join
    from medveil.federated.plan import plan_of

    with tempfile.TemporaryDirectory() as held, socket.socket() as free:
        folder = Path(held)
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        free.close()
        plan = plan_of(
            {
                "title": "cost",
                "data": "none",
                "rounds": ROUNDS + 1,
                "patience": 600.0,
                "secure_sums": secure_sums,
                "recipe": {"weighting": "equal"},
                "coordinator": {
                    "name": "here",
                    "address": address,
                    "authority": make_identity(folder / "coordinator", ["127.0.0.1"]),
                },
                "sites": {f"{number:03}": make_node_key(folder / f"{number:03}") for number in range(count)},
            }
        )
        threads, began = [], time.process_time()
        for name in plan.names:
            write_approval(folder / name, approve(plan, read_node_key(folder / name)))
            training = Waiting(seconds)
            threads.append(
                threading.Thread(
                    target=join,
                    args=(plan, folder / name, lambda training=training: training),
                    kwargs={"tell_epsilon": False, "give_up": 60},
                )
            )
            threads[-1].start()
        record = coordinate(plan, folder / "out", credentials=folder / "coordinator", noticed=lambda said: None)
        for thread in threads:
            thread.join()
        if any(len(one.took_part) < count for one in record.history):
            raise SystemExit("not all sites took part")
        worked = (time.process_time() - began) / len(record.history)
        return float(np.median([one.seconds for one in record.history[1:]])), worked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", type=int, nargs="+", default=[3, 10])
    parser.add_argument("--local-steps", type=int, default=Recipe().local_steps, help="of a site in a round")
    parser.add_argument("--lost", type=int, nargs="+", default=[0], help="sites lost before they send their update")
    parser.add_argument("--sockets", action="store_true", help="time whole rounds as well")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    recipe = Recipe(local_steps=chosen.local_steps)
    size, train = sum(part.size for part in initial(recipe)), training_seconds(recipe)
    print(f"{size:,} numbers; a site trains {train:.2f} s in a round of {recipe.local_steps} steps")
    chance = np.random.default_rng(1)
    for count in chosen.sites:
        updates = [chance.normal(0, 0.01, size).astype(np.float32) for _ in range(count)]
        bare = plain(updates)
        for lost in chosen.lost:
            if count - lost <= 2 * count // 3:  # as a session asks
                continue
            site, server, sent = secure(updates, lost)
            ratio = (train + site + server) / (train + bare)
            print(
                f"{count} sites, {lost} lost: site {site:.2f} s, server {server:.2f} s (plain {bare:.3f} s),"
                f" {sent:,} bytes a site (plain {4 * size:,}); a round takes {ratio:.2f} times as long"
            )
        if chosen.sockets:
            (plainly, bare), (masked, worked) = (over_sockets(count, train, secure_sums=how) for how in (False, True))
            print(
                f"{count} sites over sockets: a round takes {masked:.2f} s, {masked / plainly:.2f} times the"
                f" {plainly:.2f} s of a plain one; processor time of everybody {worked:.2f} s, plain {bare:.2f} s:"
                f" {(train + worked / (count + 1)) / (train + bare / (count + 1)):.2f} times as long where each has a"
                f" machine, {(train + worked) / (train + bare):.2f} times if all of it came one after the other"
            )


if __name__ == "__main__":
    main()
