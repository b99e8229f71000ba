"""What a coordinator keeps of a run, and can show: rounds, who took part, bytes, what sites chose to tell; the weights.

Each round is saved before the next begins: first the weights under the round's own name, then the record that names
them, so that a killed coordinator goes on from a round that is whole.
"""

from __future__ import annotations

import io
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError
from medveil.federated.refusals import REFUSALS
from medveil.runtime.storage import sha256_of, sweep, write_bytes, write_json

FORMAT = "medveil.federation-record/1"
FILE, MODEL = "federation.json", "model.safetensors"
MEMORY = "memory-"  # of an array beside the weights
State = Literal["waiting", "training", "finished", "ended"]
Arrays = list[NDArray[np.float32]]


@dataclass
class SiteRecord:
    """A site as the coordinator knows it. `why` is a code of `REFUSALS`; `epsilon` only where the site tells it."""

    present: bool = False
    why: str = ""
    version: str = ""
    bytes_sent: int = 0  # by the site
    bytes_received: int = 0
    epsilon: float | None = None
    told_the_end: bool = False


@dataclass(frozen=True)
class RoundRecord:
    """A round that is over, with or without a result."""

    number: int
    took_part: tuple[str, ...]
    set_aside: dict[str, str]  # site: code of `REFUSALS`, or absent
    bytes_sent: dict[str, int]  # by each site
    bytes_received: dict[str, int]
    seconds: float
    counted: bool = True


@dataclass
class Record:
    """All of it; `session` is the last secure sum that was begun, and none is begun twice."""

    plan: str
    title: str
    rounds: int
    secure_sums: bool
    aggregation: str
    sites: dict[str, SiteRecord]
    state: State = "waiting"
    why: str = ""
    session: int = 0
    weights: str = ""  # file of the last whole round
    weights_sha256: str = ""
    history: list[RoundRecord] = field(default_factory=list)

    @property
    def round(self) -> int:
        """Rounds that are over."""
        return len(self.history)

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "round": self.round, **asdict(self)}

    def in_words(self, *, at_work: bool = True) -> list[str]:
        """For `medveil federated status`."""
        how = {
            "waiting": "waiting for sites" if at_work else "stopped",
            "training": "training" if at_work else "stopped",
            "finished": "finished",
            "ended": "ended before its last round",
        }[self.state]
        lines = [
            f"{self.title}: {how}{f', {self.why}' if self.why else ''}; round {self.round} of {self.rounds}",
        ]
        for name, site in sorted(self.sites.items()):
            told = "" if site.epsilon is None else f", ε = {site.epsilon:.3g} spent"
            here = "present" if site.present else "absent"
            why = f", it {REFUSALS[site.why]}" if site.why in REFUSALS else ""
            lines.append(f"{name}: {here}, {site.bytes_sent:,} bytes sent{told}{why}")
        return lines


def save(folder: Path, record: Record, shared: Arrays | None = None, memory: Arrays | None = None) -> None:
    """With new weights after a round, and what is remembered for the next; without, the record alone."""
    before = record.weights
    if shared is not None:
        record.weights = f"weights-{record.round:06}.npz"
        file = io.BytesIO()
        parts: dict[str, Any] = {f"{place:06}": one for place, one in enumerate(shared)}
        parts |= {f"{MEMORY}{place:06}": one for place, one in enumerate(memory or [])}
        np.savez(file, **parts)
        write_bytes(folder / record.weights, file.getvalue())
        record.weights_sha256 = sha256_of(folder / record.weights)
    write_json(folder / FILE, record.to_json())
    if before and before != record.weights:
        (folder / before).unlink(missing_ok=True)


def read_record(folder: Path) -> Record:
    try:
        held = json.loads((folder / FILE).read_text())
        if held.pop("format") != FORMAT:
            raise ValueError
        held.pop("round")
        held["sites"] = {name: SiteRecord(**site) for name, site in held["sites"].items()}
        held["history"] = [RoundRecord(**one | {"took_part": tuple(one["took_part"])}) for one in held["history"]]
        return Record(**held)
    except FileNotFoundError:
        raise InputError(
            f"{folder} holds no federation; name the folder that `medveil federated coordinate` wrote"
        ) from None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise InputError(f"{folder / FILE} is not a readable record of a federation") from None


def read_weights(folder: Path, record: Record) -> Arrays:
    """Of the last whole round; refused where they are not the ones of the record."""
    return [one for name, one in _read(folder, record).items() if not name.startswith(MEMORY)]


def read_memory(folder: Path, record: Record) -> Arrays:
    """Of the same round: momentum's, or AdamW's; empty before the first, and without either."""
    if not record.weights:
        return []
    return [one for name, one in _read(folder, record).items() if name.startswith(MEMORY)]


def _read(folder: Path, record: Record) -> dict[str, NDArray[np.float32]]:
    sweep(folder)
    path = folder / record.weights
    try:
        if sha256_of(path) != record.weights_sha256:
            raise ValueError
        with np.load(path) as kept:
            return {name: kept[name] for name in sorted(kept.files)}
    except (OSError, ValueError):
        raise InputError(f"{path} is damaged or missing; restore it, or begin in an empty folder") from None
