from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest

from medveil.attacks.pixel_similarity.attack import PixelSimilarity
from medveil.cohort import Cohort
from medveil.cohort.input import read_cohort
from medveil.errors import NotMeasurable
from medveil.testing import check_attack


def cohort_of(folder: Path, images: list[np.ndarray], patients: list[str], studies: list[str]) -> Cohort:
    for i, image in enumerate(images):
        cv2.imwrite(str(folder / f"{i}.png"), image)
    table = pd.DataFrame(
        {
            "image_id": [f"image-{i}" for i in range(len(images))],
            "patient_id": patients,
            "study_id": studies,
            "path": [f"{i}.png" for i in range(len(images))],
            "view": "PA",
            "sex": ["F", "M"] * (len(images) // 2),
            "age": 50,
        }
    )
    return Cohort.of(table, folder)


def noise(seed: int) -> np.ndarray:
    small = np.random.default_rng(seed).integers(0, 255, (12, 12)).astype(np.uint8)
    return cv2.resize(small, (64, 64))


def test_a_planted_identity_is_found(tmp_path: Path) -> None:
    images = [np.clip(noise(k // 2) * 0.8 + 20 * (k % 2), 0, 255).astype(np.uint8) for k in range(40)]
    cohort = cohort_of(tmp_path, images, [f"p{k // 2}" for k in range(40)], [f"s{k}" for k in range(40)])
    found = PixelSimilarity().run(cohort, cohort, seed=0).estimates
    assert found["precision@1"].value == 1
    assert found["pair AUC"].value > 0.999
    assert found["precision@1"].chance == pytest.approx(1 / 39)


def test_without_a_signal_the_interval_holds_chance(tmp_path: Path) -> None:
    images = [noise(k) for k in range(60)]
    cohort = cohort_of(tmp_path, images, [f"p{k // 2}" for k in range(60)], [f"s{k}" for k in range(60)])
    for estimate in PixelSimilarity().run(cohort, cohort, seed=0).estimates.values():
        assert estimate.low <= (estimate.chance or 0) <= estimate.high


def test_images_of_the_same_study_do_not_count(tmp_path: Path) -> None:
    """Copies within a study are found by everyone; only another visit is a re-identification."""
    images = [noise(k // 2) for k in range(20)]
    cohort = cohort_of(tmp_path, images, [f"p{k // 2}" for k in range(20)], [f"s{k // 2}" for k in range(20)])
    with pytest.raises(NotMeasurable):
        PixelSimilarity().run(cohort, cohort, seed=0)


def test_conforms(hospital: Cohort) -> None:
    finding = check_attack(PixelSimilarity(), hospital)
    assert finding.estimate.units <= 30


@pytest.mark.real_data
def test_finds_real_patients_far_above_chance(real_data: Path) -> None:
    cohort = read_cohort(real_data / "nih14")
    validation = cohort.where(cohort.table["split"] == "val")
    found = PixelSimilarity().run(validation, validation, seed=0).estimate
    assert found.low > 5 * (found.chance or 1)
