"""Subsets of a data set by lists of the user's own, such as films with and without foreign material."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.identity.evaluation import evaluate
from medveil.attacks.identity.gallery import Gallery
from medveil.attacks.identity.pairs import Side
from medveil.attacks.identity.verification import PairJudge, Row, cell, measures_table, verify_side
from medveil.errors import InputError, NotMeasurable, SettingsError
from medveil.finding import SMALLEST_GROUP, Table
from medveil.stats.estimate import Estimate

_MOST = 1 << 26  # bytes of a list
RETRIEVAL = ("mAP@R", "R-precision", "precision@1")  # the paper's measures, in its order


@dataclass(frozen=True)
class Subset:
    """A name, and the images it lists by id or by file, one a line."""

    name: str
    images: frozenset[str]

    @classmethod
    def told(cls, text: str) -> Subset:
        """From `NAME=FILE`."""
        name, equals, file = text.partition("=")
        if not (name.strip() and equals and file):
            raise SettingsError("a subset is given as NAME=FILE, the file with an image a line")
        return cls(name.strip(), _listed(Path(file)))

    def of(self, table: pd.DataFrame) -> NDArray[np.bool_]:
        """Which rows are listed, by image id, path, or the file's own name with or without its suffix."""
        files = [PurePosixPath(path) for path in table["path"]]
        named = zip(table["image_id"], table["path"], (f.name for f in files), (f.stem for f in files), strict=True)
        return np.array([not self.images.isdisjoint(names) for names in named], dtype=bool)


def check_subsets(subsets: Iterable[Subset], table: pd.DataFrame) -> None:
    """Refuse a list of which the data set has nothing, before anybody looks at an image."""
    for subset in subsets:
        if not subset.of(table).any():
            raise InputError(f"no image of the subset {subset.name!r} is in the data set; list image ids or file names")


def retrieval_by_subset(gallery: Gallery, subsets: Sequence[Subset], *, seed: int) -> list[Table]:
    """The paper's table 4: how well a film finds others of its person, among those of a subset alone."""
    rows: list[Row] = []
    for subset in subsets:
        keep = subset.of(gallery.table)
        table = gallery.table[keep].reset_index(drop=True)
        try:
            found = evaluate(gallery.ours.vectors[keep], table, seed=seed).estimates
        except NotMeasurable:
            found = {}
        told = [found[measure] for measure in RETRIEVAL if found and found[measure].units >= SMALLEST_GROUP]
        cells = [cell(estimate) for estimate in told] or [cell(None)] * len(RETRIEVAL)
        rows.append((subset.name, *cells, told[0].n if told else 0, told[0].units if told else 0))
    return [Table("Retrieval by subset", ("subset", *RETRIEVAL, "queries", "patients"), tuple(rows))] if rows else []


def verification_by_subset(
    gallery: Gallery, judge: PairJudge, subsets: Sequence[Subset], *, seed: int, pair_redraws: int
) -> list[Table]:
    """The first rows of the paper's table 2: the measures on pairs of a subset alone."""
    told: dict[tuple[str, ...], dict[str, Estimate]] = {}
    for subset in subsets:
        keep, ours = subset.of(gallery.table), gallery.ours
        side = Side(ours.vectors[keep], ours.control[keep], ours.patients[keep], ours.studies[keep])
        found = verify_side(judge, side, gallery.patients, seed=seed, pair_redraws=pair_redraws)
        told[(subset.name,)] = {} if found is None else found[1]
    return [measures_table("Verification by subset", ("subset",), told)] if told else []


def _listed(path: Path) -> frozenset[str]:
    try:
        if path.stat().st_size > _MOST:
            raise InputError(f"{path} is too large for a list of images; give one image a line")
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path} is not a readable list; give a text file with an image a line") from None
    found = frozenset(line.strip() for line in lines if line.strip())
    if not found:
        raise InputError(f"{path} lists no image; give a text file with an image a line")
    return found
