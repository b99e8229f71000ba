from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.errors import NotMeasurable, SettingsError
from medveil.stats.estimate import Estimate
from medveil.testing import check_measure
from medveil.utility.diagnosis.comparison import MACRO, aurocs, share_kept
from medveil.utility.diagnosis.diagnosing import Diagnosed, diagnose, folds, learn, tried
from medveil.utility.diagnosis.features import _minimise, features_of
from medveil.utility.diagnosis.films import LabelledFilms
from medveil.utility.diagnosis.fine_tuning import FineTuned
from medveil.utility.diagnosis.measure import Diagnosis, DiagnosisSettings

NAMES = ("bright", "unknown")


def films(patients: int, seed: int = 0, *, hidden: bool = False) -> LabelledFilms:
    """Two films a patient; a bright field above is the finding, unless it is hidden."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients) + 1000 * seed, 2)
    sick = np.arange(patients).repeat(2) % 2 == 0
    pixels = rng.normal(100, 20, (len(who), 256, 256))
    if not hidden:
        pixels[sick, 40:120, 40:120] += 70
    labels = np.stack([sick.astype(np.float32), np.full(len(who), np.nan, np.float32)], axis=1)
    return LabelledFilms.of(np.clip(pixels, 0, 255).astype(np.uint8), labels, who)


def test_what_is_there_is_learned_and_what_is_hidden_is_not() -> None:
    fit, target = films(12, 1), films(12, 2)
    clean = learn(fit)
    plain = aurocs(tried(clean, target), NAMES, seed=3, fewest=5)
    assert set(plain) == {MACRO, "bright"}  # of the other finding nothing is known
    assert plain["bright"].value == 1
    hidden = aurocs(tried(clean, target.shown(films(12, 2, hidden=True).pixels)), NAMES, seed=3, fewest=5)
    assert hidden["bright"].value < 0.85
    kept = share_kept(hidden[MACRO], plain[MACRO])
    assert kept.low <= kept.value == pytest.approx(2 * hidden[MACRO].value - 1)
    assert kept.low < kept.high


def test_nobody_is_learned_from_and_looked_at() -> None:
    with pytest.raises(ValueError, match="patient"):
        diagnose(films(4, 1), films(4, 1))


def test_uncertain_and_missing_labels_never_count() -> None:
    labels = np.array([[1, 0], [-1, np.nan]], np.float32)
    told = LabelledFilms.of(np.zeros((2, 256, 256), np.uint8), labels, np.array(["a", "b"]))
    assert told.counts.tolist() == [[True, True], [False, False]]
    assert told.targets.tolist() == [[1, 0], [0, 0]]


def test_a_share_of_nothing_is_refused() -> None:
    scores = np.random.default_rng(0).normal(size=(80, 1))
    targets = (np.arange(80) % 2)[:, None].astype(np.float32)
    found = aurocs(Diagnosed(scores, targets, np.ones((80, 1), bool), np.arange(80)), ("toss",), seed=0)
    assert found[MACRO].low < 0.5 < found[MACRO].high
    with pytest.raises(NotMeasurable, match="too little"):
        share_kept(found[MACRO], found[MACRO])


def test_a_share_above_a_control_is_taken_redraw_by_redraw() -> None:
    rng = np.random.default_rng(1)
    control = 0.2 + 0.01 * rng.normal(size=500)

    def estimate(above: float) -> Estimate:
        return Estimate.from_replicates(0.2 + above, control + above, n=9, units=9)

    kept = share_kept(estimate(0.05), estimate(0.2), chance=estimate(0.0))
    assert kept.value == pytest.approx(0.25) and kept.sd < 1e-9  # what they share does not spread


def test_films_of_a_patient_fall_into_one_fold() -> None:
    who = np.repeat(np.arange(30), 3)
    dealt = folds(who, 4, seed=1)
    assert {len(set(dealt[who == one])) for one in range(30)} == {1}
    assert set(dealt) == {0, 1, 2, 3}


def test_few_films_in_many_dimensions_give_the_same_layer() -> None:
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(20, 40)).astype(np.float32)
    targets, counts = (wide[:, :2] > 0).astype(np.float32), np.ones((20, 2), bool)
    few = _minimise(wide, targets, counts, 0.01)
    many = _minimise(np.tile(wide, (3, 1)), np.tile(targets, (3, 1)), np.tile(counts, (3, 1)), 0.01)
    np.testing.assert_allclose(few.scores(wide), many.scores(wide), atol=0.02)  # more films than dimensions


def test_features_come_by_cell_and_in_any_batches() -> None:
    few = films(3, 1).pixels
    whole, cells = features_of(few), features_of(iter(few), cells=4)
    assert whole.shape == (6, 1280) and cells.shape == (6, 16 * 1280)
    np.testing.assert_allclose(cells.reshape(6, 16, 1280).mean(1), whole, atol=1e-3)
    np.testing.assert_allclose(features_of(few[4:]), whole[4:], atol=1e-3)
    marked = few[:1].copy()
    marked[:, 64:128, 192:] = 255
    changed = np.abs(features_of(marked, cells=4) - cells[:1]).reshape(16, 1280).sum(1)
    by_row, by_column = changed.reshape(4, 4).sum(1), changed.reshape(4, 4).sum(0)
    assert by_row.argmax() == 1 and by_column[2:].sum() > 2 * by_column[:2].sum()


def test_a_whole_network_learns_in_colour_too() -> None:
    gray = films(2, 1)
    coloured = gray.shown(np.stack([gray.pixels] * 3, axis=-1))
    learned = FineTuned.learned(coloured, steps=1, batch=2, seed=4)
    assert np.isfinite(learned.scores(coloured.pixels[:1])).all()
    np.testing.assert_allclose(learned.scores(coloured.pixels[:1]), learned.scores(gray.pixels[:1]), atol=1e-4)


def write(folder: Path, pixels: np.ndarray, sick: np.ndarray) -> Cohort:
    folder.mkdir()
    for k, film in enumerate(pixels):
        cv2.imwrite(str(folder / f"{k}.png"), film)
    table = pd.DataFrame(
        {
            "image_id": [f"image-{k}" for k in range(len(pixels))],
            "patient_id": [f"patient-{k // 2}" for k in range(len(pixels))],
            "study_id": [f"study-{k}" for k in range(len(pixels))],
            "path": [f"{k}.png" for k in range(len(pixels))],
            "view": ["PA"] * (len(pixels) - 1) + ["LATERAL"],
            "Edema": sick.astype(float),
        }
    )
    return Cohort.of(table, folder)


def test_a_cohort_is_compared_with_its_originals(tmp_path: Path) -> None:
    shown, gone = films(24, 1), films(24, 1, hidden=True)
    originals = write(tmp_path / "before", shown.pixels, shown.targets[:, 0])
    released = write(tmp_path / "after", gone.pixels, shown.targets[:, 0])
    seen: list[tuple[int, int]] = []
    measure = Diagnosis(DiagnosisSettings(folds=2), progress=lambda *done: seen.append(done))
    finding = measure.run(released, originals, seed=0)
    found = finding.estimates
    assert found["macro AUROC, originals"].low > 0.8
    assert found["macro AUROC, learned from released"].high < 0.95
    assert found["share kept, clean on released"].high < 0.9
    assert found["change of the macro AUROC, learned from released"].high < 0
    assert found["macro AUROC, originals"].n == 47  # without the lateral
    assert found["macro AUROC, originals"].chance == 0.5
    assert seen[-1] == (94, 94)
    assert "share" not in finding.answer or "%" in finding.answer


def test_conforms(hospital: Cohort) -> None:
    some = hospital.where(np.arange(len(hospital)) < 36)
    check_measure(Diagnosis(DiagnosisSettings(folds=2, fewest_patients=2)), some)


def test_settings_are_checked() -> None:
    with pytest.raises(SettingsError, match="small or full"):
        DiagnosisSettings(effort="some")  # type: ignore[arg-type]
