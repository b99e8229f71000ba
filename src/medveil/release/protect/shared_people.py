"""Are people to be protected among the pairs that are called public? With them there, nothing would be promised.

Three looks, at all of both data sets: the same id, however it is written; the same picture, as it is or saved anew; the
same report, word for word, where it is one person's on either side (what several people have is a phrase of the house).
Whoever passes all three may still be the same person: that they are not is declared by the user. What is found is
refused as a whole. To leave it out silently would make the public set tell who is to be protected.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.identity.copies import CANDIDATES, CLOSE, agreement
from medveil.cohort import Cohort
from medveil.cohort.dicom.many import read_many
from medveil.cohort.features import FEW, thumbnail
from medveil.cohort.images import load_image
from medveil.defenses.alignment.ledger import one_spelling
from medveil.errors import InputError, Quarantined
from medveil.stats.search import nearest

# films of two people agreed to 0.53 at most among 250 of Indiana, 250 of covid19 and 60 phantoms
ALIKE = 0.8

Watch = Callable[[str, int, int], None]
Place = tuple[str, int]  # file and frame


def refuse_shared_people(private: Cohort, public: Cohort, watch: Watch) -> None:
    """Nothing, or a refusal that says how many were found in which way."""
    found = {
        "ids": len(_ids(private) & _ids(public)),
        "reports": len(_one_persons_reports(private) & _one_persons_reports(public)),
        "pictures": _copies(private, public, watch),
    }
    told = ", ".join(f"{count:,} {what}" for what, count in found.items() if count)
    if told:
        raise InputError(
            f"some public pairs are among the pairs to protect (in both: {told}), so nothing could be promised; give "
            "pairs of other people, renumber people who only happen to have the same ids, or leave --public out to use "
            "phantoms"
        )


def _ids(cohort: Cohort) -> set[str]:
    return set(map(one_spelling, cohort.table["patient_id"].unique()))


def _one_persons_reports(cohort: Cohort) -> set[str]:
    texts = cohort.table["report"].fillna("").str.split().str.join(" ").str.casefold()
    people = cohort.table["patient_id"].groupby(texts).nunique()
    return set(people.index[people == 1]) - {""}


def _copies(private: Cohort, public: Cohort, watch: Watch) -> int:
    """Public pictures that are one of the private ones."""
    ours, our_places = _thumbnails(private, "comparing", watch)
    theirs, their_places = _thumbnails(public, "comparing public", watch)
    if not len(ours) or not len(theirs):
        return 0
    scores, found = nearest(theirs, ours, min(CANDIDATES, len(ours)))
    return sum(
        any(
            _alike((public.root, their_places[row]), (private.root, our_places[candidate]))
            for candidate in found[row, scores[row] >= CLOSE]
        )
        for row in range(len(theirs))
    )


def _thumbnails(cohort: Cohort, stage: str, watch: Watch) -> tuple[NDArray[np.float32], list[Place]]:
    """Of all images that can be read; the others take no part in anything."""
    table: pd.DataFrame = cohort.table[["path", "frame"]].drop_duplicates()
    places = [(str(path), int(frame)) for path, frame in table.itertuples(index=False)]
    seen, kept = [np.empty((0, 32 * 32), np.float32)], []
    for done, (place, small) in enumerate(
        zip(
            places,
            read_many(partial(_thumbnail, cohort.root), places, workers=1 if len(places) < FEW else None),
            strict=True,
        ),
        1,
    ):
        if not isinstance(small, Quarantined):
            seen.append(small[None])
            kept.append(place)
        watch(stage, done, len(places))
    return np.concatenate(seen), kept


def _thumbnail(root: Path, place: Place) -> NDArray[np.float32]:
    path, frame = place
    return thumbnail(load_image(root, path, frame=frame))


def _alike(one: tuple[Path, Place], other: tuple[Path, Place]) -> bool:
    try:
        images = [load_image(root, path, frame=frame) for root, (path, frame) in (one, other)]
    except Quarantined:  # gone since it was first looked at
        return False
    return agreement(*images) >= ALIKE
