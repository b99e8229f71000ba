"""Frozen features of image-report pairs, whose they are and what they show: all that protecting the heads needs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.labels import POLICIES
from medveil.errors import InputError
from medveil.stats.bootstrap import unit_codes

if TYPE_CHECKING:
    import pandas as pd

Vectors = NDArray[np.float32]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class PairedFeatures:
    """What the frozen encoders make of pairs; row i of all is one pair.

    `texts` says which pairs have the very same report (images of one study, or word for word the same) and so never
    compete as answers; `targets` and `counts` are the 14 labels and where they are known.
    """

    images: Vectors
    reports: Vectors
    patients: Codes
    texts: Codes
    targets: NDArray[np.float32]
    counts: NDArray[np.bool_]

    @classmethod
    def of(
        cls, images: Vectors, reports: Vectors, table: pd.DataFrame, *, labels: str = "positive-only"
    ) -> PairedFeatures:
        """Features of the rows of a cohort's table, in its order."""
        if not len(images) == len(reports) == len(table):
            raise InputError("images, reports and the table differ in number; encode the cohort again")
        targets, counts = POLICIES[labels].apply(table)
        patients, _ = unit_codes(table["patient_id"].to_numpy())
        texts, _ = unit_codes(table["report"].fillna("").str.split().str.join(" ").to_numpy())
        return cls(np.asarray(images, np.float32), np.asarray(reports, np.float32), patients, texts, targets, counts)

    def __post_init__(self) -> None:
        if len({len(part) for part in vars(self).values()}) != 1:
            raise InputError("features, patients and labels differ in number; encode the cohort again")
        if not (np.isfinite(self.images).all() and np.isfinite(self.reports).all()):
            raise InputError("some features are not finite numbers; encode the cohort again")

    def __len__(self) -> int:
        return len(self.patients)

    @property
    def units(self) -> int:
        return int(self.patients.max(initial=-1)) + 1

    @property
    def profiles(self) -> NDArray[np.bool_]:
        """The findings of every pair, for pools of candidates that resemble it."""
        return (self.targets == 1) & self.counts

    @property
    def under_two_ids(self) -> int:
        """Images that stand under more than one patient: one person with two ids, or a file that was misplaced."""
        import pandas as pd

        seen = pd.DataFrame({"image": [row.tobytes() for row in self.images], "patient": self.patients})
        return int((seen.groupby("image")["patient"].nunique() > 1).sum())

    def take(self, rows: Codes | NDArray[np.bool_]) -> PairedFeatures:
        """Some pairs, their patients and texts numbered anew."""
        patients, texts = (np.unique(codes[rows], return_inverse=True)[1] for codes in (self.patients, self.texts))
        return PairedFeatures(
            self.images[rows], self.reports[rows], patients, texts, self.targets[rows], self.counts[rows]
        )

    def digest(self) -> str:
        hasher = hashlib.sha256()
        for part in vars(self).values():
            hasher.update(str((part.dtype, part.shape)).encode())
            hasher.update(np.ascontiguousarray(part).data)
        return hasher.hexdigest()


@dataclass(frozen=True)
class ProtectionData:
    """Who plays which part. The patients of `test` and `elsewhere` are in no other part.

    Heads and probe are trained on `train`; `validation` chooses the probe's penalty; everything is measured on `test`.
    `own` are the pairs of an adversary who refits. `public` are pairs that need no protection: negatives for the
    private training and the stuff of canaries. Heads are applied unchanged to every cohort in `elsewhere`. `released`
    has the same pairs as the whole model puts them out, where the heads it comes with do not give these vectors.
    """

    train: PairedFeatures
    validation: PairedFeatures
    test: PairedFeatures
    own: PairedFeatures | None = None
    public: PairedFeatures | None = None
    elsewhere: Mapping[str, PairedFeatures] = field(default_factory=dict)
    public_are: Literal["declared", "phantoms"] = "declared"  # who says that they are public
    released: ProtectionData | None = None

    def parts(self) -> dict[str, PairedFeatures]:
        """All parts there are, by name."""
        named = {"train": self.train, "validation": self.validation, "test": self.test}
        optional = {"own": self.own, "public": self.public, **self.elsewhere}
        return named | {name: part for name, part in optional.items() if part is not None}

    def digest(self) -> str:
        told = "".join(f"{name}:{part.digest()}\n" for name, part in self.parts().items())
        told += "" if self.released is None else f"released:{self.released.digest()}\n"
        return hashlib.sha256(told.encode()).hexdigest()
