"""`Plan`: what a federation does, in one file that every site reads before it takes part, and the digest it signs."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import math
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from medveil.errors import InputError, SettingsError
from medveil.federated.aggregation import fewest_sites, refusal
from medveil.federated.credentials import authority_pem
from medveil.federated.node_keys import pem_of
from medveil.federated.recipe import Recipe
from medveil.federated.secure_sum.quantising import SITES, Grid
from medveil.federated.secure_sum.session import FEWEST

PROTOCOL = 3  # of the messages; a site with another one does not take part
_NAME = re.compile(r"\w[\w .-]{0,59}")
_LONGEST = 1_000_000


@dataclass(frozen=True)
class Coordinator:
    """Who adds up. `authority` vouches for its certificate; without one it can only be on the site's own machine."""

    name: str
    address: str  # host:port
    authority: str = ""

    @property
    def host(self) -> str:
        return self.address.rpartition(":")[0].strip("[]")

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def __post_init__(self) -> None:
        if not re.fullmatch(r".+:[0-9]{1,5}", self.address) or not 0 < self.port < 65536:
            raise SettingsError("the coordinator's address is a host and a port, such as fed.example.org:8000")
        if self.authority:
            authority_pem(self.authority)
        elif not is_loopback(self.host):
            raise SettingsError(
                "without a certificate a federation stays on one machine (127.0.0.1); make one with `medveil federated "
                "keys` and put its authority into the plan"
            )


