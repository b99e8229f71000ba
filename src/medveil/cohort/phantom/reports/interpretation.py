"""What the radiologist says about a visit, before any wording: seen, suspected, denied, gone.

The labels follow from it: 1 where the report affirms, 0 where it denies, -1 where it hedges, nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from medveil.cohort.phantom.plan import Course, DevicePlan, FindingPlan, PatientPlan, VisitPlan

Says = Literal["present", "possible", "absent", "resolved"]
Section = Literal["lungs", "pleura", "heart", "bones", "devices"]

SECTIONS: dict[str, Section] = {
    "Lung Opacity": "lungs",
    "Lung Lesion": "lungs",
    "Edema": "lungs",
    "Consolidation": "lungs",
    "Pneumonia": "lungs",
    "Atelectasis": "lungs",
    "Pneumothorax": "pleura",
    "Pleural Effusion": "pleura",
    "Pleural Other": "pleura",
    "Cardiomegaly": "heart",
    "Enlarged Cardiomediastinum": "heart",
    "Fracture": "bones",
    "Support Devices": "devices",
}
_DENIALS: tuple[tuple[tuple[str, ...], float], ...] = (
    (("Pleural Effusion", "Pneumothorax"), 0.55),
    (("Pneumothorax",), 0.7),
    (("Pleural Effusion",), 0.5),
    (("Lung Opacity",), 0.5),
    (("Consolidation",), 0.35),
    (("Edema",), 0.3),
    (("Pneumonia",), 0.2),
    (("Cardiomegaly",), 0.6),
    (("Enlarged Cardiomediastinum",), 0.45),
    (("Fracture",), 0.4),
    (("Lung Lesion",), 0.12),
    (("Atelectasis",), 0.05),
    (("Pleural Other",), 0.06),
    (("Support Devices",), 0.06),
)
_DENSE = ("Consolidation", "Pneumonia")
_LUNG_LABELS = {label for label, section in SECTIONS.items() if section == "lungs"}


@dataclass(frozen=True)
class Observation:
    """One thing to say. `measured` is in millimetres, 0 where no measure is given."""

    labels: tuple[str, ...]
    says: Says
    side: str = ""
    zone: str = ""
    extent: float = 0
    course: Course | None = None  # None without an earlier study
    measured: int = 0
    ribs: tuple[int, ...] = ()  # counted from above
    device: DevicePlan | None = None

    @property
    def label(self) -> str:
        return self.labels[0]

    @property
    def section(self) -> Section:
        return SECTIONS[self.label]


@dataclass(frozen=True)
class Interpretation:
    observations: tuple[Observation, ...]
    removed: tuple[str, ...]  # kinds of device that were there before
    labels: dict[str, int]
    before: VisitPlan | None

    @property
    def abnormal(self) -> list[Observation]:
        return [seen for seen in self.observations if seen.says in ("present", "possible") and not seen.device]

    def of(self, section: Section) -> list[Observation]:
        return [seen for seen in self.observations if seen.section == section]


def interpret(rng: np.random.Generator, patient: PatientPlan, visit: VisitPlan) -> Interpretation:
    before = patient.visits[visit.number - 1] if visit.number else None
    seen = [_see(rng, finding, before) for finding in visit.findings if not _implied(finding, visit)]
    seen += _suspect(rng, visit)
    said = {label for observation in seen for label in observation.labels} | set(visit.labels)
    gone = _gone(visit, before, said)
    said |= {observation.label for observation in gone}
    devices = [
        Observation(("Support Devices",), "present", device.side, course=_device_course(device, before), device=device)
        for device in visit.devices
    ]
    now = {device.kind for device in visit.devices}
    removed = tuple(device.kind for device in before.devices if device.kind not in now) if before else ()
    if removed and not devices:
        said.add("Support Devices")
    everything = (*seen, *gone, *_deny(rng, said), *devices)
    return Interpretation(everything, removed, _labels(visit, everything, removed), before)


def _implied(finding: FindingPlan, visit: VisitPlan) -> bool:
    """Lung Opacity that is only the other name of a consolidation or pneumonia gets no sentence of its own."""
    return finding.label == "Lung Opacity" and any(
        other.key == finding.key and other.label in _DENSE for other in visit.findings
    )


def _see(rng: np.random.Generator, finding: FindingPlan, before: VisitPlan | None) -> Observation:
    hedged = finding.extent < 0.55 and rng.random() < (0.35 if finding.label == "Pneumonia" else 0.2)
    midline = finding.label in ("Cardiomegaly", "Enlarged Cardiomediastinum")
    return Observation(
        labels=(finding.label,),
        says="possible" if hedged else "present",
        side="" if midline else finding.side,
        zone=finding.zone,
        extent=finding.extent,
        course=finding.course if before else None,
        measured=finding.millimetres if rng.random() < 0.65 else 0,
        ribs=finding.ribs,
    )


def _suspect(rng: np.random.Generator, visit: VisitPlan) -> list[Observation]:
    """A density that might also be pneumonia."""
    labels = set(visit.labels)
    vague = labels & {"Atelectasis", "Lung Opacity"}
    if vague and "Pneumonia" not in labels and rng.random() < 0.25:
        return [Observation(("Pneumonia",), "possible")]
    return []


def _gone(visit: VisitPlan, before: VisitPlan | None, said: set[str]) -> list[Observation]:
    if before is None:
        return []
    gone = (finding for finding in before.findings if finding.label not in said)
    return [
        Observation((finding.label,), "resolved", finding.side, finding.zone)
        for finding in gone
        if not _implied(finding, before)
    ]


def _deny(rng: np.random.Generator, said: set[str]) -> list[Observation]:
    """Clear lungs need every lung label unsaid; any other denial only its own."""
    denied: list[Observation] = []
    done = set(said)
    for labels, chance in _DENIALS:
        against = _LUNG_LABELS & said if labels == ("Lung Opacity",) else done & set(labels)
        if not against and rng.random() < chance:
            denied.append(Observation(labels, "absent"))
            done |= set(labels)
    return denied


def _device_course(device: DevicePlan, before: VisitPlan | None) -> Course | None:
    if before is None:
        return None
    return "unchanged" if any(old.key == device.key for old in before.devices) else "new"


def _labels(visit: VisitPlan, observations: tuple[Observation, ...], removed: tuple[str, ...]) -> dict[str, int]:
    values: dict[Says, int] = {"present": 1, "possible": -1, "absent": 0, "resolved": 0}
    said = {label: values[seen.says] for seen in observations for label in seen.labels}
    without_devices = {"Support Devices": 0} if removed else {}
    return without_devices | visit.labels | said
