"""What is known of an attribute by its tag alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf

from pydicom.datadict import dictionary_has_tag, dictionary_keyword, dictionary_VM, dictionary_VR, repeater_has_tag

from medveil.defenses.headers.table import Row, table

# UIDs that name a class, a coding or a software, not an instance: the same in every hospital.
CLASS_UIDS = frozenset(
    {
        "AvailableTransferSyntaxUID",
        "CodingSchemeUID",
        "ContextUID",
        "EncryptedContentTransferSyntaxUID",
        "ICCProfileUID",
        "MACCalculationTransferSyntaxUID",
        "MappingResourceUID",
        "MediaStorageSOPClassUID",
        "OriginalSpecializedSOPClassUID",
        "ReferencedColorPaletteInstanceUID",
        "ReferencedRelatedGeneralSOPClassUIDInFile",
        "ReferencedSOPClassUID",
        "ReferencedSOPClassUIDInFile",
        "ReferencedTransferSyntaxUIDInFile",
        "RelatedGeneralSOPClassUID",
        "SOPClassUID",
        "SOPClassesInStudy",
        "SOPClassesSupported",
        "TransferSyntaxUID",
    }
)
# Where such names come from: DICOM itself, and HL7's code systems.
CLASS_ROOTS = ("1.2.840.10008.", "2.16.840.1.113883.6.")
# Codes say what they say: a part cut out of one leaves another code.
CODES = frozenset({"CodeValue", "CodingSchemeDesignator", "CodingSchemeVersion", "LongCodeValue", "URNCodeValue"})
# Short text that the table rightly does not list: what machines and programs write of themselves and of pixels.
TECHNICAL = frozenset(
    {
        "AcquisitionDeviceProcessingCode",
        "CodeMeaning",
        "ConvolutionKernel",
        "DetectorManufacturerModelName",
        "DetectorManufacturerName",
        "FilterType",
        "LUTExplanation",
        "Manufacturer",
        "ManufacturerModelName",
        "ModalityLUTType",
        "PositionReferenceIndicator",
        "PostprocessingFunction",
        "ProcessingFunction",
        "ReceiveCoilName",
        "RescaleType",
        "SequenceName",
        "SoftwareVersions",
        "TransducerData",
        "TransmitCoilName",
        "WindowCenterWidthExplanation",
    }
)


@dataclass(frozen=True)
class Attribute:
    """`vr` is empty where the dictionary does not know the tag; `most` is how many values it may have."""

    tag: int
    keyword: str
    vr: str
    row: Row | None
    most: float = inf

    @property
    def is_known(self) -> bool:
        return bool(self.vr) or self.row is not None

    @property
    def is_private(self) -> bool:
        return bool(self.tag >> 16 & 1)

    @property
    def is_curve(self) -> bool:
        return self.tag >> 24 == 0x50

    @property
    def is_overlay(self) -> bool:
        return self.tag >> 24 == 0x60


@lru_cache(maxsize=1 << 14)
def attribute(tag: int) -> Attribute:
    row = table().find(tag)
    known = not tag >> 16 & 1 and (dictionary_has_tag(tag) or repeater_has_tag(tag))
    keyword = dictionary_keyword(tag) if known else row.keyword if row else ""
    if not known:
        return Attribute(tag, keyword, "", row)
    last = str(dictionary_VM(tag)).split("-")[-1].split(" or ")[-1]
    return Attribute(tag, keyword, str(dictionary_VR(tag)), row, int(last) if last.isdigit() else inf)
