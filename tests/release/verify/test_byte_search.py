from __future__ import annotations

import io
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pydicom
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import DeflatedExplicitVRLittleEndian, ExplicitVRLittleEndian

from medveil.person.identifiers import Category
from medveil.person.person import Known
from medveil.release.verify.byte_search import KnownBytes, distinctive_needles

KNOWN = {
    "anna": (
        Known(Category.NAME, "Vandermeer^Anneke"),
        Known(Category.MRN, "MR-0012345"),
        Known(Category.DATE, "19530831"),
        Known(Category.TIME, "101908"),
    ),
    "bert": (Known(Category.PHONE, "+1 (555) 123-4567"), Known(Category.NAME, "Long^May")),
}


ANNA, BERT = (KnownBytes.own(KNOWN[who]) for who in ("anna", "bert"))


def dicom(text: str, pixels: bytes = b"", *, syntax: str = ExplicitVRLittleEndian) -> bytes:
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = syntax
    dataset = FileDataset(None, {}, file_meta=meta, preamble=b"\0" * 128)
    dataset.ImageComments = text
    if pixels:
        dataset.PixelData = pixels
        dataset["PixelData"].VR = "OW"
    out = io.BytesIO()
    pydicom.dcmwrite(out, dataset)
    return out.getvalue()


@pytest.mark.parametrize(
    "text",
    ["seen by ANNEKE VANDERMEER", "Vandermeer, A", "id MR0012345.", "no 0012345 but mr-0012345", "born 08/31/1953"],
)
def test_own_identifiers_are_found_however_written(text: str) -> None:
    assert ANNA.found_in(text.encode())


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16-le", "utf-16-be"])
def test_every_encoding(encoding: str) -> None:
    assert set(ANNA.found_in("x Vandermeer y".encode(encoding))) == {Category.NAME}


def test_a_number_is_sought_in_every_file_a_name_only_in_its_own() -> None:
    text = b"Vandermeer 1953-08-31 MR-0012345"
    everyone = KnownBytes(distinctive_needles(known for person in KNOWN.values() for known in person))
    assert everyone.found_in(text) == {Category.MRN: 1}
    assert set(ANNA.found_in(text)) == {Category.NAME, Category.DATE, Category.MRN}


@pytest.mark.parametrize("text", ["seen Anneke Vandermeer", "VANDERMEER, ANNEKE", "Vandermeer^Anneke"])
def test_a_whole_name_is_sought_in_every_file(text: str) -> None:
    everyone = KnownBytes(distinctive_needles(KNOWN["anna"]))
    assert everyone.found_in(text.encode()) == {Category.NAME: 1}


@pytest.mark.parametrize("name", ["Kerley^B", "Long^May", "Babcock^Owen", "Vandermeer"])
def test_a_whole_name_that_may_be_a_stand_in_or_anything_else_is_not(name: str) -> None:
    assert not distinctive_needles([Known(Category.NAME, name)])


@pytest.mark.parametrize("text", ["山田太郎", "山田", "たろう", "Tarou"])
def test_names_in_every_writing_are_sought(text: str) -> None:
    taro = KnownBytes.own([Known(Category.NAME, "Yamada^Tarou=山田^太郎=やまだ^たろう")])
    assert taro.found_in(f"x {text} y".encode())


def test_parts_of_words_times_and_ordinary_words_prove_nothing() -> None:
    assert not ANNA.found_in(b"Vandermeers 119530831 101908")
    assert not BERT.found_in(b"a long wait in may")


def test_deflated_files_are_searched_as_they_read() -> None:
    content = dicom("Vandermeer " * 9, syntax=DeflatedExplicitVRLittleEndian)
    assert b"Vandermeer" not in content
    assert ANNA.found_in(content)[Category.NAME] >= 1


def test_pixels_spell_short_words_by_chance_but_not_long_ones() -> None:
    search = KnownBytes.own((Known(Category.NAME, "Xopq^Zyw"), Known(Category.MRN, "12345678")))
    assert not search.found_in(dicom("", b" xopq  "))
    assert search.found_in(dicom("", b" 12345678 ")) == {Category.MRN: 1}
    assert search.found_in(dicom("xopq")) == {Category.NAME: 1}


def test_dark_pixels_spell_short_words_in_two_bytes_each_but_not_long_ones() -> None:
    """A slow ramp of 16-bit pixels, 110 111 111 114, reads as noor."""
    search = KnownBytes.own((Known(Category.NAME, "Vandermeer^Noor"),))
    ramp = np.array([40, 60, 110, 111, 111, 114, 130], "<u2").tobytes()
    assert not search.found_in(dicom("", ramp))
    assert search.found_in(dicom("", "\x01Vandermeer\x01".encode("utf-16-le")))
    assert search.found_in("\x01Noor\x01".encode("utf-16-le"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_a_piece_of_a_word_is_no_find_in_any_encoding(encoding: str) -> None:
    assert not ANNA.found_in("the Vandermeers".encode(encoding))


def test_a_picture_is_noise_but_its_text_chunks_are_not() -> None:
    picture = Image.fromarray(np.random.default_rng(0).integers(0, 255, (64, 64), dtype=np.uint8))
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", "Vandermeer")
    out = io.BytesIO()
    picture.save(out, "PNG", pnginfo=info)
    assert ANNA.found_in(out.getvalue()) == {Category.NAME: 1}


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_found_whatever_stands_around(before: bytes, after: bytes) -> None:
    content = b"text " + before + b" \x01MR-0012345\x01 " + after
    assert ANNA.found_in(content).get(Category.MRN, 0) >= 1


def test_damaged_files_are_searched_as_they_are() -> None:
    damaged = dicom("x")[:150] + zlib.compress(b"junk") + b" Vandermeer "
    assert ANNA.found_in(damaged) == {Category.NAME: 1}


def test_titles_and_degrees_are_anyones() -> None:
    search = KnownBytes.own([Known(Category.DOCTOR, "Quillfeather^Jo^^^MBBS FRCR")])
    assert not search.found_in(b"signed by A. Nother, MBBS FRCR")
    assert search.found_in(b"QUILLFEATHER, MBBS")


def test_a_date_in_a_files_name_is_no_number_to_look_for_everywhere() -> None:
    """It is known as a number and as a date; another's date may be moved onto it."""
    number, date = Known(Category.OTHER_ID, "20181018"), Known(Category.DATE, "20181018")
    assert not KnownBytes(distinctive_needles([number, date])).found_in(b"on 20181018.")
    assert KnownBytes.own([number, date]).found_in(b"on 20181018.")
    assert KnownBytes(distinctive_needles([number])).found_in(b"order 20181018.")
    assert KnownBytes(distinctive_needles([Known(Category.MRN, "20181018"), date])).found_in(b"id 20181018.")


def test_the_cells_of_a_compressed_table_are_searched(tmp_path: Path) -> None:
    table = pd.DataFrame({"report": ["No effusion. " * 40, "Seen at ten: LUND. " + "Clear. " * 200]})
    table.to_parquet(tmp_path / "cohort.parquet", compression="zstd")
    content = (tmp_path / "cohort.parquet").read_bytes()
    search = KnownBytes.own([Known(Category.NAME, "Lund^Ida")])
    assert search.found_in(content)[Category.NAME] > 0
    assert search.found_in(content[:100]) == {}  # and one that is cut short does not end the search
