from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medveil.errors import SettingsError
from medveil.federated.node_keys import public_pem
from medveil.federated.secure_sum.messages import Agreed, Keys, Opened
from medveil.federated.secure_sum.server import Server
from medveil.federated.secure_sum.session import Broken, Session
from medveil.federated.secure_sum.shamir import joined
from medveil.federated.secure_sum.site import Site

NODES = {f"site {number:02}": ec.generate_private_key(ec.SECP384R1()) for number in range(10)}


def held(count: int, *, size: int = 6, threshold: int = 0, number: int = 1) -> tuple[Session, dict[str, Site]]:
    names = list(NODES)[:count]
    session = Session("plan", number, size, {name: public_pem(NODES[name]) for name in names}, threshold)
    return session, {name: Site(name, NODES[name], session) for name in names}


def updates(session: Session, seed: int = 0) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(seed)
    return {name: chance.integers(0, 2**32, session.size, np.uint32) for name in session.names}


def summed(
    session: Session,
    sites: dict[str, Site],
    sent: dict[str, np.ndarray],
    *,
    before_shares: Collection[str] = (),
    before_update: Collection[str] = (),
    before_opening: Collection[str] = (),
) -> np.ndarray:
    """A whole session, in which some sites are lost before a step."""
    server = Server(session)
    keys = server.everybodys_keys([site.keys() for site in sites.values()])
    there = [name for name in sites if name not in before_shares]
    given_out = server.shares_for([sites[name].shares(keys) for name in there])
    there = [name for name in there if name not in before_update]
    for name in there:
        server.add(sites[name].masked(given_out[name], sent[name]))
    survivors = server.survivors()
    signed = server.signed([sites[name].agreed(survivors) for name in there])
    there = [name for name in there if name not in before_opening]
    return server.total([sites[name].opened(signed) for name in there])


@pytest.mark.parametrize("count", [3, 4, 10])
def test_the_sum_is_exact_and_no_masked_update_is_the_update(count: int) -> None:
    session, sites = held(count)
    sent = updates(session)
    assert np.array_equal(summed(session, sites, sent), sum(sent.values(), np.zeros(6, np.uint32)))


