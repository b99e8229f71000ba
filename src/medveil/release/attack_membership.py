"""`medveil attack membership`, below the command line: a model asked about patients it may have been trained on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from medveil.attacks.membership.groups import Groups
from medveil.attacks.membership.run import attack_encoder
from medveil.attacks.membership.settings import MembershipSettings
from medveil.cohort.input import InputOptions, read_cohort
from medveil.encoders.loading import load_encoder
from medveil.errors import SettingsError
from medveil.finding import Finding
from medveil.part_settings import to_json
from medveil.release.attack_report import AttackOutcome, Input, report_attack
from medveil.release.settings import Progress
from medveil.runtime.storage import check_writable
from medveil.training.device import check_device

BUNDLED = "medveil-small"


def attack_membership(
    model: str,
    source: Path,
    others: Path | None,
    out: Path,
    *,
    settings: MembershipSettings,
    seed: int,
    rounds: int | None = None,
    start: Path | None = None,
    cache: Path | None = None,
    device: str = "cpu",
    layout: str | None = None,
    options: InputOptions | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> AttackOutcome:
    """Guess who of `source` the model was trained on; with `others`, all of `source` were, and none of `others`."""
    check_device(device)
    for place in (out, cache, settings.keep):
        if place is not None:
            check_writable(place)
    attack = _on_federated(model, settings, rounds, start) or _on_encoder(model, settings, device, cache)
    cohorts = [
        read_cohort(path, layout=layout, options=options, progress=partial(progress, "reading"))
        for path in (source, others)
        if path
    ]
    groups = Groups.of_two(*cohorts, seed=seed) if others else Groups.of_split(cohorts[0], seed=seed)
    finding = attack(groups, seed=seed, device=device, progress=progress)
    within, page = report_attack(
        finding,
        Input.of_cohort(cohorts[0]),
        out,
        command=f"medveil attack membership MODEL COHORT{' OTHERS' if others else ''} -o OUT --seed {seed}",
        seed=seed,
        settings={**to_json(settings), "device": device},
    )
    unread = sum(len(cohort.problems) for cohort in cohorts)
    return AttackOutcome(finding.answer, within, unread, page, {"model": Path(model).name})


def _on_federated(
    model: str, settings: MembershipSettings, rounds: int | None, start: Path | None
) -> Callable[..., Finding] | None:
    """The attack on a federated model; None where MODEL is none."""
    if not Path(model).exists():
        return None
    from medveil.release.federated_models.attack import attack_federated
    from medveil.release.federated_models.model import federated_file, read_model

    path = federated_file(model)
    if path is None:
        return None
    if settings.references:
        raise SettingsError("a federated model is attacked with models of its own recipe; leave out --reference")
    read = read_model(path, rounds=rounds, start=start)
    return lambda groups, **rest: attack_federated(read, groups, settings, **rest)


def _on_encoder(model: str, settings: MembershipSettings, device: str, cache: Path | None) -> Callable[..., Finding]:
    target = load_encoder(model, device=device)
    names = settings.references or (() if target.name == BUNDLED else (BUNDLED,))
    references = [load_encoder(name, device=device) for name in names]
    if any(each.fingerprint == target.fingerprint for each in references):
        raise SettingsError("a reference model must be another than the attacked one; leave it out")
    return lambda groups, *, device, **rest: attack_encoder(target, references, groups, settings, cache=cache, **rest)
