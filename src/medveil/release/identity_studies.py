"""The published studies of recognition, below the command line: training size, rate and handling of pairs; resolution;
and examples of what a verification network got right and wrong, with what it looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from medveil.attacks.identity.attack import check_returning
from medveil.attacks.identity.embedded_images import EmbeddedImages, Embedder, Singles, embed_images
from medveil.attacks.identity.evaluation import evaluate
from medveil.attacks.identity.examples import Example, chosen_examples, example_pictures
from medveil.attacks.identity.gallery import Gallery, build_gallery, pairs_of
from medveil.attacks.identity.judged_pairs import JudgedPairs, roc_overlay
from medveil.attacks.identity.subsets import RETRIEVAL
from medveil.attacks.identity.verification import cell, confusion_table, measures_table, verify_side
from medveil.cohort import Cohort
from medveil.cohort.input import InputOptions, read_cohort
from medveil.cohort.phantom.hospital import build_hospital
from medveil.cohort.selection import Selection
from medveil.encoders.identity.embedder import load_embedder
from medveil.encoders.identity.training.images import from_cohort
from medveil.encoders.identity.training.settings import TrainingSettings
from medveil.encoders.identity.training.train import train_on
from medveil.encoders.identity.verifier import load_verifier
from medveil.errors import NotMeasurable, Quarantined
from medveil.finding import SMALLEST_GROUP, Figure, Finding, Series, Table
from medveil.release.attack_report import AttackOutcome, Input, report_attack
from medveil.release.settings import Progress
from medveil.runtime.storage import check_writable
from medveil.stats.estimate import Estimate
from medveil.training.device import check_device

NAME = "identity"
HANDLING = {"fixed": "FTS", "redrawn": "RNP"}  # fixed training set, randomised negative pairs
PHANTOMS, PHANTOM_SIZE = 60, 256
_TOO_FEW = "too few patients of the part that is judged came more than once; eleven are needed"
_LOOKED_AT = 50  # films, to tell how large they are


@dataclass(frozen=True)
class Data:
    """Where the films of a study come from: a data set, and which part of it is measured on."""

    source: Path
    layout: str | None = None
    options: InputOptions | None = None
    chosen: Selection | None = None

    def read(self, progress: Progress) -> Cohort:
        """Every part, the data set's own or those dealt anew; of each the views asked for."""
        cohort = read_cohort(
            self.source, layout=self.layout, options=self.options, progress=partial(progress, "reading")
        )
        return cohort if self.chosen is None else replace(self.chosen, splits=()).of(cohort)[0]

    def part(self, cohort: Cohort) -> Cohort:
        return cohort if self.chosen is None else self.chosen.of(cohort)[0]

    def told(self) -> dict[str, list[str]]:
        """What was chosen, for the report."""
        chosen = self.chosen or Selection()
        return {"splits": list(chosen.splits), "views": list(chosen.views)}


@dataclass(frozen=True)
class Run:
    """One training: how pairs are handled, how many there are, and the learning rate."""

    mining: str
    pairs: int | None
    rate: float

    @property
    def folder(self) -> str:
        return f"{self.mining}-{self.pairs or 'all'}-{self.rate:g}"

    def told(self, used: int) -> tuple[str, str, str]:
        """For a table: handling, pairs and rate; where there were fewer pairs than asked for, that too."""
        short = f" of {self.pairs:,} asked for" if self.pairs is not None and used // 2 < self.pairs // 2 else ""
        return HANDLING.get(self.mining, self.mining), f"{used:,}{short}", f"{self.rate:g}"


