"""Conformance checks for attacks, measures, defenses and encoders, medveil's own and anybody's.

    from medveil.testing import check_attack
    check_attack(MyAttack(), cohort)

Each raises AssertionError with a sentence that says what is wrong.
"""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort import Cohort
from medveil.encoders.encoder import Encoder, Prepared
from medveil.errors import MedveilError, NotMeasurable, Quarantined
from medveil.finding import Finding
from medveil.parts import Attack, Defense, Measure, Subject
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.people import person_of_row

_IDENTIFYING = ("image_id", "patient_id", "study_id", "path")


def check_attack(attack: Attack, cohort: Cohort) -> Finding:
    """Run it on `cohort` and check what comes back; returns the finding."""
    finding = _check_finding(attack, cohort, kind="attack")
    assert isinstance(attack.baseline, bool), "an attack says whether it is a baseline"
    assert finding.threshold is not None, "an attack names the threshold that judges it"
    assert finding.estimate.control is not None, "an attack stands beside its control attack"
    return finding


def check_measure(measure: Measure, cohort: Cohort) -> Finding:
    """Run it on `cohort` and check what comes back; returns the finding."""
    return _check_finding(measure, cohort, kind="measure")


def _check_finding(part: Any, cohort: Cohort, *, kind: str) -> Finding:
    finding = part.run(cohort, seed=1)
    assert isinstance(finding, Finding), "run returns a Finding"
    assert finding.part == part.name, "the finding carries the part's name"
    assert finding.kind == kind, f"the finding's kind is {kind}"
    assert finding.headline in finding.estimates, "the headline is one of the estimates"
    assert finding.estimate.chance is not None, "the headline has its chance level beside it"
    assert finding.question.endswith("?"), "the question is a question"
    assert finding.answer.endswith("."), "the answer is a sentence"
    assert finding.method, "the method is described"
    for name, estimate in finding.estimates.items():
        assert math.isfinite(estimate.value), f"{name} is a number"
        assert estimate.low <= estimate.value <= estimate.high, f"{name} lies in its interval"
        assert estimate.low < estimate.high or estimate.sd == 0, f"{name} has an interval"
        assert 0 < estimate.units <= estimate.n, f"{name} counts its units and observations"
    published = json.dumps(finding.to_json(), allow_nan=False)
    _check_no_identifier(published, cohort)
    assert json.dumps(part.run(cohort, seed=1).to_json()) == published, "the same seed gives the same finding"
    _check_refusal(part, cohort)
    return finding


def _check_refusal(part: Any, cohort: Cohort) -> None:
    """One image is too little for anything: the part must say so in a sentence."""
    try:
        part.run(cohort.where(np.arange(len(cohort)) == 0), seed=1)
    except NotMeasurable as refusal:
        _check_no_identifier(str(refusal), cohort)
    else:
        raise AssertionError("one image is not enough to measure anything, and the part should raise NotMeasurable")


def check_defense(defense: Defense, cohort: Cohort, *, images: int = 5) -> list[Subject]:
    """Take the first images of `cohort` through it, each with report and row, and check what it did."""
    assert defense.place, "a defense says which place it covers"
    assert isinstance(defense.default, bool), "a defense says whether it runs unasked"
    assert defense.guarantee.statement.endswith("."), "the guarantee is a sentence"
    subjects = []
    for row in range(min(images, len(cohort))):
        original = cohort.image(row)
        first, second = (_apply(defense, _subject(cohort, row, original.copy())) for _ in range(2))
        if first is None or second is None:
            assert first is second, "quarantine does not depend on chance"
            continue
        assert first.picture is not None and second.picture is not None, "a defense takes no part of a subject away"
        assert np.array_equal(first.picture, second.picture), "the same image gives the same pixels"
        assert (repr(first.row), first.text) == (repr(second.row), second.text), "the same row gives the same row"
        assert first.picture.dtype == original.dtype, "the bit depth stays"
        assert first.picture.shape == original.shape, "the size stays"
        for phrase in first.done[defense.name]:
            _check_no_identifier(phrase, cohort)
        subjects.append(first)
    assert _apply(defense, Subject(Person(_KEYS, "1"))) is not None, "what is not its business is left alone"
    return subjects


_KEYS = Keys.for_demonstration(1)


def _subject(cohort: Cohort, row: int, image: NDArray[Any]) -> Subject:
    values = cohort.table.iloc[row].to_dict()
    person = person_of_row(values, cohort.root, _KEYS)
    report = values.pop("report")
    return Subject(person, picture=image, text=None if pd.isna(report) else str(report), row=values)


def _apply(defense: Defense, subject: Subject) -> Subject | None:
    subject.begin(defense)
    try:
        return defense.apply(subject)
    except Quarantined:
        return None
    except MedveilError as error:
        raise AssertionError("what cannot be cleaned raises Quarantined") from error


def check_encoder(encoder: Encoder, cohort: Cohort, *, pairs: int = 5) -> None:
    """Encode the first images and reports of `cohort` and check what comes back."""
    assert encoder.name and encoder.license, "an encoder has a name and a licence"
    assert isinstance(encoder.fingerprint, str) and encoder.fingerprint, "an encoder has a hash of its weights"
    images = [cohort.image(row) for row in range(min(pairs, len(cohort)))]
    texts = [*cohort.table["report"].fillna("").iloc[:pairs], "no acute findings. " * 400]
    seen = _check_vectors(encoder.encode_images, images, encoder.dim, "image")
    _check_vectors(encoder.encode_reports, texts, encoder.dim, "report")
    if isinstance(encoder, Prepared):
        prepare = pickle.loads(pickle.dumps(encoder.prepare))  # noqa: S301  (its own, as worker processes get it)
        prepared = encoder.encode_prepared([prepare(image) for image in images])
        assert np.array_equal(prepared, seen), "prepared images give the same vectors"


def _check_vectors(
    encode: Callable[[Iterable[Any]], NDArray[np.float32]], items: Sequence[Any], dim: int, what: str
) -> NDArray[np.float32]:
    vectors = encode(iter(items))
    assert vectors.shape == (len(items), dim), f"every {what} gets one vector of the encoder's dimension"
    assert vectors.dtype == np.float32, f"{what} vectors are of 32 bits"
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5), f"{what} vectors have unit length"
    assert np.array_equal(encode(items), vectors), f"the same {what} gives the same vector"
    alone = np.concatenate([encode([item]) for item in items])
    assert np.allclose(alone, vectors, atol=1e-4), f"a {what} has the same vector alone and among others"
    assert encode([]).shape == (0, dim), f"no {what}, no vector"
    return vectors


def _check_no_identifier(text: str, cohort: Cohort) -> None:
    for column in _IDENTIFYING:
        for value in cohort.table[column].unique():
            assert len(str(value)) < 4 or str(value) not in text, f"a value of {column} appears in what is published"
