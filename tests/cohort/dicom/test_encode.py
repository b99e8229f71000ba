from __future__ import annotations

import sys
from io import BytesIO

import pydicom
import pytest
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian

from medveil.cohort.dicom.encode import encoded


def nested(depth: int, innermost: Dataset) -> Dataset:
    for _ in range(depth):
        outer = Dataset()
        outer.RequestAttributesSequence = [innermost]
        innermost = outer
    innermost.SOPClassUID, innermost.SOPInstanceUID = "1.2.840.10008.5.1.4.1.1.1", "1.2.3"
    innermost.file_meta = FileMetaDataset()
    innermost.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    return innermost


def test_sequences_three_hundred_deep_are_written() -> None:
    inner = Dataset()
    inner.PatientID = "77"
    limit = sys.getrecursionlimit()
    content = encoded(nested(300, inner))
    assert sys.getrecursionlimit() == limit
    assert content.count(b"77") == 1
    assert pydicom.dcmread(BytesIO(encoded(nested(3, inner)))).RequestAttributesSequence


def test_an_error_deep_inside_ends() -> None:
    """The writer's own messages double at each level: of a hundred levels they would fill the memory."""
    inner = Dataset()
    inner.add_new(0x00100020, "LO", "77")
    inner[0x00100020].VR = "US"  # and its value is none
    with pytest.raises(Exception, match=r".") as error:
        encoded(nested(100, inner))
    assert len(str(error.value)) < 10_000
