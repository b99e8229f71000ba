"""A released cohort beside its originals: the same questions on both, and the finding that tells of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from medveil.cohort import Cohort
from medveil.errors import NotMeasurable
from medveil.finding import Finding
from medveil.utility.vqa.cohort_questions import cohort_questions, sampled, shown
from medveil.utility.vqa.experiment.asking import Asking
from medveil.utility.vqa.experiment.comparison import Compared, Stated
from medveil.utility.vqa.experiment.conditions import CONTROLS, OURS, RAW, Cleaned, Condition
from medveil.utility.vqa.experiment.kept import Kept
from medveil.utility.vqa.experiment.results import Results
from medveil.utility.vqa.models.loading import load_answers
from medveil.utility.vqa.question import Image


def compare_cohorts(
    part: str,
    released: Cohort,
    originals: Cohort,
    *,
    file: Path | None,
    model_name: str,
    stated: Stated,
    most: int,
    device: str,
    seed: int,
    progress: Callable[[int, int], None],
) -> Finding:
    """Row i of both is the same image; `file` has the questions, if the originals are no phantom hospital."""
    table = sampled(cohort_questions(originals, file), most, seed=seed)
    if len(table.image_ids) < 2:
        raise NotMeasurable("questions on at least two images are needed: intervals are by image")
    rows = {str(image): row for row, image in enumerate(originals.table["image_id"])}

    def cleaned(image_id: str, image: Image, severities: Sequence[float]) -> list[Cleaned]:
        after = shown(released, rows, image_id)
        changed = float((after != image).mean()) if after.shape == image.shape else 1.0
        return [Cleaned(after, changed) for _ in severities]

    model = load_answers(model_name, device=device)
    whose = dict(zip(originals.table["image_id"].astype(str), originals.table["patient_id"].astype(str), strict=True))
    asking = Asking(
        table,
        model,
        conditions=tuple(map(Condition, (RAW, *CONTROLS, OURS))),
        cleaners={OURS: cleaned},
        patients=whose,
        seed=seed,
    )
    asked = asking.run(Kept(None), progress)
    results = Results(Compared(asked, seed=seed), stated)
    found = results.finding(part, model=model.name, remarks=table.remarks)
    if released is originals or np.array_equal(released.table["path"], originals.table["path"]):
        return replace(found, tables=(), figures=())  # the same images twice
    return found
