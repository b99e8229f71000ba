"""From data sets and a model to what protecting its heads needs: features, the heads, and who plays which part."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort import LABELS, Cohort
from medveil.cohort.phantom.hospital import phantom_pairs
from medveil.cohort.splits import assign_splits
from medveil.defenses.alignment.heads import Heads, take_over
from medveil.encoders.encoder import Encoder
from medveil.encoders.extraction import encode_cohort, encode_features
from medveil.encoders.headless import Headless, headless
from medveil.errors import InputError
from medveil.release.protect.measurement import OWN_PAIRS
from medveil.release.protect.paired_features import PairedFeatures, ProtectionData
from medveil.release.protect.shared_people import Watch, refuse_shared_people
from medveil.runtime.storage import write_bytes

PHANTOMS = 256
PHANTOM_SEED = 1_902_653_077  # of no hospital anybody would build: public pairs must not be pairs to protect
FEWEST_OWN = min(filter(None, OWN_PAIRS))  # with fewer, no adversary is tried


@dataclass(frozen=True)
class Prepared:
    """The features of all parts, the heads the model comes with, and how many images are left out for which reason.

    `trained_on` are the ids of the patients in the part that heads are trained on.
    """

    data: ProtectionData
    heads: Heads
    set_aside: dict[str, int]
    trained_on: frozenset[str]


def prepare(
    cohort: Cohort,
    encoder: Encoder,
    *,
    work: Path,
    public: Cohort | None = None,
    transfer: Mapping[str, Cohort] | None = None,
    cache: Path | None = None,
    watch: Watch = lambda stage, done, total: None,
) -> Prepared:
    """Encode everything once. Without a `public` cohort, phantom pairs are made and kept in the cache or in `work`; one
    that shares people with the cohort is refused.

    The refitting adversary's own pairs are all pairs that are not measured on: the most this data set can give them.
    """
    if public is not None:
        refuse_shared_people(cohort, public, watch)
    bare = headless(encoder)
    pairs, table, set_aside = _encoded(cohort, bare, cache, "encoding", watch)
    part = parts_of(table)
    unused = int(part.isna().sum())
    others = transfer or {}
    data = replace(
        _dealt(
            pairs,
            part,
            {name: _encoded(other, bare, cache, f"encoding {name}", watch)[0] for name, other in others.items()},
        ),
        public=_phantoms(bare, cache or work, watch)
        if public is None
        else _encoded(public, bare, cache, "encoding public", watch)[0],
        public_are="phantoms" if public is None else "declared",
    )
    if bare.released is not None:
        whole = partial(_as_released, model=bare.released, cache=cache, watch=watch)
        data = replace(
            data, released=_dealt(whole(cohort), part, {name: whole(other) for name, other in others.items()})
        )
    trained_on = frozenset(table.loc[part == "train", "patient_id"].astype(str))
    reasons = {**set_aside, **({"in none of train, val and test": unused} if unused else {})}
    return Prepared(data, take_over(bare.image_head, bare.report_head), reasons, trained_on)


def _dealt(pairs: PairedFeatures, part: pd.Series, elsewhere: Mapping[str, PairedFeatures]) -> ProtectionData:
    rest = part.isin(("train", "val"))
    return ProtectionData(
        train=_some(pairs, part == "train", "train"),
        validation=_some(pairs, part == "val", "validate"),
        test=_some(pairs, part == "test", "measure"),
        own=_some(pairs, rest, "train") if rest.sum() >= FEWEST_OWN else None,
        elsewhere=elsewhere,
    )


def parts_of(table: pd.DataFrame) -> pd.Series:
    """train, val or test for every row, whole patients only, following the data set's own split as far as it goes.

    Without a test part, val is measured on. Without a part to validate on, some patients of train are. A data set
    without a split is dealt by patient.
    """
    dealt = assign_splits(table["patient_id"]).astype(object)
    told = table["split"].astype(object)
    known = set(told.dropna())
    if not {"train", "val"} <= known and not {"train", "test"} <= known:
        return dealt
    if "test" not in known:
        told = told.replace("val", "test")
    if not (told == "val").any():
        told = told.mask((told == "train") & (dealt == "val"), "val")
    return told


def _some(pairs: PairedFeatures, rows: pd.Series, verb: str) -> PairedFeatures:
    if rows.sum() < 2:
        raise InputError(f"the data set leaves fewer than two pairs to {verb} on; give it a split, or more patients")
    return pairs.take(rows.to_numpy(dtype=bool))


def _encoded(
    cohort: Cohort, bare: Headless, cache: Path | None, stage: str, watch: Watch
) -> tuple[PairedFeatures, pd.DataFrame, dict[str, int]]:
    found = encode_features(cohort, bare, cache=cache, progress=lambda done, total: watch(stage, done, total))
    table = cohort.table.iloc[found.rows].reset_index(drop=True)
    return PairedFeatures.of(found.images, found.reports, table), table, found.set_aside


def _as_released(cohort: Cohort, *, model: Encoder, cache: Path | None, watch: Watch) -> PairedFeatures:
    """The same pairs as the whole model puts them out; which can be read does not depend on the model."""
    found = encode_cohort(
        cohort, model, cache=cache, progress=lambda done, total: watch("encoding as released", done, total)
    )
    return PairedFeatures.of(found.images, found.reports, cohort.table.iloc[found.rows].reset_index(drop=True))


def _phantoms(bare: Headless, folder: Path, watch: Watch) -> PairedFeatures:
    """Features of phantom pairs, made once for each model."""
    told = f"{PHANTOMS} {PHANTOM_SEED} {bare.images.fingerprint} {bare.reports.fingerprint}"
    path = folder / f"phantoms-{hashlib.sha256(told.encode()).hexdigest()[:16]}.npz"
    known = _kept(path)
    if known is None:
        known = _drawn(bare, watch)
        buffer = io.BytesIO()
        np.savez(buffer, images=known[0], reports=known[1])
        write_bytes(path, buffer.getvalue())
    numbers = [str(number) for number in range(PHANTOMS)]
    table = pd.DataFrame({"patient_id": numbers, "report": numbers, **dict.fromkeys(LABELS, np.nan)})
    return PairedFeatures.of(*known, table)


def _drawn(bare: Headless, watch: Watch) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    images, texts = [], []
    for done, (image, text) in enumerate(phantom_pairs(PHANTOMS, seed=PHANTOM_SEED), 1):
        images.append(image)
        texts.append(text)
        watch("phantoms", done, PHANTOMS)
    return bare.images.encode_images(images), bare.reports.encode_reports(texts)


def _kept(path: Path) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as stored:
            return stored["images"], stored["reports"]
    except (OSError, ValueError, LookupError, EOFError, BadZipFile):
        return None
