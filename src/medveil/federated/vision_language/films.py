"""What a site trains on, in memory: its films, reports and labels as arrays, and which patient each belongs to.

Everything is as the recipe wants it, so that a step only picks rows. A film without a report, or without a label,
takes part with what it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError, NotMeasurable, Quarantined
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.hashed_words import hashed

if TYPE_CHECKING:
    from medveil.cohort.cohort import Cohort

FEW = 200  # films; starting processes would take longer than reading them
PUBLIC_SEED = 20  # of the phantom pairs that stand for other people's


@dataclass(frozen=True)
class Films:
    """Rows are films. `targets` are 1 or 0, and count where `known` is true."""

    pixels: NDArray[np.uint8]  # n × side × side
    words: NDArray[np.int32]  # n × places; all padding where there is no report
    targets: NDArray[np.float32]  # n × findings
    known: NDArray[np.bool_]
    patients: NDArray[np.intp]  # codes from 0 on, without gaps
    people: tuple[str, ...]  # the id behind each code; stays at the site

    def __post_init__(self) -> None:
        if len({len(part) for part in (self.pixels, self.words, self.targets, self.known, self.patients)}) != 1:
            raise InputError("films, reports, labels and patients differ in number")
        if not len(self.pixels):
            raise NotMeasurable("there are no films to train on")

    def __len__(self) -> int:
        return len(self.pixels)

    @classmethod
    def of(cls, cohort: Cohort, recipe: Recipe) -> Films:
        """A cohort's frontal films, brought to the recipe's size and labelled by its policy; unreadable ones are left
        out."""
        from medveil.cohort.labels import POLICIES
        from medveil.cohort.schema import LABELS
        from medveil.runtime.workers import ordered_map

        unknown = [name for name in recipe.findings if name not in LABELS]
        if unknown:
            raise InputError(f"{unknown[0]} is not one of the findings of a cohort: {', '.join(LABELS)}")
        frontal = cohort.table["view"].isna() | cohort.table["view"].isin(("AP", "PA"))
        if not frontal.any():
            raise NotMeasurable("there are no frontal films to train on")
        table = cohort.where(frontal).table
        places = zip(table["path"], table["frame"], strict=True)
        read = ordered_map(partial(_square, cohort.root, recipe.side), places, workers=1 if len(table) < FEW else None)
        films = list(read)
        readable = np.array([film is not None for film in films])
        if not readable.any():
            raise NotMeasurable("none of the frontal films can be read")
        pixels, table = np.stack([film for film in films if film is not None]), table[readable]
        columns = [LABELS.index(name) for name in recipe.findings]
        targets, known = POLICIES[recipe.labels].apply(table)
        reports = list(table["report"].fillna(""))
        return cls.gathered(pixels, reports, targets[:, columns], known[:, columns], table["patient_id"], recipe)

    @classmethod
    def gathered(
        cls,
        pixels: NDArray[np.uint8],
        reports: Sequence[str],
        targets: NDArray[np.float32],
        known: NDArray[np.bool_],
        patients: Sequence[Any],
        recipe: Recipe,
    ) -> Films:
        """From arrays; patients by any id."""
        people, codes = np.unique(np.array([str(one) for one in patients]), return_inverse=True)
        words = hashed(reports, words=recipe.words, buckets=recipe.buckets)
        return cls(pixels, words, targets, known, codes.astype(np.intp), tuple(map(str, people)))

    def take(self, rows: NDArray[Any]) -> Films:
        """Some rows, their patients numbered anew."""
        kept, codes = np.unique(self.patients[rows], return_inverse=True)
        parts = (self.pixels[rows], self.words[rows], self.targets[rows], self.known[rows])
        return Films(*parts, codes.astype(np.intp), tuple(self.people[code] for code in kept))

    @classmethod
    def together(cls, several: Sequence[Films]) -> Films:
        """The films of all, whoever's they are; sites that happen to use one id mean two patients."""
        starts = np.cumsum([0, *(len(one.people) for one in several)])
        return cls(
            pixels=np.concatenate([one.pixels for one in several]),
            words=np.concatenate([one.words for one in several]),
            targets=np.concatenate([one.targets for one in several]),
            known=np.concatenate([one.known for one in several]),
            patients=np.concatenate([one.patients + start for one, start in zip(several, starts, strict=False)]),
            people=tuple(f"{number}/{name}" for number, one in enumerate(several) for name in one.people),
        )


def public_pairs(recipe: Recipe) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Films and reports of phantom patients: nobody's, and the same at every site."""
    from medveil.cohort.phantom.hospital import phantom_pairs

    pairs = list(phantom_pairs(recipe.negatives, seed=PUBLIC_SEED, size=max(recipe.side, 64), workers=1))
    pixels = np.stack([_shrunk(image, recipe.side) for image, _ in pairs])
    return pixels, hashed([text for _, text in pairs], words=recipe.words, buckets=recipe.buckets)


def _square(root: Path, side: int, place: tuple[str, int]) -> NDArray[np.uint8] | None:
    from medveil.cohort.images import load_image

    try:
        return _shrunk(load_image(root, place[0], frame=int(place[1])), side)
    except Quarantined:
        return None


def _shrunk(image: NDArray[Any], side: int) -> NDArray[np.uint8]:
    from medveil.cohort.preprocess import resize, to_8_bit

    return np.asarray(resize(to_8_bit(image), side))
