"""Membership in a federated model: the attacker knows the recipe, and trains shadow federations by it.

What the model says of a film is what it was trained to say: its findings by film and by report, and which report
belongs to it. Each is a channel of its own; a patient without reports has the first alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.attacks.membership.evidence import Evidence
from medveil.attacks.membership.shadows import Answer, Shadows, train_shadows
from medveil.attacks.membership.signals import Signals, log_sum, mean_by_code
from medveil.defenses.alignment.accounting import Spending
from medveil.federated.local_training import LocalTraining, assemble
from medveil.federated.recipe import Recipe
from medveil.federated.rounds import Arrays, federate
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.hashed_words import NOTHING
from medveil.federated.vision_language.network import VisionLanguageNetwork
from medveil.federated.vision_language.steps import Public

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.intp]
Progress = Callable[[str, int, int], None]
_ROWS = 128  # films at a time


class _Unbooked:
    """An attacker's own training costs nobody's privacy."""

    def book(self, run: str, spending: Spending) -> float:
        return 0.0


@dataclass(frozen=True)
class Audited:
    """Who is guessed about: `films` of members and others, at which of the sites each patient is, and the attacker's
    crowd: `rivals`, whose reports and films compete, and `population`, who stand for people in general."""

    films: Films
    sites: Codes  # of each patient
    member: Flags  # each patient
    rivals: Films
    population: Films

    @property
    def patients(self) -> int:
        return len(self.member)

    def at_sites(self, included: Flags) -> dict[str, Films]:
        """The films of those who are in, by site; a site that has nobody takes no part."""
        found = {}
        for site in np.unique(self.sites):
            rows = (included & (self.sites == site))[self.films.patients]
            if rows.any():
                found[f"site {site:03}"] = self.films.take(np.flatnonzero(rows))
        return found

    @cached_property
    def digest(self) -> str:
        told = hashlib.sha256()
        for films in (self.films, self.rivals, self.population):
            for part in (films.pixels, films.words, films.targets, films.known, films.patients):
                told.update(np.ascontiguousarray(part).tobytes())
        told.update(self.sites.tobytes())
        return told.hexdigest()


def trained(
    recipe: Recipe,
    audited: Audited,
    included: Flags,
    rounds: int,
    *,
    device: str = "cpu",
    public: Public | None = None,
    folder: Path | None = None,
) -> Arrays:
    """The shared weights after so many rounds on the patients who are in."""
    books = _Unbooked() if recipe.privacy is not None else None
    sites = {
        name: LocalTraining(recipe, films, None, device, public=public, books=books)
        for name, films in audited.at_sites(included).items()
    }
    return federate(recipe, sites, rounds, folder=folder).shared


def answer(recipe: Recipe, network: VisionLanguageNetwork, audited: Audited, *, device: str = "cpu") -> Answer:
    """What a network says of everybody."""
    network = network.to(device).eval()
    rivals = _told(network, audited.rivals, device)
    told = [
        _signals(_told(network, films, device), films, rivals, audited.rivals, recipe)
        for films in (audited.films, audited.population)
    ]
    return Answer(told[0], told[1].likelihood)


def federated_evidence(
    recipe: Recipe,
    target: VisionLanguageNetwork,
    audited: Audited,
    rounds: int,
    *,
    shadows: int,
    seed: int,
    device: str = "cpu",
    public: Public | None = None,
    keep: Path | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> tuple[Evidence, Evidence]:
    """About the model, and, for the attack's power, about one of the same recipe whose members are known and that was
    trained without noise."""
    asked = answer(recipe, target, audited, device=device)

    def ready(which: Recipe, count: int, stage: str) -> Shadows:
        return shadow_models(
            which,
            audited,
            rounds,
            count,
            seed=seed,
            device=device,
            public=public,
            keep=keep,
            progress=lambda done, total: progress(stage, done, total),
        )

    own = ready(recipe, shadows, "shadow models")
    plain = own if recipe.privacy is None else ready(replace(recipe, privacy=None), 4, "without noise")
    return Evidence(audited.member, asked.signals, asked.population, own.references), plain.about(0)


def shadow_models(
    recipe: Recipe,
    audited: Audited,
    rounds: int,
    count: int,
    *,
    seed: int,
    device: str = "cpu",
    public: Public | None = None,
    keep: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Shadows:
    def train(included: Flags, number: int) -> Answer:
        arrays = trained(recipe, audited, included, rounds, device=device, public=public)
        return answer(recipe, assemble(recipe, arrays), audited, device=device)

    name = f"{recipe.digest} {rounds} {audited.digest}"
    return train_shadows(train, audited.patients, count, seed=seed, name=name, keep=keep, progress=progress)


@dataclass(frozen=True)
class _Told:
    """By film: log odds of the findings by film and by report, and both vectors; the last three None without text."""

    by_film: Floats
    by_report: Floats | None
    films: Floats | None
    reports: Floats | None


def _told(network: VisionLanguageNetwork, films: Films, device: str) -> _Told:
    found: list[tuple[torch.Tensor | None, ...]] = []
    with torch.inference_mode():
        for start in range(0, len(films), _ROWS):
            pixels = torch.from_numpy(films.pixels[start : start + _ROWS]).to(device).unsqueeze(1).float() / 255
            words = torch.from_numpy(films.words[start : start + _ROWS].astype(np.int64)).to(device)
            found.append(network(pixels, words))
    columns = [_joined(column) for column in zip(*found, strict=True)]
    assert columns[0] is not None
    return _Told(columns[0], *columns[1:])


def _joined(parts: Sequence[torch.Tensor | None]) -> Floats | None:
    there = [part.double().cpu().numpy() for part in parts if part is not None]
    return np.concatenate(there) if there else None


def _signals(told: _Told, films: Films, rivals: _Told, rival_films: Films, recipe: Recipe) -> Signals:
    patients = len(films.people)
    sign = np.where(films.targets > 0.5, 1.0, -1.0) * films.known
    channels = [(sign * told.by_film).sum(1)]
    likely = [_log_sigmoid(sign * told.by_film, films.known)]
    similarity = None
    reported = films.words[:, 0] != NOTHING
    if told.by_report is not None and told.films is not None and told.reports is not None and reported.any():
        channels.append((sign * told.by_report).sum(1) * reported)
        likely.append(_log_sigmoid(sign * told.by_report, films.known) * reported)
        assert rivals.films is not None and rivals.reports is not None
        own = (told.films * told.reports).sum(1)
        there = rival_films.words[:, 0] != NOTHING
        rest = [
            log_sum(ours @ theirs[there].T / recipe.temperature, 1)
            for ours, theirs in ((told.films, rivals.reports), (told.reports, rivals.films))
        ]
        warm = own / recipe.temperature
        channels.append(np.mean([warm - each for each in rest], 0) * reported)
        likely.append(np.mean([warm - np.logaddexp(warm, each) for each in rest], 0) * reported)
        similarity = mean_by_code(own * reported, films.patients, patients)
    odds = np.stack([mean_by_code(each, films.patients, patients) for each in channels])
    return Signals(odds, mean_by_code(np.sum(likely, 0), films.patients, patients), similarity)


def _log_sigmoid(odds: Floats, known: Flags) -> Floats:
    return np.asarray((-np.logaddexp(0, -odds) * known).sum(1))
