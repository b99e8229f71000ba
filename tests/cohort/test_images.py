from __future__ import annotations

import io
import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pydicom
import pytest
from PIL import Image

from medveil.cohort.images import load_image
from medveil.errors import Quarantined

RANDOM = np.random.default_rng(3)
GRAY = RANDOM.integers(0, 256, (20, 30), dtype=np.uint8)
DEEP = RANDOM.integers(0, 65536, (20, 30), dtype=np.uint16)
RGB = RANDOM.integers(0, 256, (20, 30, 3), dtype=np.uint8)
SHIPPED = Path(pydicom.__file__).parent / "data" / "test_files"


def save(folder: Path, name: str, picture: Image.Image, **options: object) -> str:
    picture.save(folder / name, **options)
    return name


def refused(root: Path, path: str, **options: int) -> str:
    with pytest.raises(Quarantined) as caught:
        load_image(root, path, **options)
    return caught.value.reason


@pytest.mark.parametrize("suffix", ["png", "tif", "bmp", "gif", "webp"])
def test_eight_bit_gray(tmp_path, suffix):
    save(tmp_path, f"a.{suffix}", Image.fromarray(GRAY), **({"lossless": True} if suffix == "webp" else {}))
    pixels = load_image(tmp_path, f"a.{suffix}")
    assert pixels.dtype == np.uint8
    assert np.abs(pixels.astype(int) - GRAY).max() <= (1 if suffix == "webp" else 0)


@pytest.mark.parametrize("suffix", ["png", "tif"])
def test_sixteen_bit_gray(tmp_path, suffix):
    pixels = load_image(tmp_path, save(tmp_path, f"a.{suffix}", Image.fromarray(DEEP)))
    assert pixels.dtype == np.uint16
    assert (pixels == DEEP).all()


def test_white_is_zero_sixteen_bit_tiff(tmp_path):
    save(tmp_path, "a.tif", Image.fromarray(DEEP), tiffinfo={262: 0})
    assert (load_image(tmp_path, "a.tif") == 65535 - DEEP).all()


def test_jpeg_is_what_pillow_shows(tmp_path):
    save(tmp_path, "a.jpg", Image.fromarray(GRAY))
    assert (load_image(tmp_path, "a.jpg") == np.asarray(Image.open(tmp_path / "a.jpg"))).all()


def test_exif_rotation_is_ignored(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    save(tmp_path, "a.jpg", Image.fromarray(GRAY), exif=exif)
    assert load_image(tmp_path, "a.jpg").shape == GRAY.shape


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "CMYK"])
def test_colour_becomes_luminance(tmp_path, mode):
    picture = Image.fromarray(RGB).convert(mode)
    save(tmp_path, "a.tif", picture)
    rgb = np.asarray(picture.convert("RGB")).astype(float)
    assert np.abs(load_image(tmp_path, "a.tif") - rgb @ [0.299, 0.587, 0.114]).max() <= 1


def test_transparency_hides_nothing(tmp_path):
    alpha = np.zeros((*GRAY.shape, 1), dtype=np.uint8)
    save(tmp_path, "a.png", Image.fromarray(np.concatenate([RGB, alpha], axis=2)))
    assert load_image(tmp_path, "a.png").std() > 10
    save(tmp_path, "b.png", Image.fromarray(np.concatenate([GRAY[..., None], alpha], axis=2), "LA"))
    assert (load_image(tmp_path, "b.png") == GRAY).all()
    palette = Image.fromarray(RGB).convert("P")
    save(tmp_path, "c.png", palette, transparency=bytes(256))
    assert load_image(tmp_path, "c.png").std() > 10


def test_bilevel(tmp_path):
    save(tmp_path, "a.png", Image.fromarray(GRAY > 128))
    assert (load_image(tmp_path, "a.png") == np.where(GRAY > 128, 255, 0)).all()


def test_pages_of_a_tiff(tmp_path):
    pages = [Image.fromarray(GRAY), Image.fromarray(255 - GRAY)]
    save(tmp_path, "a.tif", pages[0], save_all=True, append_images=pages[1:])
    assert (load_image(tmp_path, "a.tif", frame=1) == 255 - GRAY).all()
    assert refused(tmp_path, "a.tif", frame=2) == "no such frame"


