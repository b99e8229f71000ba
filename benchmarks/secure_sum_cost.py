"""What a secure sum costs against a plain one, in one run: seconds a round of all sites and the server, and bytes.

    python benchmarks/secure_sum_cost.py --sites 3 10 --size 1000000

A plain round sends the same whole numbers and adds them. With --train the seconds that a site trains in a round are
counted on both sides, as they are in a federation; sites train side by side.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from cryptography.hazmat.primitives.asymmetric import ec

from medveil.federated.node_keys import CURVE, public_pem
from medveil.federated.secure_sum.quantising import Grid
from medveil.federated.secure_sum.server import Server
from medveil.federated.secure_sum.session import Session
from medveil.federated.secure_sum.site import Site


def secure(updates: list[np.ndarray], lost: int) -> tuple[float, float, int]:
    """Seconds of the busiest site, of the server, and bytes a site sends."""
    keys = {f"{number:03}": ec.generate_private_key(CURVE) for number in range(len(updates))}
    session = Session("plan", 1, len(updates[0]), {name: public_pem(key) for name, key in keys.items()})
    sites = {name: Site(name, key, session) for name, key in keys.items()}
    server, grid, spent = Server(session), Grid(1.0), dict.fromkeys(sites, 0.0)
    serving = 0.0

    def by(name: str, work):  # type: ignore[no-untyped-def]
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
        whole = grid.whole(update, chance)
        server.add(by(name, lambda name=name, whole=whole: sites[name].masked(given[name], whole)))
    listed = server.survivors()
    signed = server.signed([by(name, lambda name=name: sites[name].agreed(listed)) for name in there])
    server.total([by(name, lambda name=name: sites[name].opened(signed)) for name in there])
    serving = time.process_time() - began - sum(spent.values())
    sent = 8 * len(updates[0]) + sum(len(one) for one in given[there[0]].values()) + 66 * len(sites) + 500
    return max(spent.values()), serving, sent


def plain(updates: list[np.ndarray]) -> float:
    """Seconds of the server."""
    grid, chance = Grid(1.0), np.random.default_rng(0)
    whole = [grid.whole(update, chance) for update in updates]
    began = time.process_time()
    total = np.zeros(len(updates[0]), np.uint64)
    for one in whole:
        total = total + one
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", type=int, nargs="+", default=[3, 10])
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--train", type=float, default=10.0, help="seconds that a site trains in a round")
    parser.add_argument("--lost", type=int, default=0, help="sites lost before they send their update")
    chosen = parser.parse_args()
    chance = np.random.default_rng(1)
    for count in chosen.sites:
        updates = [chance.normal(0, 0.01, chosen.size) for _ in range(count)]
        bare = plain(updates)
        site, server, sent = secure(updates, chosen.lost)
        ratio = (chosen.train + site + server) / (chosen.train + bare)
        print(
            f"{count} sites: site {site:.2f} s, server {server:.2f} s (plain {bare:.3f} s), {sent:,} bytes a site "
            f"(plain {8 * chosen.size:,}); a round of {chosen.train:g} s of training takes {ratio:.2f} times as long"
        )


if __name__ == "__main__":
    main()
