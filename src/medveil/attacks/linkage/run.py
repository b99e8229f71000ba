"""Pairs encoded and audited: what `Linkage` and `medveil attack linkage` both do."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.linkage import tables
from medveil.attacks.linkage.audit import Audit, LinkageResult, Progress
from medveil.attacks.linkage.cases import Cases
from medveil.attacks.linkage.measurement import Sides
from medveil.attacks.linkage.settings import LinkageSettings
from medveil.cohort import Cohort
from medveil.encoders.extraction import encode_cohort
from medveil.encoders.vectors.embedding_folder import Embeddings
from medveil.errors import InputError, SettingsError

Vectors = NDArray[np.float32]
MOST_FITTED = 60_000  # pairs


def encode_by_all(
    cohort: Cohort,
    encoders: Iterable[str],
    *,
    device: str = "cpu",
    cache: Path | None = None,
    ray: bool = False,
    progress: Progress | None = None,
) -> dict[str, Embeddings]:
    """The cohort's pairs as vectors, by name of the encoder."""
    from medveil.encoders.loading import load_encoder

    found: dict[str, Embeddings] = {}
    for name in dict.fromkeys(encoders):
        model = load_encoder(name, device=device)
        if model.name in found:
            raise SettingsError(f"two encoders are called {model.name}; rename one of the folders")
        told = None if progress is None else partial(progress, f"encoding by {model.name}")
        found[model.name] = encode_cohort(cohort, model, cache=cache, progress=told, ray=ray)
    return found


def run_linkage(
    subject: Cohort | pd.DataFrame,
    embeddings: dict[str, Embeddings],
    *,
    seed: int,
    settings: LinkageSettings | None = None,
    device: str = "cpu",
    progress: Progress | None = None,
    fit: bool = True,
) -> LinkageResult:
    """Attack the pairs that all `embeddings` (by name of the encoder) have, by each and by attackers fitted to them.

    `subject` is a cohort, or a table with a row for every number in `Embeddings.rows` and whichever of the cohort's
    columns are known: without patient_id intervals are by query, without study_id matching is by pair, without labels
    pools are random only. Similarities are computed on `device`. Without `fit` the encoders alone are compared, which
    says little of the risk.
    """
    settings = settings or LinkageSettings()
    table = subject.table if isinstance(subject, Cohort) else subject
    rows = _common_rows(embeddings, len(table))
    cases = Cases.of(table, rows, settings)
    audit = Audit(cases, settings, seed, device=device)
    vectors = {}
    for encoder, each in embeddings.items():
        at = np.searchsorted(each.rows, rows)
        vectors[encoder] = _picked(each.images, at), _picked(each.reports, at)
        audit.add(encoder, Sides.same(*vectors[encoder]), progress)
    if fit and settings.fitted:
        root = subject.root if isinstance(subject, Cohort) else None
        for name, sides in _fitted(cases, vectors, root, seed=seed, device=device).items():
            audit.add(name, sides, progress, fitted=True)
    set_aside: dict[str, int] = {}
    for each in embeddings.values():
        set_aside |= each.set_aside
    return audit.result(set_aside)


def _fitted(
    cases: Cases, vectors: dict[str, tuple[Vectors, Vectors]], root: Path | None, *, seed: int, device: str
) -> dict[str, Sides]:
    """Attackers that learned on half of the patients; none where those are too few, or the pairs too many to hold."""
    from medveil.attacks.linkage.fitting.cross_fit import cross_fitted, halves
    from medveil.attacks.linkage.fitting.views import views_of

    patients = np.arange(len(cases)) if cases.patients is None else cases.patients
    half = halves(patients, seed=seed)
    if half is None or len(cases) > MOST_FITTED:
        return {}
    images, reports = ([each[side] for each in vectors.values()] for side in (0, 1))
    if root is not None:
        images.append(_film_features(cases.table, root, device))
    texts = cases.table["report"].astype(str).tolist() if "report" in cases.table else None
    return cross_fitted(views_of(images, reports, texts, patients), vectors, half, seed=seed)


def _film_features(table: pd.DataFrame, root: Path, device: str) -> Vectors:
    """The films once more, as a network sees them that was trained to name findings."""
    from medveil.encoders.batches import encode_files
    from medveil.encoders.findings.features import load_features

    places = list(zip(table["path"], table["frame"].astype(int), strict=True))
    return encode_files(root, places, load_features(device), None, lambda done: None)[0]


def write_tables(result: LinkageResult, out: Path) -> list[Path]:
    """All tables as CSV into `out`; the one of single cases, by row of the cohort's table, is its owner's only."""
    return tables.write_tables(result.tables, out)


def _common_rows(embeddings: dict[str, Embeddings], count: int) -> NDArray[np.intp]:
    if not embeddings:
        raise InputError("name at least one encoder, or give embeddings")
    common = None
    for each in embeddings.values():
        if not len(each.images) == len(each.reports) == len(each.rows):
            raise InputError("there must be as many image embeddings as report embeddings, one of each for every pair")
        if len(each.rows) and (each.rows.max() >= count or (np.diff(each.rows) <= 0).any()):
            raise InputError("the embeddings are of other cases than the table; give those made from it, in its order")
        common = each.rows if common is None else np.intersect1d(common, each.rows)
    assert common is not None
    return common


def _picked(vectors: Vectors, rows: NDArray[np.intp]) -> Vectors:
    """These rows; all of them as they are, which may be a file larger than memory."""
    return vectors if len(rows) == len(vectors) else vectors[rows]
