"""The gallery of an identity attack: one cohort or two, without copies, with the codes that all measurements share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from medveil.attacks.identity.copies import Copies, Place, find_copies
from medveil.attacks.identity.embedded_images import EmbeddedImages
from medveil.attacks.identity.linkable import Returning
from medveil.attacks.identity.pairs import PairSet, Side, Singles, same_person, two_persons
from medveil.cohort import Cohort
from medveil.cohort.features import demographics
from medveil.errors import NotMeasurable
from medveil.stats.bootstrap import unit_codes
from medveil.stats.kernels.grid import Codes


@dataclass(frozen=True)
class Gallery:
    """All that the measurements need: both sides without copies, pairs, and what was set aside on the way."""

    ours: Side
    theirs: Side | None
    table: pd.DataFrame  # of `ours`, row by row
    patients: int  # all that are named in the tables, whether an image of theirs was used or not
    rows: tuple[Codes, Codes]  # rows of the cohorts' tables that the two sides stand for
    copies: Copies
    returning: Returning  # patients with images from two studies or both sides, copies included
    shared: Codes  # patients of the first side one of whose pictures is on the second too, whoever is said to be there
    set_aside: dict[str, int]

    @property
    def other(self) -> Side:
        return self.ours if self.theirs is None else self.theirs


def build_gallery(embedded: list[EmbeddedImages], cohorts: list[Cohort], *, centred: bool = False) -> Gallery:
    """Lay the images of one or two cohorts side by side, less the copies.

    `centred`: vectors that all point much the same way, as those of a verification network do, are looked at from their
    middle to find copies among them.
    """
    if any(len(seen) == 0 for seen in embedded):
        raise NotMeasurable("no frontal chest X-ray is left to compare; check the views and what was set aside")
    tables = [cohort.table.iloc[seen.rows] for cohort, seen in zip(cohorts, embedded, strict=True)]
    everyone = np.concatenate([cohort.table["patient_id"].to_numpy() for cohort in cohorts])
    codes, count = unit_codes(everyone)  # of all rows, so that a redraw does not depend on what was set aside
    offsets = np.cumsum([0, *map(len, cohorts)])
    patients = np.concatenate([codes[seen.rows + start] for seen, start in zip(embedded, offsets, strict=False)])
    joined = pd.concat(tables, ignore_index=True)
    side = np.repeat(np.arange(len(embedded)), list(map(len, embedded)))
    studies, _ = unit_codes((pd.Series(side).astype(str) + " " + joined["study_id"].astype(str)).to_numpy())
    groups = studies if len(embedded) == 1 else side
    places: list[Place] = [
        (cohort.root, path, int(frame))
        for cohort, table in zip(cohorts, tables, strict=True)
        for path, frame in zip(table["path"], table["frame"], strict=True)
    ]
    vectors = np.concatenate([seen.vectors for seen in embedded])
    thumbnails = np.concatenate([seen.thumbnails for seen in embedded])
    alike = _from_the_middle(vectors) if centred else vectors
    copies = find_copies(np.concatenate([seen.digests for seen in embedded]), thumbnails, alike, places)
    control = demographics(joined)
    sides, rows = [], []
    for number, seen in enumerate(embedded):
        keep = copies.first & (side == number)
        sides.append(Side(vectors[keep], control[keep], patients[keep], studies[keep]))
        rows.append(seen.rows[keep[side == number]])
    set_aside: dict[str, int] = {}
    for seen in embedded:
        for reason, images in seen.counts.items():
            set_aside[reason] = set_aside.get(reason, 0) + images
    return Gallery(
        ours=sides[0],
        theirs=sides[1] if len(sides) > 1 else None,
        table=joined[copies.first & (side == 0)].reset_index(drop=True),
        patients=count,
        rows=(rows[0], rows[-1]),
        copies=copies,
        returning=_returning(patients, copies.pictures, groups),
        shared=np.unique(patients[(side == 0) & np.isin(copies.pictures, copies.pictures[side == 1])]),
        set_aside=set_aside,
    )


def _from_the_middle(vectors: Singles) -> Singles:
    moved = vectors - vectors.mean(axis=0)
    return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def _returning(patients: Codes, pictures: Codes, groups: Codes) -> Returning:
    repeated, copied = _in_two(patients, patients, groups), _in_two(patients, pictures, groups)
    (owners, _), images = np.unique(np.stack([patients, groups]), axis=1, return_counts=True)
    pairs = (np.bincount(patients) ** 2 - np.bincount(owners, images**2).astype(np.int64)) // 2
    return Returning(repeated, pairs[repeated], np.isin(repeated, copied))


def _in_two(patients: Codes, things: Codes, groups: Codes) -> Codes:
    """Patients one of whose things (pictures, say) appears in two of their groups (studies, or sides)."""
    seen = pd.DataFrame({"patient": patients, "thing": things, "group": groups})
    counts = seen.groupby(["patient", "thing"])["group"].nunique()
    return np.unique(counts[counts > 1].index.get_level_values("patient").to_numpy()).astype(np.intp)


def all_by_copies(gallery: Gallery) -> bool:
    """Whether copies link somebody and leave nobody to recognise."""
    return bool(gallery.returning.copied.any()) and not len(same_person(gallery.ours, gallery.theirs))


def pairs_of(gallery: Gallery, *, seed: int) -> tuple[PairSet, PairSet]:
    """Pairs of one person and pairs of two, or a sentence why there are none."""
    genuine = same_person(gallery.ours, gallery.theirs)
    if len(np.unique(np.r_[gallery.ours.patients, gallery.other.patients])) < 2:
        raise NotMeasurable("recognising people needs frontal images of at least two patients")
    if len(genuine) == 0:
        raise NotMeasurable(
            "no patient has frontal images from two studies (copies aside), so there is nobody to recognise"
        )
    strangers = two_persons(gallery.ours, gallery.theirs, seed=seed)
    if len(strangers) == 0:
        raise NotMeasurable("there is no pair of two patients to compare with; add images of other patients")
    return genuine, strangers
