"""How VQA-RAD's training images of heads were taken: CT or which sequence of MRI; and what follows, in questions.

Read off the images by us, for few questions tell it; where they do, they say the same but for two of twenty-two images.
"""

from __future__ import annotations

from collections.abc import Iterator

from medveil.utility.vqa.models.answers.network import SEQUENCES
from recipes.answers.wordings import UNKNOWN, Fact, spelled_out

_IMAGES = {
    "CT": "16520 42951 45914 46062 48714 53867",
    "T1": "27013 38069 53287 54004 55245 60096",
    "T2": (
        "26925 27142 31116 31928 34947 37605 39240 39460 40096 45634 46764 48091 48749 51383 51426 55583 "
        "56799 57317 57368 59356 60254 60543 60831"
    ),
    "FLAIR": (
        "9872 17153 41325 47020 47356 49027 50962 51709 52248 53574 53816 54802 56061 56116 56344 56388 "
        "56841 58547 58902 60703"
    ),
    "DWI": "38263 46720 52282 53978 56422 59536",
    "ADC": "34836 41788 45699 53033",
}
SEQUENCE_OF = {f"synpic{number}.jpg": name for name, numbers in _IMAGES.items() for number in numbers.split()}

_MODALITY = ("ct", "mri - t1 weighted", "mri - t2 weighted", "mri-flair", "dwi", "mr - adc map")
_KIND = (UNKNOWN, "t1 weighted", "t2 weighted", "flair", "dwi", "adc map")


def _yes(*names: str, perhaps: tuple[str, ...] = ()) -> tuple[str, ...]:
    return tuple(UNKNOWN if name in perhaps else "yes" if name in names else "no" for name in SEQUENCES)


_MRI = SEQUENCES[1:]
# wordings, (one|or another) in each place, and what is right for each of the sequences
_ASKED: dict[str, tuple[str, ...]] = {
    "(What|Which) (imaging modality|modality|image modality|imaging technique|imaging method|type of imaging modality"
    "|kind of imaging|type of imaging|MRI modality) (is this|was used|is used|is shown|is seen in this image"
    "|is depicted|was used to take this image|was used to acquire this image|is used in this image"
    "|was performed)?": _MODALITY,
    "What (kind|type|sort) of (image|scan|study|imaging study|radiographic image) is (this|shown|seen here"
    "|depicted)?": _MODALITY,
    "What is the (modality|imaging modality|image modality|modality used|modality of this image|type of imaging"
    "|method of imaging)?": _MODALITY,
    "How was (this|the) (image|scan|picture) (taken|acquired|obtained|made)?": _MODALITY,
    "What (type|kind) of (MRI|MR|MR image|MRI sequence|MRI modality) is (this|shown|seen|used|depicted"
    "|used to acquire this image|the above image)?": _KIND,
    "(What|Which) (MRI sequence|MR sequence|sequence|imaging sequence|weighting|MRI weighting) (is this|is shown"
    "|was used|is shown above|is the image)?": _KIND,
    "What is the (sequence|weighting|image weighting|modality|MRI modality|type) of (this|the) MRI?": _KIND,
    "(MRI imaging modality used|MRI imaging modality used for this image|MRI sequence used"
    "|How was this MRI taken)?": _KIND,
    "Is this (a T1 weighted, T2 weighted, or FLAIR image|image modality T1, T2, or FLAIR|a T1 or a T2 image"
    "|T1 or T2 weighted)?": (UNKNOWN, "t1 weighted", "t2 weighted", "flair", UNKNOWN, UNKNOWN),
    "(Is this|Is this image|Is the image|Is this scan) (a T1 weighted image|a T1 weighted MRI|T1 weighted"
    "|a T1 image)?": _yes("T1"),
    "(Is this|Is this image|Is the image|Is this scan) (a T2 weighted image|a T2 weighted MRI|T2 weighted"
    "|a T2 image)?": _yes("T2", perhaps=("FLAIR", "ADC")),
    "(Is this|Is this image|Is the image|Is this MRI) (a FLAIR image|taken with FLAIR protocol|a FLAIR sequence"
    "|FLAIR)?": _yes("FLAIR"),
    "(Is this|Is this image|Is the image) (a diffusion weighted image|a DWI|diffusion weighted)?": _yes(
        "DWI", perhaps=("ADC",)
    ),
    "(Is this|Is this image|Is the image|Is the above image) (a CT|a CT scan|a CT image|a head CT)?": _yes("CT"),
    "(Is this|Is this image|Is the image|Is the above image) (an MRI|an MRI image|an MRI scan|an MR image"
    "|a brain MRI)?": _yes(*_MRI),
    "(Is this|Is this image|Was this image taken by|Is the image above) (a CT or an MRI|an MRI or a CT"
    "|a CT or MRI image|an MRI or CT scan|CT or MRI)?": ("ct", *["mri"] * len(_MRI)),
    "(Is|Are) the (CSF|cerebrospinal fluid|ventricles) (bright|white|hyperintense)?": _yes("T2", "ADC"),
    "(Is|Are) the (CSF|cerebrospinal fluid|ventricles) (dark|black|hypointense)?": _yes(
        *("T1", "FLAIR", "DWI"), perhaps=("CT",)
    ),
    "What is the (intensity|signal intensity|shade) of (the CSF|CSF|the cerebrospinal fluid)?": (
        *("hypodense", "hypointense", "hyperintense", "hypointense", "hypointense", "hyperintense"),
    ),
    "(Is|Was) contrast (used|given|administered|present) (|in this image|for this scan)?": _yes(
        perhaps=("T1", "FLAIR")
    ),
}


def facts() -> Iterator[Fact]:
    return spelled_out(_ASKED.items(), SEQUENCES)
