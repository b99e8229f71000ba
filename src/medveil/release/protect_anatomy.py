"""`medveil protect anatomy`, below the command line: a cohort with its anatomy hidden, or the frontier of all ways."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from medveil.cohort.input import InputOptions, read_cohort
from medveil.defenses.anatomy.defense import HiddenAnatomy
from medveil.errors import SettingsError
from medveil.finding import Finding
from medveil.part_settings import write_table
from medveil.person.keys import Keys
from medveil.release.anatomy.frontier import NOTHING
from medveil.release.anatomy.frontier_page import (
    as_csv,
    as_rows,
    attackers_table,
    frontier_figure,
    frontier_table,
    published_table,
)
from medveil.release.anatomy.pictures import before_and_after
from medveil.release.anatomy.sweep import Progress, Swept, sweep
from medveil.release.attack_report import Input, report_attack
from medveil.release.run import Outcome, release
from medveil.release.settings import Settings
from medveil.runtime.storage import told, write_bytes, write_json
from medveil.training.device import check_device
from medveil.utility.diagnosis.diagnosing import Effort

ATTACKS, MEASURES = ("identity", "identity-adversaries", "pixel-similarity"), ("diagnosis", "organs")
CSV, JSON, KEPT = "frontier.csv", "frontier.json", "settings"
QUESTION = "Can a patient be recognised by the anatomy that a film shows, and what is such a film still good for?"


def protect_cohort(
    source: Path,
    out: Path,
    *,
    keys: Keys,
    method: str | None,
    bits: int | None,
    level: float | None,
    draws: int | None,
    weights: Path | None,
    risk: float | None,
    layout: str | None,
    options: InputOptions | None,
    device: str,
    seed: int,
    workers: int | None,
    progress: Progress,
) -> Outcome:
    """The cohort with its anatomy hidden and all else as it was, names in it too; attacked and measured before and
    after."""
    given = {"method": method, "bits": bits, "level": level, "draws": draws, "weights": weights}
    anatomy = write_table(HiddenAnatomy.name, {name: value for name, value in given.items() if value is not None})
    settings = Settings(
        seed=seed,
        layout=layout,
        input=options or InputOptions(),
        device=device,
        threshold=risk,
        defenses=("headers", anatomy),  # no header comes along with a film that is written anew
        attacks=ATTACKS,
        measures=MEASURES,
        protect="anatomy",
        risk=risk,
    )
    return release(source, out, keys=keys, settings=settings, workers=workers, progress=progress)


@dataclass(frozen=True)
class Frontier:
    """Where the page of a sweep is, and what it came to."""

    report: Path
    swept: Swept


def sweep_cohort(
    source: Path,
    out: Path,
    *,
    methods: tuple[str, ...],
    weights: Path | None,
    fit: str | None,
    measure: str | None,
    effort: Effort,
    layout: str | None,
    options: InputOptions | None,
    device: str,
    seed: int,
    show_images: bool,
    progress: Progress,
) -> Frontier:
    """OUT gets report.html and report.json, frontier.csv and frontier.json; a killed sweep goes on where it was."""
    if (fit is None) != (measure is None):
        raise SettingsError("name both splits, the one to learn from and the one to measure on, or neither")
    if device != "cpu":
        check_device(device)
    cohort = read_cohort(source, layout=layout, options=options, progress=partial(progress, "reading"))
    kept = out / KEPT
    with told():
        kept.mkdir(parents=True, exist_ok=True)
        kept.chmod(0o700)  # some of what is kept shows patients
    swept = sweep(
        cohort,
        methods=methods,
        weights=weights,
        fit=fit,
        measure=measure,
        effort=effort,
        device=device,
        seed=seed,
        keep=kept,
        progress=progress,
    )
    rows = as_rows(swept.points, seed=seed)
    write_bytes(out / CSV, as_csv(rows))
    write_json(out / JSON, {"points": rows, "left out": swept.left_out, "images set aside": swept.set_aside})
    _, page = report_attack(
        finding_of(swept, seed=seed, show_images=show_images),
        Input.of_cohort(cohort),
        out,
        command="medveil protect anatomy COHORT -o OUT --sweep",
        seed=seed,
        settings={
            "methods": list(methods),
            "fit": fit,
            "measure": measure,
            "effort": effort,
            "left out": swept.left_out,
        },
    )
    return Frontier(page, swept)


def finding_of(swept: Swept, *, seed: int, show_images: bool = False) -> Finding:
    """The whole sweep as one finding, which is of the films as they are: settings are compared, none is judged."""
    rows = {"as they are": swept.originals}
    rows |= {each.point.name: each.point.samples for each in swept.points if each.point.method != NOTHING}
    base = next(each for each in swept.points if each.point.method == NOTHING)
    best = max(swept.points, key=lambda each: (each.risk.high <= 0.1, each.clean.value))
    limits = tuple(f"{name} was not tried: {why}" for name, why in swept.left_out.items())
    answer = (
        f"The films as they are lead to the right patient in {100 * base.risk.value:.1f} % of tries. Of the settings "
        f"whose strongest attacker stays below 10 %, {best.point.name} keeps most."
        if best.risk.high <= 0.1
        else f"The films as they are lead to the right patient in {100 * base.risk.value:.1f} % of tries. No setting "
        "that was tried keeps the strongest attacker's upper end below 10 %."
    )
    return Finding(
        part="anatomy-frontier",
        kind="attack",
        question=QUESTION,
        answer=answer,
        headline="precision@1 of the strongest attacker on the films as they are",
        estimates={
            "precision@1 of the strongest attacker on the films as they are": base.risk,
            **{f"precision@1 after {each.point.name}": each.risk for each in swept.points if each is not base},
        },
        method="Four attackers (a frozen network, another architecture, one retrained on defended films, and "
        "restoration before recognition) learn from some patients and are tried on others, among defended films and "
        "among originals; the strongest upper end counts. Classifiers learn from the same patients.",
        limits=limits,
        figures=(frontier_figure(swept.points, trained=True), frontier_figure(swept.points, trained=False)),
        tables=(
            frontier_table(swept.points),
            attackers_table(swept.points, seed=seed),
            published_table(swept.points, seed=seed),
        ),
        pictures=(before_and_after(rows),) if show_images else (),
    )
