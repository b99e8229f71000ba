"""The plan of a phantom hospital: who comes when, and with which findings. Nothing is drawn or written here.

Everything about a patient follows from (seed, number), so patients can be made in any order, on any
number of cores, and stay the same when the hospital grows.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

Side = Literal["left", "right", "bilateral"]
Zone = Literal["upper", "mid", "lower"]
View = Literal["PA", "AP"]
Course = Literal["new", "unchanged", "larger", "smaller"]

DEVICES = (
    "endotracheal tube",
    "enteric tube",
    "central venous catheter",
    "PICC",
    "pacemaker",
    "chest tube",
    "sternal wires",
)


@dataclass(frozen=True)
class FindingPlan:
    """One abnormality: `extent` from 0 (barely seen) to 1 (gross), `course` against the visit before.

    `key` is the same at every visit that shows this abnormality and seeds its place and shape.
    """

    label: str
    side: Side
    zone: Zone
    extent: float
    course: Course
    key: int

    @property
    def radius(self) -> float:
        """Of a lesion, in centimetres."""
        return 0.55 + 2.3 * self.extent**1.3

    @property
    def collapse(self) -> float:
        """The share of the lung's height and width that a pneumothorax takes at the apex."""
        return 0.07 + 0.42 * self.extent

    @property
    def millimetres(self) -> int:
        """What a ruler on the film shows: a lesion's width, a pneumothorax's gap at the apex; 0 for the rest."""
        match self.label:
            case "Lung Lesion":
                return round(20 * self.radius)
            case "Pneumothorax":
                return round(110 * self.collapse)
        return 0

    @property
    def ribs(self) -> tuple[int, ...]:
        """The ribs a fracture breaks, counted from above: neighbours too when it is large."""
        if self.label != "Fracture":
            return ()
        first = {"upper": 3, "mid": 5, "lower": 7}[self.zone] + self.key % 2
        return tuple(range(first, first + 1 + (self.extent > 0.4) + (self.extent > 0.75)))


@dataclass(frozen=True)
class DevicePlan:
    kind: str
    side: Side
    key: int

    @property
    def above_carina(self) -> float:
        """Centimetres between the tip of an endotracheal tube and the carina."""
        return float(np.random.default_rng([self.key, 41]).uniform(1.5, 4.5))


@dataclass(frozen=True)
class VisitPlan:
    """One study with one image: when, how the patient stood and breathed, and what there is to see."""

    number: int
    date: dt.datetime
    age: int
    view: View
    inspiration: float  # 0 poor, 1 full
    rotation: float  # degrees, positive turns to the patient's left
    tilt: float  # degrees in the image plane
    shift: tuple[float, float]  # of the film's centre, as a share of its size
    zoom: float
    exposure: float  # factor on the tube's output; 1 is as intended
    findings: tuple[FindingPlan, ...]
    devices: tuple[DevicePlan, ...]
    noise_key: int

    @property
    def labels(self) -> dict[str, int]:
        """The positive labels of this visit."""
        found = {finding.label for finding in self.findings}
        if self.devices:
            found.add("Support Devices")
        if not found - {"Support Devices"}:
            found.add("No Finding")
        return dict.fromkeys(sorted(found), 1)


@dataclass(frozen=True)
class PatientPlan:
    number: int
    site: int
    sex: Literal["F", "M"]
    birth: dt.date
    anatomy_key: int
    person_key: int
    build: float  # -1 slight, 0 average, 1 heavy
    visits: tuple[VisitPlan, ...] = field(repr=False)


# How common each finding is at a visit, and whether it has a side. Pneumonia, Consolidation and Lung Opacity overlap
# as they do in CheXpert: the first two imply the third.
_RATES: dict[str, float] = {
    "Cardiomegaly": 0.07,
    "Enlarged Cardiomediastinum": 0.035,
    "Lung Lesion": 0.04,
    "Edema": 0.06,
    "Consolidation": 0.05,
    "Pneumonia": 0.055,
    "Atelectasis": 0.09,
    "Pneumothorax": 0.045,
    "Pleural Effusion": 0.1,
    "Pleural Other": 0.03,
    "Fracture": 0.035,
    "Lung Opacity": 0.06,
}
_MIDLINE = ("Cardiomegaly", "Enlarged Cardiomediastinum")
_LASTING = ("Cardiomegaly", "Enlarged Cardiomediastinum", "Lung Lesion", "Pleural Other", "Fracture")
_LOW = ("Atelectasis", "Pleural Effusion")


def plan_patient(seed: int, number: int, sites: int) -> PatientPlan:
    """The whole history of patient `number` in the hospital with this seed."""
    rng = np.random.default_rng([seed, number])
    age = _first_age(rng)
    first = dt.datetime(2015, 1, 1) + dt.timedelta(minutes=int(rng.integers(0, 5 * 365 * 24 * 60)))
    birth = (first - dt.timedelta(days=age * 365.25 + float(rng.uniform(0, 365)))).date()
    count = 1 + min(int(rng.geometric(0.42)), 8) - (rng.random() < 0.25)
    ward = rng.random() < 0.35  # an inpatient: portable AP films, devices
    visits: list[VisitPlan] = []
    date = first
    for visit in range(max(count, 1)):
        before = visits[-1] if visits else None
        visits.append(_plan_visit(rng, visit, date, birth, ward, before))
        date += dt.timedelta(days=float(rng.lognormal(2.5 if ward else 4.8, 1.0)) + 0.5)
    return PatientPlan(
        number=number,
        site=int(rng.integers(sites)),
        sex="F" if rng.random() < 0.48 else "M",
        birth=birth,
        anatomy_key=int(rng.integers(2**62)),
        person_key=int(rng.integers(2**62)),
        build=float(np.clip(rng.normal(0, 0.45), -1, 1)),
        visits=tuple(visits),
    )


