"""`medveil protect anatomy --sweep`: several ways of hiding anatomy, at several levels, on one cohort.

Half of the patients teach the attackers and the classifiers, the other half is measured on; or the splits that the
cohort names. Every setting is kept when it is done, so that a killed sweep goes on with the next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import medveil
from medveil.attacks.identity.adversaries.recognisers import load_recognisers
from medveil.attacks.identity.embedded_images import NOT_FRONTAL
from medveil.cohort import LABELS, Cohort
from medveil.cohort.dicom.many import read_many
from medveil.cohort.features import FEW
from medveil.cohort.images import load_image
from medveil.defenses.anatomy.method import METHODS, Film, Method, Refuses, load_method
from medveil.encoders.identity.chest_check import bundled_check, chest_features
from medveil.encoders.identity.preparing import prepare
from medveil.errors import InputError, NotMeasurable, Quarantined
from medveil.release.anatomy.frontier import Frontier, Judged, Point, Side, judged, measured_method
from medveil.runtime.storage import write_bytes
from medveil.utility.diagnosis.diagnosing import Effort, learn

Progress = Callable[[str, int, int], None]
FEWEST = 20  # patients on each side


@dataclass(frozen=True)
class Setting:
    """A method at a level; without one, the films as they are. `weights` tells its networks from others."""

    method: Method | None
    level: float = 0.0
    weights: str = ""


@dataclass(frozen=True)
class Swept:
    """Every setting's figures, the methods that could not be tried with the reason, and the films set aside."""

    points: list[Judged]
    left_out: dict[str, str]
    set_aside: int
    originals: NDArray[np.uint8]


def sweep(
    cohort: Cohort,
    *,
    methods: Sequence[str] = (),
    weights: Path | None = None,
    fit: str | None = None,
    measure: str | None = None,
    effort: Effort = "small",
    device: str = "cpu",
    seed: int = 7,
    keep: Path,
    progress: Progress = lambda stage, done, total: None,
) -> Swept:
    """`methods` by name, all by default; `weights` is a folder of trained ones; `fit` and `measure` name splits."""
    names = methods or METHODS
    films, set_aside = read_films(cohort, progress)
    fitted, target = _split(films, cohort, fit, measure, seed)
    shown = protectable(target, names, weights, device)
    set_aside += len(target.pixels) - len(shown.pixels)
    sides = fitted, shown
    _check_enough(*sides)
    settings, left_out = _settings(names, weights, device)
    clean = learn(sides[0].labelled, effort=effort, device=device, seed=seed)
    frontier = Frontier(*sides, clean, load_recognisers(device=device), effort, device, seed)
    points = []
    for at, setting in enumerate([Setting(None), *settings]):
        progress("settings", at, len(settings) + 1)
        if setting.method is not None and setting.method.name in left_out:
            continue
        try:
            points.append(_kept(frontier, setting, keep))
        except Quarantined as refused:  # of a film to learn from: without labels there is nothing to draw it from
            assert setting.method is not None
            left_out[setting.method.name] = f"a film is {refused}"
    progress("settings", len(settings) + 1, len(settings) + 1)
    return Swept(judged(points, LABELS, seed=seed), left_out, set_aside, sides[1].pixels[: len(points[0].samples)])


@dataclass(frozen=True)
class _Films:
    rows: NDArray[np.intp]
    side: Side


def read_films(cohort: Cohort, progress: Progress = lambda stage, done, total: None) -> tuple[_Films, int]:
    """Every frontal chest film, prepared, and how many images were set aside."""
    table = cohort.table
    frontal = np.flatnonzero(~table["view"].isin(("LATERAL", "OTHER")))
    places = [(str(path), int(frame)) for path, frame in table.iloc[frontal][["path", "frame"]].itertuples(index=False)]
    pixels, rows = [], []
    read = read_many(partial(_chest, cohort.root), places, workers=1 if len(places) < FEW else None)
    for done, (row, film) in enumerate(zip(frontal.tolist(), read, strict=True), 1):
        progress("reading films", done, len(places))
        if not isinstance(film, Quarantined):
            pixels.append(film)
            rows.append(row)
    if not rows:
        raise NotMeasurable("there is no frontal chest film whose anatomy could be hidden")
    chosen = table.iloc[rows]
    labels = chosen[list(LABELS)].to_numpy(np.float32)
    patients = np.unique(chosen["patient_id"].to_numpy(str), return_inverse=True)[1].astype(np.int64)
    side = Side(np.stack(pixels), labels, patients, chosen.to_dict("records"))
    return _Films(np.array(rows), side), len(table) - len(rows)


