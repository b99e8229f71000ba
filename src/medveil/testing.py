"""Conformance checks for attacks, measures, defenses and encoders, medveil's own and anybody's.

    from medveil.testing import check_attack
    check_attack(MyAttack(), cohort)

Each raises AssertionError with a sentence that says what is wrong.
"""

from __future__ import annotations

import json
import math
import pickle
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort import Cohort
from medveil.encoders.encoder import Encoder, Prepared
from medveil.errors import MedveilError, NotMeasurable, Quarantined, SettingsError
from medveil.finding import Finding
from medveil.part_settings import (
    NoSettings,
    default_of,
    read_text,
    settings_class,
    split_name,
    to_json,
    write_table,
    write_text,
)
from medveil.parts import Attack, Defense, Measure, Subject, asks_for
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.people import person_of_row

_IDENTIFYING = ("image_id", "patient_id", "study_id", "path")


def check_settings(part: Any) -> None:
    """Try what a part declares as its `Settings`: defaults, text and back, and a change of every one of them."""
    declared = settings_class(part)
    assert is_dataclass(declared) and vars(declared)["__dataclass_params__"].frozen, "settings are a frozen dataclass"
    assert all(default_of(field) is not MISSING for field in fields(declared)), "every setting has a default"
    assert declared is NoSettings or "settings" in asks_for(type(part)), "the constructor takes the settings"
    usual = declared()
    _check_one_setting(usual)
    assert write_text(usual) == "", "what is not changed need not be written"
    hints = get_type_hints(declared)
    for field in fields(declared):
        for value in _other_values(hints[field.name]):
            try:
                changed = replace(usual, **{field.name: value})
            except SettingsError:
                continue  # refused in a sentence
            except Exception as surprise:
                raise AssertionError(f"{field.name} is accepted or refused with SettingsError") from surprise
            _check_one_setting(changed)
    try:
        read_text(declared, "no_such_setting=1", of="this part")
    except SettingsError:
        return
    raise AssertionError("an unknown setting is refused")


def _check_one_setting(settings: Any) -> None:
    assert hash(settings) == hash(replace(settings)), "settings are hashable"
    assert read_text(type(settings), write_text(settings), of="this part") == settings, "settings are read as written"
    plain = {key: "none" if value is None else value for key, value in to_json(settings).items()}
    table = tomllib.loads("\n".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in plain.items()))
    _, text = split_name(write_table("part", table))
    assert read_text(type(settings), text, of="this part") == settings, "a table of TOML says the same"


def _other_values(hint: Any) -> list[Any]:
    """A few values of the type, sensible ones and others."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return [value for each in inner for value in _other_values(each)]
    if origin is Literal:
        return list(inner)
    if origin is tuple:
        some = _other_values(inner[0])
        return [(), tuple(some[:1]), tuple(some)]
    simple: dict[Any, list[Any]] = {
        bool: [True, False],
        int: [-1, 0, 1, 2, 100],
        float: [-1.0, 0.0, 1e-6, 0.5, 1.0, 100.0],
        str: ["", "other", "with, comma"],
        Path: [Path("somewhere/else")],
        NoneType: [None],
    }
    assert hint in simple, "settings are int, float, bool, str, Path, Literal, None, or tuples of these"
    return simple[hint]


def check_attack(attack: Attack, cohort: Cohort) -> Finding:
    """Run it on `cohort` and check what comes back; returns the finding."""
    finding = _check_finding(attack, cohort, kind="attack")
    assert isinstance(attack.baseline, bool), "an attack says whether it is a baseline"
    assert finding.threshold is not None, "an attack names the threshold that judges it"
    assert finding.estimate.control is not None, "an attack stands beside its control attack"
    if attack.baseline is False and finding.power is not None:
        assert finding.power.shown_on and finding.power.control, "power is stated in sentences"
    return finding


def check_measure(measure: Measure, cohort: Cohort) -> Finding:
    """Run it on `cohort` and check what comes back; returns the finding."""
    return _check_finding(measure, cohort, kind="measure")


def _check_finding(part: Any, cohort: Cohort, *, kind: str) -> Finding:
    check_settings(part)
    finding = part.run(cohort, cohort, seed=1)
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
    assert json.dumps(part.run(cohort, cohort, seed=1).to_json()) == published, "the same seed gives the same finding"
    _check_refusal(part, cohort)
    return finding


def _check_refusal(part: Any, cohort: Cohort) -> None:
    """One image is too little for anything: the part must say so in a sentence."""
    one = cohort.where(np.arange(len(cohort)) == 0)
    try:
        part.run(one, one, seed=1)
    except NotMeasurable as refusal:
        _check_no_identifier(str(refusal), cohort)
    else:
        raise AssertionError("one image is not enough to measure anything, and the part should raise NotMeasurable")


def check_defense(defense: Defense, cohort: Cohort, *, images: int = 5) -> list[Subject]:
    """Take the first images of `cohort` through it, each with report and row, and check what it did."""
    check_settings(defense)
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