def study_training(
    data: Data,
    out: Path,
    *,
    settings: TrainingSettings,
    minings: Sequence[str],
    pairs: Sequence[int | None],
    rates: Sequence[float],
    seed: int,
    pair_redraws: int = 0,
    device: str = "cpu",
    progress: Progress = lambda stage, done, total: None,
) -> AttackOutcome:
    """Train a verification network for every handling, size and rate, and judge each on the same unseen patients.

    Models lie in `out`/runs, one folder each; what is there already is not trained again.
    """
    check_device(device)
    check_writable(out)
    runs = {
        run: replace(settings, mining=run.mining, pairs=run.pairs, rate=run.rate, seed=seed)  # type: ignore[arg-type]
        for run in (Run(*each) for each in product(minings, pairs, rates))
    }
    cohort = data.read(progress)
    unseen = data.part(cohort)
    trained_on = cohort.table["split"].isin(("train", "val"))
    _refuse_overlap(cohort.where(trained_on), unseen)
    if check_returning(unseen) < SMALLEST_GROUP:
        raise NotMeasurable(_TOO_FEW)
    images = from_cohort(cohort, settings.preparation, partial(progress, "preparing"))
    measured: dict[Run, tuple[int, JudgedPairs, dict[str, Estimate]]] = {}
    gallery: Gallery | None = None
    for number, (run, how) in enumerate(runs.items()):
        epochs: Callable[[dict[str, Any]], None] = partial(_told_epoch, progress, how.all_epochs)
        folder = out / "runs" / run.folder
        result = train_on("verification", images, folder, settings=how, device=device, progress=epochs)
        verifier = load_verifier(result.model, device=device)
        embedded = embed_images(unseen, verifier)
        if gallery is None:  # copies are found once, so that every network is judged on the same pairs
            gallery = build_gallery([embedded], [unseen], centred=True)
        side = replace(gallery.ours, vectors=_kept(embedded, gallery))
        found = verify_side(verifier, side, gallery.patients, seed=seed, pair_redraws=pair_redraws)
        if found is None:
            raise NotMeasurable(_TOO_FEW)
        measured[run] = (result.pairs or 0, *found)
        progress("networks", number + 1, len(runs))
    finding = _training_finding(measured, pair_redraws, from_chance=settings.start is None)
    tried = {"mining": list(minings), "pairs": list(pairs), "rate": list(rates), "seed": seed}
    record = {**settings.as_dict(), **tried, **data.told(), "device": device}
    return _reported(finding, unseen, out, "training", seed, record, {"runs": len(runs)})


def _told_epoch(progress: Progress, most: int, line: dict[str, Any]) -> None:
    progress("epochs", line["epoch"], most)


def _training_finding(
    measured: dict[Run, tuple[int, JudgedPairs, dict[str, Estimate]]], pair_redraws: int, *, from_chance: bool
) -> Finding:
    told = {run: run.told(used) for run, (used, _, _) in measured.items()}
    names = {run: f"{handling}, {pairs} pairs, rate {rate}" for run, (handling, pairs, rate) in told.items()}
    best = max(measured, key=lambda run: measured[run][2]["AUC"].value)
    rows: dict[tuple[str, ...], dict[str, Estimate]] = {told[run]: found for run, (_, _, found) in measured.items()}
    auc = measured[best][2]["AUC"]
    several = len(measured) > 1
    return Finding(
        part=NAME,
        kind="attack",
        question="How well does a verification network tell people apart, by how much it was trained on?",
        answer=(
            f"{f'The best of {len(measured)} networks' if several else 'The network'} reaches an AUC of "
            f"{auc.value:.4f} ({auc.low:.4f} to {auc.high:.4f}) on {auc.n:,} pairs of patients it never saw: "
            f"{names[best]}."
        ),
        headline="AUC of the best network",
        scale="score",
        estimates={
            "AUC of the best network": _by_units(auc),
            **{f"{m} ({names[run]})": e for run, (_, _, found) in measured.items() for m, e in found.items()},
        },
        method=(
            "Each network was trained on listed pairs of the split train, half of them of one patient, the other half "
            "the same in every epoch (FTS) or drawn anew in each (RNP), and stopped by the split val. All are judged "
            "at a probability of 0.5 on the same patients, as many pairs of one person as of two. Intervals redraw "
            + (f"pairs, {pair_redraws:,} times, as published; those are too narrow." if pair_redraws else "patients.")
        ),
        limits=(
            *("The best was picked by these very figures, so its own leans to the good side.",) * several,
            *("The paper starts from ImageNet weights; these networks began from chance.",) * from_chance,
        ),
        figures=(roc_overlay({names[run]: pairs for run, (_, pairs, _) in measured.items()}),),
        tables=(
            measures_table("Verification by training", ("data handling", "training pairs", "learning rate"), rows),
            confusion_table(measured[best][1].scored),
        ),
    )