def test_dicom_whatever_its_name(tmp_path):
    whole = (SHIPPED / "MR_small.dcm").read_bytes()
    (tmp_path / "a.png").write_bytes(whole)
    (tmp_path / "headless").write_bytes(whole[132:])
    assert load_image(tmp_path, "a.png").shape == (64, 64)
    assert (load_image(tmp_path, "headless") == load_image(tmp_path, "a.png")).all()


def test_float_images_are_refused(tmp_path):
    save(tmp_path, "a.tif", Image.fromarray(np.full((4, 4), np.nan, dtype=np.float32)))
    assert refused(tmp_path, "a.tif") == "unsupported pixel format"


def test_what_is_no_image(tmp_path):
    (tmp_path / "text.png").write_text("not an image at all")
    (tmp_path / "empty.png").touch()
    (tmp_path / "script.eps").write_text("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\n")
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "folder.png").mkdir()
    reasons = {
        "text.png": "not an image",
        "script.eps": "not an image",
        "empty.png": "empty file",
        "pipe.png": "not a regular file",
        "folder.png": "not a regular file",
        "absent.png": "missing file",
        "absent/absent.png": "missing file",
        "nul\0.png": "unreadable file",
    }
    assert {name: refused(tmp_path, name) for name in reasons} == reasons


def test_nothing_outside_the_root_is_opened(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    save(tmp_path, "secret.png", Image.fromarray(GRAY))
    save(root, "mine.png", Image.fromarray(GRAY))
    (root / "link.png").symlink_to(tmp_path / "secret.png")
    (root / "folder").symlink_to(tmp_path)
    (root / "own.png").symlink_to("mine.png")
    (root / "loop.png").symlink_to("loop.png")
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    (root / "dangling.png").symlink_to("nowhere.png")
    assert (load_image(root, "own.png") == GRAY).all()
    for path in ("../secret.png", "link.png", "folder/secret.png", str(tmp_path / "secret.png"), "a/../../secret.png"):
        assert refused(root, path) == "path leads outside the folder"
    assert refused(root, "loop.png") == "symlink loop"
    assert refused(root, "one/x.png") == "symlink loop"
    assert refused(root, "dangling.png") == "missing file"


def png(width: int, height: int, rows: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">L", len(data)) + kind + data + struct.pack(">L", zlib.crc32(kind + data))

    header = struct.pack(">LLBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(9_000, 9_000), (10_000, 10_000), (60_000, 60_000)])
def test_decompression_bombs_are_refused_by_their_header(tmp_path, size):
    (tmp_path / "bomb.png").write_bytes(png(*size, b""))
    assert refused(tmp_path, "bomb.png") == "too large"


def test_images_without_pixels(tmp_path):
    (tmp_path / "none.png").write_bytes(png(0, 5, b""))
    (tmp_path / "short.png").write_bytes(png(5, 5, b"\0\0\0"))
    assert refused(tmp_path, "none.png")
    assert refused(tmp_path, "short.png")


@pytest.mark.parametrize("format", ["PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP"])
def test_truncated_files_are_never_half_decoded(tmp_path, format):
    file = io.BytesIO()
    Image.fromarray(RANDOM.integers(0, 256, (64, 64), dtype=np.uint8)).save(file, format)
    whole = file.getvalue()
    for share in (0.1, 0.5, 0.9, 0.99):
        (tmp_path / "cut").write_bytes(whole[: int(len(whole) * share)])
        assert refused(tmp_path, "cut")


@pytest.mark.parametrize("format", ["PNG", "JPEG", "TIFF", "GIF", "WEBP"])
def test_flipped_bytes(tmp_path, format):
    file = io.BytesIO()
    Image.fromarray(GRAY).save(file, format)
    random = np.random.default_rng(8)
    outcomes = set()
    for _ in range(200):
        damaged = bytearray(file.getvalue())
        for at in random.integers(0, len(damaged), size=random.integers(1, 8)):
            damaged[at] = random.integers(256)
        (tmp_path / "damaged").write_bytes(damaged)
        try:
            outcomes.add(load_image(tmp_path, "damaged").ndim)
        except Quarantined:
            outcomes.add("refused")
    assert outcomes <= {2, "refused"}
    assert "refused" in outcomes
