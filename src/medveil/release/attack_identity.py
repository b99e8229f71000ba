"""`medveil attack identity`, below the command line: data sets read, attacked as they are, and reported."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from medveil.attacks.identity.attack import check_returning
from medveil.attacks.identity.run import run_identity
from medveil.attacks.identity.settings import IdentitySettings
from medveil.cohort.input import InputOptions, read_cohort
from medveil.encoders.identity.embedder import load_embedder
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
    progress: Progress = lambda stage, done, total: None,
) -> AttackOutcome:
    """Recognise the patients of `a` among themselves, or in `b`; `out` gets the report and the links."""
    check_device(device)
    for place in (out, named_links, cache):
        if place is not None:
            check_writable(place)
    cohorts = [
        read_cohort(path, layout=layout, options=options, progress=partial(progress, "reading"))
        for path in (a, b)
        if path
    ]
    if b is None:
        check_returning(cohorts[0])
    result = run_identity(
        cohorts[0],
        cohorts[1] if b else None,
        embedder=load_embedder(settings.weights, device=device),
        seed=seed,
        settings=settings,
        shared_ids=shared_ids,
        out=out,
        named_links=named_links,
        cache=cache,
        progress=progress,
    )
    within, page = report_attack(
        result.finding,
        Input.of_cohort(cohorts[0]),
        out,
        command=f"medveil attack identity A{' B' if b else ''} -o OUT --seed {seed}",
        seed=seed,
        settings={**to_json(settings), "shared_ids": shared_ids, "device": device},
    )
    details = {
        "links": len(result.links),
        "set aside": result.set_aside,
        "exact copies": result.exact_copies,
        "near copies": result.near_copies,
    }
    unread = sum(len(cohort.problems) for cohort in cohorts)
    return AttackOutcome(result.finding.answer, within, unread, page, details)
