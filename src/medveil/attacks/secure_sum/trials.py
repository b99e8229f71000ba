"""Both protocols tried by the same means, and what each gave away.

*Search*: the server keeps to the protocol and tries every seed. *Both shares*: it asks every site for both secrets of
everybody, where all are there and where some are lost. *False keys*: it passes on keys of its own as another site's.
*Called lost*: it has an update and names its site as lost, so that others give it the key of the masks between them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from cryptography.hazmat.primitives.asymmetric import ec
from numpy.typing import NDArray

from medveil.attacks.secure_sum.mersenne import BITS
from medveil.attacks.secure_sum.stock import MOST, View, aggregated
from medveil.attacks.secure_sum.unmasking import Progress, updates_of
from medveil.errors import NotMeasurable, SettingsError
from medveil.federated.node_keys import CURVE, public_pem
from medveil.federated.secure_sum.masks import mask
from medveil.federated.secure_sum.messages import Masked
from medveil.federated.secure_sum.quantising import SITES, Grid
from medveil.federated.secure_sum.server import Server
from medveil.federated.secure_sum.session import Broken, Session
from medveil.federated.secure_sum.site import Site, pairwise_key

Protocol = Literal["Flower's SecAgg+", "medveil's"]
STOCK: Protocol = "Flower's SecAgg+"
OURS: Protocol = "medveil's"
SEARCH, BOTH, KEYS = "search for the masks", "ask for both shares", "pass on false keys"
LATE = "call sites lost that are there"
ALIKE = 0.99  # correlation from which an update counts as seen
Updates = dict[int, NDArray[np.float64]]


@dataclass(frozen=True)
class Trial:
    """`lost`: of the sites, those that send no update; `seen`: sites whose own update the server has in the end; `why`
    tells what stopped it."""

    protocol: Protocol
    means: str
    sites: int
    lost: int
    seen: int
    seconds: float
    why: str = ""


def trials(sites: int, size: int, *, seed: int, bits: int = BITS, progress: Progress | None = None) -> list[Trial]:
    """Invented updates of so many numbers, by every means that so many sites allow."""
    if sites < 2 or size < 64:
        raise SettingsError("the attack needs at least two sites, and updates of at least 64 numbers")
    chance = np.random.default_rng(seed)
    updates = [chance.normal(0, 0.01, size).astype(np.float32) for _ in range(sites)]
    examples = [int(one) for one in chance.integers(50, 900, sites)]
    lost = sites // 3
    found = []
    if sites <= 3:
        stock = lambda: updates_of(aggregated(updates, examples), bits=bits, progress=progress)  # noqa: E731
        found.append(_tried(STOCK, SEARCH, updates, stock))
    for gone in dict.fromkeys((0, lost)):
        both = partial(aggregated, updates, examples, both=True, lost=gone)
        found.append(_tried(STOCK, BOTH, updates, partial(_unmasked, both), gone))
    if sites < 3:
        return found  # of two, ours refuses the session
    if sites == 3:
        ours = lambda: updates_of(_our_view(updates, examples), bits=bits, progress=progress)  # noqa: E731
        found.append(_tried(OURS, SEARCH, updates, ours))
    found += [_tried(OURS, BOTH, updates, partial(_ask_for_both, updates, gone), gone) for gone in (0, lost)]
    found.append(_tried(OURS, LATE, updates, lambda: _call_lost(updates, lost)))
    return [*found, _tried(OURS, KEYS, updates, lambda: _pass_on_false_keys(updates))]


def _unmasked(round_held: Callable[[], View]) -> Updates:
    return updates_of(round_held())


def _tried(
    protocol: Protocol, means: str, updates: list[NDArray[np.float32]], attack: Callable[[], Updates], lost: int = 0
) -> Trial:
    began, why, seen = time.monotonic(), "", 0
    try:
        found = attack()
        seen = sum(bool(np.corrcoef(found[n], one)[0, 1] > ALIKE) for n, one in enumerate(updates, 1) if n in found)
    except (NotMeasurable, Broken) as stopped:
        why = str(stopped)
    return Trial(protocol, means, len(updates), lost, seen, round(time.monotonic() - began, 1), why)


def _session(updates: list[NDArray[np.float32]]) -> tuple[Session, dict[str, Site]]:
    keys = {f"{number:03}": ec.generate_private_key(CURVE) for number in range(1, len(updates) + 1)}
    session = Session("trial", 1, len(updates[0]) + 1, {name: public_pem(key) for name, key in keys.items()})
    return session, {name: Site(name, key, session) for name, key in keys.items()}


def _our_view(updates: list[NDArray[np.float32]], examples: list[int]) -> View:
    """What our server has after a whole session: the updates under the masks between sites. A seed that is tried is
    right if what it leaves is small; whole numbers are shifted so that those of an update are."""
    session, sites = _session(updates)
    server, grid = Server(session), Grid(8.0, SITES)
    keys = server.everybodys_keys([site.keys() for site in sites.values()])
    given = server.shares_for([site.shares(keys) for site in sites.values()])
    weights = {number: round(count / 1000 * MOST) for number, count in enumerate(examples, 1)}
    chance = np.random.default_rng(0)
    sent = {}
    for (name, site), update, weight in zip(sites.items(), updates, weights.values(), strict=True):
        whole = grid.whole(update * (weight / MOST), chance) + np.uint32(MOST // 2)
        sent[name] = site.masked(given[name], np.concatenate([[np.uint32(weight)], whole]))
        server.add(sent[name])
    signed = server.signed([site.agreed(server.survivors()) for site in sites.values()])
    own = server.recovered([site.opened(signed) for site in sites.values()])
    masked = {int(name): (one.words - mask(own[name], session.size)).astype(np.uint32) for name, one in sent.items()}
    return View(masked, weights, {}, {})


def _ask_for_both(updates: list[NDArray[np.float32]], lost: int) -> Updates:
    """The server names everybody who sent an update as there, and then some of them once more as lost: a site that
    answered both would lay everything open."""
    session, sites = _session(updates)
    server = Server(session)
    keys = server.everybodys_keys([site.keys() for site in sites.values()])
    given = server.shares_for([site.shares(keys) for site in sites.values()])
    there = dict(list(sites.items())[: len(sites) - lost])
    for name, site in there.items():
        server.add(site.masked(given[name], np.zeros(session.size, np.uint32)))
    signed = [site.agreed(server.survivors()) for site in there.values()]
    first = next(iter(there.values()))
    first.opened(signed)
    first.agreed(server.survivors()[: session.fewest])
    return {int(name): update.astype(np.float64) for name, update in zip(sites, updates, strict=True) if name in there}


def _call_lost(updates: list[NDArray[np.float32]], count: int) -> Updates:
    """The last sites are left out of the sum. What the others open takes the masks between sites off their updates,
    which the server has; each site's own mask is still on."""
    session, sites = _session(updates)
    server, grid, chance = Server(session), Grid(8.0, SITES), np.random.default_rng(0)
    keys = server.everybodys_keys([site.keys() for site in sites.values()])
    given = server.shares_for([site.shares(keys) for site in sites.values()])
    sent = {
        name: site.masked(given[name], grid.whole(np.append(update, 1.0), chance)).words
        for (name, site), update in zip(sites.items(), updates, strict=True)
    }
    counted = session.names[: len(sites) - count]
    for name in counted:
        server.add(Masked(name, sent[name]))
    signed = server.signed([sites[name].agreed(server.survivors()) for name in counted])
    secrets = server.recovered([sites[name].opened(signed) for name in counted])
    found = {}
    for name in set(session.names) - set(counted):
        left = sent[name]
        for other in keys:
            if other.site != name:
                between = mask(pairwise_key(secrets[name], other.masking, session, (name, other.site)), session.size)
                left = left - between if name < other.site else left + between
        found[int(name)] = grid.numbers(left)[:-1]
    return found


def _pass_on_false_keys(updates: list[NDArray[np.float32]]) -> Updates:
    session, sites = _session(updates)
    victim, other, *rest = session.names
    false = Site(other, ec.generate_private_key(CURVE), session).keys()
    sites[victim].shares([sites[victim].keys(), false, *(sites[name].keys() for name in rest)])
    return {int(victim): updates[0].astype(np.float64)}  # the server shares its secrets now
