"""The privacy ledger: what runs on a data set have cost together, and no run that would exceed the budget.

A run is booked whole before its first step, so a killed run can never have cost more than the ledger says; when it goes
on it is not booked again. The file is for its owner only: hashes of the data in it would tell someone who knows all
but one patient who the last one is.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.alignment.accounting import Spending, epsilon
from medveil.defenses.alignment.settings import Unit
from medveil.errors import InputError, MedveilError, SettingsError
from medveil.runtime.locks import locked
from medveil.runtime.storage import told, write_bytes

FORMAT = "medveil.ledger/1"
ROWS = 4096  # hashed at a time


class BudgetSpent(MedveilError):
    """A run that would cost more privacy than the data set has left."""


@dataclass(frozen=True)
class Budget:
    """The most all runs on a data set may cost together."""

    epsilon: float
    delta: float
    unit: Unit

    def __post_init__(self) -> None:
        if not (self.epsilon > 0 and 0 < self.delta < 1):
            raise SettingsError("a privacy budget needs a positive epsilon and a delta between 0 and 1")


@dataclass(frozen=True)
class Ledger:
    """The account of one data set in a ledger file. `data` is a hash (see `fingerprint`), never a name."""

    path: Path
    data: str
    budget: Budget

    def book(self, run: str, spending: Spending) -> float:
        """Enter a run before it starts, once; returns what has been spent with it, or refuses."""
        with self._locked():
            book = self._read()
            account = book["data"].setdefault(self.data, {"budget": asdict(self.budget), "runs": {}})
            self._same_budget(account)
            runs = {name: Spending(**entry) for name, entry in account["runs"].items()}
            if run in runs:
                if runs[run] != spending:
                    raise SettingsError("this run is in the ledger with other settings; start a new run")
                return epsilon(list(runs.values()), self.budget.delta)
            total = self._fitting(list(runs.values()), spending)
            account["runs"][run] = asdict(spending)
            write_bytes(self.path, (json.dumps(book, indent=1) + "\n").encode(), private=True)
            return total

    def spent(self) -> float:
        """ε of all runs so far."""
        account = self._read()["data"].get(self.data)
        if account is None:
            return 0.0
        self._same_budget(account)
        return epsilon([Spending(**entry) for entry in account["runs"].values()], self.budget.delta)

    def _fitting(self, before: list[Spending], spending: Spending) -> float:
        total = epsilon([*before, spending], self.budget.delta)
        if total > self.budget.epsilon:
            left = epsilon(before, self.budget.delta)
            raise BudgetSpent(
                f"this run would bring the privacy spent on this data from ε = {left:.3g} to {total:.3g}, over its"
                f" budget of {self.budget.epsilon:.3g}; nothing was trained; ask for a smaller epsilon"
            )
        return total

    def _same_budget(self, account: dict[str, Any]) -> None:
        if account["budget"] != asdict(self.budget):
            raise SettingsError(
                f"{self.path} keeps another budget for this data (ε = {account['budget']['epsilon']:g}"
                f" at δ = {account['budget']['delta']:g} by {account['budget']['unit']}); use that one"
            )

    def _read(self) -> dict[str, Any]:
        try:
            book = json.loads(self.path.read_text())
            if book["format"] != FORMAT:
                raise ValueError
            for account in book["data"].values():
                Budget(**account["budget"])
                for entry in account["runs"].values():
                    Spending(**entry)
        except FileNotFoundError:
            return {"format": FORMAT, "data": {}}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, MedveilError):
            raise InputError(
                f"{self.path} is not a readable privacy ledger; restore it from a copy, since without it runs do"
                " not add up"
            ) from None
        return dict(book)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with told():
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.with_name(f".{self.path.name}.lock"), wait=True):
            yield


def fingerprint(*arrays: NDArray[Any], key: bytes = b"") -> str:
    """A hash of arrays, block by block; with the site's key it tells others nothing."""
    digest = hashlib.blake2b(key=key[:64], digest_size=20)
    for array in arrays:
        digest.update(f"{array.shape}{array.dtype.str}".encode())
        for start in range(0, len(array), ROWS):
            digest.update(np.ascontiguousarray(array[start : start + ROWS]).data)
    return digest.hexdigest()


def default_ledger_file() -> Path:
    """Where the site's ledger lives unless the user names another place: beside the site's key."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "medveil" / "privacy-ledger.json"