def _first_age(rng: np.random.Generator) -> int:
    """Adults, mostly old; one in twenty over 89, whose exact age is itself an identifier."""
    return int(rng.integers(90, 100)) if rng.random() < 0.05 else int(np.clip(rng.normal(60, 16), 18, 89))


def _age(birth: dt.date, day: dt.date) -> int:
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def _plan_visit(
    rng: np.random.Generator,
    number: int,
    date: dt.datetime,
    birth: dt.date,
    ward: bool,
    before: VisitPlan | None,
) -> VisitPlan:
    portable = rng.random() < (0.85 if ward else 0.08)
    return VisitPlan(
        number=number,
        date=date,
        age=_age(birth, date.date()),
        view="AP" if portable else "PA",
        inspiration=float(np.clip(rng.normal(0.45 if portable else 0.75, 0.18), 0, 1)),
        rotation=float(rng.normal(0, 5 if portable else 2.5)),
        tilt=float(rng.normal(0, 3 if portable else 1.2)),
        shift=(float(rng.normal(0, 0.025)), float(rng.normal(0, 0.025))),
        zoom=float(np.clip(rng.normal(1.06 if portable else 1.0, 0.04), 0.9, 1.18)),
        exposure=float(np.exp(rng.normal(0, 0.25 if portable else 0.12))),
        findings=_plan_findings(rng, before),
        devices=_plan_devices(rng, ward, before),
        noise_key=int(rng.integers(2**62)),
    )


def _plan_findings(rng: np.random.Generator, before: VisitPlan | None) -> tuple[FindingPlan, ...]:
    earlier = {finding.label: finding for finding in before.findings} if before else {}
    if _is_implied(earlier):
        del earlier["Lung Opacity"]
    found = []
    for label, rate in _RATES.items():
        old = earlier.get(label)
        if old is not None and (label in _LASTING or rng.random() < 0.5):
            found.append(_evolve(rng, old))
        elif old is None and rng.random() < rate:
            found.append(_begin(rng, label))
    if not any(finding.label == "Lung Opacity" for finding in found):
        dense = [finding for finding in found if finding.label in ("Consolidation", "Pneumonia")]
        found.extend(FindingPlan("Lung Opacity", d.side, d.zone, d.extent, d.course, d.key) for d in dense[:1])
    return tuple(found)


def _is_implied(findings: dict[str, FindingPlan]) -> bool:
    """Lung Opacity that is another finding's second name comes and goes with that finding."""
    opacity = findings.get("Lung Opacity")
    return opacity is not None and any(
        finding.key == opacity.key for label, finding in findings.items() if label != "Lung Opacity"
    )


def _begin(rng: np.random.Generator, label: str) -> FindingPlan:
    side: Side = "bilateral" if label in _MIDLINE or label == "Edema" else ("left", "right")[int(rng.integers(2))]
    if label in ("Pleural Effusion", "Atelectasis") and rng.random() < 0.25:
        side = "bilateral"
    zone: Zone = "lower" if label in _LOW else ("upper", "mid", "lower")[int(rng.integers(3))]
    if label == "Pneumothorax":
        zone = "upper"
    return FindingPlan(label, side, zone, float(rng.beta(2.2, 2.2)), "new", int(rng.integers(2**62)))


def _evolve(rng: np.random.Generator, old: FindingPlan) -> FindingPlan:
    if old.label in _LASTING or rng.random() < 0.4:
        return FindingPlan(old.label, old.side, old.zone, old.extent, "unchanged", old.key)
    extent = float(np.clip(old.extent + rng.choice((-1, 1)) * rng.uniform(0.15, 0.35), 0.05, 1))
    course: Course = "unchanged" if extent == old.extent else "larger" if extent > old.extent else "smaller"
    return FindingPlan(old.label, old.side, old.zone, extent, course, old.key)


def _plan_devices(rng: np.random.Generator, ward: bool, before: VisitPlan | None) -> tuple[DevicePlan, ...]:
    rates = dict.fromkeys(DEVICES, 0.0) | {"pacemaker": 0.05, "sternal wires": 0.05, "PICC": 0.02}
    if ward:
        rates |= {
            "endotracheal tube": 0.2,
            "enteric tube": 0.25,
            "central venous catheter": 0.3,
            "PICC": 0.12,
        }
        rates |= {"chest tube": 0.06}
    earlier = {device.kind: device for device in before.devices} if before else {}
    found = []
    for kind, rate in rates.items():
        lasting = kind in ("pacemaker", "sternal wires")
        if kind in earlier and (lasting or rng.random() < 0.55):
            found.append(earlier[kind])
        elif kind not in earlier and rng.random() < rate:
            side: Side = "left" if kind == "pacemaker" and rng.random() < 0.8 else "right"
            if kind in ("chest tube", "PICC") and rng.random() < 0.5:
                side = "left"
            found.append(DevicePlan(kind, side, int(rng.integers(2**62))))
    return tuple(found)
