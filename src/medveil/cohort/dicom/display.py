"""From stored values to what a viewer shows: one table, stored value to gray level.

Every step (modality LUT, window, inversion) works on single values, so it is computed once for each of the
at most 65,536 possible ones. Without a window the whole stored range is shown, whatever the pixels hold;
padding therefore takes no part in scaling, and nothing is blanked: text under a padding value stays visible.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import Dataset
from pydicom.pixels import apply_modality_lut, apply_voi

Values = NDArray[np.float64]


def gray_table(dataset: Dataset, *, frame: int, bits: int, signed: bool) -> NDArray[np.unsignedinteger[Any]]:
    """Gray level of every stored value; a signed value is found at its two's complement in `bits` bits."""
    stored = np.arange(1 << bits)
    if signed:
        stored = np.where(stored >= stored.size // 2, stored - stored.size, stored)
    values, low, high = _modality(dataset, stored, frame)
    shown = _voi(dataset, values, frame)
    if shown is None:
        shown = (values - low) / (high - low)
    if dataset.PhotometricInterpretation == "MONOCHROME1":
        shown = 1 - shown
    if not np.isfinite(shown).all():
        raise ValueError("a rescale or window that gives no gray levels")
    dtype = np.uint8 if bits <= 8 else np.uint16
    return np.rint(np.clip(shown, 0, 1) * np.iinfo(dtype).max).astype(dtype)


def stretched(stored: NDArray[Any], dataset: Dataset) -> NDArray[np.uint16]:
    """Gray levels of more values than a table has room for, such as a dose: from the least to the greatest there is."""
    values = stored.astype(float)
    low, high = float(values.min()), float(values.max())
    shown = (values - low) / max(high - low, 1.0)
    if dataset.PhotometricInterpretation == "MONOCHROME1":
        shown = 1 - shown
    return np.rint(shown * np.iinfo(np.uint16).max).astype(np.uint16)


def _modality(dataset: Dataset, stored: NDArray[Any], frame: int) -> tuple[Values, float, float]:
    """Values after the modality LUT or rescale, and the range they can take."""
    if dataset.get("ModalityLUTSequence"):
        values = apply_modality_lut(stored, dataset).astype(float)
        return values, 0.0, float(2 ** dataset.ModalityLUTSequence[0].LUTDescriptor[2] - 1)
    source = _macro(dataset, "PixelValueTransformationSequence", frame)
    slope, intercept = source.get("RescaleSlope"), source.get("RescaleIntercept")
    values = stored * float(1 if slope is None else slope) + float(intercept or 0)
    return values, float(values.min()), float(values.max())


def _voi(dataset: Dataset, values: Values, frame: int) -> Values | None:
    """Shares of full brightness by the first VOI LUT, else the first window; None where there is neither."""
    source = _macro(dataset, "FrameVOILUTSequence", frame)
    if source.get("VOILUTSequence"):
        top = 2 ** source.VOILUTSequence[0].LUTDescriptor[2] - 1
        # The LUT's own attributes may sit in a functional group; its byte order is the file's.
        holder = source if source is dataset else _with_meta(source, dataset)
        return np.asarray(apply_voi(np.rint(values).astype(np.int64), holder), dtype=float) / top
    center, width = _first(source.get("WindowCenter")), _first(source.get("WindowWidth"))
    if center is None or width is None or not width > 0:
        return None
    return window(values, center, width, str(source.get("VOILUTFunction") or "LINEAR").upper())


def window(values: Values, center: float, width: float, function: str) -> Values:
    """DICOM PS3.3 C.11.2.1: shares from 0 to 1. A LINEAR window narrower than 1 is taken as exact."""
    if function == "SIGMOID":
        return np.asarray(0.5 + 0.5 * np.tanh(2 * (values - center) / width))  # 1 / (1 + exp(-4 x))
    if function == "LINEAR" and width >= 1:
        center, width = center - 0.5, width - 1
    if width == 0:
        return (values > center).astype(float)
    return np.clip((values - center) / width + 0.5, 0, 1)


def _macro(dataset: Dataset, name: str, frame: int) -> Dataset:
    """Where a multi-frame object keeps these attributes: for this frame, for all, or at the top."""
    per_frame = dataset.get("PerFrameFunctionalGroupsSequence") or []
    shared = dataset.get("SharedFunctionalGroupsSequence") or []
    for group in (*per_frame[frame : frame + 1], *shared[:1]):
        if group.get(name):
            return group[name][0]
    return dataset


def _with_meta(source: Dataset, dataset: Dataset) -> Dataset:
    holder = Dataset()
    holder.VOILUTSequence = source.VOILUTSequence
    holder.file_meta = dataset.file_meta
    return holder


def _first(value: Any) -> float | None:
    """The first of one or several numbers."""
    if value is None or value == "":
        return None
    first = value if isinstance(value, (int, float, str)) or not hasattr(value, "__getitem__") else value[0]
    return float(first)
