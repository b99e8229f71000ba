from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from pydicom.dataset import Dataset

from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.defenses.pixels.decide.decision import Decision
from medveil.defenses.pixels.defense import BLANKED, RemovedText
from medveil.defenses.pixels.objects.photographs import picture_of
from medveil.defenses.pixels.objects.scan_area import calibrated, moving, outside_of_scan
from medveil.defenses.pixels.removal import UNTOLD, TextRemover
from medveil.errors import Quarantined
from medveil.parts import Subject
from medveil.person.keys import Keys
from medveil.person.person import Person

from .conftest import ULTRASOUND, ULTRASOUND_CLIP, scan

REMOVER = TextRemover(fill="classical")
BANNER = (slice(2, 26), slice(4, 300))


def written(frame: np.ndarray, text: str = "DOE, JANE 1950 MRN 884312", at: tuple[int, int] = (6, 4)) -> np.ndarray:
    sheet = Image.fromarray(frame)
    ImageDraw.Draw(sheet).text(at, text, fill=255, font=ImageFont.load_default(16))
    return np.asarray(sheet)


def region(left: int, top: int, right: int, bottom: int, form: int = 1) -> Dataset:
    item = Dataset()
    item.RegionSpatialFormat = form
    item.RegionLocationMinX0, item.RegionLocationMinY0 = left, top
    item.RegionLocationMaxX1, item.RegionLocationMaxY1 = right, bottom
    return item


@pytest.mark.parametrize(
    ("regions", "share"),
    [
        ([region(40, 40, 279, 219)], 240 * 180 / (320 * 240)),
        ([region(40, 40, 279, 139), region(40, 140, 279, 219, form=4)], 240 * 180 / (320 * 240)),
        ([region(40, 40, 279, 219), region(300, 40, 310, 219, form=5)], 240 * 180 / (320 * 240)),  # a bar of colours
        ([region(40, 40, 400, 219)], None),  # beyond the image, as after a change of size
        ([region(0, 0, 319, 239)], None),  # the whole tells nothing
        ([region(40, 40, 80, 80)], None),  # too little to be a scan
        ([region(279, 40, 40, 219)], None),
        ([], None),
    ],
)
def test_regions_count_where_they_can_be_believed(regions: list[Dataset], share: float | None) -> None:
    dataset = Dataset()
    dataset.SequenceOfUltrasoundRegions = regions
    found = calibrated(dataset, (240, 320))
    assert (found is None) == (share is None)
    if found is not None and share is not None:
        assert found.mean() == pytest.approx(share)


def test_the_moving_part_of_a_clip_is_its_scan() -> None:
    clip, sector = scan()
    clip[:, 2:26, 4:300] = written(clip[0])[2:26, 4:300]
    found = moving(iter(clip))
    assert found is not None
    assert found[sector].all()
    assert not found[BANNER].any()
    assert found.mean() < 1.6 * sector.mean()


def test_a_clip_whose_still_part_may_be_anatomy_tells_nothing() -> None:
    clip, sector = scan()
    tissue = np.random.default_rng(1).integers(0, 200, clip.shape[1:], dtype=np.uint8)
    assert moving(np.where(sector, clip, tissue)) is None
    assert moving(np.random.default_rng(1).integers(0, 200, clip.shape, dtype=np.uint8)) is None  # all of it moves
    assert moving(np.zeros_like(clip)) is None


def test_frames_of_a_volume_are_no_clip(dataset_of) -> None:
    clip, _ = scan()
    told = {"CT": False, "OT": True}
    for modality, is_told in told.items():
        stored = StoredPixels.of(dataset_of(clip, frames=10, Modality=modality))
        assert stored is not None
        assert (outside_of_scan(stored) is not None) == is_told


@pytest.mark.parametrize("coloured", [False, True])
def test_the_banner_of_a_clip_goes_in_every_frame_and_the_scan_stays(coloured, dataset_of, monkeypatch) -> None:
    monkeypatch.setattr(TextRemover, "_sorted", lambda self, views, known: Decision())
    clip, sector = scan()
    clip = np.stack([written(frame) for frame in clip])
    if coloured:
        clip = np.repeat(clip[..., None], 3, axis=3)
    dataset = dataset_of(clip, frames=10, Modality="US", SOPClassUID=ULTRASOUND_CLIP)
    removals = REMOVER.clean_dataset(dataset, None)
    cleaned = dataset.pixel_array
    assert not cleaned[(slice(None), *BANNER)].any()
    assert (cleaned[:, sector] == clip[:, sector]).all()
    assert all(removal.blanked_pct > 20 for removal in removals)


