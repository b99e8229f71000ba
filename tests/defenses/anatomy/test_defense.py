from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pydicom import dcmread
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian

from medveil.cohort import Cohort
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.cohort.preprocess import to_8_bit
from medveil.defenses.anatomy.defense import HiddenAnatomy
from medveil.errors import Quarantined, SettingsError
from medveil.parts import Subject, choose
from medveil.person.keys import Keys
from medveil.person.person import Person

KEYS = Keys.for_demonstration(3)
PERSON = Person(KEYS, "MR-1")


def film(number: int = 0) -> np.ndarray:
    patient = plan_patient(41, number, 3)
    return draw(patient, patient.visits[0], sites_seed=41, size=300).pixels


def hidden(**settings: object) -> HiddenAnatomy:
    return HiddenAnatomy(KEYS, HiddenAnatomy.Settings(**settings))  # type: ignore[arg-type]


def test_a_film_comes_out_small_and_changed_and_the_row_stays() -> None:
    subject = Subject(PERSON, picture=film(), row={"view": "PA", "age": 50})
    subject.begin(hidden(method="blur"))
    done = hidden(method="blur", level=10).apply(subject)
    assert done.picture is not None and done.picture.shape == (256, 256) and done.picture.dtype == np.uint8
    assert done.row == {"view": "PA", "age": 50}
    assert done.done["anatomy"] == {"films changed": 1}


def test_the_site_s_key_decides_on_chance() -> None:
    made = []
    for keys in (KEYS, KEYS, Keys.for_demonstration(4)):
        defense = HiddenAnatomy(keys, HiddenAnatomy.Settings(method="deformation", level=0.2))
        picture = defense.apply(Subject(Person(keys, "MR-1"), picture=film())).picture
        assert picture is not None
        made.append(picture)
    assert np.array_equal(made[0], made[1])
    assert not np.array_equal(made[0], made[2])


def test_what_is_no_frontal_chest_is_withheld() -> None:
    defense = hidden(method="blur")
    with pytest.raises(Quarantined, match="no frontal view"):
        defense.apply(Subject(PERSON, picture=film(), row={"view": "LATERAL"}))
    for shape in ((300, 300), (300, 300, 3)):
        noise = np.random.default_rng(0).integers(0, 255, shape).astype(np.uint8)
        with pytest.raises(Quarantined, match="no frontal chest film"):
            defense.apply(Subject(PERSON, picture=noise))


def in_colour(gray: np.ndarray, kind: str) -> FileDataset:
    """A DICOM file that shows the film in colours, without their being needed."""
    file = FileDataset("", {}, file_meta=FileMetaDataset())
    file.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    file.PhotometricInterpretation, file.SamplesPerPixel, file.PlanarConfiguration = kind, 3, 0
    file.Rows, file.Columns = gray.shape
    file.BitsAllocated = file.BitsStored = 8
    file.HighBit, file.PixelRepresentation, file.ViewPosition = 7, 0, "PA"
    planes = [gray, gray, gray]
    if kind == "YBR_FULL":
        planes[1:] = [np.full_like(gray, 128)] * 2
    if kind == "PALETTE COLOR":
        file.SamplesPerPixel, planes = 1, [gray]
        for colour in (1, 2, 3):
            file.add_new((0x28, 0x1100 + colour), "US", [256, 0, 16])
            file.add_new((0x28, 0x1200 + colour), "OW", (np.arange(256) * 257).astype("<u2").tobytes())
    file.ICCProfile, file.ColorSpace = b"profile of the old colours", "SRGB"
    file.add_new("PixelData", "OB", np.dstack(planes).tobytes())
    return file


@pytest.mark.parametrize("kind", ["RGB", "YBR_FULL", "PALETTE COLOR"])
def test_a_film_stored_in_colour_is_a_film(kind: str) -> None:
    gray = to_8_bit(film())
    plain = hidden(method="blur").apply(Subject(PERSON, picture=gray)).picture
    picture = hidden(method="blur").apply(Subject(PERSON, picture=np.dstack([gray] * 3))).picture
    dataset = hidden(method="blur").apply(Subject(PERSON, dataset=in_colour(gray, kind))).dataset
    assert plain is not None and picture is not None and dataset is not None
    assert np.array_equal(plain, picture)
    assert np.abs(dataset.pixel_array.astype(int) - plain).max() <= 1
    assert (dataset.SamplesPerPixel, dataset.PhotometricInterpretation) == (1, "MONOCHROME2")
    assert not [each.keyword for each in dataset if "Palette" in each.keyword]
    assert "ICCProfile" not in dataset and "ColorSpace" not in dataset