def study_resolution(
    data: Data,
    out: Path,
    *,
    sizes: Sequence[int],
    weights: Path | None,
    seed: int,
    cache: Path | None = None,
    device: str = "cpu",
    progress: Progress = lambda stage, done, total: None,
) -> AttackOutcome:
    """How well a retrieval network finds a person's other films when it looks at fewer or more pixels."""
    check_device(device)
    check_writable(out)
    cohort = data.part(data.read(progress))
    found: dict[int, dict[str, Estimate]] = {}
    gallery: Gallery | None = None
    for size in sorted(set(sizes), reverse=True):
        embedder: Embedder = load_embedder(weights, device=device, size=size)
        told: Callable[[int, int], None] = partial(progress, f"looking at {size} pixels")
        embedded = embed_images(cohort, embedder, cache=cache, progress=told)
        if gallery is None:  # copies are found once, so that every size is measured on the same films
            gallery = build_gallery([embedded], [cohort])
        found[size] = evaluate(_kept(embedded, gallery), gallery.table, seed=seed).estimates
    finding = _resolution_finding(found, _median_side(cohort))
    settings = {
        "sizes": sorted(set(sizes)),
        "weights": weights.name if weights else "bundled",
        "device": device,
        **data.told(),
    }
    return _reported(finding, cohort, out, "resolution", seed, settings, {"sizes": sorted(set(sizes))})


def _resolution_finding(found: dict[int, dict[str, Estimate]], stored: int) -> Finding:
    largest = max(found)
    first = found[largest]["precision@1"]
    x = tuple(float(size) for size in sorted(found))
    measures = (*RETRIEVAL, "pair AUC")

    def series(measure: str) -> Series:
        each = [found[int(size)][measure] for size in x]
        return Series(measure, x, *(tuple(getattr(e, end) for e in each) for end in ("value", "low", "high")))

    limits = [
        "A network sees best at the size it was trained on; at others it was not trained.",
        *(
            f"The films have {stored:,} pixels a side at the median of those looked at: at {size:,} they are blown up."
            for size in sorted(found)
            if size > stored
        ),
    ]
    return Finding(
        part=NAME,
        kind="attack",
        question="How much does recognition depend on how many pixels the network looks at?",
        answer=(
            f"At {largest:,} pixels a side the most similar film shows the same patient in {first.value:.4f} of "
            f"{first.n:,} tries ({first.low:.4f} to {first.high:.4f})."
        ),
        headline="precision@1",
        scale="score",
        estimates={
            "precision@1": first,
            **{f"{measure} at {size} pixels": found[size][measure] for size in sorted(found) for measure in measures},
        },
        method=(
            "Films are read as they are stored, brought to the size and shown to the network; nothing is reduced "
            "beforehand. Copies are left out, and images of a query's own study never count as found."
        ),
        limits=tuple(limits),
        figures=(
            Figure(
                "Recognition by pixels",
                "line",
                "pixels a side",
                "share",
                tuple(series(m) for m in measures),
                x_log=True,
            ),
        ),
        tables=(
            Table(
                "Retrieval by resolution",
                ("pixels a side", *measures, "queries"),
                tuple(
                    (size, *(cell(found[size][measure]) for measure in measures), found[size]["precision@1"].n)
                    for size in sorted(found, reverse=True)
                ),
            ),
        ),
    )


