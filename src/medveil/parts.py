"""The parts medveil is made of: what an attack, a measure and a defense must offer, how they register and are chosen.
What an encoder must offer is told beside the encoders.

A part registers itself with a decorator where it is defined:

    @register_attack
    class PixelSimilarity:
        Settings = ...  # a frozen dataclass in which every field has a default; left out, there is nothing to set
        default = True  # runs unasked; left out, it does
        place = "anatomy"  # what it is about, see PLACES; left out, nothing is said

        def __init__(self, settings: Settings = Settings(), device: str = "cpu") -> None: ...

It is made with what its constructor asks for by name: `settings`, `device` (cpu or cuda) and, of a defense, `keys`.

Built-in parts are found by importing what stands at the entrance of each folder (`attack.py`, `defense.py`,
`measure.py`, `encoder.py`), which loads no heavy library; parts of other packages by the entry points
`medveil.attacks`, `medveil.measures`, `medveil.defenses` and `medveil.encoders`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from medveil.errors import SettingsError
from medveil.part_settings import NoSettings, described, read_text, settings_class, split_name, to_json, write_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from medveil.cohort import Cohort
    from medveil.finding import Finding
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
    """What an adversary gains from released data. A `baseline` is the least one will try: passing it proves little.

    Row i of `released` and of `originals` is the same image, after the defenses and before them: the adversary may
    hold something of the originals that is not released, such as the reports. Data as they are, are attacked by
    giving them as both.
    """

    name: str
    baseline: bool

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding: ...


class Measure(Protocol):
    """What released data are still good for; of the originals, row i is the same image before the defenses."""

    name: str

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding: ...


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
KINDS: tuple[Kind, ...] = ("attacks", "measures", "defenses", "encoders")
PLACES = ("headers", "pixels", "reports", "table", "anatomy", "alignment")  # where people can be recognised
DEFAULT = "default"  # stands for every part that runs unasked
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
        name: str = part.name  # type: ignore[attr-defined]
        if name == DEFAULT or not name or set(name) & set(":,= "):
            raise ValueError(f"a part cannot be called {name!r}")
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
        entrance = f"{found.name}.{kind.removesuffix('s')}"
        if found.ispkg and find_spec(entrance):
            importlib.import_module(entrance)
    for entry in entry_points(group=f"medveil.{kind}"):
        entry.load()


def registered(kind: Kind) -> dict[str, type[Any]]:
    """Every part of this kind by name, in name order."""
    _discover(kind)
    return dict(sorted(_REGISTRY[kind].items()))


def runs_unasked(part: Any) -> bool:
    return bool(getattr(part, "default", True))


def asks_for(part: Any) -> frozenset[str]:
    """What the part's constructor asks for, by name."""
    return frozenset(inspect.signature(part).parameters)


def catalogue(kind: Kind) -> dict[str, dict[str, Any]]:
    """Every part of this kind by name: what it is, and what can be chosen about it."""
    return {
        name: {
            "what": (part.__doc__ or "").strip().partition("\n")[0],
            "default": runs_unasked(part),
            "place": getattr(part, "place", None),
            "devices": ["cpu", "cuda"] if kind == "encoders" or "device" in asks_for(part) else ["cpu"],
            "settings": described(settings_class(part)),
        }
        for name, part in registered(kind).items()
    }


@dataclass(frozen=True)
class Choice:
    """A part by name, with what it is set to. Hashable, and sent to other processes as it is."""

    kind: Kind
    name: str
    settings: Any = field(default_factory=NoSettings)

    @property
    def part(self) -> type[Any]:
        return registered(self.kind)[self.name]

    @property
    def text(self) -> str:
        """As it is typed: the name, and what differs from the defaults."""
        told = write_text(self.settings)
        return f"{self.name}:{told}" if told else self.name

    def to_json(self) -> dict[str, Any]:
        """Everything it is set to, defaults included."""
        return to_json(self.settings)

    def build(self, **given: Any) -> Any:
        """The part at work, made with what its constructor asks for of `settings` and what is given."""
        given["settings"] = self.settings
        wanted = asks_for(self.part)
        return self.part(**{name: value for name, value in given.items() if name in wanted})


def choose(kind: Kind, texts: Iterable[str] = ()) -> tuple[Choice, ...]:
    """The parts that texts such as `anatomy:bits=12` name; `default`, or no text, stands for all that run unasked.

    A part that is named twice is set as the last one says.
    """
    known = registered(kind)
    chosen: dict[str, Choice] = {}
    for text in tuple(texts) or (DEFAULT,):
        name, rest = split_name(text)
        if name == DEFAULT and not rest:
            usual = (each for each, part in known.items() if runs_unasked(part))
            chosen = {each: Choice(kind, each, settings_class(known[each])()) for each in usual} | chosen
            continue
        single = kind.removesuffix("s")
        if name not in known:
            raise SettingsError(f"there is no {single} called {name}; choose from {', '.join(known)}")
        chosen[name] = Choice(kind, name, read_text(settings_class(known[name]), rest, of=f"the {single} {name}"))
    return tuple(chosen.values())
