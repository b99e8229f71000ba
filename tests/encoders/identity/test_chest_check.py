from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.cohort.images import load_image
from medveil.cohort.input import read_cohort
from medveil.cohort.preprocess import resize
from medveil.encoders.identity.chest_check import ChestCheck, bundled_check, chest_features
from recipes.identity.chest_check import LATERALS, drawn_lateral, fit, other_organs, spoiled, worn


def passed(images: list[np.ndarray]) -> float:
    check = bundled_check()
    return float(np.mean([check.score(chest_features(image))[0] >= 0 for image in images]))


def test_phantom_chests_pass_and_what_is_made_of_them_does_not(hospital: Cohort) -> None:
    rng = np.random.default_rng(0)
    chests = [resize(image, 160) for image in hospital.images()]
    assert passed(chests) == 1
    assert passed([worn(image, rng) for image in chests]) > 0.9
    assert passed([spoiled(image, rng) for image in chests]) < 0.1


def test_what_is_no_chest_does_not_pass() -> None:
    rng = np.random.default_rng(1)
    assert passed([drawn_lateral(rng) for _ in range(30)]) == 0
    assert passed([rng.integers(0, 255, (64, 90)).astype(np.uint8), np.zeros((30, 30), np.uint8)]) == 0


def test_a_check_is_fitted_and_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    frontals, others = rng.normal(1, 1, (300, 5)), rng.normal(-1, 1, (300, 5))
    check = fit(frontals.astype(np.float32), others.astype(np.float32))
    assert (check.score(frontals.astype(np.float32)) >= 0).mean() > 0.99  # made to let frontals pass
    assert (check.score(others.astype(np.float32)) >= 0).mean() < 0.5
    check.save(tmp_path / "check.npz")
    with np.load(tmp_path / "check.npz") as stored:
        again = ChestCheck(stored["weights"].astype(np.float32), float(stored["offset"]))
    assert again.score(frontals.astype(np.float32)) == pytest.approx(check.score(frontals.astype(np.float32)), abs=0.05)


@pytest.mark.real_data
def test_real_chests_pass_and_heads_and_abdomens_do_not(real_data: Path) -> None:
    """Images the check was not made from; see the card of numbers in the explanation."""
    nih = read_cohort(real_data / "nih14")
    validation = nih.where(nih.table["split"] == "val")
    assert passed(list(validation.images())) > 0.98
    side_view = validation.where(validation.table["image_id"].isin(LATERALS))
    assert passed(list(side_view.images())) == 0
    assert passed(list(read_cohort(real_data / "covid19").images())) > 0.97
    assert passed(list(other_organs(real_data / "vqa_rad"))[1::2]) == 0
    questions = json.loads((real_data / "vqa_rad" / "questions.json").read_text())
    chests = sorted({q["image_name"] for q in questions if q["image_organ"] == "CHEST"})
    assert passed([load_image(real_data / "vqa_rad" / "images", name) for name in chests]) > 0.95