@given(st.integers(0, 2**31), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_sum_of_those_who_are_left_is_exact(seed: int, first: int, second: int, third: int) -> None:
    session, sites = held(10)
    sent, names = updates(session, seed), list(np.random.default_rng(seed).permutation(list(NODES)))
    lost = [names[:first], names[first : first + second], names[first + second : first + second + third]]
    left = [name for name in session.names if name not in lost[0] + lost[1]]
    how = dict(zip(("before_shares", "before_update", "before_opening"), lost, strict=True))
    if len(left) - third < session.threshold:
        with pytest.raises(Broken, match="are needed"):
            summed(session, sites, sent, **how)
    else:
        expected = sum((sent[name] for name in left), np.zeros(6, np.uint32))
        assert np.array_equal(summed(session, sites, sent, **how), expected)


def test_a_masked_update_is_even_over_all_numbers() -> None:
    session, sites = held(3, size=50_000)
    server = Server(session)
    keys = server.everybodys_keys([site.keys() for site in sites.values()])
    given_out = server.shares_for([site.shares(keys) for site in sites.values()])
    sent = sites["site 00"].masked(given_out["site 00"], np.zeros(50_000, np.uint32)).words
    assert abs(np.unpackbits(sent.view(np.uint8)).mean() - 0.5) < 5 * 0.5 / np.sqrt(50_000 * 64)


def until_update(count: int = 3) -> tuple[Session, dict[str, Site], Server]:
    session, sites = held(count)
    server = Server(session)
    keys = server.everybodys_keys([site.keys() for site in sites.values()])
    given_out = server.shares_for([site.shares(keys) for site in sites.values()])
    for name, site in sites.items():
        server.add(site.masked(given_out[name], np.zeros(6, np.uint32)))
    return session, sites, server


def test_keys_that_the_server_puts_in_are_refused() -> None:
    session, sites = held(3)
    keys = [site.keys() for site in sites.values()]
    false = Site("site 01", ec.generate_private_key(ec.SECP384R1()), session).keys()
    with pytest.raises(Broken, match="not signed by its node key"):
        sites["site 00"].shares([keys[0], false, keys[2]])
    with pytest.raises(Broken, match="not signed"):
        Server(session).everybodys_keys([keys[0], false, keys[2]])


def test_keys_of_another_session_are_refused() -> None:
    _, sites = held(3)
    _, before = held(3, number=0)
    with pytest.raises(Broken, match="not signed"):
        sites["site 00"].shares([sites["site 00"].keys(), before["site 01"].keys(), before["site 02"].keys()])


def test_a_server_cannot_show_two_lists() -> None:
    session, sites = held(10)
    server = Server(session)
    keys = server.everybodys_keys([site.keys() for site in sites.values()])
    given_out = server.shares_for([site.shares(keys) for site in sites.values()])
    for name, site in sites.items():
        site.masked(given_out[name], np.zeros(6, np.uint32))
    everybody, but_one = session.names, tuple(name for name in session.names if name != "site 09")
    signed = [
        site.agreed(everybody if name < "site 05" else but_one) for name, site in sites.items() if name != "site 09"
    ]
    with pytest.raises(Broken, match="different lists"):
        sites["site 00"].opened(signed)
    same = [one for one in signed if one.survivors == everybody]
    with pytest.raises(Broken, match="too few"):
        sites["site 01"].opened(same)


def test_a_site_opens_one_share_of_each_and_only_once() -> None:
    """Flower's protocol gives out both where a node stands in both lists; then every update can be unmasked."""
    session, sites, server = until_update()
    signed = server.signed([site.agreed(server.survivors()) for site in sites.values()])
    opened = sites["site 00"].opened(signed)
    assert set(opened.shares) == set(session.names)
    with pytest.raises(Broken, match="out of turn"):
        sites["site 00"].opened(signed)
    with pytest.raises(Broken, match="out of turn"):
        sites["site 00"].agreed(session.names[:2])


def test_a_list_without_the_site_or_with_strangers_is_not_signed() -> None:
    for false in (("site 01", "site 02", "site 03"), ("site 00", "site 01", "nobody")):
        _, sites, _ = until_update(4)
        with pytest.raises(Broken):
            sites["site 00"].agreed(false)


def test_signatures_of_strangers_do_not_count() -> None:
    _, sites, server = until_update()
    survivors = server.survivors()
    mine = sites["site 00"].agreed(survivors)
    false = [Agreed(name, survivors, mine.signature) for name in ("site 01", "site 02")]
    with pytest.raises(Broken, match="not signed by its node key"):
        sites["site 00"].opened([mine, *false])


def test_shares_that_were_changed_on_the_way_are_noticed() -> None:
    session, sites = held(3)
    server = Server(session)
    keys = server.everybodys_keys([site.keys() for site in sites.values()])
    given_out = server.shares_for([site.shares(keys) for site in sites.values()])
    swapped = {"site 01": given_out["site 00"]["site 02"], "site 02": given_out["site 00"]["site 01"]}
    with pytest.raises(Broken, match="not sealed"):
        sites["site 00"].masked(swapped, np.zeros(6, np.uint32))


def test_false_shares_are_no_wrong_sum() -> None:
    session, sites, server = until_update()
    signed = server.signed([site.agreed(server.survivors()) for site in sites.values()])
    opened = [site.opened(signed) for site in sites.values()]
    opened[0] = Opened("site 00", {name: bytes(66) for name in session.names})
    with pytest.raises(Broken, match="do not fit"):
        server.total(opened)


def test_what_the_server_holds_before_opening_does_not_unmask() -> None:
    """With one share of each it has fewer than it takes."""
    session, sites, server = until_update(4)
    signed = server.signed([site.agreed(server.survivors()) for site in sites.values()])
    opened = sites["site 00"].opened(signed)
    with pytest.raises(ValueError, match="whole shares"):
        joined({session.place("site 00"): opened.shares["site 01"]}, session.threshold)


@pytest.mark.parametrize(("count", "threshold"), [(2, 0), (4, 2), (4, 5)])
def test_sessions_that_protect_nobody_are_refused(count: int, threshold: int) -> None:
    with pytest.raises(SettingsError):
        held(count, threshold=threshold)


def test_two_nodes_with_one_key_are_refused() -> None:
    key = public_pem(NODES["site 00"])
    with pytest.raises(SettingsError, match="same node key"):
        Session("plan", 1, 6, {"a": key, "b": key, "c": public_pem(NODES["site 01"])})


def test_the_same_keys_under_two_names_are_refused() -> None:
    session, sites = held(3)
    mine = sites["site 00"].keys()
    other = Keys("site 01", mine.sealing, mine.masking, b"")
    signed = Keys("site 01", mine.sealing, mine.masking, session.signed(NODES["site 01"], "key", other.told))
    with pytest.raises(Broken, match="same keys"):
        sites["site 00"].shares([mine, signed, sites["site 02"].keys()])