@pytest.mark.parametrize("regions", [[region(40, 40, 279, 219)], []])
def test_a_single_ultrasound_image_needs_its_regions(regions, dataset_of) -> None:
    clip, _ = scan(frames=1)
    image = written(np.zeros_like(clip[0]))
    dataset = dataset_of(
        image, Modality="US", SOPClassUID=ULTRASOUND, **({"SequenceOfUltrasoundRegions": regions} if regions else {})
    )
    if not regions:
        with pytest.raises(Quarantined) as withheld:
            REMOVER.clean_dataset(dataset, None)
        assert withheld.value.reason == UNTOLD
        return
    (removal,) = REMOVER.clean_dataset(dataset, None)
    assert removal.blanked_pct == pytest.approx(100 - 100 * 240 * 180 / (320 * 240))
    assert not dataset.pixel_array[BANNER].any()


def test_an_ultrasound_image_without_text_and_regions_is_let_out_as_it_is(dataset_of, monkeypatch) -> None:
    monkeypatch.setattr(TextRemover, "_sorted", lambda self, views, known: Decision())
    (image,), _ = scan(frames=1)
    dataset = dataset_of(image, Modality="US", SOPClassUID=ULTRASOUND)
    REMOVER.clean_dataset(dataset, None)
    assert (dataset.pixel_array == image).all()


@pytest.mark.parametrize("regions", [[region(40, 40, 279, 219)], []])
def test_the_same_holds_of_a_frame_that_was_read_with_its_header(regions, dataset_of) -> None:
    image = written(np.zeros((240, 320), np.uint8))
    header = dataset_of(
        image, Modality="US", SOPClassUID=ULTRASOUND, **({"SequenceOfUltrasoundRegions": regions} if regions else {})
    )
    keys = Keys(b"k")
    subject = Subject(Person(keys, "1"), picture=image, header=header)
    if not regions:
        with pytest.raises(Quarantined) as withheld:
            RemovedText(keys).apply(subject)
        assert withheld.value.reason == UNTOLD
        return
    subject.begin(RemovedText(keys))
    cleaned = RemovedText(keys).apply(subject)
    assert cleaned.picture is not None and not cleaned.picture[BANNER].any()
    assert cleaned.done["pixels"][BLANKED] == 1


@pytest.mark.parametrize("kind", ["MONOCHROME1", "RGB", "planes", "YBR_FULL", "YBR_FULL_422", "PALETTE COLOR"])
def test_outside_is_black_however_pixels_are_stored_and_inside_keeps_its_bits(kind, dataset_of, monkeypatch) -> None:
    monkeypatch.setattr(TextRemover, "_sorted", lambda self, views, known: Decision())
    (image,), _ = scan(frames=1)
    image = written(image)
    colours = np.repeat(image[..., None], 3, axis=2)
    attributes = {"PhotometricInterpretation": kind, "SequenceOfUltrasoundRegions": [region(40, 40, 279, 219)]}
    if kind == "MONOCHROME1":
        dataset = dataset_of(255 - image, Modality="US", **attributes)
    elif kind == "planes":
        dataset = dataset_of(colours, Modality="US", **attributes | {"PhotometricInterpretation": "RGB"})
        dataset.PlanarConfiguration = 1
        dataset.PixelData = np.ascontiguousarray(colours.transpose(2, 0, 1)).tobytes()
    elif kind.startswith("YBR"):
        colours[..., 1:] = 128
        dataset = dataset_of(colours, Modality="US", **attributes)
        if kind.endswith("422"):  # two pixels share their chroma
            dataset.PixelData = np.stack([image[:, ::2], image[:, 1::2], *2 * [colours[:, ::2, 1]]], axis=2).tobytes()
    elif kind == "PALETTE COLOR":
        dataset = dataset_of(255 - image, Modality="US", **attributes)  # the darkest colour comes last
        for colour in ("Red", "Green", "Blue"):
            setattr(dataset, f"{colour}PaletteColorLookupTableDescriptor", [256, 0, 16])
            table = (np.arange(255, -1, -1) * 257).astype("<u2")
            setattr(dataset, f"{colour}PaletteColorLookupTableData", table.tobytes())
    else:
        dataset = dataset_of(colours, Modality="US", **attributes)
    before = StoredPixels.of(dataset)
    REMOVER.clean_dataset(dataset, None)
    after = StoredPixels.of(dataset)
    assert before is not None and after is not None
    inside = (slice(40, 220), slice(40, 280))
    assert (after.frames[0][inside] == before.frames[0][inside]).all()
    assert picture_of(before, 0)[BANNER].max() > 200
    assert picture_of(after, 0)[BANNER].max() < 4
