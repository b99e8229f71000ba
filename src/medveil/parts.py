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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, runtime_checkable

from medveil.errors import Quarantined
from medveil.finding import Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydicom.dataset import FileDataset

    from medveil.cohort import Cohort
    from medveil.person.person import Person


@dataclass(frozen=True)
class Guarantee:
    """What a defense promises, and by what right.

    `formal`: a theorem, with its unit and its assumptions. `by construction`: the thing is not there any more.
    `measured`: a figure with an interval. `none`: nothing is promised.
    """

    kind: Literal["formal", "by construction", "measured", "none"]
    statement: str


@dataclass
class Subject:
    """One thing of one person on its way through the defenses: a DICOM file, an image with its report and its row,
    a text, or a row of a table. What it has none of is None.

    `person` is whom it is about, as the originals tell it: the subject itself loses its true ids on the way.
    A `phrase` is a text of a few words without a sentence around them.
    """

    person: Person
    dataset: FileDataset | None = None
    picture: NDArray[np.unsignedinteger[Any]] | None = None  # rows x columns as displayed, or x 3 in colour
    text: str | None = None
    row: dict[str, Any] | None = None
    phrase: bool = False
    done: dict[str, dict[str, int]] = field(default_factory=dict)  # by defense, what was done, by a fixed phrase
    masked: list[float] = field(default_factory=list)  # percent of each frame that was painted over
    at_work: str = ""  # the defense that notes
    places: tuple[str, ...] = ()  # of the defenses that were begun; one that does not finish raises

    def begin(self, defense: Defense) -> None:
        """What is noted from here on was done by this defense."""
        self.places = (*self.places, defense.place)
        self.at_work = defense.name
        self.done.setdefault(defense.name, {})

    def note(self, what: str, count: int = 1) -> None:
        notes = self.done.setdefault(self.at_work, {})
        notes[what] = notes.get(what, 0) + count


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
    """Takes what identifies people out of one subject after another; raises `Quarantined` for what it cannot make safe.

    Made as `Part(keys, settings)`, of the keys of the site and its own frozen `Settings`. It changes those parts of a
    subject that are its business and leaves the others alone; it keeps nothing of a subject, for several may be under
    way at once. `place` is what it answers for (headers, table, pixels, reports, or one of its own); a release whose
    defenses leave one of the first four uncovered cannot pass. `order` says where in the chain it stands, `default`
    whether it runs unasked.
    """

    name: str
    title: str
    place: str
    order: int
    default: bool
    guarantee: Guarantee
    limits: tuple[str, ...]

    def apply(self, subject: Subject) -> Subject: ...


@runtime_checkable
class InBatches(Protocol):
    """A defense that is faster on several subjects at once; the reason stands in place of one that is withheld."""

    def apply_many(self, subjects: Sequence[Subject]) -> list[Subject | Quarantined]: ...


@runtime_checkable
class ChecksModels(Protocol):
    """A defense that works with a model of the user's: it raises where that is missing or does not work."""

    def check_models(self) -> None: ...


@runtime_checkable
class UsesOthers(Protocol):
    """A defense that leaves part of its work to others of the chain, such as the free text in headers."""

    def meet(self, others: Sequence[Defense]) -> None: ...


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
