from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.cohort.input import read_cohort
from medveil.errors import NotMeasurable
from medveil.testing import check_measure
from medveil.utility.label_probe.measure import LabelProbe


def cohort_with_spots(folder: Path, *, visible: bool, patients: int = 80) -> Cohort:
    rng = np.random.default_rng(5)
    sick = rng.random(patients) < 0.5
    for k in range(patients):
        image = rng.normal(100, 20, (64, 64))
        if visible and sick[k]:
            image[10:30, 10:30] += 60
        cv2.imwrite(str(folder / f"{k}.png"), np.clip(image, 0, 255).astype(np.uint8))
    table = pd.DataFrame(
        {
            "image_id": [f"image-{k}" for k in range(patients)],
            "patient_id": [f"patient-{k}" for k in range(patients)],
            "study_id": [f"study-{k}" for k in range(patients)],
            "path": [f"{k}.png" for k in range(patients)],
            "view": "PA",
            "Edema": sick.astype(float),
        }
    )
    return Cohort.of(table, folder)


def test_a_visible_finding_is_learned(tmp_path: Path) -> None:
    cohort = cohort_with_spots(tmp_path, visible=True)
    found = LabelProbe().run(cohort, cohort, seed=0).estimates
    assert found["Edema"].low > 0.9
    assert set(found) == {"Edema", "macro AUROC"}


def test_an_invisible_finding_is_not(tmp_path: Path) -> None:
    cohort = cohort_with_spots(tmp_path, visible=False)
    found = LabelProbe().run(cohort, cohort, seed=0).estimate
    assert found.low < 0.5 < found.high + 0.1


def test_rare_labels_are_refused(tmp_path: Path) -> None:
    cohort = cohort_with_spots(tmp_path, visible=True, patients=15)
    with pytest.raises(NotMeasurable, match="at least 10 patients"):
        LabelProbe().run(cohort, cohort, seed=0)


def test_conforms(hospital: Cohort) -> None:
    check_measure(LabelProbe(), hospital)


@pytest.mark.real_data
def test_learns_real_findings(real_data: Path) -> None:
    cohort = read_cohort(real_data / "nih14")
    validation = cohort.where(cohort.table["split"] == "val")
    found = LabelProbe().run(validation, validation, seed=0).estimate
    assert found.low > 0.5
