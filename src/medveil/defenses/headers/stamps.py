"""What a de-identified object says of itself: only what ran."""

from __future__ import annotations

from pydicom.datadict import dictionary_VR, tag_for_keyword
from pydicom.dataelem import DataElement
from pydicom.dataset import Dataset
from pydicom.sequence import Sequence

import medveil
from medveil.defenses.headers.options import BASIC_CODE, BASIC_MEANING, Option
from medveil.defenses.headers.profile import Profile
from medveil.defenses.headers.table import EDITION

_ELSEWHERE = frozenset({Option.CLEAN_PIXEL_DATA, Option.CLEAN_RECOGNIZABLE})


def stamps(
    profile: Profile, *, has_pixels: bool, pixels_cleaned: bool, recognizable_cleaned: bool
) -> list[DataElement]:
    """The elements to set, in order of tag."""
    ran = set(profile.options) - _ELSEWHERE
    ran |= {Option.CLEAN_PIXEL_DATA} if pixels_cleaned else set()
    ran |= {Option.CLEAN_RECOGNIZABLE} if recognizable_cleaned else set()
    codes = [] if profile.weakened else [(BASIC_CODE, BASIC_MEANING)]
    codes += sorted((option.code, option.meaning) for option in ran)
    values = {
        "PatientIdentityRemoved": "NO" if profile.weakened else "YES",
        "DeidentificationMethod": [f"medveil {medveil.__version__}", f"DICOM PS3.15 {EDITION} Annex E"],
        "DeidentificationMethodCodeSequence": Sequence([_item(*code) for code in codes]),
        "LongitudinalTemporalInformationModified": _dates(profile),
    }
    if has_pixels and pixels_cleaned:
        values["BurnedInAnnotation"] = "NO"
    if has_pixels and recognizable_cleaned:
        values["RecognizableVisualFeatures"] = "NO"
    elements = [_element(keyword, value) for keyword, value in values.items()]
    return sorted(elements, key=lambda element: element.tag)


def _dates(profile: Profile) -> str:
    if Option.MODIFIED_DATES in profile.options:
        return "MODIFIED"
    return "UNMODIFIED" if Option.FULL_DATES in profile.options else "REMOVED"


def _item(code: str, meaning: str) -> Dataset:
    item = Dataset()
    item.CodeValue = code
    item.CodingSchemeDesignator = "DCM"
    item.CodeMeaning = meaning
    return item


def _element(keyword: str, value: object) -> DataElement:
    tag = tag_for_keyword(keyword)
    return DataElement(tag, dictionary_VR(tag), value)
