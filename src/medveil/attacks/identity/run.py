"""One cohort attacked, or two linked: vectors, calibration, links, and the finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from medveil.attacks.identity.subsets import Subset, retrieval_by_subset, verification_by_subset
from medveil.attacks.identity.verification import PairJudge, Verification
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
    subsets: Sequence[Subset] = (),
) -> IdentityResult:
    """Attack one cohort, or link two.

    `shared_ids`: a patient id means the same person in both cohorts, so that links between them can be judged.
    `out` gets links.csv and set-aside.csv by row number; `named_links`, a file of its own, the links with the
    cohorts' own identifiers. All are private files. `subsets` of one cohort are measured apart too.
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
        finding = replace(finding, tables=(*finding.tables, *retrieval_by_subset(gallery, subsets, seed=seed)))
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


def run_verification(
    cohort: Cohort,
    *,
    judge: PairJudge,
    seed: int,
    settings: IdentitySettings | None = None,
    out: Path | None = None,
    named_links: Path | None = None,
    cache: Path | None = None,
    progress: Progress | None = None,
    subsets: Sequence[Subset] = (),
    pair_redraws: int = 0,
    findings: pd.DataFrame | None = None,
) -> IdentityResult:
    """Attack one cohort with a verification network; files as for `run_identity`.

    `pair_redraws` adds intervals by pair, as published with 10,000. `findings` (a column a finding, by image id) take
    the place of the cohort's labels where it is told what changed between two images.
    """
    settings = settings or IdentitySettings()
    told = None if progress is None else _staged(progress, "looking")
    embedded = embed_images(cohort, judge, cache=cache, progress=told)
    if out is not None:
        write_set_aside([embedded], out / "set-aside.csv")
    gallery = build_gallery([embedded], [cohort], centred=True)
    if all_by_copies(gallery):
        links, finding = _links(gallery, None, 0.5, known=True), copies_finding(gallery, seed=seed)
    else:
        own = None if findings is None else findings.reindex(gallery.table["image_id"]).reset_index(drop=True)
        measured = Verification(
            gallery, judge, rate=settings.false_match_rate, seed=seed, pair_redraws=pair_redraws, findings=own
        )
        checked = calibrate(measured.sample, judge, gallery.patients, seed=seed)
        links = measured.links(checked, measured.prior if settings.prior is None else settings.prior)
        pictures = _pictures(links, gallery, [cohort], judge, show_images=settings.show_images)
        tables = verification_by_subset(gallery, judge, subsets, seed=seed, pair_redraws=pair_redraws)
        finding = measured.finding(checked, pictures, tables)
    if out is not None:
        write_links(links, *gallery.rows, out / "links.csv")
    if named_links is not None:
        write_named_links(links, cohort, gallery.rows[0], cohort, gallery.rows[1], named_links)
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
