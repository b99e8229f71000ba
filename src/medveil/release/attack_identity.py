"""`medveil attack identity`, below the command line: data sets read, attacked as they are, and reported."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from medveil.attacks.identity.attack import check_returning
from medveil.attacks.identity.run import run_identity, run_verification
from medveil.attacks.identity.settings import IdentitySettings
from medveil.attacks.identity.subsets import Subset, check_subsets
from medveil.cohort import Cohort
from medveil.cohort.input import InputOptions, read_cohort
from medveil.cohort.readers import nih14
from medveil.cohort.selection import Selection
from medveil.encoders.identity.verifier import Verifier, load_recogniser
from medveil.errors import SettingsError
from medveil.part_settings import to_json
from medveil.release.attack_report import AttackOutcome, Input, report_attack
from medveil.release.settings import Progress
from medveil.runtime.storage import check_writable
from medveil.training.device import check_device


def attack_identity(
    a: Path,
    b: Path | None,
    out: Path,
    *,
    settings: IdentitySettings,
    seed: int,
    shared_ids: bool = False,
    named_links: Path | None = None,
    cache: Path | None = None,
    device: str = "cpu",
    layout: str | None = None,
    options: InputOptions | None = None,
    chosen: Selection | None = None,
    subsets: Sequence[Subset] = (),
    pair_redraws: int = 0,
    progress: Progress = lambda stage, done, total: None,
) -> AttackOutcome:
    """Recognise the patients of `a` among themselves, or in `b`; `out` gets the report and the links.

    `chosen` part of each is used. `subsets` of `a` are measured apart too; `pair_redraws` adds the intervals by pair of
    a verification network.
    """
    check_device(device)
    for place in (out, named_links, cache):
        if place is not None:
            check_writable(place)
    cohorts = [
        read_cohort(path, layout=layout, options=options, progress=partial(progress, "reading"))
        for path in (a, b)
        if path
    ]
    unread = sum(len(cohort.problems) for cohort in cohorts)
    if chosen is not None:
        cohorts = [chosen.of(cohort)[0] for cohort in cohorts]
    if b is None:
        check_returning(cohorts[0])
    check_subsets(subsets, cohorts[0].table)
    files: dict[str, Any] = {"out": out, "named_links": named_links, "cache": cache, "progress": progress}
    network = load_recogniser(settings.weights, device=device)
    if isinstance(network, Verifier):
        if b is not None:
            raise SettingsError(
                "a verification network judges the pairs of one data set; leave out the second one, or give a network "
                "trained for reidentification"
            )
        result = run_verification(
            cohorts[0],
            judge=network,
            seed=seed,
            settings=settings,
            subsets=subsets,
            pair_redraws=pair_redraws,
            findings=own_findings(cohorts[0]),
            **files,
        )
    else:
        if pair_redraws:
            raise SettingsError("intervals by pair are for a verification network; leave out --pair-redraws")
        if b is not None and subsets:
            raise SettingsError("subsets are those of one data set; leave out the second one or the subsets")
        result = run_identity(
            cohorts[0],
            cohorts[1] if b else None,
            embedder=network,
            seed=seed,
            settings=settings,
            shared_ids=shared_ids,
            subsets=subsets,
            **files,
        )
    within, page = report_attack(
        result.finding,
        Input.of_cohort(cohorts[0]),
        out,
        command=f"medveil attack identity A{' B' if b else ''} -o OUT --seed {seed}",
        seed=seed,
        settings={
            **to_json(settings),
            "weights": None if settings.weights is None else settings.weights.name,  # a path may tell whose it is
            "shared_ids": shared_ids,
            "device": device,
            "splits": list(chosen.splits) if chosen else [],
            "views": list(chosen.views) if chosen else [],
            "subsets": [subset.name for subset in subsets],
            "pair_redraws": pair_redraws,
        },
    )
    details = {
        "links": len(result.links),
        "set aside": result.set_aside,
        "exact copies": result.exact_copies,
        "near copies": result.near_copies,
    }
    return AttackOutcome(result.finding.answer, within, unread, page, details)


def own_findings(cohort: Cohort) -> pd.DataFrame | None:
    """What the data set itself lists, where that is more than a cohort's labels can tell."""
    return nih14.listed_findings(cohort.root) if cohort.name == nih14.Nih14.name else None
