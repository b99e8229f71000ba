"""One cohort attacked, or two linked: vectors, calibration, links, and the finding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from medveil.attacks.identity.evidence import attention_picture
from medveil.attacks.identity.findings import Measurement
from medveil.attacks.identity.links import ranked_links, write_links, write_named_links
from medveil.attacks.identity.looks import Embedder, look
from medveil.attacks.identity.probable import probable_finding
from medveil.attacks.identity.recognition import Sample
from medveil.attacks.identity.scene import Scene, pairs_of, prepare_scene
from medveil.attacks.identity.set_aside import write_set_aside
from medveil.attacks.identity.settings import IdentitySettings
from medveil.attacks.identity.trust import Trust, calibrate
from medveil.cohort import Cohort
from medveil.errors import NotMeasurable
from medveil.finding import Finding, Picture
from medveil.stats.bootstrap import unit_weights

Progress = Callable[[str, int, int], None]  # stage, done, of how many
PICTURES = 2


@dataclass(frozen=True)
class IdentityResult:
    """What `run_identity` found: the finding for the report, and the links and counts for the steward."""

    finding: Finding
    links: pd.DataFrame
    set_aside: dict[str, int]
    exact_copies: int
    near_copies: int


def run_identity(
    a: Cohort,
    b: Cohort | None,
    *,
    embedder: Embedder,
    seed: int,
    settings: IdentitySettings | None = None,
    shared_ids: bool = False,
    out: Path | None = None,
    named_links: Path | None = None,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> IdentityResult:
    """Attack one cohort, or link two.

    `shared_ids`: a patient id means the same person in both cohorts, so that links between them can be judged.
    `out` gets links.csv and set-aside.csv by row number; `named_links`, a file of its own, the links with the
    cohorts' own identifiers. All are private files.
    """
    settings = settings or IdentitySettings()
    prior, show_images = settings.prior, settings.show_images
    cohorts = [a] if b is None else [a, b]
    looks = []
    for name, cohort in zip("AB", cohorts, strict=False):
        told = None if progress is None else _staged(progress, f"looking at {name}" if b else "looking")
        looks.append(look(cohort, embedder, cache=cache, progress=told))
    if out is not None:
        write_set_aside(looks, out / "set-aside.csv")
    scene = prepare_scene(looks, cohorts)
    if b is None or shared_ids:
        measured = Measurement(scene, rate=settings.false_match_rate, seed=seed)
        trust = calibrate(measured.sample, embedder, measured.weights, seed=seed)
        links = _links(scene, trust, measured.prior if prior is None else prior, known=True)
        finding = measured.finding(trust, _pictures(links, scene, cohorts, embedder, show_images=show_images))
    else:
        trust = _own_trust(scene, embedder, seed=seed)
        links = _links(scene, trust, 1 / max(len(scene.other), 2) if prior is None else prior, known=False)
        finding = probable_finding(scene, links, trust, seed=seed)
        finding = replace(finding, pictures=_pictures(links, scene, cohorts, embedder, show_images=show_images))
    if out is not None:
        write_links(links, *scene.rows, out / "links.csv")
    if named_links is not None:
        write_named_links(links, a, scene.rows[0], cohorts[-1], scene.rows[1], named_links)
    return IdentityResult(finding, links, scene.set_aside, scene.copies.exact, scene.copies.near)


def _staged(progress: Progress, stage: str) -> Callable[[int, int], None]:
    return lambda done, total: progress(stage, done, total)


def _own_trust(scene: Scene, embedder: Embedder, *, seed: int) -> Trust:
    """Where nobody knows who is in both cohorts: calibrated on pairs within the first, else on the card."""
    try:
        genuine, strangers = pairs_of(replace(scene, theirs=None), seed=seed)
        sample = Sample.draw(scene.ours, None, genuine, strangers, seed=seed)
    except NotMeasurable:
        sample = None
    trust = calibrate(sample, embedder, unit_weights(scene.patients, seed=seed), seed=seed)
    if trust is None:
        raise NotMeasurable(
            "nothing is known to calibrate links by: give cohorts with several studies a patient, or a network whose "
            "card has a calibration"
        )
    return trust


def _links(scene: Scene, trust: Trust | None, prior: float, *, known: bool) -> pd.DataFrame:
    return ranked_links(scene.ours, scene.theirs, trust.calibration if trust else None, prior, known=known)


def _pictures(
    links: pd.DataFrame, scene: Scene, cohorts: list[Cohort], embedder: Embedder, *, show_images: bool
) -> tuple[Picture, ...]:
    """Attention maps of the strongest links, those that are known to be wrong aside."""
    strongest = links[links["recorded_patient"] != "different"].head(PICTURES)
    titles = ("What the strongest link rests on", "What the second strongest link rests on")
    pictures = []
    for title, left, right in zip(titles, strongest["left"], strongest["right"], strict=False):
        one = cohorts[0].image(int(scene.rows[0][left]))
        other = cohorts[-1].image(int(scene.rows[1][right]))
        pictures.append(attention_picture(embedder, one, other, title=title, show_images=show_images))
    return tuple(pictures)
