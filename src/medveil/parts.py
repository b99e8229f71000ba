"""The parts medveil is made of: what an attack, a measure and a defense must offer, how they register and are chosen.
What an encoder must offer is told beside the encoders.

A part registers itself with a decorator where it is defined:

    @register_attack
    class PixelSimilarity:
        Settings = ...  # a frozen dataclass in which every field has a default; left out, there is nothing to set
        default = True  # runs unasked; left out, it does
        place = "anatomy"  # what it is about, see PLACES; left out, nothing is said

        def __init__(self, settings: Settings = Settings(), device: str = "cpu") -> None: ...

It is made with what its constructor asks for by name: `settings`, `device` (cpu or cuda), of an attack or a measure
`progress` (called with how much is done, and of how much), of a defense `keys`.

Built-in attacks and measures of a release run side by side in threads, unless their settings say that they must run
`alone`. Parts of other packages always do.

Built-in parts are found by importing what stands at the entrance of each folder (`attack.py`, `defense.py`,
`measure.py`, `encoder.py`), which loads no heavy library; parts of other packages by the entry points
`medveil.attacks`, `medveil.measures`, `medveil.defenses` and `medveil.encoders`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, runtime_checkable

from medveil.errors import Quarantined, SettingsError
from medveil.part_settings import (
    NoSettings,
    changed,
    described,
    read_text,
    settings_class,
    split_name,
    to_json,
    write_text,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydicom.dataset import FileDataset

    from medveil.cohort import Cohort
    from medveil.finding import Finding
    from medveil.person.person import Person


Box = tuple[int, int, int, int]


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
    A `phrase` is a text of a few words without a sentence around them. `choices` are what a person decided about the
    pixels, by frame (`medveil.defenses.pixels.choices`); boxes are (left, top, right, bottom) in pixels.
    """

    person: Person
    dataset: FileDataset | None = None
    picture: NDArray[np.unsignedinteger[Any]] | None = None  # rows x columns as displayed, or x 3 in colour
    text: str | None = None
    row: dict[str, Any] | None = None
    phrase: bool = False
    done: dict[str, dict[str, int]] = field(default_factory=dict)  # by defense, what was done, by a fixed phrase
    choices: Mapping[int, Any] = field(default_factory=dict)
    header: FileDataset | None = None  # of the DICOM file that the picture was read from, if it was from one
    masked: list[float] = field(default_factory=list)  # percent of each frame that was painted over
    painted: list[tuple[Box, ...]] = field(default_factory=list)  # where in each frame that was
    doubtful: list[tuple[Box, ...]] = field(default_factory=list)  # what may be text there, and was let stay
    at_work: str = ""  # the defense that notes
    draw: int = 0  # which of several draws of one image it is (`DrawsSeveral`), from 0
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
    """What an adversary gains from released data. A `baseline` is the least one will try: passing it proves little.

    Row i of `released` and of `originals` is the same image, after the defenses and before them: the adversary may
    hold something of the originals that is not released, such as the reports. Data as they are, are attacked by
    giving them as both.

    One that runs unasked, or is no baseline, keeps a release from PASS where it was left out or set weaker than it runs
    unasked (`Weakened`), unless it has nothing to attack there (`AppliesSometimes`) or names, as `covered_by`, another
    that tries all that it does and was run.
    """

    name: str
    baseline: bool

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding: ...


@runtime_checkable
class AppliesSometimes(Protocol):
    """An attack that has nothing to attack in some releases, and says so before it is run."""

    @staticmethod
    def nothing_to_attack(originals: Cohort, defended: frozenset[str]) -> str | None:
        """Why it does not apply to these originals, whose places `defended` were changed; None where it does."""
        ...


@runtime_checkable
class Weakened(Protocol):
    """Settings of an attack that know which of them make it weaker."""

    def weakened(self) -> tuple[str, ...]:
        """The names of what makes it weaker than it runs unasked."""
        ...


@runtime_checkable
class KnownElsewhere(Protocol):
    """An attack of which something can be said even where it cannot be measured."""

    @staticmethod
    def reached_elsewhere() -> str:
        """What it reached on reference data, in a sentence."""
        ...


class Measure(Protocol):
    """What released data are still good for; of the originals, row i is the same image before the defenses."""

    name: str

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding: ...


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
    limits: tuple[str, ...]

    @property
    def guarantee(self) -> Guarantee: ...

    def apply(self, subject: Subject) -> Subject: ...


@runtime_checkable
class InBatches(Protocol):
    """A defense that is faster on several subjects at once; the reason stands in place of one that is withheld."""

    def apply_many(self, subjects: Sequence[Subject]) -> list[Subject | Quarantined]: ...


@runtime_checkable
class DrawsSeveral(Protocol):
    """A defense that can make several images of one; each goes through all defenses, with the number of its draw."""

    @property
    def draws(self) -> int: ...


@runtime_checkable
class RefusesEarly(Protocol):
    """A defense that can tell from the original what it will withhold, before others work on it in vain."""

    def refuse(self, subject: Subject) -> None: ...


@runtime_checkable
class ChecksModels(Protocol):
    """A defense that works with a model of the user's: it raises where that is missing or does not work."""

    def check_models(self) -> None: ...


@runtime_checkable
class UsesOthers(Protocol):
    """A defense that leaves part of its work to others of the chain, such as the free text in headers."""

    def meet(self, others: Sequence[Defense]) -> None: ...


@runtime_checkable
class LetsOut(Protocol):
    """A defense that can be set to let out what it keeps back unasked, and that no attack looks at."""

    @property
    def let_out(self) -> tuple[str, ...]:
        """What that is, in a sentence each; nothing, where it is set as it runs unasked."""
        ...


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

    @property
    def weakened(self) -> tuple[str, ...]:
        """What makes it weaker than it runs unasked; all that was set, where its settings do not know that."""
        return self.settings.weakened() if isinstance(self.settings, Weakened) else changed(self.settings)

    @property
    def alone(self) -> bool:
        """Whether nothing may run beside it: its settings say so, where it draws from the process's own source of
        chance; of a part of another package nobody knows."""
        own = self.part.__module__.startswith(f"{__package__}.")
        return not own or bool(getattr(self.settings, "alone", False))

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
