"""One cohort attacked, or two linked: vectors, calibration, links, and the finding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from medveil.attacks.identity.attention import attention_picture
from medveil.attacks.identity.calibration_check import CheckedCalibration, calibrate
from medveil.attacks.identity.embedded_images import Embedder, embed_images
from medveil.attacks.identity.exclusions import write_set_aside
from medveil.attacks.identity.findings import Measurement, copies_finding, overlap_finding
from medveil.attacks.identity.gallery import Gallery, all_by_copies, build_gallery, pairs_of
from medveil.attacks.identity.identification import Sample
from medveil.attacks.identity.links import ranked_links, write_links, write_named_links
from medveil.attacks.identity.settings import IdentitySettings
from medveil.cohort import Cohort
from medveil.errors import NotMeasurable
from medveil.finding import Finding, Picture

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
    embedded = []
    for name, cohort in zip("AB", cohorts, strict=False):
        told = None if progress is None else _staged(progress, f"looking at {name}" if b else "looking")
        embedded.append(embed_images(cohort, embedder, cache=cache, progress=told))
    if out is not None:
        write_set_aside(embedded, out / "set-aside.csv")
    gallery = build_gallery(embedded, cohorts)
    if (b is None or shared_ids) and all_by_copies(gallery):
        links, finding = _links(gallery, None, 0.5, known=True), copies_finding(gallery, seed=seed)
    elif b is None or shared_ids:
        measured = Measurement(gallery, rate=settings.false_match_rate, seed=seed)
        checked = calibrate(measured.sample, embedder, gallery.patients, seed=seed)
        links = _links(gallery, checked, measured.prior if prior is None else prior, known=True)
        finding = measured.finding(checked, _pictures(links, gallery, cohorts, embedder, show_images=show_images))
    else:
        checked = _own_calibration(gallery, embedder, seed=seed)
        links = _links(gallery, checked, 1 / max(len(gallery.other), 2) if prior is None else prior, known=False)
        finding = overlap_finding(gallery, links, checked, seed=seed)
        finding = replace(finding, pictures=_pictures(links, gallery, cohorts, embedder, show_images=show_images))
    if out is not None:
        write_links(links, *gallery.rows, out / "links.csv")
    if named_links is not None:
        write_named_links(links, a, gallery.rows[0], cohorts[-1], gallery.rows[1], named_links)
    return IdentityResult(finding, links, gallery.set_aside, gallery.copies.exact, gallery.copies.near)


def _staged(progress: Progress, stage: str) -> Callable[[int, int], None]:
    return lambda done, total: progress(stage, done, total)


def _own_calibration(gallery: Gallery, embedder: Embedder, *, seed: int) -> CheckedCalibration:
    """Where nobody knows who is in both cohorts: calibrated on pairs within the first, else on the card."""
    try:
        genuine, strangers = pairs_of(replace(gallery, theirs=None), seed=seed)
        sample = Sample.draw(gallery.ours, None, genuine, strangers, seed=seed)
    except NotMeasurable:
        sample = None
    checked = calibrate(sample, embedder, gallery.patients, seed=seed)
    if checked is None:
        raise NotMeasurable(
            "nothing is known to calibrate links by: give cohorts with several studies a patient, or a network whose "
            "card has a calibration"
        )
    return checked


def _links(gallery: Gallery, checked: CheckedCalibration | None, prior: float, *, known: bool) -> pd.DataFrame:
    return ranked_links(gallery.ours, gallery.theirs, checked.calibration if checked else None, prior, known=known)


def _pictures(
    links: pd.DataFrame, gallery: Gallery, cohorts: list[Cohort], embedder: Embedder, *, show_images: bool
) -> tuple[Picture, ...]:
    """Attention maps of the strongest links, those that are known to be wrong aside."""
    strongest = links[links["recorded_patient"] != "different"].head(PICTURES)
    titles = ("What the strongest link rests on", "What the second strongest link rests on")
    pictures = []
    for title, left, right in zip(titles, strongest["left"], strongest["right"], strict=False):
        one = cohorts[0].image(int(gallery.rows[0][left]))
        other = cohorts[-1].image(int(gallery.rows[1][right]))
        pictures.append(attention_picture(embedder, one, other, title=title, show_images=show_images))
    return tuple(pictures)
