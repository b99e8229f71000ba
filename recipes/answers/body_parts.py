"""What follows from the part of the body that an image shows, in questions: VQA-RAD asks it in a hundred wordings.

Its chest images are radiographs, its images of the abdomen CT, its images of the head MRI for the most part, and
nearly all slices are axial. Whether contrast was used or how a film was projected follows only where it is the rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from medveil.utility.vqa.models.answers.network import ORGANS
from recipes.answers.wordings import UNKNOWN, Fact, spelled_out

MODALITY, PLANE = ("x-ray", "mri", "ct"), ("pa", "axial", "axial")
ORGAN, PART = ("chest", "brain", "gastrointestinal"), ("chest", "brain", "abdomen")
CONTRAST = ("no", "no", "yes")

# wordings, (one|or another) in each place, and what is right for each of the organs
_ASKED: dict[str, tuple[str, str, str]] = {
    "(What|Which) (imaging modality|modality|image modality|imaging technique|imaging method|type of imaging modality"
    "|kind of imaging|type of imaging) (is this|was used|is used|is shown|is seen in this image|is depicted"
    "|was used to take this image|was used to acquire this image|is used in this image|was performed)?": MODALITY,
    "What (kind|type|sort) of (image|scan|study|imaging study|radiographic image) is (this|shown|seen here"
    "|depicted)?": MODALITY,
    "What is the (modality|imaging modality|image modality|modality used|modality of this image|type of imaging"
    "|method of imaging)?": MODALITY,
    "How was (this|the) (image|scan|picture) (taken|acquired|obtained|made)?": MODALITY,
    "(By what means|With what technology|With what modality|By which modality) was this (image|scan) (taken|obtained"
    "|acquired)?": MODALITY,
    "(Is this|Is this image|Was this image taken by|Is the image above) (a CT or an MRI|an MRI or a CT"
    "|a CT or MRI image|an MRI or CT scan|CT or MRI)?": (UNKNOWN, "mri", "ct"),
    "Is this (an x-ray or a CT|a CT or an x-ray|an x-ray, a CT or an MRI)?": ("x-ray", UNKNOWN, "ct"),
    "(What|Which|In what|In which) (plane|imaging plane|anatomical plane|section plane) (is this|is this image in"
    "|is this image|was this image taken in|was this image taken|is the image in|is the above image|is shown|is seen"
    "|was used|is depicted|is this scan in)?": PLANE,
    "What is the (plane|imaging plane|orientation|plane of this image|plane of the image|image plane"
    "|orientation of this image|plane of section)?": PLANE,
    "(What|Which) (view|section|cut|slice) (is this|is shown|is this image|was taken)?": PLANE,
    "How is (this|the) (image|scan|patient) (oriented|sliced|sectioned)?": PLANE,
    "Is this (an axial or a sagittal|a sagittal or an axial|an axial or a coronal|a coronal or an axial"
    "|an axial, sagittal or coronal) (image|view|plane|section|slice)?": (UNKNOWN, "axial", "axial"),
    "Is this (an AP or PA|a PA or AP|an AP or a PA) (film|image|view|x-ray|chest x-ray)?": ("pa", UNKNOWN, UNKNOWN),
    "(What|Which) organ system (is|is being) (shown|imaged|pictured|visualized|visualised|seen|evaluated|displayed"
    "|depicted|examined|present|primarily seen|primarily evaluated) (|in this image|here|in the image|above)?": ORGAN,
    "What is the organ system (|shown|seen in this image|in this image|being imaged|pictured|visualized)?": ORGAN,
    "The (image|scan|picture) (shows|depicts) (what|which) organ system?": ORGAN,
    "(What|Which) (part of the body|body part|region of the body|area of the body|part of body|anatomical region) is "
    "(shown|imaged|pictured|seen|displayed|being evaluated|depicted) (|in this image|here)?": PART,
    "What (organ|organs) (is|are) (shown|imaged|pictured|seen|being evaluated|depicted)?": ("chest", "brain", UNKNOWN),
    "(Is|Was) contrast (used|given|administered|present|seen) (|in this image|to take this image"
    "|for this scan)?": CONTRAST,
    "Is there (contrast|IV contrast|any contrast) (|in this image|used|present)?": CONTRAST,
    "(Did the patient receive|Was the patient given|Has the patient been given) (contrast|IV contrast|oral contrast"
    "|intravenous contrast)?": ("no", UNKNOWN, "yes"),
    "Is this (image|scan|study) (taken with contrast|contrast enhanced|enhanced by contrast|with contrast)?": CONTRAST,
    "(Is this|Was this) (image|scan|study|CT) (taken |done |)(with or without contrast|without or with contrast)?": (
        *(UNKNOWN, UNKNOWN, "with contrast"),
    ),
}

# things that an image is, is in or shows; of which organs; a question mark where either may be
_IS = "(Is this|Is this image|Is the image|Is the above image) {}?"
_KINDS = {
    **dict.fromkeys(("a chest x-ray", "an x-ray", "an xray", "a plain film", "a radiograph", "a PA film"), "chest"),
    **dict.fromkeys(("a plain film x-ray", "an image of the chest", "a chest film", "a frontal view"), "chest"),
    **dict.fromkeys(("an axial image", "an axial section", "an axial slice", "an axial view"), "head abdomen"),
    **dict.fromkeys(("a transverse section", "a cross section", "a cross sectional image"), "head abdomen"),
    **dict.fromkeys(("a sagittal image", "a saggital view", "a sagittal section", "a lateral film"), ""),
    **dict.fromkeys(("a coronal section", "a coronal image", "a coronal view"), "chest?"),
    **dict.fromkeys(("a lateral view", "an ultrasound", "an ultrasound image", "a PET scan", "a mammogram"), ""),
    **dict.fromkeys(("a CT", "a CT scan", "a CT image"), "abdomen head?"),
    **dict.fromkeys(("an MRI", "an MRI image", "an MRI scan", "an MR image"), "head"),
    **dict.fromkeys(("a T2 weighted image", "a T1 weighted image", "a T1 weighted MRI", "a head CT"), "head?"),
    **dict.fromkeys(("an image of the brain", "an image of the head", "a brain scan"), "head"),
    **dict.fromkeys(("an image of the abdomen", "a scan of the abdomen", "an abdominal CT"), "abdomen"),
}
_LIES = "(Is this image in the|Is this taken in the|Is this a|Is this in a|Was this taken in the) {} plane?"
_PLANES = {
    **dict.fromkeys(("axial", "transverse"), "head abdomen"),
    **dict.fromkeys(("PA", "posteroanterior"), "chest"),
    **dict.fromkeys(("sagittal", "saggital", "lateral"), ""),
    "coronal": "chest?",
}
_SEEN = (
    "(Can you see the {0}|Are the {0} shown|Is the {0} seen in this image|Are the {0} visible"
    "|Is the {0} visible in this image|Is/Are there {0}|Can the {0} be seen in this image)?"
)
_PARTS = {
    **dict.fromkeys(("lungs", "heart", "ribs", "clavicles", "trachea", "diaphragm"), "chest abdomen?"),
    **dict.fromkeys(("lung fields", "costophrenic angles"), "chest"),
    **dict.fromkeys(("liver", "kidneys", "bowel", "spleen", "small bowel", "colon", "aorta"), "abdomen chest?"),
    **dict.fromkeys(("stomach", "pancreas", "intestines"), "abdomen chest?"),
    **dict.fromkeys(("ventricles", "brain", "skull", "cerebrum", "eyes", "gyri", "sulci"), "head"),
}


def facts() -> Iterator[Fact]:
    return spelled_out(_questions(), ORGANS)


def _questions() -> Iterator[tuple[str, tuple[str, ...]]]:
    yield from _ASKED.items()
    for wordings, things in ((_IS, _KINDS), (_LIES, _PLANES), (_SEEN, _PARTS)):
        for thing, where in things.items():
            found = where.split()
            yield (
                wordings.format(thing),
                tuple(UNKNOWN if f"{one}?" in found else "yes" if one in found else "no" for one in ORGANS),
            )
