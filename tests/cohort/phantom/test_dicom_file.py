"""Every identifier in a DICOM file is in the answer key, and every entry of the key is in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pydicom
import pytest
from pydicom.dataset import Dataset

from medveil.cohort.phantom.chart import Demographics, Encounter, make_demographics, make_encounter
from medveil.cohort.phantom.gold import Category, ImageGold
from medveil.cohort.phantom.invented_names import ORDINARY_WORDS, fold
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.cohort.phantom.sites import HABITS, make_site
from medveil.defenses.reports.tagger.network import CATEGORIES


@pytest.fixture(scope="module")
def files(phantom) -> list[tuple[ImageGold, Dataset]]:
    return [(image, pydicom.dcmread(phantom.out / image.path)) for image in phantom.gold.images.values()]


def walk(dataset: Dataset, prefix: str = "") -> Iterator[tuple[str, str, str]]:
    """Path, VR and text of every element, file meta and private ones included; nothing of medveil is used here."""
    for element in dataset:
        path = f"{prefix}({element.tag.group:04X},{element.tag.element:04X})"
        if element.VR == "SQ":
            for number, item in enumerate(element.value):
                yield from walk(item, f"{path}[{number}].")
        elif element.keyword != "PixelData":
            yield path, element.VR, text_of(element.value)


def text_of(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1").rstrip(" \0")
    if isinstance(value, pydicom.multival.MultiValue):
        return "\\".join(str(part) for part in value)
    return str(value)


def everything(dataset: Dataset) -> list[tuple[str, str, str]]:
    return [*walk(dataset.file_meta), *walk(dataset)]


def test_every_entry_of_the_key_is_in_the_file(files) -> None:
    for image, dataset in files:
        texts = {path: text for path, _, text in everything(dataset)}
        assert image.in_header
        for identifier in image.in_header:
            assert texts[identifier.path][identifier.start : identifier.end] == identifier.text


def test_every_known_string_of_the_person_is_in_the_key(phantom, files) -> None:
    by_mrn = dict(_people(phantom))
    occurrences = 0
    for image, dataset in files:
        person, encounters = by_mrn[image.patient_id]
        strings = _strings(person, encounters, image)
        for path, _, text in everything(dataset):
            spans = [(i.start, i.end) for i in image.in_header if i.path == path]
            for string in strings:
                for match in re.finditer(_pattern(string), text, re.IGNORECASE):
                    occurrences += 1
                    assert any(s <= match.start() and match.end() <= e for s, e in spans), (path, text, string)
    assert occurrences > 30 * len(files)


def test_person_names_dates_and_uids_are_all_keyed(files) -> None:
    standard = ("1.2.840.10008.", "2.25.1374928615309847215309")
    for image, dataset in files:
        whole = {i.path for i in image.in_header if i.start == 0}
        for path, vr, text in everything(dataset):
            if vr in ("PN", "DA", "TM") or (vr == "UI" and not text.startswith(standard)):
                assert path in whole, path


def test_identifiers_hide_in_sequences_private_tags_and_free_text(files) -> None:
    paths = {i.path for image, _ in files for i in image.in_header}
    assert "(0040,0275)[0].(0040,0007)" in paths
    assert "(0019,1010)[0].(0019,1011)" in paths  # private, nested
    assert "(0029,1030)[0].(0029,1032)[0].(0029,1033)" in paths  # private, nested twice
    assert {"(0008,1030)", "(0008,103E)", "(0018,1030)", "(0020,4000)", "(0010,4000)"} <= paths
    private = {p for p in paths if int(p[1:5], 16) % 2}
    assert len(private) >= 8
    assert {i.category for image, _ in files for i in image.in_header} == set(CATEGORIES) - {Category.FAX, Category.URL}


def test_files_are_valid_and_of_several_kinds(files) -> None:
    for image, dataset in files:
        assert dataset.SOPInstanceUID == dataset.file_meta.MediaStorageSOPInstanceUID == image.image_id
        assert (dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit) == (16, 12, 11)
        assert len(image.image_id) <= 64
        assert dataset.pixel_array.max() <= 4095
    kinds = {
        (d.file_meta.TransferSyntaxUID, d.PhotometricInterpretation, d.get("SpecificCharacterSet")) for _, d in files
    }
    assert len(kinds) >= 7
    assert {d.Modality for _, d in files} == {"DX", "CR"}
    assert {d.Manufacturer for _, d in files} == {h.maker for h in HABITS}


def test_accents_survive_where_the_character_set_has_them(files) -> None:
    names = [str(d.PatientName) for _, d in files if d.get("SpecificCharacterSet")]
    plain = [str(d.PatientName) for _, d in files if not d.get("SpecificCharacterSet")]
    assert any(not name.isascii() for name in names)
    assert plain
    assert all(name.isascii() for name in plain)


def test_only_text_changes_the_pixels(phantom, files) -> None:
    """Outside the boxes the file holds the drawing, inverted where the site stores it so; inside it does not."""
    plans = {make_demographics(phantom.seed, p, make_site(phantom.seed, p.site)).mrn: p for p in _plans(phantom)}
    burned = 0
    for image, dataset in files[:25]:
        patient = plans[image.patient_id]
        visit = patient.visits[phantom.gold.patients[image.patient_id].index(image.image_id)]
        drawn = draw(patient, visit, sites_seed=phantom.seed, size=phantom.size).pixels
        stored = dataset.pixel_array
        shown = 4095 - stored if dataset.PhotometricInterpretation == "MONOCHROME1" else stored
        inside = np.zeros(shown.shape, bool)
        for left, top, right, bottom in {i.box for i in image.in_pixels} | {m.box for m in image.markers}:
            assert 0 <= left < right <= phantom.size
            assert 0 <= top < bottom <= phantom.size
            assert (shown != drawn)[top:bottom, left:right].any()
            inside[max(top - 3, 0) : bottom + 3, max(left - 3, 0) : right + 3] = True
        assert np.array_equal(shown[~inside], drawn[~inside])
        burned += bool(image.in_pixels)
        for identifier in image.in_pixels:
            assert identifier.line[identifier.start : identifier.end] == identifier.text
    assert 5 <= burned <= 20


def _plans(phantom):
    return [plan_patient(phantom.seed, number, phantom.sites) for number in range(phantom.patients)]


def _people(phantom) -> Iterator[tuple[str, tuple[Demographics, list[Encounter]]]]:
    for plan in _plans(phantom):
        site = make_site(phantom.seed, plan.site)
        person = make_demographics(phantom.seed, plan, site)
        yield person.mrn, (person, [make_encounter(phantom.seed, plan, v, site) for v in plan.visits])


def _pattern(string: str) -> str:
    """Numbers anywhere, words only whole: Tran is not in transport."""
    return rf"\b{re.escape(string)}\b" if string.isalpha() else re.escape(string)


def _strings(person: Demographics, encounters: list[Encounter], image: ImageGold) -> set[str]:
    """What a searcher who knows the person would look for."""
    known = [person.given, person.family, person.mrn, person.old_mrn, person.ssn, person.phone, person.email]
    known += [person.street, person.postal, person.plan_number, person.relative, f"{person.birth:%Y%m%d}"]
    known += [fold(person.given), fold(person.family)]
    for encounter in encounters:
        known += [encounter.accession, encounter.order, encounter.serial, encounter.job, f"{encounter.taken:%Y%m%d}"]
        for staff in (encounter.referrer, encounter.reader, encounter.technologist):
            known += [staff.family, staff.given, fold(staff.family)]
    known += [i.text for i in image.in_header if i.category is not Category.TIME]
    return {text for text in known if len(text) >= 4 and text.casefold() not in ORDINARY_WORDS}


def test_text_leaves_the_markers_readable(phantom) -> None:
    for image in phantom.gold.images.values():
        assert image.markers
        for marker in image.markers:
            left, top, right, bottom = marker.box
            for identifier in image.in_pixels:
                a, b, c, d = identifier.box
                assert c <= left or right <= a or d <= top or bottom <= b
