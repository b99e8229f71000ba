from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pydicom.dataset import Dataset
from pydicom.pixels import apply_modality_lut, apply_voi_lut

from medveil.cohort.dicom.display import gray_table


def described(bits: int, signed: bool, **attributes: object) -> Dataset:
    dataset = Dataset()
    dataset.PhotometricInterpretation = "MONOCHROME2"
    dataset.BitsStored, dataset.PixelRepresentation = bits, int(signed)
    for name, value in attributes.items():
        setattr(dataset, name, value)
    return dataset


@given(
    bits=st.integers(6, 12),
    signed=st.booleans(),
    function=st.sampled_from(["LINEAR", "LINEAR_EXACT", "SIGMOID"]),
    center=st.integers(-2000, 4000),
    width=st.integers(1, 5000),
    slope=st.integers(1, 4),
    intercept=st.integers(-1024, 1024),
)
def test_windows_are_those_of_pydicom(bits, signed, function, center, width, slope, intercept):
    dataset = described(
        bits,
        signed,
        WindowCenter=center,
        WindowWidth=width,
        VOILUTFunction=function,
        RescaleSlope=slope,
        RescaleIntercept=intercept,
    )
    stored = np.arange(1 << bits)
    if signed:
        stored = np.where(stored >= stored.size // 2, stored - stored.size, stored)
    low, high = stored.min() * slope + intercept, stored.max() * slope + intercept
    with np.errstate(over="ignore"):  # pydicom's sigmoid overflows far from the centre
        theirs = (apply_voi_lut(apply_modality_lut(stored, dataset), dataset) - low) / (high - low)
    table = gray_table(dataset, frame=0, bits=bits, signed=signed)
    assert np.abs(table / np.iinfo(table.dtype).max - theirs).max() < 1 / np.iinfo(table.dtype).max


@given(bits=st.integers(1, 16), signed=st.booleans())
def test_without_window_the_stored_range_fills_the_gray_range(bits, signed):
    table = gray_table(described(bits, signed), frame=0, bits=bits, signed=signed)
    ordered = np.roll(table, table.size // 2) if signed else table
    assert ordered[0] == 0
    assert ordered[-1] == np.iinfo(table.dtype).max
    assert (np.diff(ordered.astype(int)) >= 0).all()


def test_unusable_windows_are_left_aside():
    plain = gray_table(described(8, False), frame=0, bits=8, signed=False)
    for width in (0, -5):
        dataset = described(8, False, WindowCenter=10, WindowWidth=width)
        assert (gray_table(dataset, frame=0, bits=8, signed=False) == plain).all()


def test_modality_lut_sequence():
    lut = Dataset()
    lut.add_new("LUTDescriptor", "US", [4, 0, 8])
    lut.add_new("LUTData", "US", [0, 255, 51, 102])
    table = gray_table(described(2, False, ModalityLUTSequence=[lut]), frame=0, bits=2, signed=False)
    assert table.tolist() == [0, 255, 51, 102]
