from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from medveil.cohort import LABELS, Cohort
from medveil.errors import InputError
from medveil.release.protect.paired_features import PairedFeatures, ProtectionData


def _features(cohort: Cohort) -> PairedFeatures:
    rng = np.random.default_rng(0)
    images, reports = rng.normal(size=(len(cohort), 8)), rng.normal(size=(len(cohort), 6))
    return PairedFeatures.of(images, reports, cohort.table)


def test_patients_and_texts_come_from_the_table(hospital: Cohort) -> None:
    found = _features(hospital)
    assert found.units == hospital.table["patient_id"].nunique()
    for name, codes in (("patient_id", found.patients), ("study_id", found.texts)):
        same = hospital.table[name].to_numpy()[:, None] == hospital.table[name].to_numpy()
        assert (codes[:, None] == codes)[same].all()
    assert np.array_equal(found.profiles, hospital.table[list(LABELS)].to_numpy() == 1)


def test_the_same_words_are_the_same_report_whatever_the_white_space(hospital: Cohort) -> None:
    table = hospital.table.copy()
    table["report"] = table["report"].astype(object)
    table.loc[0, "report"], table.loc[len(table) - 1, "report"] = "No  finding.\n", "No finding."
    found = _features(replace(hospital, table=table))
    assert found.texts[0] == found.texts[-1]
    assert found.texts[0] != found.texts[1]


def test_some_pairs_are_numbered_anew(hospital: Cohort) -> None:
    found = _features(hospital)
    last = found.take(found.patients == found.units - 1)
    assert last.units == 1
    assert np.array_equal(last.images, found.images[found.patients == found.units - 1])


def test_the_digest_tells_data_apart(data: ProtectionData) -> None:
    assert data.digest() == replace(data).digest()
    images = data.test.images.copy()
    images[0, 0] += 1
    assert replace(data, test=replace(data.test, images=images)).digest() != data.digest()
    assert replace(data, own=None).digest() != data.digest()


def test_features_that_cannot_be_used_are_refused(hospital: Cohort) -> None:
    with pytest.raises(InputError, match="differ in number"):
        PairedFeatures.of(np.zeros((3, 2)), np.zeros((3, 2)), hospital.table)
    found = _features(hospital)
    with pytest.raises(InputError, match="not finite"):
        replace(found, images=np.full_like(found.images, np.nan))


def test_an_image_under_two_patients_is_counted(data: ProtectionData) -> None:
    train = data.train
    assert train.under_two_ids == 0
    images = train.images.copy()
    images[5], images[11] = images[0], images[10]  # another patient's, and the same patient's
    assert replace(train, images=images).under_two_ids == 1
