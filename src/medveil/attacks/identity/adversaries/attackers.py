"""`attack`: all attackers on films whose patients nobody has learned from; `cross_fitted`: the same within one release.

Every attacker compares in two ways: the defended film with other defended films (dd), and with other films'
originals (do), as somebody could who holds originals of the same people. Films of the same visit never count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    check_disjoint(fit, target)
    if unknown := set(attackers) - set(ATTACKERS):
        raise SettingsError(f"there is no attacker called {min(unknown)}; choose from {', '.join(ATTACKERS)}")
    if target.returning == 0 or len(np.unique(target.patients)) < 2:
        raise NotMeasurable("no patient has films of two visits, or there is one patient only: nobody to recognise")
    known = recognisers or load_recognisers(device=device)
    tries = effort_of(effort, device).on(len(fit))
    work = _Attack(fit, target, tries, device, seed, keep, known, _Steps(progress))
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
    parts, rows = [], []
    for number in (0, 1):
        rows.append(np.flatnonzero(half == number))
        told = None if progress is None else _of_two(progress, number)
        part = attack(
            films.take(half != number),
            films.take(rows[-1]),
            effort=effort,
            device=device,
            seed=seed,
            progress=told,
            keep=keep,
            recognisers=known,
            attackers=attackers,
        )
        parts.append(part)
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


class _Attack:
    """One target, attacked by one after the other."""

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
        found: dict[str, Found] = {}
        undefended: dict[str, Doubles] = {}
        for name in attackers:
            if name == "frozen":
                found[name], undefended[name] = self._as_it_is(self.known.pair)
            elif name == "other":
                assert self.known.other is not None
                found[name], undefended[name] = self._as_it_is(self.known.other)
            else:
                assert originals is not None
                found[name] = self._learned(name, originals)
                undefended[name] = self._undefended(originals.of(self.target))
        table = self.target.table
        return Attacked(
            patients=self.target.patients,
            hits={(name, mode): getattr(each, mode) for name, each in found.items() for mode in MODES},
            cmc={name: each.cmc for name, each in found.items()},
            own={name: each.own for name, each in found.items()},
            chance=self.contest.chance(),
            undefended=undefended,
            control=None if table is None else self.contest.first_among(torch.from_numpy(table).to(self.device)),
            learned_from=(len(np.unique(self.fit.patients)), self.fit.returning),
        )

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
        trained = retrain(trainee, self.keep, self.steps.told)
        queries = trained.vectors(self.defended)
        return self.contest.found(queries, queries, trained.originals(originals.of(self.target)))

    def _restored(self, originals: Originals) -> Found:
        defended, original = (on_device(each, self.device) for each in (self.fit.defended, self.fit.original))
        judge = originals.start() if self.effort.likeness else None
        trainee = Restoring(defended, original, judge, self.effort, device=self.device, seed=self.seed)
        trained = restore(trainee, self.keep, self.steps.told)
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
            progress=self.steps.told,
        )


class _Steps:
    """Steps of all networks that learn, told as they are done."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress, self._total, self._done, self._last = progress, 0, 0, 0

    def expect(self, steps: int) -> None:
        self._total += steps

    def told(self, line: dict[str, Any]) -> None:
        step = int(line["step"])
        self._done += step - self._last if step > self._last else step
        self._last = step
        if self._progress is not None:
            self._progress(min(self._done, self._total), self._total)


def _of_two(progress: Progress, number: int) -> Progress:
    return lambda done, total: progress(number * total + done, 2 * total)