def _chest(root: Path, place: tuple[str, int]) -> NDArray[np.uint8]:
    image = load_image(root, place[0], frame=place[1])
    if float(bundled_check().score(chest_features(image))[0]) < 0:
        raise Quarantined(NOT_FRONTAL)
    return prepare(image)


def _split(films: _Films, cohort: Cohort, fit: str | None, measure: str | None, seed: int) -> tuple[Side, Side]:
    patients = films.side.patients
    if fit and measure:
        named = cohort.table["split"].to_numpy(object)[films.rows]
        sides = films.side.take(named == fit), films.side.take(named == measure)
        if set(sides[0].patients) & set(sides[1].patients):
            raise InputError("a patient is in both splits; name splits that share nobody")
    else:
        order = np.random.default_rng(seed).permutation(int(patients.max()) + 1)
        taught = np.isin(patients, order[: len(order) // 2])
        sides = films.side.take(taught), films.side.take(~taught)
    return sides


def protectable(target: Side, names: Sequence[str], weights: Path | None = None, device: str = "cpu") -> Side:
    """Those that every method would release: a generator that knows a film from its training would flatter itself."""
    keep = np.ones(len(target.pixels), bool)
    for name in names:
        try:
            method = load_method(name, weights=_own(name, weights), device=device)
        except InputError:
            continue  # told where the settings are
        if isinstance(method, Refuses):
            films = [Film(pixels, fields) for pixels, fields in zip(target.pixels, target.fields, strict=True)]
            keep &= np.array([method.refusal(film) is None for film in films], bool)
    return target.take(keep)


def _check_enough(*sides: Side) -> None:
    if min(len(np.unique(side.patients)) for side in sides) < FEWEST:
        raise NotMeasurable(
            f"attackers and classifiers need at least {FEWEST} patients to learn from, and as many to be tried on whom "
            "the generator has not learned from"
        )


def _settings(names: Sequence[str], weights: Path | None, device: str) -> tuple[list[Setting], dict[str, str]]:
    settings: list[Setting] = []
    left_out: dict[str, str] = {}
    for name in names:
        own = _own(name, weights)
        try:
            method = measured_method(name, weights=own, device=device)
        except InputError as missing:
            left_out[name] = str(missing)
        else:
            known = "" if own is None else hashlib.sha256(own.read_bytes()).hexdigest()
            settings += [Setting(method, level, known) for level in method.levels]
    return settings, left_out


def _own(name: str, weights: Path | None) -> Path | None:
    path = None if weights is None else weights / f"{name}.safetensors"
    return path if path and path.exists() else None


def _kept(frontier: Frontier, setting: Setting, keep: Path) -> Point:
    """What an earlier run measured of this setting on the same films, or measured now."""
    path = keep / f"{_digest(frontier, setting)}.npz"
    if path.exists():
        with np.load(path) as stored:
            return Point.from_arrays(dict(stored))
    point = frontier.measure(setting.method, setting.level, told=lambda stage: None)
    write_bytes(path, _stored(point.to_arrays()))
    return point


def _stored(arrays: dict[str, NDArray[Any]]) -> bytes:
    import io

    content = io.BytesIO()
    np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
    return content.getvalue()


def _digest(frontier: Frontier, setting: Setting) -> str:
    of = hashlib.sha256()
    for side in (frontier.fit, frontier.target):
        of.update(side.pixels.tobytes())
        of.update(side.patients.tobytes())
    name = setting.method.name if setting.method else ""
    told = (name, setting.level, setting.weights, frontier.effort, frontier.seed, medveil.__version__)
    of.update(repr(told).encode())
    return of.hexdigest()[:24]