def test_others_of_a_batch_go_on() -> None:
    good, bad = Subject(PERSON, picture=film()), Subject(PERSON, picture=film(), row={"view": "OTHER"})
    first, second, text = hidden(method="blur").apply_many([bad, good, Subject(PERSON, text="Clear lungs.")])
    assert isinstance(first, Quarantined)
    assert second is good
    assert isinstance(text, Subject) and text.text == "Clear lungs."


def test_a_dicom_file_keeps_nothing_that_described_the_old_pixels(hospital: Cohort) -> None:
    dataset = dcmread(hospital.root / hospital.table["path"].iloc[0])
    dataset.WindowCenter, dataset.PixelSpacing, dataset.ViewPosition = 2048, [0.2, 0.2], "PA"
    dataset.PresentationLUTShape = "INVERSE"
    done = hidden(method="blur").apply(Subject(PERSON, dataset=dataset)).dataset
    assert done is not None
    assert done.pixel_array.shape == (256, 256)
    assert (done.BitsAllocated, done.BitsStored, done.PhotometricInterpretation) == (8, 8, "MONOCHROME2")
    assert done.PresentationLUTShape == "IDENTITY"
    assert "WindowCenter" not in done and "PixelSpacing" not in done


def test_a_dicom_file_tells_nothing_of_how_the_old_film_was_taken(hospital: Cohort) -> None:
    """In a hospital most films are the only one with their exposure, to the microampere second."""
    dataset = dcmread(hospital.root / hospital.table["path"].iloc[0])
    dataset.ExposureInuAs, dataset.ExposureIndex, dataset.BodyPartThickness = 1935, "287.3", "231"
    dataset.EntranceDoseInmGy, dataset.PatientWeight, dataset.ViewPosition = "0.12", "81.5", "PA"
    dataset.PixelSpacingCalibrationDescription, dataset.ImageType = "by hand", ["ORIGINAL", "PRIMARY", "POST"]
    done = hidden(method="blur").apply(Subject(PERSON, dataset=dataset)).dataset
    assert done is not None
    assert {each.keyword for each in done if each.tag.group == 0x0018} <= {"BodyPartExamined", "ViewPosition"}
    for gone in ("EntranceDoseInmGy", "PatientWeight", "PixelSpacingCalibrationDescription"):
        assert gone not in done
    assert list(done.ImageType) == ["DERIVED", "PRIMARY", "POST"]
    assert done.ViewPosition == "PA"


def test_a_film_that_is_there_twice_comes_out_as_two(hospital: Cohort) -> None:
    """Equal ones would say that two people, or two images, share a film: more than their codes do."""
    defense = hidden(method="deformation", level=0.2)
    row = {"view": "PA", "image_id": "1"}
    one = Subject(PERSON, picture=film(), row=dict(row))
    others = (
        Subject(Person(KEYS, "MR-2"), picture=film(), row=dict(row)),
        Subject(PERSON, picture=film(), row=row | {"image_id": "2"}),
    )
    made = defense.apply(one).picture
    assert made is not None
    for other in others:
        assert not np.array_equal(made, defense.apply(other).picture)  # type: ignore[arg-type]
    file = dcmread(hospital.root / hospital.table["path"].iloc[0])
    again = dcmread(hospital.root / hospital.table["path"].iloc[0])
    file.ViewPosition = again.ViewPosition = "PA"
    again.SOPInstanceUID = "2.25.1"
    drawn = [defense.apply(Subject(PERSON, dataset=each)).dataset for each in (file, again)]
    assert drawn[0] is not None and drawn[1] is not None
    assert not np.array_equal(drawn[0].pixel_array, drawn[1].pixel_array)


def test_settings_that_make_no_sense_are_refused() -> None:
    for settings in ({"bits": 0}, {"bits": 4, "level": 2.0}, {"bits": 4, "method": "blur"}, {"budget": 3.0}):
        with pytest.raises(SettingsError):
            hidden(**settings)
    for level in (-3.0, 0.0, float("nan"), float("inf")):  # a blur of less than nothing would be a film as it was
        with pytest.raises(SettingsError, match="above 0"):
            hidden(method="blur", level=level)
    with pytest.raises(SettingsError, match="choose from"):
        hidden(method="magic").check_models()


def test_the_command_line_reads_its_settings() -> None:
    (choice,) = choose("defenses", ["anatomy:method=blur,level=5"])
    assert choice.settings == replace(HiddenAnatomy.Settings(), method="blur", level=5.0)
    assert choice.text == "anatomy:method=blur,level=5.0"
