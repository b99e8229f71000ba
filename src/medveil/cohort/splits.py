"""Patient-level splits by hash: 80 % train and 20 % test, a tenth of train kept for validation.

A patient's place follows from the id alone, so it never changes when rows are added, and no patient
is ever on both sides.
"""

from __future__ import annotations

import hashlib

import pandas as pd

from medveil.cohort.schema import SPLITS

Shares = tuple[int, int, int]  # of train, val and test, in percent of the patients
SHARES: Shares = (72, 8, 20)


def split_of(patient_id: str, *, salt: str = "", shares: Shares = SHARES) -> str:
    """The split this patient belongs to; another salt deals all patients anew."""
    train, val, test = shares
    first, second = _places(patient_id, salt)
    if first < test / 100:
        return "test"
    return "val" if second < val / (train + val) else "train"


def for_validation(patient_id: str, share: float, *, salt: str = "") -> bool:
    """Whether this patient is kept for validation where `share` of a list that somebody else made must be."""
    return _places(patient_id, salt)[1] < share


def _places(patient_id: str, salt: str) -> tuple[float, float]:
    """Two numbers from 0 to 1 that are the patient's own."""
    digest = hashlib.blake2b(f"{salt}\x1f{patient_id}".encode(), digest_size=16, person=b"medveil-split").digest()
    return int.from_bytes(digest[:8]) / 2**64, int.from_bytes(digest[8:]) / 2**64


def assign_splits(patient_ids: pd.Series, *, salt: str = "", shares: Shares = SHARES) -> pd.Series:
    """The split of every row."""
    codes, patients = pd.factorize(patient_ids)
    dealt = pd.Categorical(
        [split_of(str(patient), salt=salt, shares=shares) for patient in patients], categories=list(SPLITS)
    )
    return pd.Series(dealt.take(codes), index=patient_ids.index, name="split")
