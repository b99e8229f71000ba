from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.encoders.loading import load_encoder
from medveil.encoders.medveil_small.small_encoder import MedveilSmall
from medveil.errors import InputError
from medveil.testing import check_encoder
from medveil.weights.bundled import bundled


def test_it_keeps_the_contract(small: MedveilSmall, hospital: Cohort) -> None:
    check_encoder(small, hospital)


def test_it_is_loaded_by_its_name(small: MedveilSmall) -> None:
    found = load_encoder("medveil-small")
    assert isinstance(found, MedveilSmall)
    assert (found.name, found.dim, found.license) == ("medveil-small", 128, "Apache-2.0")
    assert found.fingerprint == small.fingerprint
    texts = ["large left effusion"]
    assert np.array_equal(found.encode_reports(texts), small.encode_reports(texts))


def test_a_folder_of_the_same_layout_is_loaded_by_its_path(small: MedveilSmall, tmp_path: Path) -> None:
    shutil.copy(bundled("medveil-small"), tmp_path)
    found = load_encoder(str(tmp_path))
    texts = ["large left effusion"]
    assert np.array_equal(found.encode_reports(texts), small.encode_reports(texts))
    bundled_name = tmp_path / bundled("medveil-small").name
    bundled_name.write_bytes(bundled_name.read_bytes()[:1000])
    with pytest.raises(InputError, match="not a medveil-small model"):
        load_encoder(str(tmp_path))


def test_texts_without_words_all_have_one_vector(small: MedveilSmall) -> None:
    vectors = small.encode_reports(["", " \n", "!!! ---", "clear lungs"])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors[0], vectors[1])
    assert np.array_equal(vectors[0], vectors[2])
    assert not np.allclose(vectors[0], vectors[3], atol=1e-3)


def test_unknown_words_do_not_collapse(small: MedveilSmall) -> None:
    rng = np.random.default_rng(5)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    texts = [" ".join("".join(rng.choice(letters, 8)) for _ in range(30)) for _ in range(20)]
    vectors = small.encode_reports(texts)
    distances = np.linalg.norm(vectors[:, None] - vectors[None], axis=-1)[np.triu_indices(20, 1)]
    assert distances.min() > 0.02


def test_record_numbers_do_not_matter(small: MedveilSmall) -> None:
    texts = [f"Accession {number}. Small right pleural effusion." for number in ("A173581653", "A999000111")]
    first, second = small.encode_reports(texts)
    assert np.array_equal(first, second)


def test_sides_are_told_apart(small: MedveilSmall) -> None:
    """A film fits the report of its own side better than the other side's; its mirror image the other way round."""
    told = small.encode_reports([f"Large {side} pleural effusion." for side in ("left", "right")])
    gain = []
    for number in range(400):
        patient = plan_patient(930_000, number, 3)
        for visit in patient.visits:
            kinds = {(finding.label, finding.side) for finding in visit.findings if finding.extent > 0.5}
            side = next((side for label, side in kinds if label == "Pleural Effusion" and side != "bilateral"), None)
            if side:
                seen = small.encode_images([draw(patient, visit, sites_seed=930_000, size=256).pixels])[0]
                gain.append(float(seen @ (told[0] - told[1])) * (1 if side == "left" else -1))
        if len(gain) >= 8:
            break
    assert np.mean(np.array(gain) > 0) >= 0.75