def study_examples(
    data: Data | None,
    out: Path,
    *,
    weights: Path | None,
    show_images: bool,
    seed: int,
    device: str = "cpu",
    progress: Progress = lambda stage, done, total: None,
) -> AttackOutcome:
    """True matches and both kinds of error, with what the network looked at in its first, middle and last layers.

    Without data, phantoms are drawn and shown; films of people are shown only if that is asked for.
    """
    check_device(device)
    check_writable(out)
    if data is None:
        cohort = build_hospital(
            out / "phantoms", patients=PHANTOMS, size=PHANTOM_SIZE, seed=seed, progress=partial(progress, "drawing")
        )
    else:
        cohort = data.part(data.read(progress))
    verifier = load_verifier(weights, device=device)
    embedded = embed_images(cohort, verifier, progress=partial(progress, "looking"))
    gallery = build_gallery([embedded], [cohort], centred=True)
    pairs_of(gallery, seed=seed)  # a sentence where there is nobody to recognise
    found = verify_side(verifier, gallery.ours, gallery.patients, seed=seed)
    if found is None:
        raise NotMeasurable(_TOO_FEW)
    examples = chosen_examples(found[0])
    rows = gallery.rows[0]
    films = [[cohort.image(int(rows[row])) for row in (each.left, each.right)] for each in examples]
    pictures = example_pictures(verifier, examples, films, show_images=show_images or data is None)
    finding = replace(_examples_finding(found, examples), pictures=pictures)
    settings: dict[str, Any] = {
        "weights": weights.name if weights else "bundled",
        "device": device,
        "show_images": show_images,
        **({} if data is None else data.told()),
    }
    return _reported(finding, cohort, out, "examples", seed, settings, {"examples": len(examples)})


def _examples_finding(found: tuple[JudgedPairs, dict[str, Estimate]], examples: list[Example]) -> Finding:
    pairs, told = found
    missing = [kind for kind in ("false positive", "false negative") if kind not in {each.kind for each in examples}]
    return Finding(
        part=NAME,
        kind="attack",
        question="What does a verification network look at when it is right, and when it is wrong?",
        answer=(
            f"Of {told['accuracy'].n:,} pairs, as many of one person as of two, {told['accuracy'].value:.4f} were "
            "judged right at a probability of 0.5; the pictures show some of them."
        ),
        headline="accuracy at 0.5",
        scale="score",
        estimates={
            "accuracy at 0.5": replace(_by_units(told["accuracy"]), chance=0.5),
            "pair AUC": told["AUC"],
        },
        method=(
            "Four pairs of four persons that were rightly called one, spread from the surest to the least sure; the "
            "pair of two persons that was surest called one; the pair of one person that was surest called two. "
            "Attention is by Grad-CAM, for what speaks for one person, at the first, a middle and the last layer."
        ),
        limits=(
            "Attention maps say where the network looked, not why.",
            *(f"There was no {kind} to show." for kind in missing),
        ),
        tables=(
            confusion_table(pairs.scored),
            Table(
                "Examples",
                ("column", "kind", "probability of one person"),
                tuple((f"({chr(97 + n)})", each.kind, each.probability) for n, each in enumerate(examples)),
            ),
        ),
    )


def _by_units(found: Estimate) -> Estimate:
    """What a headline was measured on, for the report: patients or pairs, never so many images."""
    return replace(found, n=found.units)


def _kept(embedded: EmbeddedImages, gallery: Gallery) -> Singles:
    """The vectors of the films that are in the gallery."""
    return embedded.vectors[np.isin(embedded.rows, gallery.rows[0])]


def _median_side(cohort: Cohort) -> int:
    sides = []
    for row in np.linspace(0, len(cohort) - 1, min(_LOOKED_AT, len(cohort))).astype(int):
        try:
            sides.append(min(cohort.image(int(row)).shape))
        except Quarantined:
            continue
    return int(np.median(sides)) if sides else 0


def _refuse_overlap(training: Cohort, unseen: Cohort) -> None:
    if set(training.table["patient_id"]) & set(unseen.table["patient_id"]):
        raise NotMeasurable(
            "some patients are both trained and judged on; name another part with --split, such as test"
        )


def _reported(
    finding: Finding,
    cohort: Cohort,
    out: Path,
    study: str,
    seed: int,
    settings: dict[str, Any],
    details: dict[str, Any],
) -> AttackOutcome:
    command = f"medveil study {study} COHORT -o OUT --seed {seed}"
    _, page = report_attack(finding, Input.of_cohort(cohort), out, command=command, seed=seed, settings=settings)
    return AttackOutcome(finding.answer, True, 0, page, details)
