from __future__ import annotations

import cv2
import numpy as np
import pytest

from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.defenses.pixels.choices import Choices
from medveil.defenses.pixels.decide.decision import Decision
from medveil.defenses.pixels.defense import RemovedText
from medveil.defenses.pixels.objects.kinds import HEAD, RECOGNISABLE
from medveil.defenses.pixels.objects.photographs import FACE, picture_of
from medveil.defenses.pixels.removal import TextRemover
from medveil.errors import Quarantined
from medveil.parts import Subject
from medveil.person.keys import Keys
from medveil.person.person import Person

SECONDARY_CAPTURE = "1.2.840.10008.5.1.4.1.1.7"
REMOVER = TextRemover(fill="classical")


def test_a_picture_with_a_face_is_withheld_in_colour_and_in_gray(face):
    with pytest.raises(Quarantined, match="face") as withheld:
        REMOVER.clean_colours(face, None)
    assert withheld.value.reason == FACE
    sixteen_bits = cv2.cvtColor(face, cv2.COLOR_RGB2GRAY).astype(np.uint16) << 8
    with pytest.raises(Quarantined, match="face"):
        REMOVER.clean_image(sixteen_bits, None)


def test_the_defense_withholds_a_face_unless_told_to_keep_it(face, monkeypatch):
    monkeypatch.setattr(TextRemover, "_sorted", lambda self, views, known: Decision())

    def clean(settings):
        keys = Keys(b"k")
        return RemovedText(keys, settings).apply(Subject(Person(keys, "MR-1", ()), picture=face.copy())).picture

    with pytest.raises(Quarantined, match="face"):
        clean(RemovedText.Settings(fill="classical"))
    assert clean(RemovedText.Settings(fill="classical", faces="keep")).shape == face.shape


def test_a_face_in_any_frame_of_a_secondary_capture_withholds_it(face, dataset_of):
    clip = np.zeros((3, *face.shape), np.uint8)
    clip[2] = face
    with pytest.raises(Quarantined, match="face"):
        REMOVER.clean_dataset(dataset_of(clip, frames=3, SOPClassUID=SECONDARY_CAPTURE, Modality="OT"), None)


def test_what_a_person_accepted_is_let_out(face, dataset_of, monkeypatch):
    monkeypatch.setattr(TextRemover, "_sorted", lambda self, views, known: Decision())
    dataset = dataset_of(face, SOPClassUID=SECONDARY_CAPTURE, Modality="OT", RecognizableVisualFeatures="YES")
    with pytest.raises(Quarantined, match="the header says"):
        REMOVER.clean_dataset(dataset, None)
    REMOVER.clean_dataset(dataset, None, {0: Choices(accept=True)})
    assert dataset.PixelData == face.tobytes()


@pytest.mark.parametrize("kind", ["RGB", "YBR_FULL", "PALETTE COLOR"])
def test_pictures_have_their_colours_however_they_are_stored(kind, face, dataset_of):
    if kind == "PALETTE COLOR":
        levels = face // 64  # 64 colours, by index
        dataset = dataset_of(levels[..., 0] * 16 + levels[..., 1] * 4 + levels[..., 2], PhotometricInterpretation=kind)
        for at, colour in enumerate(("Red", "Green", "Blue")):
            table = (np.arange(64) >> (4 - 2 * at) & 3) * 64 + 32
            setattr(dataset, f"{colour}PaletteColorLookupTableDescriptor", [64, 0, 16])
            setattr(dataset, f"{colour}PaletteColorLookupTableData", (table * 256).astype("<u2").tobytes())
    elif kind == "YBR_FULL":
        swapped = cv2.cvtColor(face, cv2.COLOR_RGB2YCrCb)[..., [0, 2, 1]]
        dataset = dataset_of(np.ascontiguousarray(swapped), PhotometricInterpretation=kind)
    else:
        dataset = dataset_of(face)
    stored = StoredPixels.of(dataset)
    assert stored is not None
    shown = picture_of(stored, 0).astype(int)
    assert np.abs(shown - face).mean() < (20 if kind == "PALETTE COLOR" else 2)


def test_a_picture_read_from_a_dicom_file_is_judged_by_its_header_too(face, dataset_of, monkeypatch):
    monkeypatch.setattr(TextRemover, "_sorted", lambda self, views, known: Decision())
    gray = cv2.cvtColor(face, cv2.COLOR_RGB2GRAY)

    def clean(choices=None, **header):
        subject = Subject(
            Person(Keys(b"k"), "1"), picture=gray, header=dataset_of(gray, **header), choices=choices or {}
        )
        return RemovedText(Keys(b"k")).apply(subject).picture

    for header, reason in (
        ({"Modality": "DX", "RecognizableVisualFeatures": "YES"}, RECOGNISABLE),
        ({"Modality": "CT", "BodyPartExamined": "HEAD"}, HEAD),
        ({"SOPClassUID": SECONDARY_CAPTURE, "Modality": "OT"}, FACE),
    ):
        with pytest.raises(Quarantined) as withheld:
            clean(**header)
        assert withheld.value.reason == reason
        assert clean({0: Choices(accept=True)}, **header) is gray
    assert clean(SOPClassUID="1.2.840.10008.5.1.4.1.1.1.1", Modality="DX") is gray  # no camera made it
