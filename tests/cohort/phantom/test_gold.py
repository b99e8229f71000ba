"""The answer key reads back as written, and its search strings are complete."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from medveil.cohort.phantom.gold import Category, encode_mask, encode_patient, load_gold
from medveil.cohort.phantom.invented_names import ORDINARY_WORDS
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.errors import InputError


def test_report_spans_hold_in_the_files(phantom) -> None:
    for image in phantom.gold.images.values():
        text = (phantom.out / image.report_path).read_bytes().decode()
        assert image.in_report
        for identifier in image.in_report:
            assert text[identifier.start : identifier.end] == identifier.text
        for statement in image.statements:
            assert text[statement.start : statement.end].strip()


def test_the_key_reads_back_as_written(phantom) -> None:
    files = sorted((phantom.out / "gold" / "patients").glob("*.json"))
    for file, images in zip(files, phantom.gold.patients.values(), strict=True):
        assert encode_patient([phantom.gold.images[image] for image in images]) == file.read_bytes()


def test_masks_are_those_drawn(phantom) -> None:
    image = next(iter(phantom.gold.images.values()))
    patient = plan_patient(phantom.seed, 0, phantom.sites)
    drawing = draw(patient, patient.visits[0], sites_seed=phantom.seed, size=phantom.size)
    assert np.array_equal(phantom.gold.mask(image.image_id, "lungs"), drawing.lungs)
    assert np.array_equal(phantom.gold.mask(image.image_id, "heart"), drawing.heart)
    assert [(entry.name, entry.box) for entry in image.findings] == list(drawing.finding_boxes)


def test_masks_take_one_bit_a_pixel() -> None:
    mask = np.random.default_rng(0).random((64, 64)) < 0.5
    encoded = encode_mask(mask)
    assert encoded[24] == 1  # the PNG header's bit depth
    assert len(encoded) < 64 * 64 / 8 + 200


def test_search_strings_cover_every_place(phantom) -> None:
    strings = phantom.gold.identifier_strings()
    assert min(map(len, strings)) >= 4
    for image in phantom.gold.images.values():
        assert {image.patient_id, image.study_id, image.image_id} <= strings
        for identifier in (*image.in_report, *image.in_header, *image.in_pixels, *image.in_names):
            assert len(identifier.text) < 4 or identifier.category is Category.TIME or identifier.text in strings
    assert not any(re.fullmatch(r"\d\d:\d\d(:\d\d)?", text) for text in strings)
    left_out = strings - phantom.gold.identifier_strings(common=False)
    assert any(text.casefold() in ORDINARY_WORDS for text in left_out)
    assert all(text.casefold() in ORDINARY_WORDS or (len(text) < 6 and text.upper() == text) for text in left_out)


def test_leaks_are_whole_words(phantom) -> None:
    image = next(iter(phantom.gold.images.values()))
    assert phantom.gold.leaks(f"The record of {image.patient_id}, see {image.study_id}.") >= {
        image.patient_id,
        image.study_id,
    }
    assert not phantom.gold.leaks(f"9{image.patient_id}9 is something else. A long stone may be grey at 10:42.")


def test_a_folder_without_a_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no phantom hospital"):
        load_gold(tmp_path)
    (tmp_path / "gold" / "patients").mkdir(parents=True)
    (tmp_path / "gold" / "patients" / "000000.json").write_text('{"format": "other"}')
    with pytest.raises(InputError, match="another version"):
        load_gold(tmp_path)
