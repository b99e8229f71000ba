"""The linkage attack: an encoder of X-rays and reports finds the report that belongs to an X-ray, and the reverse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.linkage import tables
from medveil.attacks.linkage.audit import Audit, LinkageResult, Progress
from medveil.attacks.linkage.cases import Cases, check_enough
from medveil.attacks.linkage.findings import NAME
from medveil.attacks.linkage.settings import LinkageSettings
from medveil.cohort import Cohort
from medveil.encoders.extraction import Embeddings, encode_cohort
from medveil.errors import InputError, NotMeasurable
from medveil.finding import Finding
from medveil.parts import register_attack

Vectors = NDArray[np.float32]
ENCODER = "medveil-small"
ORIGINAL_REPORTS = "The released X-rays were compared with the original reports, which somebody may hold."
LEAST_READ = 0.5  # of the pairs; a verdict must not rest on a remnant


@register_attack
class Linkage:
    """Links X-rays to reports with the bundled encoder."""

    name = NAME
    baseline = False

    def run(self, cohort: Cohort, *, seed: int) -> Finding:
        reported = cohort.table["report"].fillna("").str.strip() != ""
        if not reported.any():
            raise NotMeasurable("the data hold no reports, so there is nothing an X-ray could be linked to")
        pairs = int((reported & ~cohort.table["view"].isin(("LATERAL", "OTHER"))).sum())
        check_enough(pairs)
        from medveil.encoders.encoder import load_encoder  # torch is loaded only when it is needed

        embeddings = encode_cohort(cohort, load_encoder(ENCODER))
        if len(embeddings.rows) < pairs * LEAST_READ:
            raise NotMeasurable(
                "most X-rays with a report cannot be read, so the few that are left would speak for too many"
            )
        return run_linkage(cohort, {ENCODER: embeddings}, seed=seed).finding

    def run_on_release(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        """Reports that are withheld still exist somewhere, so the released X-rays are tried on the original ones."""
        known = released.table.assign(report=originals.table["report"].to_numpy())
        finding = self.run(replace(released, table=known), seed=seed)
        return replace(finding, method=f"{finding.method} {ORIGINAL_REPORTS}")


def run_linkage(
    subject: Cohort | pd.DataFrame,
    embeddings: dict[str, Embeddings],
    *,
    seed: int,
    settings: LinkageSettings | None = None,
    progress: Progress | None = None,
) -> LinkageResult:
    """Attack the pairs that all `embeddings` (by name of the encoder) have.

    `subject` is a cohort, or a table with a row for every number in `Embeddings.rows` and whichever of the cohort's
    columns are known: without patient_id intervals are by query, without study_id matching is by pair, without labels
    pools are random only.
    """
    settings = settings or LinkageSettings()
    table = subject.table if isinstance(subject, Cohort) else subject
    rows = _common_rows(embeddings, len(table))
    audit = Audit(Cases.of(table, rows, settings), settings, seed)
    for encoder, each in embeddings.items():
        at = np.searchsorted(each.rows, rows)
        audit.add(encoder, _picked(each.images, at), _picked(each.reports, at), progress)
    set_aside: dict[str, int] = {}
    for each in embeddings.values():
        set_aside |= each.set_aside
    return audit.result(set_aside)


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
