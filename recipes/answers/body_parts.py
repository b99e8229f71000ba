"""What follows from the part of the body that an image shows, in questions: VQA-RAD asks it in a hundred wordings.

Its chest images are radiographs, its images of the abdomen CT, its images of the head MRI for the most part, and
nearly all slices are axial. Whether contrast was used or how a film was projected follows only where it is the rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from medveil.utility.vqa.models.answers.network import ORGANS

Fact = tuple[str, str, str]  # question, answer, organ
_OPEN = {
    (
        *("What imaging modality is used?", "What modality is this?", "What kind of image is this?"),
        *("What type of image is this?", "How was this image taken?", "What kind of scan is this?"),
        *("What type of imaging is this?", "What is the modality of this image?"),
    ): ("x-ray", "mri", "ct"),
    (
        *("What is the plane?", "What is the plane of this image?", "In what plane is this image?"),
        *("Which plane is the image in?", "What plane is seen?", "What imaging plane is this?"),
        "How is the image oriented?",
    ): ("pa", "axial", "axial"),
    (
        *("What organ system is shown?", "What organ system is imaged?", "Which organ system is seen in this image?"),
        "What organ system is being evaluated?",
    ): ("chest", "brain", "gastrointestinal"),
    ("What part of the body is shown?", "Which part of the body is imaged?", "What is shown in this image?"): (
        *("chest", "brain", "abdomen"),
    ),
}
_IS_THIS = ("Is this a {}?", "Is the image a {}?", "Is this an {}?", "Is this taken in the {}?")
_KINDS = {  # and the organs whose images are that; a question mark where either may be
    **dict.fromkeys(("chest x-ray", "plain film", "radiograph", "PA film", "image of the chest"), "chest"),
    **dict.fromkeys(("axial image", "axial plane", "transverse section", "cross sectional image"), "head abdomen"),
    **dict.fromkeys(("sagittal plane", "saggital view", "coronal section", "ultrasound", "lateral film"), ""),
    **dict.fromkeys(("CT", "CT scan"), "abdomen head?"),
    **dict.fromkeys(("MRI", "MRI image", "T2 weighted image"), "head"),
    "T1 weighted image": "head?",
    "image of the brain": "head",
    "image of the abdomen": "abdomen",
}
_SEEN = ("Can you see the {}?", "Are the {} shown?", "Is the {} seen in this image?")
_PARTS = {
    **dict.fromkeys(("lungs", "heart", "ribs"), "chest"),
    **dict.fromkeys(("liver", "kidneys", "bowel"), "abdomen"),
    **dict.fromkeys(("ventricles", "brain"), "head"),
}
_CONTRAST = (
    *("Is there contrast in this image?", "Was contrast used?", "Is this image taken with contrast?"),
    "Did the patient receive IV contrast?",
)


def facts() -> Iterator[Fact]:
    for texts, answers in _OPEN.items():
        yield from ((text, answer, organ) for organ, answer in zip(ORGANS, answers, strict=True) for text in texts)
    for texts, things in ((_IS_THIS, _KINDS), (_SEEN, _PARTS)):
        for thing, organs in things.items():
            for organ in ORGANS:
                if f"{organ}?" not in organs:
                    answer = "yes" if organ in organs.split() else "no"
                    yield from ((text.format(thing), answer, organ) for text in texts)
    yield from ((text, "yes", "abdomen") for text in _CONTRAST)
    yield from ((text, "no", "chest") for text in _CONTRAST)
