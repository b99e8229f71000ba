"""A released cohort beside its originals, film by film, and the finding that tells of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath

import numpy as np

from medveil.cohort import Cohort
from medveil.cohort.images import load_image
from medveil.errors import NotMeasurable
from medveil.finding import Finding, Picture, Table, percent
from medveil.runtime.workers import ordered_map
from medveil.utility.pixel_damage.damage import HEADLINE, Damage, damage_of
from medveil.utility.pixel_damage.film import FilmDamage, changed_pixels, compare
from medveil.utility.pixel_damage.pictures import boxed

FEW = 50  # films; starting processes, and loading the networks in each, would take longer than the work
Place = tuple[str, int]  # path and frame


def compare_cohorts(
    part: str,
    released: Cohort,
    originals: Cohort,
    *,
    seed: int,
    most_films: float,
    most_area: float,
    most_pictures: int,
    progress: Callable[[int, int], None],
) -> Finding:
    """Row i of both is the same film. Films are read one after another; of each only its figures are kept."""
    patients = originals.table["patient_id"].astype(str).tolist()
    if len(set(patients)) < 2:
        raise NotMeasurable("pixel damage needs films of at least two patients: intervals are by patient")
    names = [PurePosixPath(path).stem for path in released.table["path"]]
    films = []
    for film in _films(released, originals):
        films.append(film)
        progress(len(films), len(names))
    damage = damage_of(films, names, patients, seed=seed, most_films=most_films, most_area=most_area)
    rows = sorted(range(len(films)), key=lambda row: (films[row].badness, names[row]), reverse=True)
    worst = [row for row in rows[:most_pictures] if films[row].inside > 0]
    return _finding(part, damage, tuple(_picture(released, originals, row, films[row]) for row in worst))


def _films(released: Cohort, originals: Cohort) -> Iterator[FilmDamage]:
    pairs = list(zip(_places(originals), _places(released), strict=True))
    if released.root == originals.root and all(before == after for before, after in pairs):
        return iter([FilmDamage()] * len(pairs))  # the very same files
    workers = 1 if len(pairs) < FEW else None
    return ordered_map(partial(_compare, originals.root, released.root), pairs, workers=workers)


def _places(cohort: Cohort) -> list[Place]:
    frames = (int(frame) for frame in cohort.table["frame"])
    return list(zip(cohort.table["path"].astype(str), frames, strict=True))


def _compare(before: Path, after: Path, pair: tuple[Place, Place]) -> FilmDamage:
    (original, frame), (released, released_frame) = pair
    return compare(load_image(before, original, frame=frame), load_image(after, released, frame=released_frame))


def _picture(released: Cohort, originals: Cohort, row: int, film: FilmDamage) -> Picture:
    """Of the released pixels alone; a film that came out in another size is changed everywhere."""
    after = released.image(row)
    changed = changed_pixels(originals.image(row), after)
    name = PurePosixPath(released.table["path"].iat[row]).stem
    told = f"{percent(film.inside)} of the lungs and {percent(film.changed)} of the film were changed"
    return Picture(
        title=name,
        png=boxed(after, changed if changed.shape == after.shape else np.ones(after.shape, bool)),
        alt=f"The released film, red boxes around what was changed: {told}.",
        note=f"{told}: in the red boxes.",
    )


def _finding(part: str, damage: Damage, pictures: tuple[Picture, ...]) -> Finding:
    tables = [
        Table(
            "What the findings network says before and after, over all films",
            ("finding", "largest change of its probability", "films in which it crosses its threshold"),
            tuple((one.finding, one.largest, one.crossed) for one in damage.findings),
        )
    ]
    if damage.worst:
        rows = tuple((one.name, *map(percent, (one.film.inside, one.film.changed))) for one in damage.worst)
        tables.append(Table("The worst films", ("released film", "of its lungs", "of the film"), rows))
    return Finding(
        part=part,
        kind="measure",
        question="Was anatomy changed where only text should go?",
        answer=damage.answer,
        headline=HEADLINE,
        estimates=damage.estimates,
        threshold=damage.threshold,
        concerns=damage.concerns,
        method=(
            "Every released film is compared with its original, pixel by pixel; any difference counts. Lungs are "
            "found on the original by a small network (its card tells how well), without a rim of 1.5 % of the film's "
            "side; where none are found, the middle of the film stands for them. A second network says how likely "
            "each finding is before and after. More than "
            f"{percent(damage.most_films)} of films changed inside the lungs, or more than "
            f"{percent(damage.most_area)} of the lungs of any film, means REVIEW."
        ),
        limits=(
            f"Lungs were not found on {damage.lungs_not_found:,} of the changed films."
            if damage.lungs_not_found
            else "A change outside the lungs may cover anatomy or a device as well.",
            "The findings network is no radiologist: a change of its mind is a reason to look, none is no proof.",
        ),
        tables=tuple(tables),
        pictures=pictures,
        glossary={
            HEADLINE: "Films in which any pixel inside the lungs differs from the original, the lungs' rim left out.",
            "lung pixels changed": "The share of the lungs' area that differs from the original, on average.",
        },
    )