@dataclass(frozen=True)
class Plan:
    """Frozen, and so are its parts: whatever differs has another digest.

    `data` says in words what each site trains on. A secure sum is of at most `group` sites, since its cost grows with
    their square: of more, several are held, and the coordinator sees each. An update's numbers are cut off at ±`limit`
    in it, and a site that counts by its patients counts as `heaviest` at most. `bad_sites` is how many poisoned ones an
    aggregation is to withstand, and `patience` how many seconds a step waits for a site.
    """

    title: str
    data: str
    rounds: int
    recipe: Recipe
    coordinator: Coordinator
    sites: Mapping[str, str] = field(repr=False)  # name: public line of the node key
    secure_sums: bool = True
    aggregation: str = "mean"
    bad_sites: int = 1
    group: int = 32
    limit: float = 1.0
    heaviest: int = 100_000
    patience: float = 3600.0

    def __post_init__(self) -> None:
        if not self.title.strip() or not self.data.strip():
            raise SettingsError("a plan has a title, and says in words which data are used")
        if not 1 <= self.rounds <= _LONGEST or not 1 <= self.heaviest <= 1_000_000:
            raise SettingsError("a plan has at least one round, and a site counts as 1 to 1,000,000 patients at most")
        if not (math.isfinite(self.limit) and self.limit > 0 and math.isfinite(self.patience) and self.patience > 0):
            raise SettingsError("limit and patience are finite numbers above zero")
        check_names(self.sites)
        if len(set(self.sites.values())) < len(self.sites):
            raise SettingsError("two sites have the same node key; each needs its own")
        if self.secure_sums and len(self.sites) < FEWEST:
            raise SettingsError(f"a secure sum needs at least {FEWEST} sites: of two, each can tell the other's part")
        if len(self.sites) < 2:
            raise SettingsError("a federation has at least two sites")
        if not 2 * FEWEST <= self.group <= SITES:
            raise SettingsError(f"a secure sum is held by groups of {2 * FEWEST} to {SITES:,} sites")
        if not self.secure_sums and self.by_patients:
            raise SettingsError(
                "how many patients a site has may only be told under masks; set secure_sums = true, or weighting = "
                '"equal" in the recipe'
            )
        if words := refusal(self.aggregation, len(self.sites), self.secure_sums, bad_sites=self.bad_sites):
            raise SettingsError(words)
        _ = self.node_keys  # each is one

    @cached_property
    def node_keys(self) -> dict[str, bytes]:
        """In PEM, by site."""
        return {name: pem_of(line) for name, line in self.sites.items()}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self.sites))

    @property
    def fewest(self) -> int:
        """Sites without whom there is no round: none that a rule against poison could not withstand either."""
        if self.secure_sums:
            return max(FEWEST, 2 * len(self.sites) // 3 + 1)
        return max(2, fewest_sites(self.aggregation, self.bad_sites))

    @cached_property
    def groups(self) -> dict[str, dict[str, bytes]]:
        """With whom a site adds up: of each the keys of its group. The sites' keys decide, by a hash."""
        dealt = sorted(self.sites, key=lambda name: hashlib.sha256(self.sites[name].encode()).digest())
        count = -(-len(dealt) // self.group)
        found: dict[str, dict[str, bytes]] = {}
        for number in range(count):
            members = {name: self.node_keys[name] for name in sorted(dealt[number::count])}
            found |= dict.fromkeys(members, members)
        return found

    @cached_property
    def grid(self) -> Grid:
        """How numbers are told under masks: one for all groups, by the largest."""
        return Grid(self.limit, max(map(len, self.groups.values())))

    @property
    def summands(self) -> int:
        """Of how many sites the coordinator sees a sum, at least."""
        smallest = min(map(len, self.groups.values()))
        return max(FEWEST, 2 * smallest // 3 + 1) if self.secure_sums else 1

    @property
    def by_patients(self) -> bool:
        """Whether a site counts by its patients, and not as one; under differential privacy it never does."""
        return self.recipe.weighting == "patients" and self.recipe.privacy is None

    def site_of(self, line: str) -> str:
        """Which site has this key."""
        for name, key in self.sites.items():
            if key == line:
                return name
        raise SettingsError("this site's node key is not in the plan; send its public line to whoever writes the plan")

    @cached_property
    def digest(self) -> str:
        """Of everything in the plan."""
        told = {
            one.name: getattr(self, one.name)
            for one in fields(self)
            if one.name not in ("recipe", "coordinator", "sites")
        }
        told |= {
            "protocol": PROTOCOL,
            "recipe": self.recipe.canonical(),
            "coordinator": [self.coordinator.name, self.coordinator.address, self.coordinator.authority],
            "sites": [[name, self.sites[name]] for name in self.names],
        }
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    def in_words(self) -> list[str]:
        """What a site reads before it approves."""
        covered = "under the certificate of the plan" if self.coordinator.authority else "on this machine, unencrypted"
        if self.secure_sums:
            leaves = (
                "one update of the model each round, under masks that only the sum of at least "
                f"{self.summands} sites takes off; numbers beyond ±{self.limit:g} are cut off"
            )
        else:
            leaves = "one update of the model each round, which the coordinator sees"
        counted, kept = "each site counts as one", "images, reports, ids, counts, figures of its own"
        if self.by_patients:
            counted, kept = "each site counts by its patients", "images, reports, ids, figures of its own"
            leaves += (
                "; under the same masks how many patients this site has: the coordinator sees the sum over all, and by"
                " how much it falls in a round that this site misses"
            )
        return [
            f"Title: {self.title}",
            *self.recipe.described(),
            f"Data used: {self.data}",
            f"Rounds: at most {self.rounds}",
            f"What leaves this site: {leaves}",
            f"What never leaves it: {kept}",
            f"To whom: {self.coordinator.name}, {self.coordinator.address}, {covered}",
            f"Combined by: {self.aggregation}; {counted}",
            f"Sites: {', '.join(self.names)}",
            f"Plan: {self.digest}",
        ]


def read_plan(path: Path) -> Plan:
    return plan_of(read_table(path), path.parent)


def read_table(path: Path) -> dict[str, Any]:
    """A plan's file as it stands."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no plan at {path}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not valid TOML: {error}") from None
    except OSError:
        raise InputError(f"{path} is not a file that can be read") from None


def plan_of(table: Mapping[str, Any], folder: Path = Path()) -> Plan:
    """A plan from the tables of its file; what is not known is refused, for a site would not have read it.

    Weights to begin with are looked for from `folder`.
    """
    known = {one.name: one for one in fields(Plan)}
    _refuse_unknown(table, known, "the plan")
    missing = [name for name, one in known.items() if one.default is MISSING and name not in table]
    if missing:
        raise SettingsError(f"the plan lacks {', '.join(missing)}")
    given = dict(table)
    for name, kind in (("recipe", dict), ("coordinator", dict), ("sites", dict), ("title", str), ("data", str)):
        if not isinstance(given[name], kind):
            raise SettingsError(f"{name} of the plan is {'a table' if kind is dict else 'a text'}")
    for name, kinds in _KINDS.items():
        if name in given and (
            not isinstance(given[name], kinds) or isinstance(given[name], bool) is not (kinds is bool)
        ):
            raise SettingsError(f"{name} of the plan is {_SAID[kinds]}")
    coordinator = given["coordinator"]
    _refuse_unknown(coordinator, [one.name for one in fields(Coordinator)], "the coordinator")
    if not all(isinstance(value, str) for value in (*coordinator.values(), *given["sites"].values())):
        raise SettingsError("the coordinator's and the sites' entries are texts")
    if not {"name", "address"} <= set(coordinator):
        raise SettingsError("the coordinator has a name and an address")
    recipe = Recipe.of(given["recipe"])
    given["recipe"] = recipe if recipe.start is None else replace(recipe, start=folder / recipe.start)
    given["coordinator"] = Coordinator(**coordinator)
    for name in ("limit", "patience"):
        if name in given:
            given[name] = float(given[name])
    return Plan(**given)


_NUMBER = (int, float)
_KINDS: dict[str, Any] = {
    "rounds": int,
    "heaviest": int,
    "bad_sites": int,
    "group": int,
    "secure_sums": bool,
    "aggregation": str,
    "limit": _NUMBER,
    "patience": _NUMBER,
}
_SAID: dict[Any, str] = {int: "a whole number", bool: "true or false", str: "a text", _NUMBER: "a number"}


def check_names(sites: Collection[str]) -> None:
    """Each is told to people, and is the name of a simulated site's folder."""
    if not all(_NAME.fullmatch(name) for name in sites):
        raise SettingsError("a site's name is up to 60 letters, digits, spaces, dots and dashes")


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refuse_unknown(table: Mapping[str, Any], known: Collection[str], of: str) -> None:
    for name in table:
        if name not in known:
            raise SettingsError(f"{of} has no entry called {name}; it has {', '.join(known)}")
