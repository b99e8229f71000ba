"""`medveil attack linkage`, below the command line: pairs of a data set, or vectors made elsewhere, audited."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from medveil.attacks.linkage.attack import check_pairs
from medveil.attacks.linkage.run import encode_by_all, run_linkage, write_tables
from medveil.attacks.linkage.settings import LinkageSettings
from medveil.cohort import Cohort
from medveil.cohort.input import InputOptions, read_cohort
from medveil.cohort.selection import Selection
from medveil.encoders.vectors.embedding_folder import Embeddings, is_embedding_folder, open_embeddings
from medveil.encoders.vectors.precomputed import read_embeddings
from medveil.errors import SettingsError
from medveil.part_settings import to_json
from medveil.release.attack_report import AttackOutcome, Input, report_attack
from medveil.release.settings import Progress
from medveil.runtime.storage import check_writable

EVERYTHING = Selection()


@dataclass(frozen=True)
class AttackedPairs:
    """What is attacked: a cohort or a table of pairs, their vectors by name of the encoder, and how to report them."""

    subject: Cohort | pd.DataFrame
    vectors: dict[str, Embeddings]
    attacked: Input


def encoded_pairs(
    source: Path,
    encoders: tuple[str, ...],
    *,
    chosen: Selection = EVERYTHING,
    layout: str | None = None,
    options: InputOptions | None = None,
    cache: Path | None = None,
    device: str = "cpu",
    ray: bool = False,
    progress: Progress = lambda stage, done, total: None,
) -> AttackedPairs:
    """The `chosen` pairs of a data set, encoded now; or by `medveil encode`, if that is what `source` is."""
    if is_embedding_folder(source):
        if encoders:
            raise SettingsError(f"{source} is encoded already; leave out the encoder, or give the data set itself")
        vectors, pairs, manifest = open_embeddings(source)
        return _chosen_vectors(pairs, manifest["encoder"], vectors, chosen, sorted(source.glob("*.npy")))
    cohort = read_cohort(source, layout=layout, options=options, progress=partial(progress, "reading"))
    cohort, left_out = chosen.of(cohort)
    check_pairs(cohort)
    names = encoders or LinkageSettings.encoders
    found = encode_by_all(cohort, names, device=device, cache=cache, ray=ray, progress=progress)
    told = {name: replace(each, set_aside={**left_out, **each.set_aside}) for name, each in found.items()}
    return AttackedPairs(cohort, told, Input.of_cohort(cohort))


def precomputed_pairs(
    images: Path,
    reports: Path,
    ids: Path | None,
    options: InputOptions | None = None,
    chosen: Selection = EVERYTHING,
) -> AttackedPairs:
    """Vectors made elsewhere, and what is known of their pairs."""
    image_vectors, report_vectors, pairs = read_embeddings(images, reports, ids, options)
    vectors = Embeddings(image_vectors, report_vectors, np.arange(len(pairs)), {})
    return _chosen_vectors(pairs, "precomputed", vectors, chosen, [images, reports])


def _chosen_vectors(
    pairs: pd.DataFrame, encoder: str, vectors: Embeddings, chosen: Selection, files: list[Path]
) -> AttackedPairs:
    """Some pairs of a table and their vectors; `vectors.rows` are rows of the table."""
    pairs, keep, left_out = chosen.within(pairs)
    if not keep.all():
        kept = keep[vectors.rows]
        rows = (np.cumsum(keep) - 1)[vectors.rows[kept]]
        set_aside = {**left_out, **vectors.set_aside}
        vectors = Embeddings(vectors.images[kept], vectors.reports[kept], rows, set_aside)
        pairs = pairs[keep].reset_index(drop=True)
    return AttackedPairs(pairs, {encoder: vectors}, Input.of_embeddings(pairs, files))


def attack_linkage(
    pairs: AttackedPairs,
    out: Path,
    *,
    settings: LinkageSettings,
    seed: int,
    device: str = "cpu",
    progress: Progress = lambda stage, done, total: None,
) -> AttackOutcome:
    """Link every X-ray to its report; `out` gets the report and the tables."""
    check_writable(out)
    result = run_linkage(pairs.subject, pairs.vectors, seed=seed, settings=settings, device=device, progress=progress)
    write_tables(result, out)
    within, page = report_attack(
        result.finding,
        pairs.attacked,
        out,
        command=f"medveil attack linkage COHORT -o OUT --seed {seed}",
        seed=seed,
        settings={**to_json(settings), "encoders": list(pairs.vectors), "device": device},
    )
    withheld = pairs.attacked.subject.withheld
    return AttackOutcome(result.finding.answer, within, withheld, page, {"encoder": result.strongest})
