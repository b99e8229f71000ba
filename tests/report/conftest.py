"""Reports to look at and to test on: a FAIL, a PASS, a REVIEW, and one where nothing could be measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from medveil.finding import Figure, Finding, Picture, Series, Table, Threshold
from medveil.parts import Guarantee
from medveil.report import write_report
from medveil.report.content import (
    Comparison,
    Gap,
    OutputCheck,
    Provenance,
    Remedy,
    Removal,
    ReportContent,
    ReportSubject,
)
from medveil.report.sheet import Answers, ReviewSession, Sheet
from medveil.stats.estimate import Estimate

LABELS = (
    "No Finding", "Enlarged Cardiomediastinum", "Cardiomegaly", "Lung Opacity", "Lung Lesion", "Edema",
    "Consolidation", "Pneumonia", "Atelectasis", "Pneumothorax", "Pleural Effusion", "Pleural Other", "Fracture",
    "Support Devices",
)  # fmt: skip
THRESHOLD = Threshold("EMA 0.09", 0.09, "European Medicines Agency, policy 0070, as an example")
NAN = float("nan")
PNG = cv2.imencode(".png", np.tile(np.arange(0, 256, 4, dtype=np.uint8), (32, 1)))[1].tobytes()


def estimate(value: float, sd: float, n: int = 1519, units: int = 311, **rest: float) -> Estimate:
    seed = round(value * 1000)
    replicates = np.random.default_rng(seed).normal(value, sd, 400).clip(-1, 1)
    return Estimate.from_replicates(value, replicates, n=n, units=units, **rest)


def similarity(precision: float, auc: float) -> Finding:
    return Finding(
        part="pixel-similarity",
        kind="attack",
        question="Can an image be matched to another image of the same patient?",
        answer=f"The most similar image shows the same patient in {precision * 100:.1f} of 100 tries.",
        headline="precision@1",
        estimates={
            "precision@1": estimate(precision, 0.016, chance=0.012, control=0.031),
            "pair AUC": estimate(auc, 0.01, chance=0.5, control=0.56),
        },
        method="Every image is compared with every other by the cosine of its 32 × 32 pixels; the nearest counts.",
        threshold=THRESHOLD,
        limits=("A trained network recognises people far better than plain pixels do.",),
        figures=(
            Figure(
                "Success by number of tries",
                "line",
                "tries",
                "share of images matched",
                (
                    Series(
                        "success",
                        (1, 2, 5, 10, 20),
                        tuple(min(1, precision * k**0.3) for k in (1, 2, 5, 10, 20)),
                        tuple(min(1, precision * k**0.3) * 0.9 for k in (1, 2, 5, 10, 20)),
                        tuple(min(1, precision * k**0.3 * 1.1) for k in (1, 2, 5, 10, 20)),
                    ),
                    Series("chance", (1, 2, 5, 10, 20), (0.012, 0.024, 0.06, 0.11, 0.21)),
                ),
            ),
        ),
        glossary={"precision@1": "How often the single most similar image shows the same patient."},
    )


def uniqueness(share: float) -> Finding:
    return Finding(
        part="uniqueness",
        kind="attack",
        question="Is a patient the only one with their combination of age, sex and dates?",
        answer=f"{share * 100:.1f} of 100 patients are alone with theirs.",
        headline="unique patients",
        estimates={"unique patients": estimate(share, 0.008, n=311)},
        method="Patients are grouped by age, sex, site and study dates; groups of one are counted.",
        threshold=THRESHOLD,
        pictures=(Picture("The strongest link", PNG, "Two maps side by side", "Bright is what looked alike."),),
        tables=(Table("Group sizes", ("size", "patients", "share"), ((1, 12, 0.0386), ("2 to 10", 41, None))),),
        figures=(
            Figure(
                "Patients by size of their group",
                "bar",
                "group size",
                "share of patients",
                (Series("share", ("1", "2–10", "11 or more"), (share, 0.2, 0.8 - share)),),
            ),
        ),
    )


def probe(macro: float) -> Finding:
    scores = [macro + 0.12 * np.sin(place * 1.7) for place in range(14)]
    return Finding(
        part="label-probe",
        kind="measure",
        question="Can the 14 findings still be told from the images?",
        answer=f"A simple classifier reaches a macro AUROC of {macro:.3f}.",
        headline="macro AUROC",
        scale="score",
        estimates={"macro AUROC": estimate(macro, 0.012, n=1519, chance=0.5)},
        method="Logistic regression on simple features, trained on train, scored on test patients.",
        limits=("Simple features understate what a deep network could still learn.",),
        figures=(
            Figure(
                "AUROC by finding",
                "interval",
                "finding",
                "AUROC",
                (
                    Series(
                        "AUROC", LABELS, (*scores[:-1], NAN), tuple(s - 0.05 for s in scores),
                        tuple(s + 0.05 for s in scores),
                    ),
                    Series("chance", LABELS, (0.5,) * 14),
                ),
                note="Support Devices had no positive test patient.",
            ),
        ),
        glossary={"AUROC": "How often a classifier ranks a sick image above a healthy one; 0.5 is guessing."},
    )  # fmt: skip


def compare(before: Finding, after: Finding) -> Comparison:
    return Comparison(before, after, after.estimate.minus(before.estimate))


SHEET = Sheet(
    Answers(
        title="Chest films for a challenge",
        purpose="To compare methods that find tuberculosis.",
        next_review="2027-11-01",
        signatories=("Head of radiology", "Data protection officer"),
    ),
    recipient="public",
    recipient_title="The public",
    recipient_stated=True,
    assumed_means="Anybody may try, as often as they like.",
    threshold=THRESHOLD,
    decisions=(
        ReviewSession("2025-02-01T10:15:00+00:00", "Reader 2", ("images/5f3a.png", "images/6b1c.png")),
        ReviewSession("2025-02-03T08:00:00+00:00", "", (), ("images/77aa.png",)),
    ),
)
PASS = ReportContent(
    subject=ReportSubject("Phantom hospital, 200 patients", 200, 431, 612, 598, {"unreadable image": 9, "text": 5}),
    removals=(
        Removal(
            "headers",
            "DICOM headers replaced or removed",
            {"identifying attributes removed": 18_402, "dates shifted": 2448, "pseudonyms set": 1836},
            Guarantee("measured", "No header identifier of the answer key is left in the release."),
            ("Private attributes are removed, not understood.",),
        ),
        Removal("blocks", "Corners blanked", {}, Guarantee("none", "It promises nothing by itself.")),
        Removal("noise", "Noise added", {"images": 598}, Guarantee("formal", "ε = 1 for each pair.")),
    ),
    comparisons=(
        compare(similarity(0.612, 0.934), similarity(0.041, 0.571)),
        compare(uniqueness(0.47), uniqueness(0.02)),
        compare(probe(0.742), probe(0.711)),
    ),
    gaps=(Gap("Membership inference", "No model is released with these data.", blocking=False),),
    check=OutputCheck({"files searched": 590, "reports searched": 590, "images read": 100}),
    provenance=Provenance(
        "0.1.0",
        "2025-01-31T09:30:00Z",
        "medveil release cohort -o released --seed 7",
        7,
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "b5bb-9d80-14a0",
        {"pydicom": "3.0.2", "numpy": "2.3.0"},
        {"seed": 7, "attacks": ["pixel-similarity", "uniqueness"], "pixels": {"size": 224, "ratio": NAN}},
    ),
    sheet=SHEET,
)
FAIL = replace(
    PASS,
    sheet=replace(SHEET, answers=Answers(), recipient_stated=False, decisions=()),
    comparisons=(
        compare(similarity(0.612, 0.934), similarity(0.473, 0.861)),
        compare(uniqueness(0.47), uniqueness(0.09)),
        PASS.comparisons[2],
    ),
)
FAIL = replace(
    FAIL,
    remedies=(
        Remedy(
            "Pixel similarity",
            FAIL.reasons[0],
            "Draw the films anew from a short code.",
            "Fine detail is lost.",
            "medveil release IN -o NEW --protect anatomy --risk 0.09",
        ),
        Remedy("Uniqueness", FAIL.reasons[1], "A person must judge it."),
    ),
)
REVIEW = replace(
    PASS,
    gaps=(
        Gap("Pixels", "No defense looked for text burned into the images.", blocking=True),
        *PASS.gaps,
    ),
)
_LOST = replace(similarity(0.04, 0.5), estimates={"precision@1": Estimate(NAN, NAN, NAN, NAN, 0, 0)})
UNMEASURED = replace(
    PASS,
    subject=ReportSubject("Empty folder", 0, 0, 0, 0),
    removals=(),
    comparisons=(Comparison(similarity(0.612, 0.934), _LOST),),
    gaps=(),
    sheet=None,
)
SAMPLES = {"PASS": PASS, "FAIL": FAIL, "REVIEW": REVIEW, "UNMEASURED": UNMEASURED}


@pytest.fixture(scope="session", params=list(SAMPLES))
def sample(request: pytest.FixtureRequest) -> ReportContent:
    """Each of the sample reports in turn."""
    return SAMPLES[request.param]


@pytest.fixture(scope="session")
def passing() -> ReportContent:
    return PASS


@pytest.fixture(scope="session")
def failing() -> ReportContent:
    return FAIL


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[ReportContent], Path]:
    """Writes a report and gives the path of its page."""
    return lambda content: write_report(content, tmp_path_factory.mktemp("report"))
