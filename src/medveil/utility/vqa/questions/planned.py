"""Questions with exact answers, out of the plan of phantom films.

For each wording that is answered with yes or no, as many films say yes as say no, and of sides and views there are as
many of each: who does not look at the film does no better than chance. What is barely there is not asked after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from medveil.cohort.phantom.plan import DEVICES, FindingPlan, VisitPlan
from medveil.utility.vqa.question import Question

BARELY = 0.2  # of the extent
GRADES = ((0.42, "small"), (0.62, "moderate"), (1.01, "large"))
WIDE = 30  # millimetres; a lesion from here on is a mass
FINDINGS = {
    "Lung Lesion": "a nodule or mass",
    "Edema": "pulmonary edema",
    "Consolidation": "a consolidation",
    "Pneumonia": "pneumonia",
    "Atelectasis": "atelectasis",
    "Pneumothorax": "a pneumothorax",
    "Pleural Effusion": "a pleural effusion",
    "Fracture": "a rib fracture",
}
WITH_LOBE = ("Lung Lesion", "Consolidation", "Pneumonia")
WITH_SIDE = (*WITH_LOBE, "Atelectasis", "Pneumothorax", "Pleural Effusion", "Fracture")
GRADED = ("Pneumothorax", "Pleural Effusion", "Edema", "Atelectasis")
_PRESENCE = ("Is there {}?", "Is there evidence of {}?", "Does the image show {}?", "Is {} present?")
_HEART = ("Is the heart enlarged?", "Is there cardiomegaly?", "Is the cardiac silhouette enlarged?")
_WIDE = ("Is the mediastinum widened?", "Is there widening of the mediastinum?")
_DEVICE = ("Is there {}?", "Is {} seen?", "Does the patient have {}?")
_NORMAL = ("Is this a normal chest film?", "Is the chest film free of disease?", "Are the lungs and the heart normal?")
_AP = ("Is this an AP film?", "Was the film taken from front to back?")


@dataclass(frozen=True)
class PlannedFilm:
    image_id: str
    visit: VisitPlan
    before: VisitPlan | None = None

    def finding(self, label: str) -> FindingPlan | None:
        return next((finding for finding in self.visit.findings if finding.label == label), None)

    def seen(self, label: str) -> FindingPlan | None:
        """The finding if it is more than barely there."""
        finding = self.finding(label)
        return finding if finding is not None and finding.extent >= BARELY else None

    def has_device(self, kind: str) -> bool:
        return any(device.kind == kind for device in self.visit.devices)


Draft = tuple[PlannedFilm, str, str, str]  # film, question, answer, kind
Told = Callable[[PlannedFilm], str | None]  # the answer, or None where the question is not put


def planned_questions(films: Sequence[PlannedFilm], *, seed: int) -> list[Question]:
    """All there is to ask about these films, in their order; the same seed asks the same."""
    rng = np.random.default_rng([seed, 17])
    asked = [_Asked(films, rng).even(words, kind, told) for words, kind, told in _topics()]
    order = {film.image_id: place for place, film in enumerate(films)}
    drafts = sorted(chain.from_iterable(asked), key=lambda draft: order[draft[0].image_id])
    return [
        Question.of(f"{film.image_id}-{number}", film.image_id, text, answer, kind=kind)
        for number, (film, text, answer, kind) in enumerate(drafts)
    ]


def prior_note(film: PlannedFilm) -> str | None:
    """What the study before showed: without it no change can be told from one film."""
    if film.before is None:
        return None
    told = [f"{_grade(one)} {one.label.lower()} ({one.side})" for one in film.before.findings]
    return f"Prior study: {', '.join(told) or 'no finding'}."


class _Asked:
    """Draws of films and wordings."""

    def __init__(self, films: Sequence[PlannedFilm], rng: np.random.Generator) -> None:
        self._films, self._rng = films, rng

    def even(self, words: Sequence[str], kind: str, told: Told) -> Iterator[Draft]:
        """As many films of each answer as of the rarest one."""
        groups: dict[str, list[PlannedFilm]] = {}
        for film in self._films:
            if (answer := told(film)) is not None:
                groups.setdefault(answer, []).append(film)
        if len(groups) < 2:
            return
        shuffled = {answer: self._rng.permutation(len(group)) for answer, group in sorted(groups.items())}
        for turn in range(min(map(len, groups.values()))):
            text = words[int(self._rng.integers(len(words)))]  # one for all answers, or the wording would tell
            for answer, order in shuffled.items():
                yield groups[answer][order[turn]], text, answer, kind


def _topics() -> Iterator[tuple[Sequence[str], str, Told]]:
    for label, words in FINDINGS.items():
        yield [text.format(words) for text in _PRESENCE], "presence", _presence(label)
    yield _HEART, "heart size", _presence("Cardiomegaly")
    yield _WIDE, "heart size", _presence("Enlarged Cardiomediastinum")
    for kind in DEVICES:
        words = kind if kind == "sternal wires" else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
        texts = ["Are there sternal wires?"] if kind == "sternal wires" else [text.format(words) for text in _DEVICE]
        yield texts, "device", _device(kind)
    yield _NORMAL, "absence", _normal
    yield _AP, "view", lambda film: "yes" if film.visit.view == "AP" else "no"
    yield ["Is this a PA or an AP film?", "Which projection is this?"], "view", lambda film: film.visit.view
    for label in WITH_SIDE:
        name = _name(label)
        yield [f"On which side is the {name}?", f"Which side shows the {name}?"], "side", _side(label)
        for side in ("left", "right"):
            yield [f"Is the {name} on the {side} side?", f"Is the {name} {side}-sided?"], "side", _on(label, side)
    for label in WITH_LOBE:
        yield [f"In which lobe is the {_name(label)}?", f"Where is the {_name(label)}?"], "lobe", _lobe(label)
    for label in GRADED:
        yield [f"Is the {_name(label)} small, moderate or large?"], "size", _size(label)
    yield [f"Is the lesion wider than {WIDE} mm?"], "size", _wide
    for label in (*GRADED, "Consolidation", "Pneumonia"):
        name = _name(label)
        yield [f"Is the {name} larger than on the prior study?"], "comparison", _course(label, "larger", "smaller")
        yield [f"Is the {name} new since the prior study?"], "comparison", _course(label, "new", "unchanged")


def _presence(label: str) -> Told:
    def told(film: PlannedFilm) -> str | None:
        return "no" if film.finding(label) is None else "yes" if film.seen(label) else None

    return told


def _device(kind: str) -> Told:
    return lambda film: "yes" if film.has_device(kind) else "no"


def _normal(film: PlannedFilm) -> str | None:
    findings = film.visit.findings
    return "yes" if not findings else "no" if any(finding.extent >= BARELY for finding in findings) else None


def _side(label: str) -> Told:
    def told(film: PlannedFilm) -> str | None:
        finding = film.seen(label)
        return finding.side if finding is not None and finding.side != "bilateral" else None

    return told


def _on(label: str, asked: str) -> Told:
    def told(film: PlannedFilm) -> str | None:
        side = _side(label)(film)
        return None if side is None else "yes" if side == asked else "no"

    return told


def _lobe(label: str) -> Told:
    def told(film: PlannedFilm) -> str | None:
        finding = film.seen(label)
        if finding is None or finding.side == "bilateral":
            return None
        if finding.zone == "mid":
            return "right middle lobe" if finding.side == "right" else "lingula"
        return f"{finding.side} {finding.zone} lobe"

    return told


def _size(label: str) -> Told:
    def told(film: PlannedFilm) -> str | None:
        finding = film.seen(label)
        return _grade(finding) if finding is not None else None

    return told


def _wide(film: PlannedFilm) -> str | None:
    lesion = film.seen("Lung Lesion")
    return None if lesion is None else "yes" if lesion.millimetres > WIDE else "no"


def _course(label: str, yes: str, no: str) -> Told:
    def told(film: PlannedFilm) -> str | None:
        finding = film.seen(label) if film.before is not None else None
        return None if finding is None else {yes: "yes", no: "no"}.get(finding.course)

    return told


def _grade(finding: FindingPlan) -> str:
    return next(word for below, word in GRADES if finding.extent < below)


def _name(label: str) -> str:
    return {"Lung Lesion": "nodule or mass", "Fracture": "rib fracture", "Edema": "edema"}.get(label, label.lower())
