"""Loading the pixels of one image file, of any format, as displayed: bright is dense."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from medveil.cohort.dicom.opening import MAX_PIXELS, has_prefix, head_of, may_be_dicom
from medveil.cohort.dicom.read import read_pixels
from medveil.errors import Quarantined
from medveil.runtime.quiet import quiet

# Only formats that decode in-process: Pillow would start Ghostscript for PostScript.
FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "GIF", "WEBP", "JPEG2000", "PPM")
_PHOTOMETRIC, _WHITE_IS_ZERO = 262, 0


def load_image(root: Path, path: str, *, frame: int = 0) -> NDArray[Any]:
    """A two-dimensional uint8 or uint16 array, or `Quarantined` with the reason why there is none."""
    file = inside(root, path)
    head = head_of(file)
    if has_prefix(head):
        return read_pixels(file, frame)
    try:
        return _load_picture(file, frame, _gray)
    except UnidentifiedImageError:
        if may_be_dicom(head):
            return read_pixels(file, frame)
        raise Quarantined("not an image") from None


def load_colours(root: Path, path: str) -> NDArray[np.uint8] | None:
    """Rows x columns x 3 of a picture that has colours; None where it is gray, or is no picture but a DICOM file."""
    file = inside(root, path)
    if has_prefix(head_of(file)):
        return None
    colours = _load_picture(file, 0, _colours)
    return None if (colours == colours[..., :1]).all() else colours


def inside(root: Path, path: str) -> Path:
    """The real file behind `path`; links and dots may not lead out of `root`."""
    try:
        real_root = root.resolve()
        real = (real_root / path).resolve()
        # A loop of links resolves to itself; the file system then refuses it.
        real.lstat()
    except FileNotFoundError:
        raise Quarantined("missing file") from None
    except (OSError, RuntimeError, ValueError) as error:
        loop = isinstance(error, RuntimeError) or getattr(error, "errno", None) == errno.ELOOP
        raise Quarantined("symlink loop" if loop else "unreadable file") from None
    if not real.is_relative_to(real_root):
        raise Quarantined("path leads outside the folder")
    return real


def _load_picture(file: Path, frame: int, read: Callable[[Image.Image], NDArray[Any]]) -> NDArray[Any]:
    try:
        with quiet(), Image.open(file, formats=FORMATS) as picture:
            _check_size(picture.size)
            if frame:
                picture.seek(frame)
                _check_size(picture.size)
            return read(picture)
    except (Quarantined, UnidentifiedImageError):
        raise
    except Image.DecompressionBombError:
        raise Quarantined("too large") from None
    except EOFError:
        raise Quarantined("no such frame") from None
    except Exception as error:
        # Damaged files make the decoders raise nearly anything.
        raise Quarantined("truncated" if "truncated" in str(error).lower() else "unreadable pixel data") from None


def _check_size(size: tuple[int, int]) -> None:
    if min(size) < 1:
        raise Quarantined("empty image")
    if size[0] * size[1] > MAX_PIXELS:
        raise Quarantined("too large")


def _colours(picture: Image.Image) -> NDArray[np.uint8]:
    """Transparency is ignored, for it may hide text."""
    if picture.mode in ("P", "PA"):
        picture = picture.convert("RGBA")
    if picture.mode in ("RGB", "RGBA", "RGBX", "CMYK", "YCbCr", "LAB", "HSV"):
        return np.array(picture.convert("RGB"))
    return np.zeros((1, 1, 3), np.uint8)  # gray, at whatever depth


def _gray(picture: Image.Image) -> NDArray[Any]:
    """Luminance at the picture's own depth; transparency is ignored, for it may hide text."""
    match picture.mode:
        case "L":
            return np.array(picture)
        case "I;16" | "I;16L" | "I;16B" | "I;16N" | "I":
            return _sixteen_bits(picture)
        case "F":
            raise Quarantined("unsupported pixel format")
        case "P" | "PA":
            return np.array(picture.convert("RGBA").convert("RGB").convert("L"))
        case "1" | "LA" | "RGB":
            return np.array(picture.convert("L"))
        case _:
            return np.array(picture.convert("RGB").convert("L"))


def _sixteen_bits(picture: Image.Image) -> NDArray[np.uint16]:
    values = np.array(picture)
    if values.min() < 0 or values.max() > 0xFFFF:
        raise Quarantined("unsupported pixel format")
    values = values.astype(np.uint16)
    if picture.format == "TIFF" and picture.tag_v2.get(_PHOTOMETRIC) == _WHITE_IS_ZERO:  # type: ignore[attr-defined]
        values = 0xFFFF - values
    return values
