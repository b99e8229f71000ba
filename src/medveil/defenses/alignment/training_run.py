"""The state of a training run on disk, so that a killed run goes on and ends with the same heads.

Only the heads and the record are for others. `run.json` and the checkpoint are for their owner: they hold the seed and
hashes of the data. When the run is done the checkpoint is removed and the seed forgotten.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from medveil.defenses.alignment.heads import Heads
from medveil.errors import InputError, SettingsError
from medveil.runtime.storage import sweep, write_bytes, write_json

FORMAT = "medveil.alignment/1"
HEADS, RECORD = "heads.safetensors", "record.json"
_RUN, _CHECKPOINT = "run.json", "checkpoint.safetensors"
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")


@dataclass
class TrainingRun:
    """One run in its folder: whose inputs it has, its name in the ledger, its seed while it is not done."""

    folder: Path
    inputs: str
    name: str
    seed: int | None

    @classmethod
    def open(cls, folder: Path, inputs: str, seed: int | None) -> TrainingRun:
        """Begin a run, or find the one of the same inputs that was begun here."""
        sweep(folder)
        if not (folder / _RUN).exists():
            drawn = secrets.randbits(128) if seed is None else _for_inputs(seed, inputs)
            state = cls(folder, inputs, secrets.token_hex(8), drawn)
            state._write()
            return state
        try:
            found = json.loads((folder / _RUN).read_text())
            if found.pop("format") != FORMAT:
                raise ValueError
            state = cls(folder, **found)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise InputError(f"{folder} holds a run that cannot be read; choose an empty folder") from None
        if state.inputs != inputs:
            raise SettingsError(f"{folder} holds a run with other data or settings; choose an empty folder")
        return state

    @property
    def done(self) -> bool:
        return self.seed is None

    def keep(self, heads: Heads, optimiser: torch.optim.Optimizer, step: int) -> None:
        """Everything the next step needs, as one file."""
        tensors = {f"heads.{name}": value.detach() for name, value in heads.state_dict().items()}
        for number, parameter in enumerate(heads.parameters()):
            moments = optimiser.state[parameter]
            tensors |= {f"{moment}.{number}": moments[moment] for moment in _MOMENTS}
        write_bytes(self.folder / _CHECKPOINT, save(tensors, {"run": self.name, "step": str(step)}), private=True)

    def restore(self, heads: Heads, optimiser: torch.optim.Optimizer) -> int:
        """Put back what `keep` wrote; returns the step to go on with."""
        path = self.folder / _CHECKPOINT
        if not path.exists():
            return 0
        try:
            with safe_open(path, "pt") as file:
                metadata = file.metadata()
                tensors: dict[str, Tensor] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if metadata["run"] != self.name:
                raise ValueError
            heads.load_state_dict({name: tensors[f"heads.{name}"] for name in heads.state_dict()})
            for number, parameter in enumerate(heads.parameters()):
                optimiser.state[parameter] = {moment: tensors[f"{moment}.{number}"] for moment in _MOMENTS}
            return int(metadata["step"])
        except (OSError, SafetensorError, ValueError, KeyError, TypeError, RuntimeError):
            raise InputError(f"the checkpoint in {self.folder} cannot be read; choose an empty folder") from None

    def abandon(self) -> None:
        """Leave nothing of a run that was refused before its first step."""
        (self.folder / _RUN).unlink(missing_ok=True)

    def finish(self, heads: Heads, record: dict[str, Any]) -> None:
        """Write what is for others, then forget the rest."""
        heads.save(self.folder / HEADS)
        self.tell(record)
        self.seed = None
        self._write()
        (self.folder / _CHECKPOINT).unlink(missing_ok=True)

    def tell(self, record: dict[str, Any]) -> None:
        """Write how the heads came about, in the place of what was told before."""
        write_json(self.folder / RECORD, record)

    def result(self) -> tuple[Heads, dict[str, Any]]:
        """What a finished run left."""
        try:
            record = json.loads((self.folder / RECORD).read_text())
        except (OSError, ValueError):
            raise InputError(f"{self.folder / RECORD} is missing or broken; train again in an empty folder") from None
        return Heads.load(self.folder / HEADS), record

    def _write(self) -> None:
        content = {"format": FORMAT, "inputs": self.inputs, "name": self.name, "seed": self.seed}
        write_bytes(self.folder / _RUN, (json.dumps(content) + "\n").encode(), private=True)


def _for_inputs(seed: int, inputs: str) -> int:
    """One seed for every run a caller gives the same seed: noise used twice could be subtracted."""
    return int.from_bytes(hashlib.blake2b(f"{seed} {inputs}".encode(), digest_size=16).digest())
