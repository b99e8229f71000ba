"""`attack`: all attackers on films whose patients nobody has learned from; `cross_fitted`: the same within one release.

Every attacker compares in two ways: the defended film with other defended films (dd), and with other films'
originals (do), as somebody could who holds originals of the same people. Films of the same visit never count.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from medveil.attacks.identity.adversaries.attacked import ATTACKERS, MODES, Attacked, Doubles, joined
from medveil.attacks.identity.adversaries.effort import Effort, effort_of
from medveil.attacks.identity.adversaries.films import Films, check_disjoint, on_device
from medveil.attacks.identity.adversaries.matching import Contest, Found
from medveil.attacks.identity.adversaries.originals import Originals, learn_originals
from medveil.attacks.identity.adversaries.recognisers import Recogniser, Recognisers, load_recognisers
from medveil.attacks.identity.adversaries.restoration import Restoring, restore
from medveil.attacks.identity.adversaries.retrained import Retraining, retrain
from medveil.errors import NotMeasurable, SettingsError
from medveil.runtime.side_by_side import heeding, side_by_side

__all__ = ["ATTACKERS", "MODES", "attack", "cross_fitted"]

Progress = Callable[[int, int], None]  # steps done, of how many


def attack(
    fit: Films,
    target: Films,
    *,
    effort: str | int | Effort = "small",
    device: str = "cpu",
    seed: int = 0,
    progress: Progress | None = None,
    keep: Path | None = None,
    recognisers: Recognisers | None = None,
    attackers: Sequence[str] = ATTACKERS,
) -> Attacked:
    """Attack `target` with what the patients of `fit` teach.

    `keep` is a folder for the state of training, from which a killed run goes on; other runs may share it. It tells of
    patients, so only its owner may read it. `recognisers` are the networks to start from, loaded once for many calls.
    Without a network of another architecture, the attacker `other` is left out.
    """
    known = recognisers or load_recognisers(device=device)
    return _attacked(fit, target, effort, device, seed, _Steps(progress), keep, known, attackers)


def _attacked(
    fit: Films,
    target: Films,
    effort: str | int | Effort,
    device: str,
    seed: int,
    steps: _Steps,
    keep: Path | None,
    known: Recognisers,
    attackers: Sequence[str],
) -> Attacked:
    check_disjoint(fit, target)
    if unknown := set(attackers) - set(ATTACKERS):
        raise SettingsError(f"there is no attacker called {min(unknown)}; choose from {', '.join(ATTACKERS)}")
    if target.returning == 0 or len(np.unique(target.patients)) < 2:
        raise NotMeasurable("no patient has films of two visits, or there is one patient only: nobody to recognise")
    tries = effort_of(effort, device).on(len(fit))
    work = _Attack(fit, target, tries, device, seed, keep, known, steps)
    return work.run([name for name in ATTACKERS if name in attackers])


def cross_fitted(
    films: Films,
    *,
    effort: str | int | Effort = "small",
    device: str = "cpu",
    seed: int = 0,
    progress: Progress | None = None,
    keep: Path | None = None,
    recognisers: Recognisers | None = None,
    attackers: Sequence[str] = ATTACKERS,
) -> Attacked:
    """Patients of one half teach the attackers, those of the other are attacked, and the reverse."""
    half = halves(films, seed=seed)
    known = recognisers or load_recognisers(device=device)
    rows = [np.flatnonzero(half == number) for number in (0, 1)]
    steps = _Steps(progress)

    def attacked(number: int) -> Attacked:
        fit, target = films.take(half != number), films.take(rows[number])
        return _attacked(fit, target, effort, device, seed, steps, keep, known, attackers)

    parts = side_by_side([partial(attacked, number) for number in (0, 1)], workers=_at_once(device))
    return joined(parts, rows)


def halves(films: Films, *, seed: int) -> np.ndarray:
    """0 or 1 for every film, the same for all of a patient; as many returning patients in either half as can be."""
    patients, codes = np.unique(films.patients, return_inverse=True)
    visits = np.unique(np.stack([codes, films.visit_codes], 1), axis=0)[:, 0]
    often = np.bincount(visits, minlength=len(patients)) > 1
    if often.sum() < 2:
        raise NotMeasurable(
            "fewer than two patients have films of two visits, and the attackers learn from one to attack another"
        )
    order = np.lexsort((np.random.default_rng([seed, 13]).permutation(len(patients)), ~often))
    half = np.empty(len(patients), dtype=np.intp)
    half[order] = np.arange(len(patients)) % 2
    return half[codes]


def _at_once(device: str) -> int | None:
    """Attackers side by side share the cores; on an accelerator they would share its memory."""
    return None if torch.device(device).type == "cpu" else 1


class _Attack:
    """One target, attacked by all."""

    def __init__(
        self,
        fit: Films,
        target: Films,
        effort: Effort,
        device: str,
        seed: int,
        keep: Path | None,
        known: Recognisers,
        steps: _Steps,
    ) -> None:
        self.fit, self.target, self.effort, self.device, self.seed = fit, target, effort, device, seed
        self.keep, self.known, self.steps = keep, known, steps
        self.contest = Contest(target, device)
        self.defended = on_device(target.defended, device)
        self.changed = any(not np.array_equal(films.defended, films.original) for films in (fit, target))

    def run(self, attackers: list[str]) -> Attacked:
        if self.known.other is None:
            attackers = [name for name in attackers if name != "other"]
        learns = "retrained" in attackers or "restored" in attackers
        if self.changed:
            self.steps.expect(self.effort.steps * ("retrained" in attackers))
            self.steps.expect(self.effort.restoring_steps * ("restored" in attackers))
        originals = self._originals() if learns else None
        tries = [partial(self._tried, name, originals) for name in attackers]
        each = dict(zip(attackers, side_by_side(tries, workers=_at_once(self.device)), strict=True))
        found = {name: one for name, (one, _) in each.items()}
        table = self.target.table
        return Attacked(
            patients=self.target.patients,
            hits={(name, mode): getattr(each, mode) for name, each in found.items() for mode in MODES},
            cmc={name: each.cmc for name, each in found.items()},
            own={name: each.own for name, each in found.items()},
            chance=self.contest.chance(),
            undefended={name: seen for name, (_, seen) in each.items()},
            control=None if table is None else self.contest.first_among(torch.from_numpy(table).to(self.device)),
            learned_from=(len(np.unique(self.fit.patients)), self.fit.returning),
            together={name: each.together for name, each in found.items()} if self.target.told else {},
        )

    def _tried(self, name: str, originals: Originals | None) -> tuple[Found, Doubles]:
        """What an attacker finds, and what they can do where nothing is defended."""
        if name == "frozen":
            return self._as_it_is(self.known.pair)
        if name == "other":
            assert self.known.other is not None
            return self._as_it_is(self.known.other)
        assert originals is not None
        return self._learned(name, originals), self._undefended(originals.of(self.target))

    def _as_it_is(self, recogniser: Recogniser) -> tuple[Found, Doubles]:
        originals = recogniser.originals(self.target)
        queries = recogniser.vectors(self.defended)
        return self.contest.found(queries, queries, originals), self._undefended(originals)

    def _undefended(self, originals: Tensor) -> Doubles:
        return self.contest.first_among(originals, content=self.contest.original)

    def _learned(self, name: str, originals: Originals) -> Found:
        if not self.changed:  # nothing to get used to, and nothing to restore
            vectors = originals.of(self.target)
            return self.contest.found(vectors, vectors, vectors)
        return self._retrained(originals) if name == "retrained" else self._restored(originals)

    def _retrained(self, originals: Originals) -> Found:
        bank = originals.of(self.fit)
        films = on_device(self.fit.defended, self.device)
        trainee = Retraining(
            originals.start(), films, self.fit.patients, bank, self.effort, device=self.device, seed=self.seed
        )
        trained = retrain(trainee, self.keep, self.steps.of_one())
        queries = trained.vectors(self.defended)
        return self.contest.found(queries, queries, trained.originals(originals.of(self.target)))

    def _restored(self, originals: Originals) -> Found:
        defended, original = (on_device(each, self.device) for each in (self.fit.defended, self.fit.original))
        judge = originals.start() if self.effort.likeness else None
        trainee = Restoring(defended, original, judge, self.effort, device=self.device, seed=self.seed)
        trained = restore(trainee, self.keep, self.steps.of_one())
        queries = originals.vectors(trained.films(self.defended))
        return self.contest.found(queries, queries, originals.of(self.target))

    def _originals(self) -> Originals:
        return learn_originals(
            self.known,
            self.fit,
            self.effort,
            seed=self.seed,
            keep=self.keep,
            expect=self.steps.expect,
            progress=self.steps.of_one(),
        )


class _Steps:
    """Steps of all networks that learn, told as they are done."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress, self._total, self._done = heeding(progress or _silent), 0, 0
        self._counting = threading.Lock()

    def expect(self, steps: int) -> None:
        with self._counting:
            self._total += steps

    def of_one(self) -> Callable[[dict[str, Any]], None]:
        """What one network in training tells."""
        last = 0

        def told(line: dict[str, Any]) -> None:
            nonlocal last
            with self._counting:
                self._done += int(line["step"]) - last
                last = int(line["step"])
                self._progress(self._done, self._total)

        return told


def _silent(done: int, total: int) -> None: ...
