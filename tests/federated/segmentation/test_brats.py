from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from medveil.errors import InputError, NotMeasurable, SettingsError
from medveil.federated.rounds import run_rounds
from medveil.federated.segmentation.brats import NEW, OLD, read_brats
from medveil.federated.segmentation.nifti import read_nifti
from medveil.federated.segmentation.overlap import dice, outlined, overlap
from medveil.federated.segmentation.training import (
    SegmentationRecipe,
    SegmentationTraining,
    assemble,
    initial,
    random_crop,
)

CODES = {"int16": 4, "uint8": 2, "float32": 16}


def nifti(path: Path, volume: NDArray[Any], *, order: str = "<", slope: float = 1.0, intercept: float = 0.0) -> Path:
    """A file as BraTS has them, written by the standard's own offsets."""
    header = bytearray(352)
    struct.pack_into(f"{order}i", header, 0, 348)
    struct.pack_into(f"{order}8h", header, 40, 3, *volume.shape, 1, 1, 1, 1)
    struct.pack_into(f"{order}2h", header, 70, CODES[str(volume.dtype)], 8 * volume.dtype.itemsize)
    struct.pack_into(f"{order}3f", header, 108, 352.0, slope, intercept)
    header[344:348] = b"n+1\0"
    content = bytes(header) + volume.astype(volume.dtype.newbyteorder(order)).tobytes(order="F")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def subject(folder: Path, name: str, *, new: bool = False, seed: int = 0, end: str = ".nii.gz") -> None:
    """A ball of tumour in a ball of head: brighter where it enhances."""
    rng = np.random.default_rng(seed)
    x, y, z = np.meshgrid(*(np.arange(side) for side in (34, 36, 30)), indexing="ij")
    middle = rng.integers(12, 20, 3)
    away = np.sqrt((x - middle[0]) ** 2 + (y - middle[1]) ** 2 + (z - middle[2]) ** 2)
    labels = np.zeros(away.shape, np.uint8)
    labels[away < 9] = 2
    labels[away < 6] = 3 if new else 4
    labels[away < 3] = 1
    head = 100 + 40 * (labels > 0) + 60 * (labels >= 3) + rng.normal(0, 5, away.shape)
    head[:2] = 0
    between, modalities = ("-", NEW) if new else ("_", OLD)
    for modality in modalities:
        nifti(folder / name / f"{name}{between}{modality}{end}", head.astype(np.int16))
    nifti(folder / name / f"{name}{between}seg{end}", labels)


def test_numbers_come_as_they_are_stored_in_either_order_of_bytes(tmp_path: Path) -> None:
    volume = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    for name, order in (("a.nii", "<"), ("b.nii.gz", ">")):
        assert np.array_equal(read_nifti(nifti(tmp_path / name, volume, order=order)), volume)
    scaled = read_nifti(nifti(tmp_path / "c.nii", volume, slope=2.0, intercept=-1.0))
    assert np.array_equal(scaled, volume * 2.0 - 1)
    unscaled = read_nifti(nifti(tmp_path / "d.nii", volume, slope=0.0, intercept=7.0))  # 0 means: none
    assert np.array_equal(unscaled, volume)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda content: content[:300], "not a NIfTI-1 file"),
        (lambda content: content[:-5], "cut short"),
        (lambda content: b"x" * 400, "not a NIfTI-1 file"),
        (lambda content: content[:40] + struct.pack("<h", 1) + content[42:], "three-dimensional"),
        (lambda content: content[:70] + struct.pack("<h", 1792) + content[72:], "not read here"),
        (lambda content: content[:108] + struct.pack("<f", 1e9) + content[112:], "outside"),
        (lambda content: gzip.compress(content)[:-20], "cut short|damaged"),
        (lambda content: b"\x1f\x8b" + content, "damaged"),
    ],
)
def test_a_damaged_volume_is_refused_in_a_sentence(spoil: Any, told: str, tmp_path: Path) -> None:
    path = nifti(tmp_path / "a.nii", np.ones((4, 4, 4), np.int16))
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(InputError, match=told):
        read_nifti(path)


