"""The parts medveil is made of: what an attack, a measure and a defense must offer, and how they register.
What an encoder must offer is told beside the encoders.

A part registers itself with a decorator where it is defined:

    @register_attack
    class PixelSimilarity: ...

Built-in parts are found by importing what stands at the entrance of each folder (`attack.py`, `defense.py`,
`measure.py`, `encoder.py`); parts of other packages by the entry points `medveil.attacks`, `medveil.measures`,
`medveil.defenses` and `medveil.encoders`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, runtime_checkable

from medveil.finding import Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from medveil.cohort import Cohort
    from medveil.person.person import Person


@dataclass(frozen=True)
class Guarantee:
    """What a defense promises: by proof (`formal`), by measurement (`measured`), or nothing (`none`)."""

    kind: Literal["formal", "measured", "none"]
    statement: str


@dataclass
class Record:
    """One image on its way through the defenses. `done` counts what was changed, by a fixed phrase.

    `person` is whom it is about, as the original tells it: the row itself loses its true ids on the way.
    """

    row: dict[str, Any]
    image: NDArray[np.unsignedinteger[Any]]
    person: Person
    done: dict[str, int] = field(default_factory=dict)

    def note(self, what: str, count: int = 1) -> None:
        self.done[what] = self.done.get(what, 0) + count


class Attack(Protocol):
    """What an adversary gains from a cohort. A `baseline` is the least one will try: passing it proves little."""

    name: str
    baseline: bool

    def run(self, cohort: Cohort, *, seed: int) -> Finding: ...


@runtime_checkable
class KnowsOriginals(Protocol):
    """An attack whose adversary also holds something of the originals that is not released, such as the reports.

    Row i of `released` and of `originals` is the same image, after the defenses and before them.
    """

    def run_on_release(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding: ...


class Measure(Protocol):
    """What a cohort is still good for."""

    name: str

    def run(self, cohort: Cohort, *, seed: int) -> Finding: ...


class Defense(Protocol):
    """Changes one record after another; raises `Quarantined` for what it cannot make safe.

    `covers` names the places (headers, records, pixels, reports) this defense answers for; a release
    whose defenses leave a place uncovered cannot pass. `order` says where in the chain it stands.
    """

    name: str
    title: str
    covers: tuple[str, ...]
    order: int
    guarantee: Guarantee
    limits: tuple[str, ...]

    def apply(self, record: Record) -> Record: ...


Kind = Literal["attacks", "measures", "defenses", "encoders"]
_HOMES: dict[Kind, str] = {
    "attacks": "medveil.attacks",
    "measures": "medveil.utility",
    "defenses": "medveil.defenses",
    "encoders": "medveil.encoders",
}
_REGISTRY: dict[Kind, dict[str, type[Any]]] = {kind: {} for kind in _HOMES}

T = TypeVar("T")


def _register(kind: Kind) -> Callable[[type[T]], type[T]]:
    def register(part: type[T]) -> type[T]:
        name = part.name  # type: ignore[attr-defined]
        known = _REGISTRY[kind].setdefault(name, part)
        if known is not part:
            raise ValueError(f"two {kind} call themselves {name!r}")
        return part

    return register


register_attack = _register("attacks")
register_measure = _register("measures")
register_defense = _register("defenses")
register_encoder = _register("encoders")


@cache
def _discover(kind: Kind) -> None:
    home = importlib.import_module(_HOMES[kind])
    for found in pkgutil.iter_modules(home.__path__, prefix=f"{home.__name__}."):
        entrance = f"{found.name}.{kind.removesuffix('s')}" if found.ispkg else found.name
        if find_spec(entrance):
            importlib.import_module(entrance)
    for entry in entry_points(group=f"medveil.{kind}"):
        entry.load()


def registered(kind: Kind) -> dict[str, type[Any]]:
    """Every part of this kind by name, in name order."""
    _discover(kind)
    return dict(sorted(_REGISTRY[kind].items()))
