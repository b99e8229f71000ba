"""`train_method`: the file that a way of hiding anatomy needs, made from a cohort; run again, it goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from medveil.encoders.identity.preparing import prepare
from medveil.errors import InputError, Quarantined, SettingsError
from medveil.training.device import check_device

if TYPE_CHECKING:
    from medveil.cohort import Cohort

Trainable = Literal["id-adversarial", "privacy-net", "deformation", "k-same", "dcm-deid"]
MINUTES: dict[Trainable, float] = {
    **dict.fromkeys(("id-adversarial", "privacy-net", "deformation"), 4.0),
    "k-same": 0.0,
    "dcm-deid": 12.0,
}
Progress = Callable[[dict[str, Any]], None]


def train_method(
    method: Trainable,
    cohort: Cohort,
    out: Path,
    *,
    minutes: float | None = None,
    published: bool = False,
    device: str = "cpu",
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[Path, dict[str, Any]]:
    """OUT/METHOD.safetensors, from the films of the split 'train'; what the last round told.

    A network learns for so many minutes in all, a third of them the recogniser of DCM-DeID; `published` takes the
    papers' sizes. A gallery takes one film of each patient and no time.
    """
    check_device(device)
    films, patients = training_part(cohort)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{method}.safetensors"
    if method == "k-same":
        return path, _gallery(films, patients, path)
    seconds = 60 * (MINUTES[method] if minutes is None else minutes)
    if seconds <= 0:
        raise SettingsError("a network needs time to learn; give --minutes above 0")
    if method == "dcm-deid":
        return path, _dcm_deid(films, patients, out, path, seconds, published, device, seed, progress)
    if published:
        raise SettingsError(f"the paper of {method} tells no sizes; leave the published recipe out")
    from medveil.defenses.anatomy.baselines.training import train_unet
    from medveil.defenses.anatomy.training_films import TrainingFilms

    told = train_unet(
        method,
        TrainingFilms(films, patients, device=device, seed=seed),
        path,
        device=device,
        seconds=seconds,
        state=out,
        progress=progress,
    )
    return path, told


def training_part(cohort: Cohort) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Prepared films of the split 'train' and whose they are; what cannot be read is left out."""
    films: list[NDArray[np.uint8]] = []
    rows: list[int] = []
    for row in np.flatnonzero((cohort.table["split"] == "train").to_numpy()):
        try:
            films.append(prepare(cohort.image(int(row))))
        except Quarantined:
            continue
        rows.append(int(row))
    if not rows:
        raise InputError("no readable image is in the split 'train'; assign splits by patient first")
    return np.stack(films), cohort.table["patient_id"].iloc[rows].astype(str).to_numpy()


def _gallery(films: NDArray[np.uint8], patients: NDArray[Any], path: Path) -> dict[str, Any]:
    from medveil.defenses.anatomy.baselines.k_same import gallery_of, save_gallery

    first = np.sort(np.unique(patients, return_index=True)[1])
    save_gallery(path, gallery_of(list(films[first])))
    return {"films": len(first)}


def _dcm_deid(
    films: NDArray[np.uint8],
    patients: NDArray[Any],
    out: Path,
    path: Path,
    seconds: float,
    published: bool,
    device: str,
    seed: int,
    progress: Progress | None,
) -> dict[str, Any]:
    from medveil.defenses.anatomy.dcm_deid.foundation import Foundation
    from medveil.defenses.anatomy.dcm_deid.recogniser import PUBLISHED, load_recogniser, small_plan
    from medveil.defenses.anatomy.dcm_deid.recogniser_training import train_recogniser
    from medveil.defenses.anatomy.dcm_deid.training import TrainingSettings, train_networks
    from medveil.defenses.anatomy.latents import load_autoencoder
    from medveil.defenses.anatomy.training_films import TrainingFilms

    given = TrainingFilms(films, patients, device=device, seed=seed)
    recogniser, first, second = out / "recogniser.safetensors", out / "recogniser", out / "networks"
    for folder in (first, second):
        folder.mkdir(exist_ok=True)
    plan = PUBLISHED if published else small_plan()
    train_recogniser(given, recogniser, plan=plan, device=device, seconds=seconds / 3, state=first, progress=progress)
    return train_networks(
        given,
        path,
        recogniser=load_recogniser(recogniser),
        foundation=Foundation(),
        autoencoder=load_autoencoder(),
        settings=TrainingSettings(published=published),
        device=device,
        seconds=seconds * 2 / 3,
        state=second,
        progress=progress,
    )
