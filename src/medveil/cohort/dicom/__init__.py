"""DICOM files: reading headers and pixels as displayed, and rewriting with everything else kept.

`opening` finds out whether a file is DICOM at all and opens it; `read` gives pixels as displayed, `stored_pixels` as
they are stored, `metadata` what a header tells a cohort. `write` and `encode` make files; `elements` walks raw bytes.
"""

from medveil.cohort.dicom.many import read_many
from medveil.cohort.dicom.metadata import DicomInfo, read_metadata
from medveil.cohort.dicom.read import read_pixels
from medveil.cohort.dicom.write import rewrite

__all__ = ["DicomInfo", "read_many", "read_metadata", "read_pixels", "rewrite"]