def test_every_published_layout_is_read_with_its_regions(tmp_path: Path) -> None:
    subject(tmp_path / "MICCAI_BraTS2020_TrainingData", "BraTS20_Training_001", end=".nii")
    subject(tmp_path / "2021", "BraTS2021_00000")
    for visit in ("000", "001"):
        subject(tmp_path / "2023", f"BraTS-GLI-00002-{visit}", new=True)
    found = {one.name: one for one in read_brats(tmp_path)}
    assert set(found) == {"BraTS20_Training_001", "BraTS2021_00000", "BraTS-GLI-00002-000", "BraTS-GLI-00002-001"}
    assert found["BraTS-GLI-00002-000"].patient == found["BraTS-GLI-00002-001"].patient == "BraTS-GLI-00002"
    old, new = found["BraTS2021_00000"], found["BraTS-GLI-00002-000"]
    assert np.array_equal(old.regions(), new.regions())
    whole, core, enhancing = (int(region.sum()) for region in old.regions())
    assert whole > core > enhancing > 0
    volumes = old.volumes()
    assert volumes.shape == (4, 34, 36, 30) and not volumes[:, :2].any()
    assert volumes[0][volumes[0] != 0].std() == pytest.approx(1, abs=0.01)


def test_a_partition_says_whose_a_subject_is_and_a_gap_is_refused(tmp_path: Path) -> None:
    for number in (1, 2):
        subject(tmp_path, f"FeTS21_Training_00{number}")
    (tmp_path / "partitioning_1.csv").write_text("Subject_ID,Partition_ID\nFeTS21_Training_002,7\n")
    assert [one.site for one in read_brats(tmp_path)] == ["all", "institution-7"]
    (tmp_path / "FeTS21_Training_001" / "FeTS21_Training_001_t2.nii.gz").unlink()
    with pytest.raises(InputError, match="lacks one of the modalities"):
        read_brats(tmp_path)
    (tmp_path / "partitioning_1.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="not a FeTS partition"):
        read_brats(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no subjects"):
        read_brats(tmp_path / "empty")


def test_a_crop_holds_the_same_place_of_both_and_pads_what_is_too_small() -> None:
    rng = np.random.default_rng(0)
    volumes = rng.random((4, 40, 20, 50)).astype(np.float32)
    regions = np.stack([volumes[0] > 0.99] * 3)
    for _ in range(5):
        cube, mask = random_crop(volumes, regions, 32, rng)
        assert cube.shape == (4, 32, 32, 32) and mask.shape == (3, 32, 32, 32)
        assert np.array_equal(cube[0] > 0.99, mask[0])


def test_dice_counts_voxels_and_nothing_found_where_nothing_is_counts_as_right() -> None:
    truth, found = np.zeros((2, 3, 4, 4, 4), bool)
    truth[0, :2] = found[0, 1:3] = True
    found[1, 0] = True
    assert dice(found, truth).tolist() == [0.5, 0.0, 1.0]


@pytest.mark.slow
def test_institutions_train_together_on_monais_network(tmp_path: Path) -> None:
    for number in range(4):
        subject(tmp_path, f"BraTS2021_0000{number}", seed=number)
    subjects = read_brats(tmp_path)
    recipe = SegmentationRecipe(channels=8, crop=32, local_steps=3, batch=1, learning_rate=1e-2)
    sites = {name: SegmentationTraining(recipe, subjects[at : at + 2]) for at, name in ((0, "a"), (2, "b"))}
    shared = initial(recipe)
    first = sites["a"].update(shared, 1)
    assert all(np.array_equal(x, y) for x, y in zip(first, sites["a"].update(shared, 1), strict=True))
    done = run_rounds(shared, sites, 2, name=recipe.digest)
    assert done.rounds[0].bytes_a_site == sum(part.nbytes for part in shared)
    before, after = (overlap(assemble(recipe, part), subjects[:2], crop=32) for part in (shared, done.shared))
    assert after["whole tumour"].value > before["whole tumour"].value
    assert outlined(assemble(recipe, shared), subjects[0].volumes(), crop=32, device="cpu").shape == (3, 34, 36, 30)
    assert not any("running" in name for name, _ in assemble(recipe, shared).named_buffers())


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(SettingsError, match="multiple of 8"):
        SegmentationRecipe(channels=12)
    with pytest.raises(SettingsError, match="multiple of 16"):
        SegmentationRecipe(crop=40)
    with pytest.raises(NotMeasurable, match="outline"):
        SegmentationTraining(SegmentationRecipe(), [])
