"""What a header says of an object: a photograph of somebody, a head in slices, a screen or a label full of text.

(0028,0302) RecognizableVisualFeatures decides where it is there: YES withholds whatever it is, NO is what a file says
whose face was taken off, by the standard's option Clean Recognizable Visual Features.
"""

from __future__ import annotations

import re

from pydicom.dataset import Dataset
from pydicom.uid import UID

from medveil.errors import Quarantined

RECOGNISABLE = "the header says that a person can be recognised in it; a person must look"
PHOTOGRAPH = "a photograph of a person, which may show the face; a person must look"
HEAD = "slices of a head, from which a face can be rebuilt; take the face off first"
SCREEN = "a screen of text, such as a dose report"
LABEL = "the label of a slide"
THIN = 3.0  # millimetres between slices from which a face can be rebuilt; thicker ones give no likeness
# Where medveil meets these as SOP classes: a camera held at the patient, or one inside of the body, or at a slide.
_CAMERA = ("VLPhotographic", "VideoPhotographic", "VLImageStorageTrial", "VLMultiFrameImageStorageTrial")
_SLIDE = ("VLWholeSlide", "VLSlideCoordinates", "VLMicroscopic", "VideoMicroscopic", "ConfocalMicroscopy")
_CAMERAS = frozenset({"XC"})  # by (0008,0060), external-camera photography
# Machines of which an image in gray, that is no secondary capture, cannot be a photograph.
_MACHINES = frozenset("BDUS BMD CR CT DX IO IVOCT IVUS MG MR NM OCT PT PX RF RG RTDOSE RTIMAGE SEG US XA".split())
_HEADS = frozenset(
    "BRAIN CIRCLEOFWILLIS EAR EYE FACE HEAD HEADNECK IAC JAW MANDIBLE MAXILLA NOSE ORBIT SINUS SKULL TMJ".split()
)
_HEAD_WORDS = re.compile(
    r"\b(?:head|brain|skull|crani(?:al|um)|face|facial|sinus(?:es)?|orbits?|neuro|cerebral|pituitary|temporal bones?)\b"
)
_SCREEN_WORDS = re.compile(
    r"\b(?:dose (?:report|info|summary)|radiation dose|(?:patient|exam) protocol|screen ?(?:save|shot|capture))\b"
)
_DESCRIPTIONS = ("SeriesDescription", "ProtocolName", "StudyDescription", "RequestedProcedureDescription")


def refuse_text(dataset: Dataset) -> None:
    """Raises `Quarantined` for what is no image but a picture of text."""
    if _is_slide_label(dataset):
        raise Quarantined(LABEL)
    if _is_screen(dataset):
        raise Quarantined(SCREEN)


def recognisable_by(dataset: Dataset) -> str | None:
    """Why somebody may be recognised, by its header alone; None where nothing in it says so."""
    recognisable = _word(dataset, "RecognizableVisualFeatures")
    if recognisable == "YES":
        return RECOGNISABLE
    if recognisable == "NO":
        return None
    if _kind(dataset).startswith(_CAMERA) or _word(dataset, "Modality") in _CAMERAS:
        return PHOTOGRAPH
    return HEAD if _is_head_in_thin_slices(dataset) else None


def may_be_photograph(dataset: Dataset) -> bool:
    """Whether its pixels must be looked at: all but what a machine for something else took, or a microscope."""
    kind = _kind(dataset)
    if kind.startswith(_SLIDE):
        return False
    if "SecondaryCapture" in kind or not kind:
        return True
    gray = (
        int(dataset.get("SamplesPerPixel") or 1) == 1 and _word(dataset, "PhotometricInterpretation") != "PALETTE COLOR"
    )
    modality = _word(dataset, "Modality")
    return modality not in _MACHINES or not (gray or modality == "US")


def _is_head_in_thin_slices(dataset: Dataset) -> bool:
    """A head by its body part, or by what the study is called where there is none; in slices that are not thick."""
    if _word(dataset, "Modality") not in ("CT", "MR") or "LOCALIZER" in _words(dataset, "ImageType"):
        return False
    if "SecondaryCapture" in _kind(dataset):
        return False
    part = re.sub("[^A-Z]", "", _word(dataset, "BodyPartExamined"))
    if not (part in _HEADS if part else _HEAD_WORDS.search(_described(dataset))):
        return False
    apart = max(_number(dataset, "SliceThickness"), _number(dataset, "SpacingBetweenSlices"))
    return not apart > THIN


def _is_screen(dataset: Dataset) -> bool:
    if not ("SecondaryCapture" in _kind(dataset) or _word(dataset, "Modality") in ("CT", "MR", "PT")):
        return False
    said = " ".join((*_words(dataset, "ImageType"), _described(dataset))).lower()
    return bool(_SCREEN_WORDS.search(said))


def _is_slide_label(dataset: Dataset) -> bool:
    """Of a slide, the picture of its label, and the one from farther away that shows the label too."""
    return _kind(dataset).startswith("VLWholeSlide") and bool({"LABEL", "OVERVIEW"} & _words(dataset, "ImageType"))


def _kind(dataset: Dataset) -> str:
    return UID(str(dataset.get("SOPClassUID") or "")).keyword


def _described(dataset: Dataset) -> str:
    return " ".join(str(dataset.get(keyword) or "") for keyword in _DESCRIPTIONS).replace("_", " ").lower()


def _word(dataset: Dataset, keyword: str) -> str:
    return str(dataset.get(keyword) or "").strip("\0 ").upper()


def _words(dataset: Dataset, keyword: str) -> set[str]:
    value = dataset.get(keyword) or ()
    return {str(one).strip("\0 ").upper() for one in ([value] if isinstance(value, str) else value)}


def _number(dataset: Dataset, keyword: str) -> float:
    """Zero where there is none, or none that can be read."""
    try:
        return float(dataset.get(keyword) or 0)
    except (TypeError, ValueError):
        return 0.0
