"""The privacy ledger: what runs on the same people have cost together, and no run that would exceed the budget.

Accounts are kept by patient: a data set with one image more, or half of it, is the same people. What a run costs with
those before it is the most that it costs any patient who takes part. A run is booked whole before its first step, so a
killed run can never have cost more than the ledger says; when it goes on, or is found finished, it is not booked again.
The file is for its owner only. Patients stand in it as hashes under a key that lies in the same file: nobody reads an
id by accident, but whoever has the file and a list of ids can tell who took part.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator
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

FORMAT = "medveil.ledger/2"
BY_FILES = "medveil.ledger/1"
KEY = 32  # bytes
ROWS = 4096  # hashed at a time


class BudgetSpent(MedveilError):
    """A run that would cost more privacy than its people have left."""


class _CountsFiles(InputError):
    """A ledger of the first version."""


@dataclass(frozen=True)
class Budget:
    """The most that all runs on the same people may cost together."""

    epsilon: float
    delta: float
    unit: Unit

    def __post_init__(self) -> None:
        if not (self.epsilon > 0 and 0 < self.delta < 1):
            raise SettingsError("a privacy budget needs a positive epsilon and a delta between 0 and 1")


@dataclass(frozen=True)
class Ledger:
    """The accounts of these people in a ledger file. `people` are the ids of the patients who are trained on."""

    path: Path
    people: frozenset[str]
    budget: Budget

    @classmethod
    def of(cls, path: Path, people: Iterable[Any], budget: Budget) -> Ledger:
        """Ids however they are written: 00012, 12 and 12.0 are one patient. Two taken for one are charged too much; one
        taken for two would be charged too little."""
        return cls(path, frozenset(map(one_spelling, people)), budget)

    def __post_init__(self) -> None:
        if not self.people or "" in self.people:
            raise SettingsError("a ledger needs the id of every patient who is trained on, none of them empty")

    def book(self, run: str, spending: Spending) -> float:
        """Enter a run before it starts, once; returns what has been spent with it, or refuses."""
        with self._locked():
            book = self._read()
            runs, accounts = book["runs"], book["patients"]
            known = runs.get(run)
            if known is not None and Spending(**known["spending"]) != spending:
                raise SettingsError("this run is in the ledger with other settings; start a new run")
            self._same_budget(book)
            mine = self._hashes(book)
            if known is None:
                self._fitting(book, spending)
                runs[run] = {"spending": asdict(spending), "budget": asdict(self.budget)}
            missing = [one for one in mine if run not in accounts.setdefault(one, [])]
            if known is not None and missing:
                raise SettingsError("this run is in the ledger with other patients; start a new run")
            for one in missing:
                accounts[one].append(run)
            if missing:
                write_bytes(self.path, (json.dumps(book, indent=1) + "\n").encode(), private=True)
            return self._most(book)

    def spent(self) -> float:
        """ε of all runs so far, of the patient here who took part in most."""
        book = self._read()
        self._same_budget(book)
        return self._most(book)

    def spent_with(self, more: Spending) -> float:
        """What `spent` would be after so much more; nothing is booked."""
        book = self._read()
        self._same_budget(book)
        return self._most(book, more)

    def _most(self, book: dict[str, Any], *more: Spending) -> float:
        runs = {name: Spending(**entry["spending"]) for name, entry in book["runs"].items()}
        histories = {tuple(sorted(book["patients"].get(one, ()))) for one in self._hashes(book)}
        return max(epsilon([*(runs[name] for name in names), *more], self.budget.delta) for names in histories)

    def _fitting(self, book: dict[str, Any], spending: Spending) -> None:
        total = self._most(book, spending)
        if total > self.budget.epsilon:
            left = self._most(book)
            raise BudgetSpent(
                f"this run would bring the privacy spent on one of its patients from ε = {left:.3g} to {total:.3g},"
                f" over its budget of {self.budget.epsilon:.3g}; nothing was trained; ask for a smaller epsilon"
            )

    def _same_budget(self, book: dict[str, Any]) -> None:
        taken = {name for one in self._hashes(book) for name in book["patients"].get(one, ())}
        for name in sorted(taken):
            other = book["runs"][name]["budget"]
            if other != asdict(self.budget):
                raise SettingsError(
                    f"{self.path} keeps another budget for some of these patients (ε = {other['epsilon']:g}"
                    f" at δ = {other['delta']:g} by {other['unit']}); use that one"
                )

    def _hashes(self, book: dict[str, Any]) -> list[str]:
        key = bytes.fromhex(book["key"])
        return [hashlib.blake2b(one.encode(), key=key, digest_size=16).hexdigest() for one in sorted(self.people)]

    def _read(self) -> dict[str, Any]:
        try:
            book = json.loads(self.path.read_text())
            if book["format"] == BY_FILES:
                raise _CountsFiles(
                    f"{self.path} counts by data set, not by patient, so it cannot be carried over; name a new"
                    " ledger with --ledger, and a budget less what was spent"
                )
            if book["format"] != FORMAT or len(bytes.fromhex(book["key"])) != KEY:
                raise ValueError
            for entry in book["runs"].values():
                Budget(**entry["budget"])
                Spending(**entry["spending"])
            if not {name for names in book["patients"].values() for name in names} <= set(book["runs"]):
                raise ValueError
        except FileNotFoundError:
            return {"format": FORMAT, "key": secrets.token_hex(KEY), "runs": {}, "patients": {}}
        except _CountsFiles:
            raise
        except (OSError, ValueError, KeyError, TypeError, AttributeError, MedveilError):
            raise InputError(
                f"{self.path} is not a readable privacy ledger of this version; restore it from a copy, since without"
                " it runs do not add up"
            ) from None
        return dict(book)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with told():
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.with_name(f".{self.path.name}.lock"), wait=True):
            yield


def one_spelling(patient: Any) -> str:
    """An id as it is compared."""
    plain = str(patient).strip().casefold()
    number = plain.removesuffix(".0")  # what a spreadsheet makes of a number
    return (number.lstrip("0") or "0") if number.isdecimal() else plain


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
